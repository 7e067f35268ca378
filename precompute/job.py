"""The job: carry out a plan root by root, so that it can end at any moment and be resumed.

A job writes a part of its own. Each root is committed to it when it is solved: that is the
checkpoint. The plan is in the part from its first moment, so what is left to do is what has no
record yet. Whoever solves the roots, a job is the one that writes.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from engine.errors import HalfBuiltError, NoDatabaseError, StoreError
from engine.game.cards import Catalogue
from engine.game.state import State
from engine.tablebase.retrograde import Phase
from precompute.roots import SolvedRoot, SolveRoots, memory_needed
from precompute.rounds import DecideSplits, solve_table
from store import preflight
from store.generations import Folder
from store.merge import merge_due
from store.part_list import Generation
from store.publish import publish_job, whole_parts
from store.records import Kind, PlannedRoot
from store.rounds import is_table
from store.totals import Totals
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


@dataclass(frozen=True)
class Report:
    """What a job did."""

    generation: Generation
    deals: int  # of this run
    tables: int  # of Sudden Death, of this run
    layers: list[dict[str, Any]]  # what they take, ply by ply
    total: dict[str, Any]  # all plies together
    states: int  # solved in this run, stored or not
    seconds: float


@dataclass(frozen=True)
class Job:
    """Builds or extends the database in a folder."""

    folder: Folder
    catalogue: Catalogue
    crew: tasks.Crew
    cards: Path | None = None  # where workers of a cluster have the card file
    merges: bool = True  # parts, when there are many

    def run(
        self, plan: Sequence[PlannedRoot] | None, *, resume: bool, watch: JobListener
    ) -> Report | None:
        """Carry out a plan and publish; return what was done, None if nothing was left to do.

        With `resume` what was interrupted is gone on with: without a plan the stored one, with
        a plan one that is part of it. Where nothing was interrupted, a plan is begun.
        """
        if plan is None and not self.folder.path.is_dir():
            raise NoDatabaseError(f"there is nothing to resume at {self.folder.path}")
        with self.folder.locked():
            current = self.folder.current()
            if current and current.is_old:
                watch.tell(f"{current.format_note}: it becomes a part, and nothing is copied")
            report = self._carry_out(plan, resume, watch)
            if report and self.merges:
                merged = self._merge(watch)
                report = replace(report, generation=merged or report.generation)
            return report

    def _merge(self, watch: JobListener) -> Generation | None:
        """Merge what is due; if that cannot be done, the deals are published nevertheless."""
        try:
            return merge_due(self.folder, self.catalogue, watch.tell)
        except (StoreError, OSError) as error:
            watch.tell(f"parts are not merged: {error}; the deals are published")
            return None

    def _carry_out(
        self, plan: Sequence[PlannedRoot] | None, resume: bool, watch: JobListener
    ) -> Report | None:
        is_begun = self.folder.unfinished() is not None
        done, left = self._resumed(plan, resume) if is_begun else self._lacking(plan)
        if not is_begun and not left:
            return None
        tables = [planned for planned in left if is_table(planned.root)]
        deals = [planned for planned in left if not is_table(planned.root)]
        needed = memory_needed(deals)
        kind, totals, states = Kind.of(self.catalogue), Totals(), 0
        task = SolveRoots(kind, needed, self.cards, watch.phase)
        with self.crew.engaged(task, watch) as crew:
            watch.begin(done, left, f"{crew.means}, {needed:,} MiB for a deal")
            if not is_begun:
                self._begin(left)
            began = time.perf_counter()
            with Writer(self.folder.job, self.catalogue) as writer:
                roots = crew.results(deals, in_order=False)
                states += self._write(writer, roots, watch, totals)
        if tables:
            with (
                self.crew.engaged(DecideSplits(kind, self.cards), watch) as table_crew,
                Writer(self.folder.job, self.catalogue) as writer,
            ):
                made = (solve_table(one, table_crew, writer, watch.tell) for one in tables)
                states += self._write(writer, made, watch, totals)
        generation = publish_job(self.folder, self.catalogue)
        seconds = time.perf_counter() - began
        return Report(
            generation,
            totals.deals,
            totals.tables,
            totals.rows(),
            totals.total(),
            states,
            seconds,
        )

    def _resumed(
        self, plan: Sequence[PlannedRoot] | None, resume: bool
    ) -> tuple[int, list[PlannedRoot]]:
        """Return how much of an interrupted job's plan is done, and what is left."""
        job = self.folder.job
        preflight.check(job)
        with Writer(job, self.catalogue) as writer:
            stored = writer.plan()
            left = [planned for planned in stored if not writer.has(planned)]
        done = len(stored) - len(left)
        if not resume:
            raise HalfBuiltError(
                f"{job} is half-built, {done} of {len(stored)} deals are done: "
                + ("go on with --resume, or remove it" if left else "--resume publishes it")
            )
        known = set(stored)
        foreign = next((planned for planned in plan or [] if planned not in known), None)
        if foreign:
            raise HalfBuiltError(
                f"{job} is half-built with another plan, which does not have "
                f"{foreign}: --resume alone goes on with it"
            )
        return done, left

    def _lacking(self, plan: Sequence[PlannedRoot] | None) -> tuple[int, list[PlannedRoot]]:
        """Return how much of a plan the published database has, and what it lacks."""
        with whole_parts(self.folder, self.catalogue) as parts:
            if parts is None and plan is None:
                raise NoDatabaseError(f"there is nothing to resume at {self.folder.path}")
            left = []
            for planned in plan or []:
                record = parts.record(planned.root) if parts else None
                if record is None or record.plies < planned.plies:
                    left.append(planned)
        return len(plan or []) - len(left), left

    def _begin(self, plan: Sequence[PlannedRoot]) -> None:
        """Begin a part that holds the plan from its first moment."""

        def prepare(path: Path) -> None:
            with Writer(path, self.catalogue) as writer:
                writer.begin(plan)

        self.folder.begin(prepare)

    def _write(
        self, writer: Writer, roots: Iterator[SolvedRoot], watch: JobListener, totals: Totals
    ) -> int:
        """Commit roots as they are solved, and add up; return the states that were looked at."""
        states = 0
        for solved in roots:
            writer.write_root(solved.planned, solved.record, solved.blocks)
            totals.add(solved.record)
            states += solved.states
            watch.finish(solved)
        return states
