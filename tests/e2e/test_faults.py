"""What a service meets in its life: new databases, damage, floods, kills, slow clients."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx
import pytest

from app.client import Answer, AsyncClient, Client
from app.examples import STATE_EXAMPLE
from app.serve import HEALTHCHECK_SECONDS
from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.search.solver import Solver
from engine.text.wire import state_to_dict
from store.environment import Environment
from store.format import ROOTS as ROOT_RECORDS
from store.generations import DATA, Folder
from tests.commands import command
from tests.conftest import IS_JIT_OFF
from tests.databases import build, small_roots
from tests.servers import Server, free_port, running

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

ROOTS = small_roots(3)
PATIENCE = 60


def opening(number: int) -> dict[str, Any]:
    """Return an opening that takes a search tens of milliseconds."""
    rules = Rules.of(SWITCHES, Variant.FF8)
    return state_to_dict(State.start(Dealer(default_catalogue(), 9, rules).deal(number)))


def wait_for_source(client: Client, root: State, source: str) -> Answer:
    until = time.monotonic() + PATIENCE
    while True:
        answer = client.evaluate(state_to_dict(root))
        if answer["source"] == source:
            return answer
        assert time.monotonic() < until
        time.sleep(0.05)


def children_of(server: Server) -> list[int]:
    listed = Path(f"/proc/{server.process.pid}/task/{server.process.pid}/children").read_text()
    workers = []
    for pid in map(int, listed.split()):
        with suppress(FileNotFoundError, ProcessLookupError):  # it may just have gone
            if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                workers.append(pid)
    return workers


def test_new_databases_are_taken_over_without_a_failing_request(tmp_path: Path) -> None:
    with (
        running(tmp_path, "--db", str(tmp_path / "db"), poll_seconds="0.1") as server,
        Client(server.url, tries=1) as client,
    ):
        for number, root in enumerate(ROOTS, start=1):
            assert client.evaluate(state_to_dict(root))["source"] == "search"
            build(tmp_path / "db", [root])
            answer = wait_for_source(client, root, "database")
            assert answer["margin"] == Solver().solve(root).margin
            assert client.get("/database")["generation"] == f"gen-{number:06d}"
        for root in ROOTS:
            assert client.evaluate(state_to_dict(root))["source"] == "database"


def test_damaged_and_removed_databases_are_answered_around(tmp_path: Path) -> None:
    path = tmp_path / "db"
    build(path, ROOTS[:1])
    margin = Solver().solve(ROOTS[0]).margin
    data = Folder(path).served() / DATA
    whole = data.read_bytes()
    with (
        running(tmp_path, "--db", str(path), poll_seconds="0.1", blocks_kept="1") as server,
        Client(server.url) as client,
    ):
        assert client.evaluate(state_to_dict(ROOTS[0]))["source"] == "database"
        data.write_bytes(whole[:4096] + bytes(len(whole) - 4096))
        for _ in range(3):
            assert client.evaluate(state_to_dict(ROOTS[0]))["margin"] == margin
        shutil.rmtree(path)
        assert client.evaluate(state_to_dict(ROOTS[0]))["margin"] == margin
        build(path, ROOTS[1:2])
        build(path, ROOTS[:1])
        answer = wait_for_source(client, ROOTS[0], "database")
        assert answer["margin"] == margin


def test_truncated_database_takes_nobody_down_for_long(tmp_path: Path) -> None:
    """The kernel may end a process that reads beyond the end of a file; another takes over."""
    path = tmp_path / "db"
    build(path, ROOTS)
    data = Folder(path).served() / DATA
    with running(tmp_path, "--db", str(path), poll_seconds="0.1", blocks_kept="1") as server:
        with data.open("r+b") as file:
            file.truncate(8192)
        until = time.monotonic() + PATIENCE
        right = 0
        while right < 6:
            assert time.monotonic() < until
            assert server.process.poll() is None
            root = ROOTS[right % 3]
            try:
                response = httpx.post(f"{server.url}/eval", json=state_to_dict(root))
            except httpx.TransportError:
                continue
            if response.status_code == 200:
                assert response.json()["margin"] == Solver().solve(root).margin
                right += 1


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for workers in /proc")
def test_killed_worker_comes_back(tmp_path: Path) -> None:
    with running(tmp_path, "--workers", "2", "--db", str(tmp_path / "none")) as server:
        workers = children_of(server)
        assert len(workers) == 2
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        until = time.monotonic() + PATIENCE
        while len(set(children_of(server)) - set(workers)) < 2:
            assert time.monotonic() < until
            time.sleep(0.1)
        server.wait_until_ready()
        with Client(server.url) as client:
            assert client.evaluate(STATE_EXAMPLE)["margin"] == -4


@pytest.mark.skipif(not Path("/proc/self").exists(), reason="looks for workers in /proc")
def test_worker_killed_while_asked_for_a_sign_comes_back(tmp_path: Path) -> None:
    with running(tmp_path, "--db", str(tmp_path / "none")) as server:
        (worker,) = children_of(server)
        os.kill(worker, signal.SIGSTOP)
        time.sleep(2)  # by now the supervisor has asked, and waits
        os.kill(worker, signal.SIGKILL)
        until = time.monotonic() + HEALTHCHECK_SECONDS / 2
        while not set(children_of(server)) - {worker}:
            assert time.monotonic() < until
            time.sleep(0.1)


def test_metrics_add_up_over_workers(tmp_path: Path) -> None:
    with running(tmp_path, "--workers", "2", "--db", str(tmp_path / "none")) as server:
        for _ in range(40):
            httpx.get(f"{server.url}/cards/1")
        text = httpx.get(f"{server.url}/metrics").text
        line = next(row for row in text.splitlines() if 'route="/cards/{card_id}",status' in row)
        assert float(line.split()[-1]) == 40


def test_hits_and_misses_of_two_hundred_clients(tmp_path: Path) -> None:
    build(tmp_path / "db", ROOTS)
    margins = {number: Solver().solve(root).margin for number, root in enumerate(ROOTS)}

    async def ask(client: AsyncClient, number: int) -> None:
        if number % 2:
            answer = await client.evaluate(state_to_dict(ROOTS[number % 3]))
            assert (answer["source"], answer["margin"]) == ("database", margins[number % 3])
        else:
            answer = await client.evaluate(opening(number % 20))
            assert answer["source"] == "search"

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
            assert client.evaluate(STATE_EXAMPLE)["margin"] == -4
        states = [opening(number) for number in range(4, 8)]
        batch = httpx.post(
            f"{server.url}/eval/batch", params={"moves": "true"}, json={"states": states}
        )
        statuses = [result["error"]["status"] for result in batch.json()["results"]]
        assert statuses == [503] * 4


def test_slow_client_is_nobodys_problem(tmp_path: Path) -> None:
    with running(tmp_path, db=str(tmp_path / "none")) as server:
        host, port = server.url.removeprefix("http://").split(":")
        body = json.dumps(STATE_EXAMPLE).encode()
        head = f"POST /eval HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n"
        head += "Content-Type: application/json\r\nConnection: close\r\n\r\n"
        with socket.create_connection((host, int(port))) as slow:
            slow.sendall(head.encode() + body[:50])
            assert httpx.post(f"{server.url}/eval", json=STATE_EXAMPLE).status_code == 200
            slow.sendall(body[50:])
            received = b""
            while chunk := slow.recv(65536):
                received += chunk
        assert received.startswith(b"HTTP/1.1 200")


def test_client_that_hangs_up_is_not_our_error(tmp_path: Path) -> None:
    with running(tmp_path, db=str(tmp_path / "none")) as server:
        host, port = server.url.removeprefix("http://").split(":")
        head = b"POST /eval HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n{"
        with socket.create_connection((host, int(port))) as client:
            client.sendall(head)
        assert server.logged('"path":"/eval"')[0]["status"] == 400
        assert 'kind="internal"' not in httpx.get(f"{server.url}/metrics").text


def test_damaged_record_is_told_and_answered_around(tmp_path: Path) -> None:
    build(tmp_path / "db", ROOTS)
    environment = Environment(Folder(tmp_path / "db").served())
    frame = next(bytes(frame) for _, frame in environment.frames(ROOT_RECORDS))
    environment.close()
    path = Folder(tmp_path / "db").served() / DATA
    flipped = frame[:-1] + bytes([frame[-1] ^ 1])
    path.write_bytes(path.read_bytes().replace(frame, flipped))  # pages out of use as well
    with running(tmp_path, "--db", str(tmp_path / "db")) as server, Client(server.url) as client:
        assert "damaged" in client.get("/database")["damage"]
        assert "triad_database_damage_total 1.0" in httpx.get(f"{server.url}/metrics").text
        for root in ROOTS:
            assert client.evaluate(state_to_dict(root))["margin"] == Solver().solve(root).margin
    done = command("precompute", "--demo", "--db", str(tmp_path / "db"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "is damaged, move it away" in done.stderr
    assert Folder(tmp_path / "db").unfinished() is None


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


def test_every_request_is_logged_when_that_is_wished(tmp_path: Path) -> None:
    with running(tmp_path, db=str(tmp_path / "none"), access_log="true") as server:
        httpx.get(f"{server.url}/cards/7")
        (line,) = server.logged("/cards/7")
        assert (line["event"], line["status"], line["method"]) == ("request", 200, "GET")


def test_slow_request_is_logged(tmp_path: Path) -> None:
    with running(tmp_path, db=str(tmp_path / "none"), slow_seconds="0.000001") as server:
        httpx.post(f"{server.url}/eval", json=STATE_EXAMPLE)
        assert server.logged('"path":"/eval"')[0]["status"] == 200


def test_shutdown_drains(tmp_path: Path) -> None:
    async def ask_and_stop(server: Server) -> httpx.Response:
        async with httpx.AsyncClient(timeout=PATIENCE) as client:
            asked = asyncio.create_task(
                client.post(f"{server.url}/eval?moves=true", json=opening(11))
            )
            await asyncio.sleep(0.1)
            server.process.send_signal(signal.SIGTERM)
            return await asked

    with running(tmp_path, db=str(tmp_path / "none")) as server:
        response = asyncio.run(ask_and_stop(server))
        assert response.status_code == 200
        assert server.process.wait(timeout=PATIENCE) == 0


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
    "arguments", [("--port", "70000"), ("--workers", "0"), ("--log-level", "loud")]
)
def test_wrong_setting_is_told(arguments: tuple[str, str]) -> None:

    done = command("triad", "serve", *arguments)
    assert done.returncode == 2
    assert arguments[0][2:].replace("-", "_") in done.stderr
    assert len(done.stderr.splitlines()) == 1


def test_half_built_database_is_named_and_not_served(tmp_path: Path) -> None:
    build(tmp_path / "db", ROOTS[:1])
    folder = Folder(tmp_path / "db")
    (tmp_path / "db" / "CURRENT").unlink()
    assert folder.unfinished()
    with running(tmp_path, "--db", str(tmp_path / "db")) as server, Client(server.url) as client:
        assert client.evaluate(state_to_dict(ROOTS[0]))["source"] == "search"
        assert server.logged("no database")
