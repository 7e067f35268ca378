"""Signals, and deaths of processes: what is asked is answered, counted and logged all the same."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import httpx
import psutil  # type: ignore[import-untyped]
import pytest

from app.client import Client
from app.examples import STATE_EXAMPLE
from app.logs import LONGEST_QUEUE
from app.metrics import MULTIPROC
from app.supervisor import SILENCE_SECONDS
from tests.conftest import IS_JIT_OFF
from tests.databases import opening
from tests.raw import answers_in, connect, head, post, received
from tests.servers import PATIENCE, TRIAD_SERVE, Server, free_port, running

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

FOREVER = "3600"  # seconds: longer than any test waits


def batch(states: int) -> bytes:
    """Return a request that takes a tenth of a second or so for each state."""
    body = {"states": [opening(number) for number in range(states)]}
    return post("/eval/batch?moves=true", json.dumps(body).encode())


LONG, ENDLESS = batch(20), batch(1000)


def wait_for(is_so: Callable[[], bool]) -> None:
    until = time.monotonic() + PATIENCE
    while not is_so():
        assert time.monotonic() < until
        time.sleep(0.05)


def pids(server: Server) -> set[int]:
    return {worker.pid for worker in server.workers()}


def metric(server: Server, name: str) -> float:
    """Return what /metrics says, added up over labels."""
    lines = httpx.get(f"{server.url}/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.startswith(name))


def is_searching(server: Server) -> bool:
    return metric(server, "triad_searches ") > 0


def wait_for_all(server: Server) -> None:
    """Wait until every worker is ready."""
    wait_for(lambda: server.log.read_text().count('"event":"ready"') >= len(pids(server)))


@contextmanager
def asking(server: Server, request: bytes) -> Iterator[socket.socket]:
    """Send a request when all workers are ready, and wait until a search for it runs."""
    wait_for_all(server)
    with connect(server) as client:
        client.sendall(request)
        wait_for(lambda: is_searching(server))
        yield client


# Workers that die


def test_dead_worker_is_told_of_and_comes_back(tmp_path: Path) -> None:
    with running(tmp_path, "--workers", "2", db=str(tmp_path / "none")) as server:
        workers = pids(server)
        assert len(workers) == 2
        for worker in workers:
            os.kill(worker, signal.SIGKILL)
        wait_for(lambda: len(pids(server) - workers) == 2)
        server.wait_until_ready()
        with Client(server.url) as client:
            assert client.evaluate(STATE_EXAMPLE).margin == -4
        died = {(line["pid"], line["signal"]) for line in server.logged("worker died")}
        assert died == {(worker, "SIGKILL") for worker in workers}
        assert {line["level"] for line in server.logged("worker died")} == {"warning"}
        started = {line["pid"] for line in server.logged("worker started")}
        assert started == workers | pids(server)


def test_worker_takes_no_requests_before_it_is_ready_while_others_are(tmp_path: Path) -> None:
    with running(tmp_path, "--workers", "2", db=str(tmp_path / "none")) as server:
        wait_for_all(server)
        os.kill(min(pids(server)), signal.SIGKILL)
        check_while(server, lambda: server.log.read_text().count('"event":"ready"') < 3)


def test_worker_killed_while_it_is_silent_comes_back(tmp_path: Path) -> None:
    with running(tmp_path, db=str(tmp_path / "none")) as server:
        (worker,) = pids(server)
        os.kill(worker, signal.SIGSTOP)
        time.sleep(2)  # by now a sign of life is missing
        os.kill(worker, signal.SIGKILL)
        until = time.monotonic() + SILENCE_SECONDS / 2
        while not pids(server) - {worker}:
            assert time.monotonic() < until
            time.sleep(0.1)


def test_worker_that_is_told_to_end_comes_back(tmp_path: Path) -> None:
    with running(tmp_path, db=str(tmp_path / "none")) as server:
        (worker,) = pids(server)
        os.kill(worker, signal.SIGTERM)
        wait_for(lambda: bool(pids(server) - {worker}))
        (line,) = server.logged("worker died")
        assert (line["pid"], line["exit_code"]) == (worker, 0)


def test_metrics_add_up_over_workers_dead_ones_too(tmp_path: Path) -> None:
    none = str(tmp_path / "none")
    with running(tmp_path, db=none, workers="2", time_limit=FOREVER) as server:
        for _ in range(40):
            httpx.get(f"{server.url}/cards/1")
        with asking(server, ENDLESS):
            workers = pids(server)
            for worker in workers:
                os.kill(worker, signal.SIGKILL)
            wait_for(lambda: len(pids(server) - workers) == 2)
        server.wait_until_ready()
        assert metric(server, "triad_searches ") == 0
        assert metric(server, 'triad_requests_total{route="/cards/{card_id}"') == 40


def test_silent_worker_is_killed_and_comes_back(tmp_path: Path) -> None:
    with supervised(tmp_path, "hang", silence=1.0) as (process, log):
        wait_for(lambda: log.read_text().count("worker started") > 1)
        assert "no sign of life" in log.read_text()
        process.send_signal(signal.SIGTERM)
        assert process.wait(PATIENCE) == 0


def test_worker_that_cannot_start_is_not_started_for_ever(tmp_path: Path) -> None:
    with supervised(tmp_path, "fail") as (process, log):
        assert process.wait(PATIENCE) == 1
        assert "a worker ended with exit code 7 before it served" in log.read_text()
        assert log.read_text().count("worker started") == 1


@contextmanager
def supervised(
    folder: Path, work: str, silence: float = SILENCE_SECONDS
) -> Iterator[tuple[subprocess.Popen[bytes], Path]]:
    """Run a supervisor over something else than the service; return it and its log."""
    program = (
        "import app.supervisor, tests.failing\n"
        "from app.logs import set_up\n"
        "from app.settings import LogLevel\n"
        f"app.supervisor.SILENCE_SECONDS = {silence}\n"
        "set_up(LogLevel.INFO)\n"
        f"app.supervisor.Supervisor(tests.failing.{work}, 1, 1.0).run()\n"
    )
    log = folder / "supervisor.log"
    with log.open("wb") as output:
        process = subprocess.Popen([sys.executable, "-c", program], stderr=output)
    try:
        yield process, log
    finally:
        process.kill()
        process.wait()


# The supervisor's death


@pytest.mark.parametrize("workers", [1, 2])
def test_workers_end_with_their_supervisor(tmp_path: Path, workers: int) -> None:
    none = str(tmp_path / "none")
    with running(tmp_path, db=none, workers=str(workers), drain_seconds=FOREVER) as server:
        serving = server.workers()
        counts = {worker.environ().get(MULTIPROC) for worker in serving}
        with asking(server, LONG) as client:
            os.kill(server.process.pid, signal.SIGKILL)
            (answer,) = answers_in(received(client))
            assert answer.status == 200
        server.process.wait()
        gone, alive = psutil.wait_procs(serving, timeout=PATIENCE)
        assert not alive
        assert len(server.logged("the supervisor is gone")) == workers
        assert len(server.logged("Finished server process")) == workers
        with socket.socket() as again:
            again.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            again.bind(("127.0.0.1", server.port))
            again.listen()
        assert not [path for path in counts if path and Path(path).exists()]


# Told to end


def test_shutdown_answers_what_was_asked(tmp_path: Path) -> None:
    """And what is being asked: half a request is a request."""
    request = post("/eval", json.dumps(STATE_EXAMPLE).encode())
    with (
        running(tmp_path, db=str(tmp_path / "none"), drain_seconds=FOREVER) as server,
        connect(server) as half_head,
        connect(server) as half_body,
        asking(server, LONG) as whole,
    ):
        half_head.sendall(request[:30])
        half_body.sendall(request[:-30])
        assert httpx.get(f"{server.url}/healthz").status_code == 200  # by now they were read
        server.process.send_signal(signal.SIGTERM)
        server.logged("Shutting down")
        half_head.sendall(request[30:])
        half_body.sendall(request[-30:])
        for client in (whole, half_head, half_body):
            (answer,) = answers_in(received(client))
            assert (answer.status, answer.headers["connection"]) == (200, "close")
        assert server.process.wait(PATIENCE) == 0


def test_requests_that_the_drain_cuts_off_are_told(tmp_path: Path) -> None:
    none = str(tmp_path / "none")
    with (
        running(tmp_path, db=none, drain_seconds="1", time_limit=FOREVER) as server,
        connect(server) as half,
        asking(server, ENDLESS) as long,
    ):
        half.sendall(head("POST", "/apply", "Content-Length: 1000") + b"{")
        server.process.send_signal(signal.SIGTERM)
        for client in (long, half):
            (answer,) = answers_in(received(client))
            assert (answer.status, answer.kind) == (503, "starting")
            assert "shutting down" in answer.problem["detail"]
            assert answer.headers["retry-after"] == "1"
        assert server.process.wait(PATIENCE) == 0
        for path in ("/eval/batch", "/apply"):
            (line,) = server.logged(f'"path":"{path}"')
            assert line["status"] == 503
        assert "Traceback" not in server.log.read_text()


def test_half_a_head_that_the_drain_cuts_off_is_told(tmp_path: Path) -> None:
    """Also behind a request of the same connection that is cut off itself."""
    none = str(tmp_path / "none")
    with (
        running(tmp_path, db=none, drain_seconds="1", time_limit=FOREVER) as server,
        connect(server) as half,
        asking(server, ENDLESS) as behind,
    ):
        half.sendall(head("GET", "/cards/7")[:-2])
        behind.sendall(head("GET", "/cards/7") + head("GET", "/cards/7")[:-2])
        assert httpx.get(f"{server.url}/healthz").status_code == 200  # by now they were read
        server.process.send_signal(signal.SIGTERM)
        for client, statuses in ((half, [503]), (behind, [503, 200, 503])):
            answers = answers_in(received(client))
            assert [answer.status for answer in answers] == statuses
            assert (answers[-1].kind, answers[-1].headers["retry-after"]) == ("starting", "1")
            assert answers[-1].headers["connection"] == "close"
        assert server.process.wait(PATIENCE) == 0
        assert "Traceback" not in server.log.read_text()


@pytest.mark.parametrize("workers", [1, 2])
def test_connections_are_refused_at_once_while_the_service_drains(
    tmp_path: Path, workers: int
) -> None:
    none = str(tmp_path / "none")
    with (
        running(tmp_path, db=none, workers=str(workers), drain_seconds=FOREVER) as server,
        asking(server, LONG) as client,
    ):
        server.process.send_signal(signal.SIGTERM)
        wait_for(lambda: server.log.read_text().count("Shutting down") == workers)
        with pytest.raises(ConnectionRefusedError), connect(server):
            pass
        (answer,) = answers_in(received(client))
        assert answer.status == 200
        assert server.process.wait(PATIENCE) == 0


def test_every_line_is_logged_before_the_end(tmp_path: Path) -> None:
    with running(tmp_path, db=str(tmp_path / "none"), access_log="true") as server:
        row = head("GET", "/cards/7") * 90 + head("GET", "/cards/7", "Connection: close")
        with connect(server) as client:
            client.sendall(row)
            answers = answers_in(received(client))
        server.process.send_signal(signal.SIGTERM)
        assert server.process.wait(PATIENCE) == 0
        assert len(server.logged("/cards/7")) == len(answers) == 91
        assert server.logged("Finished server process")
        assert server.logged("worker ended")[0]["exit_code"] == 0


def test_log_that_nobody_takes_is_shortened(tmp_path: Path) -> None:
    port = free_port()
    arguments = ("--port", str(port), "--db", str(tmp_path / "none"), "--access-log")
    with subprocess.Popen(
        [sys.executable, *TRIAD_SERVE, *arguments], stderr=subprocess.PIPE
    ) as process:
        server = Server(process, f"http://127.0.0.1:{port}", tmp_path / "none")
        wait_for(lambda: is_alive(server))
        row = head("GET", "/cards/7") * 50 + head("GET", "/cards/7", "Connection: close")
        answers = 0
        while answers < 1.5 * LONGEST_QUEUE:
            with connect(server) as client:
                client.sendall(row)
                answers += len(answers_in(received(client)))
        process.send_signal(signal.SIGTERM)
        assert process.stderr
        lines = [json.loads(line) for line in process.stderr if line.startswith(b"{")]
        assert process.wait(PATIENCE) == 0
    left_out = sum(line["lines"] for line in lines if "left out" in line["event"])
    written = [line for line in lines if line.get("path") == "/cards/7"]
    others = 100  # lines of start and end, of which some may be left out too
    assert 0 < left_out < answers
    assert answers <= len(written) + left_out < answers + others


def test_interrupt_of_a_terminal_ends_after_the_answer(tmp_path: Path) -> None:
    """A terminal interrupts the workers too."""
    none = str(tmp_path / "none")
    with running(tmp_path, "--workers", "2", db=none, drain_seconds=FOREVER) as server:
        with asking(server, LONG) as client:
            for pid in (*pids(server), server.process.pid):
                os.kill(pid, signal.SIGINT)
            (answer,) = answers_in(received(client))
        assert answer.status == 200
        assert server.process.wait(PATIENCE) == 0


def test_second_interrupt_ends_at_once(tmp_path: Path) -> None:
    none = str(tmp_path / "none")
    with (
        running(tmp_path, db=none, drain_seconds=FOREVER, time_limit=FOREVER) as server,
        asking(server, ENDLESS),
    ):
        server.process.send_signal(signal.SIGINT)
        server.logged("Shutting down")
        server.process.send_signal(signal.SIGINT)
        assert server.process.wait(PATIENCE) == 130
        assert server.logged("worker ended")[0]["signal"] == "SIGKILL"
        assert server.log.read_text().endswith("triad: interrupted\n")


def test_second_sigterm_changes_nothing(tmp_path: Path) -> None:
    """Some who end a process send the signal to it, and to its group as well."""
    with running(tmp_path, db=str(tmp_path / "none"), drain_seconds=FOREVER) as server:
        with asking(server, LONG) as client:
            server.process.send_signal(signal.SIGTERM)
            server.process.send_signal(signal.SIGTERM)
            (answer,) = answers_in(received(client))
        assert answer.status == 200
        assert server.process.wait(PATIENCE) == 0


# Other signals


@pytest.mark.parametrize("workers", [1, 2])
def test_hangup_replaces_the_workers_while_they_serve(tmp_path: Path, workers: int) -> None:
    with running(tmp_path, db=str(tmp_path / "none"), workers=str(workers)) as server:
        wait_for_all(server)
        before = pids(server)
        server.process.send_signal(signal.SIGHUP)
        check_while(server, lambda: server.log.read_text().count("worker ended") < workers)
        assert not before & pids(server)
        assert len(pids(server)) == workers
        endings = server.logged("worker ended")
        assert {line["pid"] for line in endings} == before
        assert {line["exit_code"] for line in endings} == {0}
        assert "worker died" not in server.log.read_text()


def check_while(server: Server, is_so: Callable[[], bool]) -> None:
    """Ask all the while; every answer must be one."""
    until = time.monotonic() + PATIENCE
    while is_so():
        assert time.monotonic() < until
        with suppress(httpx.TransportError):  # a connection of a worker that just ended
            assert httpx.post(f"{server.url}/eval", json=STATE_EXAMPLE).status_code == 200


def test_hangup_is_ignored_as_nohup_has_it(tmp_path: Path) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with running(tmp_path, db=str(tmp_path / "none")) as server:
            check_ignored(server, signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)


def test_signals_without_meaning_are_ignored(tmp_path: Path) -> None:
    with running(tmp_path, db=str(tmp_path / "none")) as server:
        check_ignored(server, signal.SIGUSR1, signal.SIGUSR2)


def check_ignored(server: Server, *signals: signal.Signals) -> None:
    """Send signals to all processes; one that stops them comes last, and is obeyed."""
    workers = pids(server)
    for pid in (*workers, server.process.pid):
        for number in signals:
            os.kill(pid, number)
    assert httpx.get(f"{server.url}/healthz").status_code == 200
    assert server.stop() == 0
    assert {line["pid"] for line in server.logged("worker started")} == workers


def test_terminal_that_goes_away_ends_the_service(tmp_path: Path) -> None:
    ours, theirs = os.openpty()
    port = free_port()
    arguments = ("--port", str(port), "--db", str(tmp_path / "none"))
    process = subprocess.Popen([sys.executable, *TRIAD_SERVE, *arguments], stderr=theirs)
    server = Server(process, f"http://127.0.0.1:{port}", tmp_path / "none")
    try:
        wait_for(lambda: is_alive(server))
        process.send_signal(signal.SIGHUP)
        assert process.wait(PATIENCE) == 0
    finally:
        process.kill()
        os.close(ours)
        os.close(theirs)


def is_alive(server: Server) -> bool:
    with suppress(httpx.TransportError):
        return httpx.get(f"{server.url}/healthz").status_code == 200
    return False
