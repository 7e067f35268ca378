"""A database grows by jobs and merges that may end at any step; a dict says what it must hold.

Whatever happens, what is read is what some published generation had, and the content digest
depends on the deals alone. Broken twins of what publishes must be found out.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

from engine.errors import StoreError
from engine.game.cards import Catalogue, default_catalogue
from engine.tablebase.retrograde import Retrograde
from precompute.crew import LocalCrew
from precompute.job import Job
from precompute.plan import plan_roots
from precompute.roots import solve_root
from store import generations, merge as merging
from store.generations import FRESH, Folder
from store.merge import merge
from store.part_list import Generation, Part
from store.parts import OpenPart, Parts
from store.records import Kind, PlannedRoot, RootRecord
from store.summary import totals_of
from store.totals import Totals
from tests.conftest import IS_JIT_OFF
from tests.crashes import Crash, Lost, crashing
from tests.databases import PLENTY, Unwatched, later, small_roots

ROOTS = [later(root.seated, 7, choice) for choice in (1, 2) for root in small_roots(5, 6)]
DEPTHS = (7, 8)
MOST_STEPS = 1000
MERGED = merging.merged
Model = dict[str, int]  # how deep each root is stored
Act = Callable[["Grown"], None]


@pytest.fixture(autouse=True)
def small_tiers(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have jobs merge often."""
    monkeypatch.setattr(merging, "FAN", 4)


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

    def recover(self, after: Model) -> None:
        """Go on with what was interrupted, as the next job would."""
        if self.folder.path.is_dir() and self.folder.unfinished() == self.folder.job:
            self.job(None, resume=True)
            self.check(after)
        with self.folder.locked():
            pass
        self.check(self.model, after)

    def check(self, *allowed: Model) -> None:
        """Read everything: it must be one of these, with the digest that belongs to it."""
        if self.folder.current() is None:
            assert {} in allowed
            return
        parts = Parts([self.folder.path], self.catalogue)
        try:
            found = roots_of(parts)
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


def roots_of(parts: Parts) -> Model:
    return {record.root: record.plies for _, record in parts.roots()}


@pytest.mark.parametrize("seed", range(12))
def test_crashes_never_lose_or_invent_a_deal(
    quick_path: Path, catalogue: Catalogue, records: dict[PlannedRoot, RootRecord], seed: int
) -> None:
    chance = random.Random(seed)
    grown = Grown(quick_path / "db", catalogue, records)
    crashes = 0
    for _ in range(12):
        plan = grown.plan(chance)
        after = grown.after(plan)
        before = grown.model
        held = Parts([grown.folder.path], catalogue) if before else None
        steps = chance.choice([chance.randrange(30), MOST_STEPS])
        try:
            with crashing(grown.folder.path, steps, chance.choice(list(Lost))):
                if chance.random() < 0.3 and grown.model:
                    after = grown.model
                    grown.merge()
                else:
                    grown.job(plan)
        except Crash:
            crashes += 1
            grown.check(grown.model, after)
            grown.recover(after)
            grown.job(plan)
            after = grown.after(plan)
        grown.check(after)
        if held:
            assert roots_of(held) == before
            held.close()
    assert crashes


@pytest.fixture
def stored(quick_path: Path, catalogue: Catalogue, records: dict[PlannedRoot, RootRecord]) -> Grown:
    """Return a database of two parts."""
    grown = Grown(quick_path / "db", catalogue, records)
    for root in ROOTS[:2]:
        plan = plan_roots([root], DEPTHS[0], catalogue)
        after = grown.after(plan)
        grown.job(plan)
        grown.check(after)
    return grown


def add_a_deal(grown: Grown) -> None:
    grown.job(plan_of(add_a_deal))


def plan_of(act: Act) -> list[PlannedRoot]:
    """Return what an act adds."""
    return plan_roots(ROOTS[2:3] if act is add_a_deal else [], DEPTHS[0], default_catalogue())


def copied(stored: Grown, name: str) -> Path:
    return Path(shutil.copytree(stored.folder.path, stored.folder.path.with_name(name)))


def crash_at_every_step(stored: Grown, act: Act) -> int:
    """Crash at each step in turn, whatever the disk loses; return how many steps there are."""
    before, after = stored.model, stored.after(plan_of(act))
    for steps in range(MOST_STEPS):
        for lost in Lost:
            path = copied(stored, f"{steps}-{lost.name}")
            grown = Grown(path, stored.catalogue, stored.records)
            grown.model = before
            try:
                with crashing(path, steps, lost):
                    act(grown)
            except Crash:
                grown.check(before, after)
                grown.recover(after)
                act(grown)
            else:
                return steps
            grown.check(after)
    raise AssertionError("there is no end to it")


@pytest.mark.parametrize("act", [add_a_deal, Grown.merge])
def test_job_and_merge_may_end_at_every_step(stored: Grown, act: Act) -> None:
    assert crash_at_every_step(stored, act) > 15


def publish_too_soon(
    folder: Folder, written: Path, part: Part, kept: list[Part], totals: Totals, kind: Kind
) -> Generation:
    """CURRENT first, then the part gets its name."""
    name = f"gen-{folder._next_number():06d}"
    generation = folder._write_list(name, kind, [*kept, part], totals)
    folder.publish(generation)
    written.rename(folder.path / part.name)
    return generation


def publish_unsynced(
    folder: Folder, written: Path, part: Part, kept: list[Part], totals: Totals, kind: Kind
) -> Generation:
    """The part gets its name first, but nobody waits until the disk has it."""
    name = f"gen-{folder._next_number():06d}"
    generation = folder._write_list(name, kind, [*kept, part], totals)
    written.rename(folder.path / part.name)
    folder.publish(generation)
    return generation


def replace_unsynced(folder: Folder, name: str, content: bytes) -> None:
    """A list gets its name before the disk has its content, and CURRENT too."""
    fresh = folder.path / f"{name}{FRESH}"
    fresh.write_bytes(content)
    fresh.replace(folder.path / name)
    generations.sync(folder.path)


def merge_dropping(folder: Folder, catalogue: Catalogue, chosen: Sequence[OpenPart]) -> Part:
    """What was merged is dropped before the new part is published."""
    part = MERGED(folder, catalogue, chosen)
    for opened in chosen:
        shutil.rmtree(folder.path / opened.part.name)
    return part


TWINS: list[tuple[Act, object, str, Callable[..., Any]]] = [
    (add_a_deal, Folder, "publish_part", publish_too_soon),
    (Grown.merge, Folder, "publish_part", publish_too_soon),
    (add_a_deal, Folder, "publish_part", publish_unsynced),
    (add_a_deal, Folder, "_replace", replace_unsynced),
    (Grown.merge, merging, "merged", merge_dropping),
]


@pytest.mark.skipif(IS_JIT_OFF, reason="hundreds of jobs; what they run is the same")
@pytest.mark.parametrize(("act", "owner", "name", "twin"), TWINS)
def test_broken_twin_is_found_out(
    stored: Grown,
    act: Act,
    owner: object,
    name: str,
    twin: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """It is right as long as nothing crashes."""
    monkeypatch.setattr(owner, name, twin)
    whole = Grown(copied(stored, "whole"), stored.catalogue, stored.records)
    act(whole)
    whole.check(stored.after(plan_of(act)))
    with pytest.raises((AssertionError, StoreError)):
        crash_at_every_step(stored, act)
