"""Clients that send too much, take too long or are too many: they are told, and ended."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator
from contextlib import ExitStack, suppress
from pathlib import Path

import httpx
import pytest

from app.examples import STATE_EXAMPLE
from app.protocol import STRIDE
from app.settings import Settings
from tests.commands import RUN
from tests.conftest import IS_JIT_OFF
from tests.databases import opening
from tests.raw import answers_in, connect, head, post, received, send_until_closed
from tests.servers import PATIENCE, TRIAD_SERVE, Server, assert_well, memory_of, running

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

BODY = json.dumps(STATE_EXAMPLE).encode()
HEADER_LIMIT: int = Settings.model_fields["header_limit"].default
MOST = HEADER_LIMIT + STRIDE  # bytes that may pass where a request ends
CHUNKED = "Transfer-Encoding: chunked"
MEGABYTE = 1_000_000
CONNECTIONS = 400  # of the strict server


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a server with its usual limits."""
    folder = tmp_path_factory.mktemp("server")
    with running(folder, db=str(folder / "none")) as server:
        yield server


@pytest.fixture(scope="module")
def strict(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Return a server that waits for nobody."""
    folder = tmp_path_factory.mktemp("strict")
    limits = ["--client-seconds=1", "--keep-alive-seconds=1", f"--connections={CONNECTIONS}"]
    with running(folder, *limits, db=str(folder / "none")) as server:
        yield server


# Too much


@pytest.mark.parametrize(
    ("start", "more", "status", "kind"),
    [
        (b"GET / HTTP/1.1\r\nX: ", b"x", 431, "headers-too-large"),
        (b"GET / HTTP/1.1\r\n", b"x: y\r\n", 431, "headers-too-large"),
        (b"GET /", b"x", 414, "address-too-long"),
        (b"GET /?", b"x=y&", 414, "address-too-long"),
        (b"", b"\r\n", 431, "headers-too-large"),
        (
            head("POST", "/eval", CHUNKED) + b"2\r\n{}\r\n0\r\n",
            b"x: y\r\n",
            431,
            "headers-too-large",
        ),
        (head("POST", "/eval", CHUNKED) + b"2;", b"x", 431, "headers-too-large"),
    ],
    ids=["header", "headers", "address", "query", "nothing", "trailers", "extension of a chunk"],
)
def test_head_without_end_is_refused_and_takes_no_memory(
    server: Server, start: bytes, more: bytes, status: int, kind: str
) -> None:
    before = memory_of(server)
    with connect(server) as client:
        client.sendall(start)
        send_until_closed(client, more * (MEGABYTE // len(more)), times=100)
        (answer,) = answers_in(received(client))
    assert (answer.status, answer.kind) == (status, kind)
    assert str(HEADER_LIMIT) in answer.problem["detail"]
    assert answer.headers["connection"] == "close"
    assert memory_of(server) - before < 20 * MEGABYTE
    assert_well(server)


@pytest.mark.parametrize("piece", [1000, MEGABYTE], ids=["in pieces", "at once"])
@pytest.mark.parametrize(("length", "status"), [(HEADER_LIMIT - 100, 200), (HEADER_LIMIT, 431)])
def test_head_is_limited_however_it_comes(
    server: Server, piece: int, length: int, status: int
) -> None:
    request = head("GET", "/healthz", "Connection: close", f"X: {'x' * length}")
    with connect(server) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(0, len(request), piece):
            client.sendall(request[at : at + piece])
        (answer,) = answers_in(received(client))
    assert answer.status == status


def test_long_body_in_the_first_piece_is_no_long_head(server: Server) -> None:
    body = BODY[:-1] + b" " * HEADER_LIMIT + b"}"
    response = httpx.post(f"{server.url}/eval", content=body)
    assert response.status_code == 200


def chunks_of(data: bytes, size: int, extension: bytes = b"") -> bytes:
    """Return a body in chunks, without its end."""
    parts = (data[at : at + size] for at in range(0, len(data), size))
    return b"".join(b"%x%s\r\n%s\r\n" % (len(part), extension, part) for part in parts)


@pytest.mark.parametrize("piece", [1000, MEGABYTE], ids=["in pieces", "at once"])
@pytest.mark.parametrize(
    "rest",
    [
        chunks_of(b" " * 400, 4, b";" + b"x" * 400) + b"0\r\n\r\n",
        chunks_of(BODY, len(BODY), b";" + b"x" * MOST) + b"0\r\n\r\n",
        chunks_of(BODY, 10) + b"0\r\n" + b"x: y\r\n" * (MOST // 6) + b"\r\n",
        chunks_of(BODY, 10) + b"0\r\n" + b"x: " + b"y" * MOST + b"\r\n\r\n",
        chunks_of(b" " * 9999, 1, b";x=y") + b"0\r\n\r\n",
    ],
    ids=["extensions", "an extension", "trailers", "a trailer", "short extensions"],
)
def test_what_is_around_chunks_is_limited_as_headers_are(
    server: Server, rest: bytes, piece: int
) -> None:
    request = head("POST", "/eval", CHUNKED, "Connection: close") + rest
    with connect(server) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(0, len(request), piece):
            send_until_closed(client, request[at : at + piece])
        (answer,) = answers_in(received(client))
    assert (answer.status, answer.kind) == (431, "headers-too-large")


def test_smallest_chunks_are_taken_up_to_the_limit_of_the_body(server: Server) -> None:
    body = BODY[:-1] + b" " * 3 * HEADER_LIMIT + b"}"
    trailers = b"0\r\n" + b"x: y\r\n" * (HEADER_LIMIT // 7) + b"\r\n"
    with connect(server) as client:
        client.sendall(head("POST", "/eval", CHUNKED, "Connection: close"))
        client.sendall(chunks_of(body, 1) + trailers)
        (answer,) = answers_in(received(client))
    assert answer.status == 200


def test_trailers_are_no_headers(server: Server) -> None:
    chunks = b"%x\r\n%s\r\n0\r\nX-Request-ID: from-behind\r\n\r\n" % (len(BODY), BODY)
    with connect(server) as client:
        lines = (CHUNKED, "X-Request-ID: from-the-head", "Connection: close")
        client.sendall(head("POST", "/eval", *lines) + chunks)
        (answer,) = answers_in(received(client))
    assert (answer.status, answer.headers["x-request-id"]) == (200, "from-the-head")


# Too long


@pytest.mark.parametrize(
    "part",
    [b"G", head("GET", "/healthz")[:-2], head("POST", "/eval", "Content-Length: 9") + b"{"],
    ids=["a letter", "a head", "a body"],
)
def test_half_sent_requests_are_ended(strict: Server, part: bytes) -> None:
    with ExitStack() as stack:
        clients = [stack.enter_context(connect(strict)) for _ in range(300)]
        for client in clients:
            client.sendall(part)
        assert_well(strict)
        for client in clients:
            (answer,) = answers_in(received(client))
            assert (answer.status, answer.kind) == (408, "request-timeout")
            assert "1 seconds" in answer.problem["detail"]
            assert answer.headers["connection"] == "close"
    assert_well(strict)


@pytest.mark.parametrize(
    ("start", "more"),
    [
        (b"GET / HTTP/1.1\r\nX: ", b"x"),
        (head("POST", "/eval", "Content-Length: 1000000"), b" "),
        (head("POST", "/eval", CHUNKED), b"1\r\n \r\n"),
    ],
    ids=["head", "body", "chunks"],
)
def test_trickle_does_not_stop_the_clock(strict: Server, start: bytes, more: bytes) -> None:
    with connect(strict) as client:
        client.sendall(start)
        until = time.monotonic() + PATIENCE
        client.settimeout(0.1)
        first = b""
        while not first:
            assert time.monotonic() < until
            client.sendall(more)
            with suppress(TimeoutError):
                first = client.recv(1)
        client.settimeout(PATIENCE)
        (answer,) = answers_in(first + received(client))
    assert answer.kind == "request-timeout"


@pytest.mark.parametrize(
    "sent", [b"", b"\r\n", head("GET", "/healthz"), post("/eval", BODY)], ids=len
)
def test_idle_connection_is_closed_without_a_word(strict: Server, sent: bytes) -> None:
    with connect(strict) as client:
        client.sendall(sent)
        answers = answers_in(received(client))
    assert [answer.status for answer in answers] == [200] * (len(sent) > 2)


def test_time_to_answer_is_not_the_clients(tmp_path: Path) -> None:
    states = {"states": [opening(number) for number in range(20)]}
    with running(tmp_path, db=str(tmp_path / "none"), client_seconds="0.05") as server:
        response = httpx.post(f"{server.url}/eval/batch?moves=true", json=states, timeout=PATIENCE)
        assert response.status_code == 200
        assert len(response.json()["results"]) == 20


def test_client_that_does_not_take_its_answers_is_dropped(strict: Server) -> None:
    before = memory_of(strict)
    with connect(strict) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        request = head("GET", "/static/swagger/swagger-ui-bundle.js")
        assert send_until_closed(client, request * 50) > 0
        until = time.monotonic() + PATIENCE
        while is_open(strict, client):
            assert time.monotonic() < until
            time.sleep(0.1)
    assert memory_of(strict) - before < 40 * MEGABYTE
    assert_well(strict)


def is_open(server: Server, client: socket.socket) -> bool:
    """Tell whether the server still has its end of a connection."""
    (worker,) = server.workers()
    port = client.getsockname()[1]
    connections = worker.net_connections("tcp")
    return any(connection.raddr and connection.raddr.port == port for connection in connections)


# Too many


def test_connections_beyond_the_limit_are_told_so(strict: Server) -> None:
    with ExitStack() as stack:
        for _ in range(CONNECTIONS):
            stack.enter_context(connect(strict)).sendall(b"G")
        with connect(strict) as one_more:
            (answer,) = answers_in(received(one_more))
    assert (answer.status, answer.kind) == (503, "too-many-connections")
    assert f"at most {CONNECTIONS}" in answer.problem["detail"]
    assert answer.headers["retry-after"] == "1"
    until = time.monotonic() + PATIENCE
    while httpx.get(f"{strict.url}/healthz").status_code != 200:
        assert time.monotonic() < until


def test_service_may_open_as_many_files_as_connections_need(tmp_path: Path) -> None:
    soft, hard = 64, 512
    limited = f"import resource; resource.setrlimit(resource.RLIMIT_NOFILE, ({soft}, {hard}))\n"
    program = ("-c", limited + RUN, *TRIAD_SERVE[2:])
    none = str(tmp_path / "none")
    with running(tmp_path, program=program, db=none, connections="200") as server:
        with ExitStack() as stack:
            for _ in range(150):
                stack.enter_context(connect(server))
            assert_well(server)
        assert "may not open" not in server.log.read_text()
    with running(tmp_path, program=program, db=none, connections="400") as server:
        (line,) = server.logged("may not open")
        assert (line["level"], line["allowed"], line["connections"]) == ("warning", hard, 400)


def test_flood_of_connections_leaves_nothing_behind(server: Server) -> None:
    before = memory_of(server)
    for number in range(10_000):
        with connect(server) as client:
            if number % 2:
                client.sendall(head("GET", "/healthz")[: number % 40])
    assert memory_of(server) - before < 20 * MEGABYTE
    assert_well(server)
