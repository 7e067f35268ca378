"""What a service meets in its life: new databases, damage, floods, kills, slow clients."""

from __future__ import annotations

import asyncio
import os
import shutil
import signal
import socket
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.client import Answer, AsyncClient, Client
from app.examples import STATE_EXAMPLE
from engine.game.state import State
from engine.search.solver import Solver
from engine.text.notation import format_state
from engine.text.wire import state_to_dict
from store import trust
from store.environment import Environment
from store.format import ROOTS as ROOT_RECORDS
from store.generations import DATA, Folder
from tests.commands import command
from tests.conftest import IS_JIT_OFF
from tests.databases import build, data_file, opening, publish_changed, small_roots
from tests.servers import Server, free_port, running

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

ROOTS = small_roots(3)
PATIENCE = 60


def wait_for_source(client: Client, root: State, source: str) -> Answer:
    until = time.monotonic() + PATIENCE
    while True:
        answer = client.evaluate(state_to_dict(root))
        if answer.source == source:
            return answer
        assert time.monotonic() < until
        time.sleep(0.05)


def test_new_databases_are_taken_over_without_a_failing_request(tmp_path: Path) -> None:
    with (
        running(tmp_path, "--db", str(tmp_path / "db"), poll_seconds="0.1") as server,
        Client(server.url, tries=1) as client,
    ):
        for number, root in enumerate(ROOTS, start=1):
            assert client.evaluate(state_to_dict(root)).source == "search"
            build(tmp_path / "db", [root])
            answer = wait_for_source(client, root, "database")
            assert answer.margin == Solver().solve(root).margin
            assert client.get("/database")["generation"] == f"gen-{number:06d}"
        for root in ROOTS:
            assert client.evaluate(state_to_dict(root)).source == "database"


def answered(server: Server, root: State) -> dict[str, Any]:
    """Return the answer to a root, however often a worker is started again meanwhile."""
    until = time.monotonic() + PATIENCE
    while True:
        assert time.monotonic() < until
        assert server.process.poll() is None
        try:
            response = httpx.post(f"{server.url}/eval", json=state_to_dict(root))
        except httpx.TransportError:
            continue
        if response.status_code == 200:
            answer: dict[str, Any] = response.json()
            assert answer["margin"] == Solver().solve(root).margin
            return answer


def test_damaged_and_removed_databases_are_answered_around(tmp_path: Path) -> None:
    path = tmp_path / "db"
    build(path, ROOTS[:1])
    data = data_file(path)
    whole = data.read_bytes()
    with running(tmp_path, "--db", str(path), poll_seconds="0.1", blocks_kept="1") as server:
        assert answered(server, ROOTS[0])["source"] == "database"
        data.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
        for _ in range(3):
            answered(server, ROOTS[0])
        shutil.rmtree(path)
        answered(server, ROOTS[0])
        build(path, ROOTS[1:2])
        build(path, ROOTS[:1])
        until = time.monotonic() + PATIENCE
        while answered(server, ROOTS[0])["source"] != "database":
            assert time.monotonic() < until


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for workers in /proc")
def test_database_is_read_again_after_a_worker_has_crashed(tmp_path: Path) -> None:
    """What is remembered of a file is forgotten: the file may be what ended the worker."""
    build(tmp_path / "db", ROOTS[:1])
    with running(tmp_path, "--db", str(tmp_path / "db")) as server:
        remembered = trust.place_of(data_file(tmp_path / "db"))
        assert remembered
        before = remembered.stat().st_mtime_ns
        (worker,) = server.workers()
        worker.send_signal(signal.SIGSEGV)
        until = time.monotonic() + PATIENCE
        while not remembered.exists() or remembered.stat().st_mtime_ns == before:
            assert time.monotonic() < until
            time.sleep(0.05)


def overwrite(data: Path) -> None:
    """Make another of every page of a file but the first two."""
    with data.open("r+b") as file:
        file.seek(8192)
        rest = file.read()
        file.seek(8192)
        file.write(bytes(byte ^ 0x5A for byte in rest))


def test_database_overwritten_while_it_is_open_is_answered_around(tmp_path: Path) -> None:
    """Every page but the first two is another; whatever LMDB makes of it, answers are right."""
    path = tmp_path / "db"
    build(path, ROOTS)
    with running(tmp_path, "--db", str(path), poll_seconds="0.1", blocks_kept="1") as server:
        overwrite(data_file(path))
        for root in (*ROOTS, *ROOTS):
            answered(server, root)


