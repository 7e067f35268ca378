"""The job: carry out a plan root by root, so that it can end at any moment and be resumed.

Each root is committed when it is solved: that is the checkpoint. The plan is in the
generation from its first moment, so what is left to do is what has no record yet. Whoever
solves the roots, a job is the one that writes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from engine.errors import DamagedError, HalfBuiltError, NoDatabaseError
from engine.game.cards import Catalogue
from engine.game.state import State
from engine.tablebase.retrograde import Phase
from precompute.roots import SolvedRoot, SolveRoots, memory_needed
from store import preflight
from store.environment import Environment
from store.generations import Folder
from store.records import (
    Manifest,
    PlannedRoot,
    is_stored,
    read_manifest,
    read_plan,
    read_roots,
)
from store.summary import LayerTotals
from store.writer import Writer
from work import tasks


class JobListener(tasks.Watch, Protocol):
    """Who is told how a job is going."""

    def begin(self, done: int, left: Sequence[PlannedRoot], means: str) -> None:
        """Hear what the plan is, and with what it is carried out."""

    def phase(self, root: State, phase: Phase) -> None:
        """Hear what the solve is at, on this machine."""

    def finish(self, solved: SolvedRoot) -> None:
        """Hear of a root that has been committed."""


def check_records(generation: Path, environment: Environment) -> None:
    """Raise `DamagedError` unless the records of all roots can be read."""
    try:
        for _ in read_roots(environment):
            pass
    except DamagedError as error:
        raise DamagedError(f"{generation} is damaged, move it away: {error}") from error


@dataclass(frozen=True)
class Report:
    """What a job did."""

    generation: Path
    manifest: Manifest
    deals: int  # of this run
    layers: list[dict[str, Any]]  # what they take, ply by ply
    states: int  # solved in this run, stored or not
    seconds: float


@dataclass(frozen=True)
class Job:
    """Builds or extends the database in a folder."""

    folder: Folder
    catalogue: Catalogue
    crew: tasks.Crew
    cards: Path | None = None  # where workers of a cluster have the card file

    def run(
        self, plan: Sequence[PlannedRoot] | None, *, resume: bool, watch: JobListener
    ) -> Report | None:
        """Carry out a plan and publish; return what was done, None if nothing was left to do.

        With `resume` an unfinished generation is gone on with: without a plan the stored one,
        with a plan one that is part of it. Where nothing is unfinished, a plan is begun.
        """
        if plan is None and not self.folder.path.is_dir():
            raise NoDatabaseError(f"there is nothing to resume at {self.folder.path}")
        with self.folder.locked():
            generation = self.folder.unfinished()
            if generation:
                done, left = self._resumed(generation, plan, resume)
            else:
                done, left = self._lacking(plan)
                if not left:
                    return None
            needed = memory_needed(left)
            task = SolveRoots(Manifest.begun(self.catalogue), needed, self.cards, watch.phase)
            with self.crew.engaged(task, watch) as crew:
                watch.begin(done, left, f"{crew.means}, {needed:,} MiB for a deal")
                generation = generation or self._begin(left)
                with Writer(generation, self.catalogue) as writer:
                    roots = crew.results(left, in_order=False)
                    report = self._write(writer, generation, roots, watch)
            self.folder.publish(generation)
            return report

    def _resumed(
        self, generation: Path, plan: Sequence[PlannedRoot] | None, resume: bool
    ) -> tuple[int, list[PlannedRoot]]:
        """Return how much of an unfinished generation's plan is done, and what is left."""
        with self._opened(generation) as environment:
            stored = read_plan(environment, self.catalogue)
            left = [root for root in stored if not is_stored(environment, root)]
        done = len(stored) - len(left)
        if not resume:
            raise HalfBuiltError(
                f"{generation} is half-built, {done} of {len(stored)} deals are done: "
                + ("go on with --resume, or remove it" if left else "--resume publishes it")
            )
        known = set(stored)
        foreign = next((planned for planned in plan or [] if planned not in known), None)
        if foreign:
            raise HalfBuiltError(
                f"{generation} is half-built with another plan, which does not have "
                f"{foreign}: --resume alone goes on with it"
            )
        return done, left

    def _lacking(self, plan: Sequence[PlannedRoot] | None) -> tuple[int, list[PlannedRoot]]:
        """Return how much of a plan the published database has, and what it lacks."""
        current = self.folder.current()
        if current is None:
            if plan is None:
                raise NoDatabaseError(f"there is nothing to resume at {self.folder.path}")
            return 0, list(plan)
        with self._opened(current) as environment:
            left = [root for root in plan or [] if not is_stored(environment, root)]
        return len(plan or []) - len(left), left

    @contextmanager
    def _opened(self, generation: Path) -> Iterator[Environment]:
        """Open a generation to look at it, once it has been walked through.

        All its records are read, because a job that finishes needs them all.
        """
        preflight.check(generation)
        environment = Environment(generation)
        try:
            read_manifest(environment).check(self.catalogue)
            check_records(generation, environment)
            yield environment
        finally:
            environment.close()

    def _begin(self, plan: Sequence[PlannedRoot]) -> Path:
        """Return a new generation that holds the plan from its first moment."""

        def prepare(part: Path) -> None:
            with Writer(part, self.catalogue) as writer:
                writer.begin(plan)

        return self.folder.begin(prepare)

    def _write(
        self, writer: Writer, generation: Path, roots: Iterator[SolvedRoot], watch: JobListener
    ) -> Report:
        """Commit the plan's roots as they are solved, and add up; nothing of them is kept."""
        deals = states = 0
        layers = LayerTotals()
        began = time.perf_counter()
        for solved in roots:
            writer.write_root(solved.planned, solved.record, solved.blocks)
            layers.add(solved.record)
            deals, states = deals + 1, states + solved.states
            watch.finish(solved)
        manifest, seconds = writer.finish(), time.perf_counter() - began
        return Report(generation, manifest, deals, layers.rows(), states, seconds)
