"""The service below HTTP: databases that come, go and are damaged while it answers."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from msgspec import to_builtins
from prometheus_client import REGISTRY

from app.errors import Kind, ServiceError, as_service_error
from app.service import LONGEST_PLAIN, Service, ServicePhase
from app.settings import load_settings
from app.wishes import Wishes
from engine.errors import DamagedError, RulesError, StateError
from engine.game.cards import default_catalogue
from engine.game.rules import Rules, Variant
from engine.game.state import State
from engine.search.solver import Solver
from engine.tablebase.retrograde import LAST_PLY
from engine.text.notation import parse_state
from engine.text.objects import encode
from engine.text.wire import state_object
from precompute.crew import LocalCrew
from precompute.job import Job
from precompute.rounds import plan_tables
from store.answer import DATABASE, SEARCH
from store.deals import DealFilter
from store.generations import CURRENT, Folder
from store.reader import Reader
from store.summary import summarise
from store.writer import Writer
from tests.conftest import IS_JIT_OFF
from tests.databases import (
    PLENTY,
    Unwatched,
    build,
    change_manifest,
    copied_root,
    data_file,
    later,
    publish_changed,
    small_roots,
)
from tests.deals import listed
from tests.test_samples import NOTATION, SAMPLES

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

PATIENCE = 180  # seconds; a fresh machine compiles
PAGE = 4096
ROOTS = small_roots(3)


@asynccontextmanager
async def serving(path: Path) -> AsyncIterator[Service]:
    """Start a service over a database and wait until it is ready."""
    service = Service(load_settings({"db": path, "poll_seconds": 0.02}))
    await service.start()
    try:
        await until(lambda: service.phase is ServicePhase.READY)
        yield service
    finally:
        await service.stop()


async def until(is_so: Callable[[], bool]) -> None:
    deadline = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < deadline
        await asyncio.sleep(0.005)


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, 2 * PATIENCE))


async def source_of(service: Service, root: State) -> str:
    """Ask about a root; the answer must be right, wherever it comes from."""
    answer = await service.answer(root.facts, Wishes())
    assert answer.solution.margin == Solver().solve(root).margin
    return answer.source


def counted(name: str) -> float:
    return REGISTRY.get_sample_value(name) or 0.0


def damage(path: Path) -> None:
    """Publish another copy of the database, and cut its file."""
    publish_changed(path, change_manifest())
    os.truncate(data_file(path), 2 * PAGE)


def changed(**changes: object) -> Callable[[Path], None]:
    """Return what publishes a database that says something else of itself."""

    def publish(path: Path) -> None:
        publish_changed(path, change_manifest(**changes))

    return publish


def refusals(caplog: pytest.LogCaptureFixture) -> list[logging.LogRecord]:
    return [record for record in caplog.records if "no database" in record.getMessage()]


def test_service_without_a_database_searches(tmp_path: Path) -> None:
    async def ask() -> None:
        async with serving(tmp_path / "none") as service:
            assert service.generation is None
            assert await source_of(service, ROOTS[0]) == SEARCH
            assert await service.describe() == {"generation": None}

    run(ask())


def test_database_that_is_there_is_open_when_the_service_is_ready(tmp_path: Path) -> None:
    build(tmp_path, ROOTS[:1])

    async def ask() -> None:
        async with serving(tmp_path) as service:
            assert service.generation == "gen-000001"
            assert await source_of(service, ROOTS[0]) == DATABASE
            assert await source_of(service, ROOTS[1]) == SEARCH

    run(ask())


def test_database_built_after_the_start_is_taken_over(tmp_path: Path) -> None:
    async def ask() -> None:
        async with serving(tmp_path / "db") as service:
            before = counted("triad_database_taken_over_total")
            await asyncio.to_thread(build, tmp_path / "db", ROOTS[:1])
            await until(lambda: service.generation == "gen-000001")
            assert await source_of(service, ROOTS[0]) == DATABASE
            assert counted("triad_database_taken_over_total") - before == 1

    run(ask())


def test_next_generation_replaces_the_one_that_is_served(tmp_path: Path) -> None:
    build(tmp_path, ROOTS[:1])

    async def ask() -> None:
        async with serving(tmp_path) as service:
            assert (await service.describe())["deals"] == 1
            await asyncio.to_thread(build, tmp_path, ROOTS[1:2])
            await until(lambda: service.generation == "gen-000002")
            assert [await source_of(service, root) for root in ROOTS[:2]] == [DATABASE] * 2
            described = await service.describe()
            assert (described["generation"], described["deals"]) == ("gen-000002", 2)

    run(ask())


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (damage, "is damaged"),
        (changed(format=99), "another format"),
        (changed(cards="other"), "another card file"),
        (changed(complete=False), "half-built"),
    ],
    ids=["truncated", "other format", "other cards", "incomplete"],
)
def test_generation_that_cannot_be_used_is_refused_and_the_old_one_is_served(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    spoil: Callable[[Path], None],
    reason: str,
) -> None:
    build(tmp_path, ROOTS[:1])

    async def ask() -> None:
        async with serving(tmp_path) as service:
            spoil(tmp_path)
            await until(lambda: bool(refusals(caplog)))
            assert reason in refusals(caplog)[0].getMessage()
            assert service.generation == "gen-000001"
            assert reason in (await service.describe())["refused"]
            assert await source_of(service, ROOTS[0]) == DATABASE

    with caplog.at_level(logging.INFO, "triad.service"):
        run(ask())


def test_refusal_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    build(tmp_path, ROOTS[:1])
    damage(tmp_path)

    async def ask() -> None:
        async with serving(tmp_path) as service:
            for _ in range(3):
                await service._take_over()
            assert service.generation is None
            (told,) = refusals(caplog)
            assert told.levelno == logging.WARNING

    with caplog.at_level(logging.INFO, "triad.service"):
        run(ask())


def test_damaged_file_that_is_put_back_is_taken_over(tmp_path: Path) -> None:
    build(tmp_path, ROOTS[:1])
    data = data_file(tmp_path)
    whole = data.read_bytes()
    os.truncate(data, 2 * PAGE)

    async def ask() -> None:
        async with serving(tmp_path) as service:
            assert await source_of(service, ROOTS[0]) == SEARCH
            assert "is damaged" in (await service.describe())["refused"]
            data.write_bytes(whole)
            await until(lambda: service.generation == "gen-000001")
            assert await source_of(service, ROOTS[0]) == DATABASE
            assert "refused" not in await service.describe()

    run(ask())


def test_damaged_part_is_left_out_and_the_others_are_served(tmp_path: Path) -> None:
    for root in ROOTS[:3]:
        build(tmp_path, [root], merges=False)
    generation = Folder(tmp_path).served()
    os.truncate(generation.file_of(generation.parts[1]), 2 * PAGE)

    async def ask() -> None:
        async with serving(tmp_path) as service:
            sources = [await source_of(service, root) for root in ROOTS[:3]]
            assert sorted(sources) == [DATABASE, DATABASE, SEARCH]
            described = await service.describe()
            assert (described["deals"], len(described["parts"])) == (2, 2)
            (left,) = described["left_out"]
            assert left["name"] == generation.parts[1].name
            assert "is damaged" in left["reason"]
            assert counted("triad_database_left_out") == 1

    run(ask())


def test_part_that_is_all_of_its_folder_is_left_out_once(tmp_path: Path) -> None:
    build(tmp_path / "whole", ROOTS[:1])
    build(tmp_path / "damaged", ROOTS[1:2])
    damaged = data_file(tmp_path / "damaged")
    os.truncate(damaged, 2 * PAGE)
    folders = os.pathsep.join(str(tmp_path / name) for name in ("whole", "damaged"))

    async def ask() -> None:
        async with serving(Path(folders)) as service:
            (left,) = (await service.describe())["left_out"]
            assert left["name"] == damaged.parent.name
            assert counted("triad_database_left_out") == 1

    run(ask())


class Patient(DealFilter):
    """Looks at a deal when it may."""

    looking, may_look = threading.Event(), threading.Event()

    def fits(self, notation: str) -> bool:
        self.looking.set()
        assert self.may_look.wait(PATIENCE)
        return super().fits(notation)


def test_listing_goes_on_when_another_database_is_taken_over(tmp_path: Path) -> None:
    """Nothing is closed under it, however long it takes; then the old database is."""
    build(tmp_path, ROOTS[:2], merges=False)

    async def ask() -> None:
        async with serving(tmp_path) as service:
            old = service.reader
            assert old
            listing = asyncio.create_task(service.deals(Patient(), b"", 100))
            await asyncio.to_thread(Patient.looking.wait, PATIENCE)
            shutil.rmtree(tmp_path)
            await asyncio.to_thread(build, tmp_path, ROOTS[2:3])
            await until(lambda: service.reader is not old)
            assert is_open(old)
            assert not old.users.join()
            Patient.may_look.set()
            page = await listing
            assert to_builtins(page.deals) == listed(dict.fromkeys(ROOTS[:2], LAST_PLY))
            assert not is_open(old)

    run(ask())


def is_open(reader: Reader) -> bool:
    """Tell whether the files of a reader are open."""
    try:
        return bool(reader.parts.opened[0].environment.count_entries())
    except DamagedError:  # as LMDB calls it
        return False


def test_database_removed_and_built_anew_is_taken_over(tmp_path: Path) -> None:
    build(tmp_path / "db", ROOTS[:1])

    async def ask() -> None:
        async with serving(tmp_path / "db") as service:
            shutil.rmtree(tmp_path / "db")
            await asyncio.to_thread(build, tmp_path / "db", ROOTS[1:2])
            while await source_of(service, ROOTS[1]) == SEARCH:
                await asyncio.sleep(0.01)
            assert service.generation == "gen-000001"  # as before

    run(ask())


def test_several_folders_are_served_as_one(tmp_path: Path) -> None:
    folders = [tmp_path / name for name in ("a", "b", "none")]
    build(folders[0], ROOTS[:2])
    build(folders[1], ROOTS[1:3])

    async def ask() -> None:
        async with serving(Path(os.pathsep.join(map(str, folders)))) as service:
            assert [await source_of(service, root) for root in ROOTS[:3]] == [DATABASE] * 3
            described = await service.describe()
            assert described["deals"] == 3  # one of them is in both
            assert [left["name"] for left in described["left_out"]] == [str(folders[2])]

    run(ask())


def test_database_of_an_earlier_version_is_served_and_told(
    caplog: pytest.LogCaptureFixture,
) -> None:
    async def ask() -> None:
        async with serving(SAMPLES / "db") as service:
            root = parse_state(NOTATION, default_catalogue())
            assert await source_of(service, root) == DATABASE
            told = "is of format 1, an earlier version's: served as it is"
            assert told in caplog.text

    with caplog.at_level(logging.INFO, "triad.service"):
        run(ask())


def test_half_built_database_is_served_only_when_it_is_published(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    build(tmp_path, ROOTS[:1])
    (tmp_path / CURRENT).unlink()

    async def ask() -> None:
        async with serving(tmp_path) as service:
            assert service.generation is None
            (told,) = refusals(caplog)
            assert told.levelno == logging.INFO
            assert "half-built" in told.getMessage()
            assert await source_of(service, ROOTS[0]) == SEARCH
            with Folder(tmp_path).locked():  # which puts in order what was left behind
                pass
            await until(lambda: service.generation == "gen-000001")
            assert await source_of(service, ROOTS[0]) == DATABASE

    with caplog.at_level(logging.INFO, "triad.service"):
        run(ask())


def test_half_built_extension_leaves_the_database_served(tmp_path: Path) -> None:
    build(tmp_path, ROOTS[:1])
    Folder(tmp_path).begin(lambda part: Writer(part, default_catalogue()).__exit__())

    async def ask() -> None:
        async with serving(tmp_path) as service:
            await service._take_over()
            assert service.generation == "gen-000001"
            assert await source_of(service, ROOTS[0]) == DATABASE

    run(ask())


def test_removed_database_is_told_and_still_served(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    build(tmp_path / "db", ROOTS[:1])

    async def ask() -> None:
        async with serving(tmp_path / "db") as service:
            shutil.rmtree(tmp_path / "db")
            await until(lambda: bool(refusals(caplog)))
            assert "there is no database" in refusals(caplog)[0].getMessage()
            assert await source_of(service, ROOTS[0]) == DATABASE

    with caplog.at_level(logging.INFO, "triad.service"):
        run(ask())


def test_description_is_the_summary_of_the_database(tmp_path: Path) -> None:
    build(tmp_path, ROOTS)
    reader = Reader(tmp_path, default_catalogue())
    expected = summarise(reader.parts)
    reader.close()

    async def ask() -> None:
        async with serving(tmp_path) as service:
            described = await service.describe()
            assert described == expected
            assert described["deals"] == len(ROOTS)

    run(ask())


def test_hits_and_misses_are_counted(tmp_path: Path) -> None:
    build(tmp_path, ROOTS[:1])

    async def ask() -> None:
        async with serving(tmp_path) as service:
            names = ("triad_database_hits_total", "triad_database_misses_total")
            before = [counted(name) for name in names]
            service.look_up([root.facts for root in (*ROOTS, ROOTS[0])], Wishes())
            assert [counted(name) - b for name, b in zip(names, before, strict=True)] == [2, 2]

    run(ask())


def test_service_is_not_ready_before_its_start(tmp_path: Path) -> None:
    service = Service(load_settings({"db": tmp_path}))
    with pytest.raises(ServiceError) as refused:
        service.check_ready()
    assert refused.value.kind is Kind.STARTING
    asyncio.run(service.stop())
    assert service.phase is ServicePhase.DRAINING


@pytest.mark.parametrize("spaces", [0, LONGEST_PLAIN])
def test_body_is_read_however_long(tmp_path: Path, spaces: int) -> None:
    service = Service(load_settings({"db": tmp_path}))
    body = encode(state_object(ROOTS[0].facts)) + b" " * spaces
    assert asyncio.run(service.read(body)) == ROOTS[0].facts
    with pytest.raises(ServiceError) as refused:
        asyncio.run(service.read(body + b"x"))
    assert refused.value.kind is Kind.NOT_JSON
    asyncio.run(service.stop())


def test_copies_that_no_deal_has_are_refused_when_they_are_searched(tmp_path: Path) -> None:
    facts = later(copied_root(), 6).facts
    rules = ROOTS[0].facts.rules  # under which nobody has a card twice
    forbidden = facts._replace(rules=rules)

    async def ask() -> None:
        async with serving(tmp_path) as service:
            with pytest.raises(StateError, match="copies|five different|each card once"):
                await service.answer(forbidden, Wishes())

    run(ask())


TEN = "4,4,4,4,4,4,4,4,7,24"
SUDDEN = "ff8-d_9_4.4.4.4.7_4.4.4.4.24_A"


def test_sudden_death_is_answered_for_all_rounds_once_there_is_a_table(tmp_path: Path) -> None:
    async def test() -> None:
        (root,) = small_roots(1)
        build(tmp_path, [root])
        facts = parse_state(SUDDEN, default_catalogue()).facts
        async with serving(tmp_path) as service:
            before = await service.answer(facts, Wishes(moves=True))
            assert before.as_object().rounds == 1
            generation = service.generation
            job = Job(Folder(tmp_path), default_catalogue(), LocalCrew(1, PLENTY))
            rules = Rules(variant=Variant.FF8)
            plan = plan_tables([TEN], rules, default_catalogue())
            await asyncio.to_thread(job.run, plan, resume=False, watch=Unwatched())
            await until(lambda: service.generation != generation)
            after = await service.answer(facts, Wishes(moves=True))
            written = after.as_object()
            assert written.rounds == "all"
            assert after.ranking is not None
            best = after.ranking[0]
            assert (written.value, written.round) == (best.value, best.round)

    run(test())


@pytest.mark.parametrize("rules", ["tc-d", "ff8-ed"])
def test_sudden_death_is_refused_when_a_draw_has_no_value(rules: str, tmp_path: Path) -> None:
    async def test() -> None:
        state = parse_state(f"{rules}_9_1.2.3.4.5_6.7.8.9.10_A", default_catalogue())
        async with serving(tmp_path) as service:
            with pytest.raises(RulesError) as refused:
                await service.answer(state.facts, Wishes())
            (problem,) = refused.value.problems
            assert problem.field == "rules.sudden_death"
            assert as_service_error(refused.value).kind.status == 422

    run(test())
