"""A database grows by jobs, merges and crashes; a dict says what it must hold.

Whatever happens, what is read is what some published generation had, and the content digest
depends on the deals alone.
"""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engine.errors import StoreError
from engine.game.cards import Catalogue, default_catalogue
from engine.search.solver import Solver
from engine.tablebase.retrograde import Retrograde
from engine.text.notation import format_state
from precompute.crew import LocalCrew
from precompute.job import Job
from precompute.plan import plan_roots
from precompute.roots import solve_root
from store import generations
from store.environment import Environment
from store.generations import Folder, Generation, Part
from store.merge import FAN, due, merge
from store.parts import Parts
from store.reader import Reader
from store.records import Kind, PlannedRoot, RootRecord
from store.summary import totals_of
from store.totals import Totals
from tests.databases import PLENTY, Unwatched, build, later, small_roots

ROOTS = [later(root.seated, 7, choice) for choice in (1, 2) for root in small_roots(5, 6)]
DEPTHS = (7, 8)
Model = dict[str, int]  # how deep each root is stored


class Crash(BaseException):
    """The process ends here, as far as anybody can tell."""


@contextmanager
def crashing(after: int) -> Iterator[None]:
    """Let so many steps that last reach the disk, and none after them."""
    left = after

    def counted(step: Callable[..., Any]) -> Callable[..., Any]:
        def take(*arguments: Any, **options: Any) -> Any:
            nonlocal left
            if left == 0:
                raise Crash
            left -= 1
            return step(*arguments, **options)

        return take

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in (
            (generations, "sync"),
            (shutil, "rmtree"),
            (os, "link"),
            (Path, "rename"),
            (Path, "replace"),
            (Path, "mkdir"),
            (Path, "unlink"),
            (Environment, "_write"),
        ):
            patch.setattr(owner, name, counted(getattr(owner, name)))
        yield


class Grown:
    """A database and what it must hold."""

    def __init__(self, path: Path, catalogue: Catalogue, records: dict[PlannedRoot, RootRecord]):
        self.folder, self.catalogue, self.records = Folder(path), catalogue, records
        self.model: Model = {}

    def plan(self, chance: random.Random) -> list[PlannedRoot]:
        chosen = chance.sample(ROOTS, chance.randint(1, 3))
        return plan_roots(chosen, chance.choice(DEPTHS), self.catalogue)

    def after(self, plan: list[PlannedRoot]) -> Model:
        deeper = dict(self.model)
        for planned in plan:
            deeper[planned.notation] = max(planned.plies, deeper.get(planned.notation, 0))
        return deeper

    def job(self, plan: list[PlannedRoot] | None, *, resume: bool = False) -> None:
        crew = LocalCrew(1, PLENTY)
        Job(self.folder, self.catalogue, crew).run(plan, resume=resume, watch=Unwatched())

    def merge(self) -> None:
        with self.folder.locked():
            merge(self.folder, self.catalogue)

    def check(self, *allowed: Model) -> None:
        """Read everything: it must be one of these, with the digest that belongs to it."""
        if self.folder.current() is None:
            assert {} in allowed
            return
        parts = Parts([self.folder.path], self.catalogue)
        try:
            found = {record.root: record.plies for _, record in parts.roots()}
            assert found in allowed
            assert not parts.left_out
            assert totals_of(parts).to_dict() == self.totals(found)
            assert Totals.of(record for _, record in parts.roots()).to_dict() == self.totals(found)
            self.model = found
        finally:
            parts.close()

    def totals(self, model: Model) -> dict[str, Any]:
        wanted = {(planned.notation, planned.plies): planned for planned in self.records}
        return Totals.of(self.records[wanted[item]] for item in model.items()).to_dict()


@pytest.fixture(scope="module")
def records() -> dict[PlannedRoot, RootRecord]:
    """Return the record of every root at every depth, solved by itself."""
    with Retrograde(1) as retrograde:
        return {
            planned: solve_root(planned.root, planned.plies, retrograde).record
            for plies in DEPTHS
            for planned in plan_roots(ROOTS, plies, default_catalogue())
        }


@pytest.mark.parametrize("seed", range(12))
def test_crashes_never_lose_or_invent_a_deal(
    tmp_path: Path, catalogue: Catalogue, records: dict[PlannedRoot, RootRecord], seed: int
) -> None:
    chance = random.Random(seed)
    grown = Grown(tmp_path / "db", catalogue, records)
    crashes = 0
    for _ in range(12):
        plan = grown.plan(chance)
        after = grown.after(plan)
        try:
            with crashing(chance.choice([chance.randrange(30), 10_000])):
                if chance.random() < 0.3 and grown.model:
                    after = grown.model
                    grown.merge()
                else:
                    grown.job(plan)
        except Crash:
            crashes += 1
            grown.check(grown.model, after)
            if grown.folder.path.is_dir() and grown.folder.unfinished() == grown.folder.job:
                grown.job(None, resume=True)
                grown.check(after)
            with grown.folder.locked():
                pass
            grown.check(grown.model, after)
            grown.job(plan)
            after = grown.after(plan)
        grown.check(after)
    assert crashes


