"""How a job shows what it is doing: a bar on a terminal, a line for each deal elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType

from rich.progress import TaskID, TaskProgressColumn, TextColumn

from console.progress import counted, progress_bar
from engine.index import placements_at
from engine.retrograde import LAST_PLY, Phase
from engine.root import make_root
from engine.state import State
from precompute.roots import SolvedRoot
from store.records import PlannedRoot

QUIET_SECONDS = 2.0  # a plain line is written at most so often


class JobWatch:
    """Shows a job's progress on stderr."""

    def __init__(self, say: Callable[[str], None], threads: int, ceiling: int) -> None:
        """Say plain lines with `say`."""
        self._say, self._threads, self._ceiling = say, threads, ceiling
        self._bar = progress_bar(TaskProgressColumn(), TextColumn("{task.fields[rate]}"))
        self._task = TaskID(0)
        self._done = self._total = 0
        self._states, self._left = 0, 0
        self._began = self._said = 0.0
        self._phase_work = 0

    def __enter__(self) -> JobWatch:
        """Show the bar."""
        self._bar.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Take the bar away."""
        self._bar.stop()

    @property
    def done(self) -> int:
        """Return how many deals of the plan are stored."""
        return self._done

    @property
    def total(self) -> int:
        """Return how many deals the plan has."""
        return self._total

    def begin(self, done: int, left: Sequence[PlannedRoot], memory: int) -> None:
        """Say what there is to do, and with what."""
        self._done, self._left = done, len(left)
        self._total = done + len(left)
        self._began = time.perf_counter()
        self._say(
            f"{counted(self._total, 'deal')}, {done:,} stored already; "
            f"{counted(self._threads, 'thread')}, "
            f"{memory:,} MiB of at most {self._ceiling:,}"
        )
        self._task = self._bar.add_task("begin", total=None, rate="")

    def phase(self, root: State, phase: Phase) -> None:
        """Show the layer."""
        kernel_root = make_root(root)
        work = placements_at(kernel_root, phase.ply)
        of_one = 2 * sum(placements_at(kernel_root, ply) for ply in range(root.ply, LAST_PLY + 1))
        way = "reach" if phase.is_forward else "solve"
        self._bar.update(
            self._task,
            description=f"deal {self._done + 1}/{self._total}: {way} ply {phase.ply}",
            total=self._left * of_one,
            advance=self._phase_work,
            rate=self._rate,
        )
        self._phase_work = work

    def finish(self, solved: SolvedRoot, seconds: float) -> None:
        """Count a deal; say so now and then when there is no bar."""
        self._done += 1
        self._states += solved.states
        now = time.perf_counter()
        if self._bar.disable and now - self._said >= QUIET_SECONDS:
            self._said = now
            done = self._done - (self._total - self._left)
            left = (now - self._began) / done * (self._total - self._done)
            self._say(
                f"deal {self._done}/{self._total}: {solved.states:,} states in {seconds:.1f} s, "
                f"{solved.states / seconds / 1e6:.1f} M/s, about {left:.0f} s left"
            )

    @property
    def _rate(self) -> str:
        seconds = time.perf_counter() - self._began
        return f"{self._states / seconds / 1e6:,.1f} M states/s" if self._states else ""
