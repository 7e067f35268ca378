"""The job: carry out a plan root by root, so that it can end at any moment and be resumed.

Each root is committed when it is solved: that is the checkpoint. The plan is in the
generation from its first moment, so what is left to do is what has no record yet.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Protocol

from engine.cards import Catalogue
from engine.errors import HalfBuiltError, NoDatabaseError
from engine.notation import parse_state
from engine.retrograde import Phase, Retrograde
from engine.state import State
from precompute.resources import plan_memory
from precompute.roots import SolvedRoot, solve_root
from store import preflight
from store.environment import Environment
from store.generations import Folder
from store.records import (
    Manifest,
    PlannedRoot,
    RootRecord,
    is_stored,
    read_manifest,
    read_plan,
)
from store.writer import Writer


class Watch(Protocol):
    """Who is told how a job is going."""

    def begin(self, done: int, left: Sequence[PlannedRoot], memory: int) -> None:
        """Hear what the plan is, and the MiB it takes."""

    def phase(self, root: State, phase: Phase) -> None:
        """Hear what the solve is at."""

    def finish(self, solved: SolvedRoot, seconds: float) -> None:
        """Hear of a root that has been committed."""


@dataclass(frozen=True)
class Report:
    """What a job did."""

    generation: Path
    manifest: Manifest
    records: list[RootRecord]  # the roots of this run
    states: int  # solved in this run, stored or not
    seconds: float


@dataclass(frozen=True)
class Job:
    """Builds or extends the database in a folder."""

    folder: Folder
    catalogue: Catalogue
    threads: int
    memory: int  # ceiling, in MiB

    def run(
        self, plan: Sequence[PlannedRoot] | None, *, resume: bool, watch: Watch
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
            watch.begin(done, left, plan_memory(left, self.catalogue, self.memory))
            generation = generation or self._begin(left)
            with Writer(generation, self.catalogue) as writer:
                report = self._work(writer, generation, left, watch)
            self.folder.publish(generation)
            return report

    def _resumed(
        self, generation: Path, plan: Sequence[PlannedRoot] | None, resume: bool
    ) -> tuple[int, list[PlannedRoot]]:
        """Return how much of an unfinished generation's plan is done, and what is left."""
        with self._opened(generation) as environment:
            stored = read_plan(environment)
            left = self._not_in(environment, stored)
        done = len(stored) - len(left)
        if not resume:
            raise HalfBuiltError(
                f"{generation} is half-built, {done} of {len(stored)} deals are done: "
                + ("go on with --resume, or remove it" if left else "--resume publishes it")
            )
        foreign = [planned for planned in plan or [] if planned not in stored]
        if foreign:
            raise HalfBuiltError(
                f"{generation} is half-built with another plan, which does not have "
                f"{foreign[0].root} to ply {foreign[0].plies}: --resume alone goes on with it"
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
            left = self._not_in(environment, plan or [])
        return len(plan or []) - len(left), left

    @contextmanager
    def _opened(self, generation: Path) -> Iterator[Environment]:
        """Open a generation to look at it, once it has been walked through."""
        preflight.check(generation)
        environment = Environment(generation)
        try:
            read_manifest(environment).check(self.catalogue)
            yield environment
        finally:
            environment.close()

    def _not_in(self, environment: Environment, plan: Sequence[PlannedRoot]) -> list[PlannedRoot]:
        return [root for root in plan if not is_stored(environment, root, self.catalogue)]

    def _begin(self, plan: Sequence[PlannedRoot]) -> Path:
        """Return a new generation that holds the plan from its first moment."""

        def prepare(part: Path) -> None:
            with Writer(part, self.catalogue) as writer:
                writer.begin(plan)

        return self.folder.begin(prepare)

    def _work(
        self, writer: Writer, generation: Path, left: Sequence[PlannedRoot], watch: Watch
    ) -> Report:
        """Solve and commit what is left of the plan."""
        records: list[RootRecord] = []
        states = 0
        began = time.perf_counter()
        with Retrograde(self.threads) as retrograde:
            for planned in left:
                started = time.perf_counter()
                root = parse_state(planned.root, self.catalogue)
                solved = solve_root(root, planned.plies, retrograde, partial(watch.phase, root))
                writer.write_root(solved.record, solved.blocks)
                records.append(solved.record)
                states += solved.states
                watch.finish(solved, time.perf_counter() - started)
        manifest = writer.finish()
        return Report(generation, manifest, records, states, time.perf_counter() - began)
