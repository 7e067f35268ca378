"""How a job shows what it is doing: a bar on a terminal, a line for each deal elsewhere."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from types import TracebackType

from rich.progress import TaskID, TaskProgressColumn, TextColumn

from console.progress import progress_bar
from engine.errors import counted
from engine.game.state import State
from engine.tablebase.index import placements_at
from engine.tablebase.retrograde import LAST_PLY, Phase
from engine.tablebase.root import make_root
from precompute.roots import SolvedRoot
from store.records import PlannedRoot
from store.rounds import is_table

QUIET_SECONDS = 2.0  # a plain line is written at most so often


class JobWatch:
    """Shows a job's progress on stderr."""

    def __init__(self, say: Callable[[str], None]) -> None:
        """Say plain lines with `say`."""
        self._say = say
        self._bar = progress_bar(TaskProgressColumn(), TextColumn("{task.fields[rate]}"))
        self._task = TaskID(0)
        self._noun = "deal"  # or table, of Sudden Death
        self._done = self._total = 0
        self._states = self._left = 0
        self._workers: int | None = None  # of a cluster
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
    def total(self) -> int:
        """Return how many deals the plan has."""
        return self._total

    @property
    def stored(self) -> str:
        """Return in words how many deals of the plan are stored."""
        return f"{self._done} of {self._total} {self._noun}s are stored"

    def begin(self, done: int, left: Sequence[PlannedRoot], means: str) -> None:
        """Say what there is to do, and with what."""
        self._done, self._left = done, len(left)
        self._total = done + len(left)
        self._began = time.perf_counter()
        if left and all(is_table(planned.root) for planned in left):
            self._noun = "table"
        self._say(f"{counted(self._total, self._noun)}, {done:,} stored already; {means}")
        self._task = self._bar.add_task("begin", total=None, rate="")

    def tell(self, text: str) -> None:
        """Say a line."""
        self._say(text)

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

    def staff(self, workers: int) -> None:
        """Show the workers of a cluster, and say when they have become more or fewer.

        Their phases are not known here, so the bar counts deals.
        """
        if self._workers not in (None, workers):
            self._say(counted(workers, "worker"))
        self._workers = workers
        self._bar.update(
            self._task,
            description=f"deal {self._done}/{self._total} on {counted(workers, 'worker')}",
            total=self._left,
            completed=self._finished,
            rate=self._rate,
        )

    def finish(self, solved: SolvedRoot) -> None:
        """Count a deal; say so now and then when there is no bar."""
        self._done += 1
        self._states += solved.states
        if self._workers is not None:
            self.staff(self._workers)
        now = time.perf_counter()
        if self._bar.disable and now - self._said >= QUIET_SECONDS:
            self._said = now
            left = (now - self._began) / self._finished * (self._total - self._done)
            self._say(
                f"{self._noun} {self._done}/{self._total}: {solved.states:,} states in "
                f"{solved.seconds:.1f} s, {self._speed(solved)}, about {left:.0f} s left"
            )

    @property
    def _finished(self) -> int:
        """Return how many deals this run has finished."""
        return self._done - (self._total - self._left)

    def _speed(self, solved: SolvedRoot) -> str:
        """Return how fast it goes: the deal's own rate, or that of all workers together."""
        if self._workers is not None:
            return f"{self._rate} on {counted(self._workers, 'worker')}"
        return f"{solved.states / solved.seconds / 1e6:.1f} M/s"

    @property
    def _rate(self) -> str:
        seconds = time.perf_counter() - self._began
        return f"{self._states / seconds / 1e6:,.1f} M states/s" if self._states else ""