def test_deals_of_a_database_overwritten_while_it_is_open_are_listed_around(
    tmp_path: Path,
) -> None:
    """Those that can be read; no page is an error, and the part is soon left out."""
    path = tmp_path / "db"
    build(path, ROOTS[:1], merges=False)
    sound = data_file(path)
    build(path, ROOTS[1:], merges=False)
    (other,) = [file for file in path.glob(f"part-*/{DATA}") if file != sound]
    with running(tmp_path, "--db", str(path), poll_seconds="1") as server:
        overwrite(other)
        statuses: set[int] = set()
        names: list[str] = []
        until = time.monotonic() + PATIENCE
        while not names:
            assert time.monotonic() < until
            try:
                page = httpx.get(f"{server.url}/database/deals")
                facts = httpx.get(f"{server.url}/database")
            except httpx.TransportError:  # pages that lead nowhere may end a worker
                continue
            statuses |= {page.status_code, facts.status_code}
            names = [left["name"] for left in facts.json().get("left_out", ())]
        assert statuses <= {200, 503}
        assert names == [other.parent.name]
        server.wait_until_ready()
        (deal,) = httpx.get(f"{server.url}/database/deals").json()["deals"]
        assert deal["notation"] == format_state(ROOTS[0].seated)


def test_truncated_database_takes_nobody_down_for_long(tmp_path: Path) -> None:
    """The kernel may end a process that reads beyond the end of a file; another takes over."""
    path = tmp_path / "db"
    build(path, ROOTS)
    with running(tmp_path, "--db", str(path), poll_seconds="0.1", blocks_kept="1") as server:
        os.truncate(data_file(path), 8192)
        for root in (*ROOTS, *ROOTS):
            answered(server, root)


def test_hits_and_misses_of_two_hundred_clients(tmp_path: Path) -> None:
    build(tmp_path / "db", ROOTS)
    margins = {number: Solver().solve(root).margin for number, root in enumerate(ROOTS)}

    async def ask(client: AsyncClient, number: int) -> None:
        if number % 2:
            answer = await client.evaluate(state_to_dict(ROOTS[number % 3]))
            assert (answer.source, answer.margin) == ("database", margins[number % 3])
        else:
            answer = await client.evaluate(opening(number % 20))
            assert answer.source == "search"

    async def flood(url: str) -> None:
        async with AsyncClient(url, tries=50) as client:
            await asyncio.gather(*(ask(client, number) for number in range(200)))

    with running(tmp_path, "--db", str(tmp_path / "db"), "--queue", "4") as server:
        asyncio.run(flood(server.url))
        text = httpx.get(f"{server.url}/metrics").text
        assert 'kind="internal"' not in text


def test_full_queue_is_busy_and_equal_states_are_searched_once(tmp_path: Path) -> None:
    async def ask_all(url: str, states: list[dict[str, Any]]) -> list[httpx.Response]:
        async with httpx.AsyncClient(base_url=url, timeout=PATIENCE) as client:
            return await asyncio.gather(*(client.post("/eval", json=state) for state in states))

    none = str(tmp_path / "none")
    with running(tmp_path, db=none, queue="0", solver_threads="1") as server:
        same = asyncio.run(ask_all(server.url, [opening(0)] * 20))
        assert {response.status_code for response in same} == {200}
        assert len({response.content for response in same}) == 1
        text = httpx.get(f"{server.url}/metrics").text
        assert "triad_solve_seconds_count 1.0" in text
        different = asyncio.run(ask_all(server.url, [opening(number) for number in range(1, 9)]))
        statuses = [response.status_code for response in different]
        assert statuses.count(200) >= 1
        busy = [response for response in different if response.status_code == 503]
        assert busy
        assert all(response.headers["retry-after"] == "1" for response in busy)
        assert {response.json()["type"] for response in busy} == {"urn:triadbase:problem:busy"}


def test_search_beyond_the_time_limit_is_stopped(tmp_path: Path) -> None:
    """And no other: a stop is its own search's, also when the next one has the same thread."""
    none = str(tmp_path / "none")
    with running(tmp_path, db=none, time_limit="0.05", solver_threads="1") as server:
        response = httpx.post(f"{server.url}/eval", params={"moves": "true"}, json=opening(3))
        assert response.status_code == 503
        assert response.json()["type"] == "urn:triadbase:problem:time-limit"
        with Client(server.url) as client:
            assert client.evaluate(STATE_EXAMPLE).margin == -4
        states = [opening(number) for number in range(4, 8)]
        batch = httpx.post(
            f"{server.url}/eval/batch", params={"moves": "true"}, json={"states": states}
        )
        statuses = [result["error"]["status"] for result in batch.json()["results"]]
        assert statuses == [503] * 4


def test_damaged_record_is_told_and_answered_around(tmp_path: Path) -> None:
    build(tmp_path / "db", ROOTS)

    def flip(part: Path) -> None:
        environment = Environment(part)
        frame = next(frame for _, frame in environment.frames(ROOT_RECORDS))
        environment.close()
        flipped = frame[:-1] + bytes([frame[-1] ^ 1])
        data = (part / DATA).read_bytes()
        (part / DATA).write_bytes(data.replace(frame, flipped))  # pages out of use as well

    publish_changed(tmp_path / "db", flip)
    with running(tmp_path, "--db", str(tmp_path / "db")) as server, Client(server.url) as client:
        assert client.get("/database")["deals"] == len(ROOTS)
        for root in ROOTS:
            assert client.evaluate(state_to_dict(root)).margin == Solver().solve(root).margin
    done = command("precompute", "verify", "--db", str(tmp_path / "db"))
    assert done.returncode == 1
    assert "damaged" in done.stderr


