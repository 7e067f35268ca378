"""The service below HTTP: databases that come, go and are damaged while it answers."""

from __future__ import annotations

import asyncio
import logging
import os
import shutil
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from prometheus_client import REGISTRY

from app.errors import Kind, ServiceError
from app.service import LONGEST_PLAIN, Service, ServicePhase
from app.settings import load_settings
from app.wishes import Wishes
from engine.errors import StateError
from engine.game.cards import default_catalogue
from engine.game.state import State
from engine.search.solver import Solver
from engine.text.wire import encode, state_object
from store.answer import DATABASE, SEARCH
from store.environment import Entry, Environment
from store.format import MANIFEST_KEY, META, ROOTS as ROOT_RECORDS
from store.generations import CURRENT, DATA, Folder
from store.reader import Reader
from store.records import read_manifest, to_json
from store.summary import summarise
from tests.conftest import IS_JIT_OFF
from tests.databases import build, copied_root, later, small_roots

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


def publish(path: Path, prepare: Callable[[Path], None]) -> Path:
    """Publish a copy of the current generation with something done to it."""
    folder = Folder(path)
    generation = folder.begin(prepare)
    folder.publish(generation)
    return generation


def truncate(part: Path) -> None:
    os.truncate(part / DATA, 2 * PAGE)


def replace_data(data: bytes) -> Callable[[Path], None]:
    def replace(part: Path) -> None:
        (part / DATA).write_bytes(data)

    return replace


def change_manifest(**changes: object) -> Callable[[Path], None]:
    def change(part: Path) -> None:
        environment = Environment(part, writes=True)
        manifest = vars(read_manifest(environment)) | changes
        environment.commit([Entry.of(META, MANIFEST_KEY, to_json(manifest))])
        environment.close()

    return change


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
    ("prepare", "reason"),
    [
        (truncate, "is damaged"),
        (change_manifest(format=99), "another format"),
        (change_manifest(cards="other"), "another card file"),
        (change_manifest(complete=False), "half-built"),
    ],
    ids=["truncated", "other format", "other cards", "incomplete"],
)
def test_generation_that_cannot_be_used_is_refused_and_the_old_one_is_served(
    tmp_path: Path,
    caplog: pytest.LogCaptureFixture,
    prepare: Callable[[Path], None],
    reason: str,
) -> None:
    build(tmp_path, ROOTS[:1])

    async def ask() -> None:
        async with serving(tmp_path) as service:
            publish(tmp_path, prepare)
            await until(lambda: bool(refusals(caplog)))
            assert reason in refusals(caplog)[0].getMessage()
            assert service.generation == "gen-000001"
            assert await source_of(service, ROOTS[0]) == DATABASE

    with caplog.at_level(logging.INFO, "triad.service"):
        run(ask())


def test_refusal_is_told_once(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    build(tmp_path, ROOTS[:1])
    publish(tmp_path, truncate)

    async def ask() -> None:
        async with serving(tmp_path) as service:
            for _ in range(3):
                await service._take_over()
            assert service.generation is None
            (told,) = refusals(caplog)
            assert told.levelno == logging.WARNING

    with caplog.at_level(logging.INFO, "triad.service"):
        run(ask())


def test_whole_generation_after_a_damaged_one_is_taken_over(tmp_path: Path) -> None:
    build(tmp_path / "whole", ROOTS[:2])
    build(tmp_path / "db", ROOTS[:1])
    publish(tmp_path / "db", truncate)
    whole = (Folder(tmp_path / "whole").served() / DATA).read_bytes()

    async def ask() -> None:
        async with serving(tmp_path / "db") as service:
            assert await source_of(service, ROOTS[0]) == SEARCH
            publish(tmp_path / "db", replace_data(whole))
            await until(lambda: service.generation == "gen-000003")
            assert [await source_of(service, root) for root in ROOTS[:2]] == [DATABASE] * 2

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
            folder = Folder(tmp_path)
            unfinished = folder.unfinished()
            assert unfinished
            folder.publish(unfinished)
            await until(lambda: service.generation == unfinished.name)
            assert await source_of(service, ROOTS[0]) == DATABASE

    with caplog.at_level(logging.INFO, "triad.service"):
        run(ask())


def test_half_built_extension_leaves_the_database_served(tmp_path: Path) -> None:
    build(tmp_path, ROOTS[:1])
    Folder(tmp_path).begin(change_manifest(complete=False))

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
    expected = summarise(reader)
    reader.close()

    async def ask() -> None:
        async with serving(tmp_path) as service:
            described = await service.describe()
            assert described == expected
            assert described["deals"] == len(ROOTS)
            assert await service.describe() is described  # added up once

    run(ask())


def test_damaged_record_is_told_in_the_description(tmp_path: Path) -> None:
    build(tmp_path, ROOTS)
    flip_a_root_record(tmp_path)

    async def ask() -> None:
        async with serving(tmp_path) as service:
            before = counted("triad_database_damage_total")
            for _ in range(2):
                described = await service.describe()
                assert described.keys() == {"generation", "damage"}
                assert described["generation"] == "gen-000001"
                assert "damaged" in described["damage"]
            assert counted("triad_database_damage_total") - before == 1

    run(ask())


def flip_a_root_record(path: Path) -> None:
    generation = Folder(path).served()
    environment = Environment(generation)
    frame = next(bytes(frame) for _, frame in environment.frames(ROOT_RECORDS))
    environment.close()
    data = (generation / DATA).read_bytes()
    flipped = frame[:-1] + bytes([frame[-1] ^ 1])
    (generation / DATA).write_bytes(data.replace(frame, flipped))  # pages out of use as well


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