def crash_at_every_step(
    path: Path, catalogue: Catalogue, records: dict[PlannedRoot, RootRecord]
) -> int:
    """Crash a second job at each of its steps in turn; return how many there are."""
    plan = plan_roots(ROOTS[1:2], DEPTHS[0], catalogue)
    for steps in range(1000):
        grown = Grown(path / str(steps), catalogue, records)
        grown.job(plan_roots(ROOTS[:1], DEPTHS[0], catalogue))
        grown.check(grown.after(plan_roots(ROOTS[:1], DEPTHS[0], catalogue)))
        before, after = grown.model, grown.after(plan)
        try:
            with crashing(steps):
                grown.job(plan)
        except Crash:
            grown.check(before, after)
        else:
            return steps
    raise AssertionError("a job does not end")


def test_job_may_end_at_every_step(
    tmp_path: Path, catalogue: Catalogue, records: dict[PlannedRoot, RootRecord]
) -> None:
    assert crash_at_every_step(tmp_path, catalogue, records) > 10


def test_wrong_order_of_publishing_would_be_found_out(
    tmp_path: Path,
    catalogue: Catalogue,
    records: dict[PlannedRoot, RootRecord],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A broken twin: CURRENT first, then the part gets its name."""

    def publish_part(
        folder: Folder, written: Path, part: Part, kept: list[Part], totals: Totals, kind: Kind
    ) -> Generation:
        generation = folder._write_list("gen-000002", kind, [*kept, part], totals)
        folder.publish(generation)
        written.rename(folder.path / part.name)
        return generation

    monkeypatch.setattr(Folder, "publish_part", publish_part)
    with pytest.raises((AssertionError, StoreError)):
        crash_at_every_step(tmp_path, catalogue, records)


def test_open_reader_keeps_what_it_opened(tmp_path: Path, catalogue: Catalogue) -> None:
    build(tmp_path, ROOTS[:2])
    reader = Reader(tmp_path, catalogue)
    for root in ROOTS[2:]:
        build(tmp_path, [root])
    with Folder(tmp_path).locked():
        merge(Folder(tmp_path), catalogue)
    assert [reader.get(root) is not None for root in ROOTS[:3]] == [True, True, False]
    assert reader.probe(ROOTS[0]).margin(ROOTS[0]) == Solver().solve(ROOTS[0]).margin
    reader.close()


def test_parts_are_merged_when_a_tier_is_full(tmp_path: Path) -> None:
    counts = [len(build(tmp_path, [root]).generation.parts) for root in ROOTS[: FAN + 1]]
    assert counts == [*range(1, FAN), 1, 2]
    assert not due(Folder(tmp_path).served().parts)


def test_merging_can_be_left_out(tmp_path: Path) -> None:
    for root in ROOTS[: FAN + 1]:
        generation = build(tmp_path, [root], merges=False).generation
    assert len(generation.parts) == FAN + 1


def test_deal_in_many_parts_is_read_where_it_is_deepest(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    root = small_roots(1, 6)[0]
    for plies in (6, 7, 8):
        build(tmp_path, [root], plies=plies, merges=False)
    reader = Reader(tmp_path, catalogue)
    assert len(reader.parts.opened) == 3
    ((_, record),) = reader.parts.roots()
    assert record.plies == 8
    deep = later(root, 8)
    assert reader.probe(deep).margin(deep) == Solver().solve(deep).margin
    reader.close()


def test_nothing_is_copied_when_a_deal_is_added(tmp_path: Path) -> None:
    first = build(tmp_path, ROOTS[:1]).generation
    before = first.file_of(first.parts[0]).stat()
    second = build(tmp_path, ROOTS[1:2]).generation
    after = second.file_of(first.parts[0]).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert [part in second.parts for part in first.parts] == [True]


def test_damaged_part_stops_a_job_until_it_is_dropped(tmp_path: Path, catalogue: Catalogue) -> None:
    for root in ROOTS[:3]:
        generation = build(tmp_path, [root], merges=False).generation
    generation.file_of(generation.parts[0]).write_bytes(b"nothing")
    with pytest.raises(StoreError, match="--drop-damaged"):
        build(tmp_path, [ROOTS[3]])
    folder = Folder(tmp_path)
    with folder.locked():
        kept = merge(folder, catalogue, drops_damaged=True)
    assert sum(part.deals for part in kept.parts) == 2
    assert Totals.from_dict(kept.totals).deals == 2
    build(tmp_path, ROOTS[:4])
    reader = Reader(tmp_path, catalogue)
    assert all(reader.get(root) for root in ROOTS[:4])
    reader.close()


def test_names_of_roots_are_what_is_listed(tmp_path: Path, catalogue: Catalogue) -> None:
    build(tmp_path, ROOTS)
    parts = Parts([tmp_path], catalogue)
    assert {record.root for _, record in parts.roots()} == {
        format_state(root.seated) for root in ROOTS
    }
    keys = [key for key, _ in parts.roots()]
    assert keys == sorted(keys)
    assert [key for key, _ in parts.roots(after=keys[2])] == keys[3:]
    parts.close()