def test_body_without_length_is_limited_too(tmp_path: Path) -> None:
    def chunks() -> Any:
        for _ in range(100):
            yield b" " * 100_000

    with running(tmp_path, db=str(tmp_path / "none")) as server:
        try:
            response = httpx.post(
                f"{server.url}/eval",
                content=chunks(),
                headers={"content-type": "application/json"},
            )
            assert response.status_code == 413
        except httpx.WriteError:
            pass  # it hung up on us, which is as good
        assert httpx.get(f"{server.url}/healthz").status_code == 200


def test_internal_error_is_in_the_log_under_its_request_id(tmp_path: Path) -> None:
    program = ("-m", "uvicorn", "tests.failing:create_app", "--factory", "--no-access-log")
    with running(tmp_path, db=str(tmp_path / "none"), program=program) as server:
        response = httpx.get(f"{server.url}/fail", headers={"X-Request-ID": "mine-13"})
        assert response.status_code == 500
        problem = response.json()
        assert problem["type"] == "urn:triadbase:problem:internal"
        assert problem["request_id"] == response.headers["x-request-id"] == "mine-13"
        assert "secret" not in response.text
        assert response.headers["access-control-allow-origin"] == "*"
        assert httpx.get(f"{server.url}/healthz").status_code == 200
        assert 'triad_errors_total{kind="internal"}' in httpx.get(f"{server.url}/metrics").text
        (line,) = server.logged("RuntimeError: secret")
        assert (line["request_id"], line["path"]) == ("mine-13", "/fail")
        with pytest.raises(httpx.RemoteProtocolError):  # an answer that is not whole
            httpx.get(f"{server.url}/fail-later", headers={"X-Request-ID": "mine-14"})
        (line,) = server.logged("RuntimeError: late secret")
        assert (line["request_id"], line["path"]) == ("mine-14", "/fail-later")


def test_every_request_is_logged_when_that_is_wished(tmp_path: Path) -> None:
    with running(tmp_path, db=str(tmp_path / "none"), access_log="true") as server:
        httpx.get(f"{server.url}/cards/7")
        (line,) = server.logged("/cards/7")
        assert (line["event"], line["status"], line["method"]) == ("request", 200, "GET")


def test_slow_request_is_logged(tmp_path: Path) -> None:
    with running(tmp_path, db=str(tmp_path / "none"), slow_seconds="0.000001") as server:
        httpx.post(f"{server.url}/eval", json=STATE_EXAMPLE)
        assert server.logged('"path":"/eval"')[0]["status"] == 200


def test_taken_port_is_told(tmp_path: Path) -> None:
    port = free_port()
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", port))
        taken.listen()

        done = command("triad", "serve", "--port", str(port), "--db", str(tmp_path))
    assert done.returncode == 1
    assert f"cannot listen on 127.0.0.1:{port}" in done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("option", "value", "told"),
    [
        ("port", "70000", "70000; allowed: 65535 or less"),
        ("port", "x", '"x"; allowed: a whole number'),
        ("workers", "0", "0; allowed: 1 or more"),
        ("queue", "1.5", '"1.5"; allowed: a whole number'),
        ("log-level", "loud", '"loud"; allowed: debug, info, warning or error'),
        ("time-limit", "nan", "NaN; allowed: 3600 or less"),
        ("slow-seconds", "0", "0.0; allowed: more than 0"),
    ],
)
def test_wrong_setting_is_told_as_it_was_written(option: str, value: str, told: str) -> None:
    done = command("triad", "serve", f"--{option}", value)
    assert done.returncode == 2
    assert done.stderr == f"triad: --{option}: found {told} (see triad serve --help)\n"


def test_wrong_variable_is_told_as_it_was_written(monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in {"PORT": "x", "QUEUE": "1.5", "ACCESS_LOG": "perhaps"}.items():
        monkeypatch.setenv(f"TRIAD_{name}", value)
    done = command("triad", "serve")
    assert done.returncode == 2
    assert done.stderr == (
        'triad: TRIAD_PORT: found "x"; allowed: a whole number; TRIAD_QUEUE: found "1.5"; allowed: '
        'a whole number; TRIAD_ACCESS_LOG: found "perhaps"; allowed: true or false '
        "(see triad serve --help)\n"
    )


def test_half_built_database_is_named_and_not_served(tmp_path: Path) -> None:
    build(tmp_path / "db", ROOTS[:1])
    folder = Folder(tmp_path / "db")
    (tmp_path / "db" / "CURRENT").unlink()
    assert folder.unfinished()
    with running(tmp_path, "--db", str(tmp_path / "db")) as server, Client(server.url) as client:
        assert client.evaluate(state_to_dict(ROOTS[0])).source == "search"
        assert server.logged("no database")
