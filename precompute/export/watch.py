"""How an export shows what it is doing: a bar on a terminal, lines when asked for."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Self

from rich.progress import MofNCompleteColumn, TaskID, TextColumn

from console.progress import progress_bar
from engine.errors import counted
from engine.tablebase.retrograde import Phase
from precompute.export.labellers import Labellers

VERBOSE_SECONDS = 2.0  # between two lines


class ExportWatch:
    """Shows an export's progress on stderr."""

    def __init__(
        self,
        say: Callable[[str], None],
        labellers: Labellers,
        *,
        games: int | None = None,
        is_verbose: bool = False,
    ) -> None:
        """Say plain lines with `say`; `games` is their number, if there are any."""
        self._say, self._crew, self._is_verbose = say, labellers, is_verbose
        self._bar = progress_bar(MofNCompleteColumn(), TextColumn("{task.fields[rate]}"))
        self._task = TaskID(0)
        self._games = games
        self._rows = self._parts = 0
        self._began = self._said = time.perf_counter()

    def __enter__(self) -> Self:
        """Show the bar."""
        self._bar.start()
        self._task = self._bar.add_task("export", total=self._games, rate="")
        return self

    def __exit__(self, *_: object) -> None:
        """Take the bar away."""
        self._bar.stop()

    def phase(self, phase: Phase) -> None:
        """Show which layer a retrograde solve is at."""
        way = "reach" if phase.is_forward else "solve"
        self._bar.update(self._task, description=f"{way} ply {phase.ply}")

    def tell(self, text: str) -> None:
        """Say a line."""
        self._say(text)

    def staff(self, workers: int) -> None:
        """Do nothing: an export works on this machine."""

    def expect(self, rows: int) -> None:
        """Hear how many rows there will be."""
        self._bar.update(self._task, total=rows)

    def wrote(self, rows: int) -> None:
        """Count rows that have been written: a game, or a part of all states."""
        self._rows += rows
        self._parts += 1
        done = self._parts if self._games else self._rows
        what = "games" if self._games else "states"
        self._bar.update(self._task, description=what, completed=done, rate=self.rate)
        now = time.perf_counter()
        if self._is_verbose and now - self._said >= VERBOSE_SECONDS:
            self._said = now
            games = f"{counted(self._parts, 'game')}, " if self._games else ""
            self._say(f"{games}{counted(self._rows, 'state')}, {self.rate}")

    @property
    def rate(self) -> str:
        """Return how fast it goes, in words."""
        seconds = time.perf_counter() - self._began
        nodes = f", {self._crew.nodes / seconds / 1e6:,.2f} M nodes/s" if self._crew.nodes else ""
        return f"{self._rows / seconds:,.0f} states/s{nodes}"
