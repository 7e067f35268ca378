"""Clients that speak badly, oddly or not to the end: each is told, and none does harm."""

from __future__ import annotations

import gzip
import json
import socket
import struct
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from app.examples import APPLY_EXAMPLE, NOTATION_EXAMPLE, STATE_EXAMPLE
from app.pages import PAGES
from app.protocol import LONGEST_PIPELINE
from app.settings import Settings
from tests.conftest import IS_JIT_OFF
from tests.databases import opening
from tests.raw import RawAnswer, answers_in, connect, head, post, received, send_until_closed
from tests.servers import Server, assert_well, memory_of, running

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

BODY = json.dumps(STATE_EXAMPLE).encode()
BODY_LIMIT: int = Settings.model_fields["body_limit"].default
HEALTH = head("GET", "/healthz")
LAST = head("GET", "/healthz", "Connection: close")
CHUNKED = "Transfer-Encoding: chunked"
UPGRADE = ("Connection: Upgrade, HTTP2-Settings", "Upgrade: h2c", "HTTP2-Settings: AAMAAABk")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with running(folder, db=str(folder / "none"), access_log="true") as server:
        yield server


def ask(server: Server, data: bytes) -> list[RawAnswer]:
    """Send something; return the answers until the server closes the connection."""
    with connect(server) as client:
        send_until_closed(client, data)
        return answers_in(received(client))


# What is no HTTP


@pytest.mark.parametrize(
    ("sent", "told"),
    [
        (b"FETCH / HTTP/1.1\r\n\r\n", "begin with a method"),
        (b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", "begin with a method"),
        (b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "not HTTP/1.1"),
        (b"GET / HTTP/9.9\r\n\r\n", "version"),
        (b"GET /\xff HTTP/1.1\r\n\r\n", "address: found"),
        (head("GET", "http://x"), 'address: found "http://x"'),
        (b"GET / HTTP/1.1\r\n\r\n", "Host: found nothing; allowed: the header once"),
        (head("GET", "/", "Host: y"), "Host: found the header twice; allowed: the header once"),
        (head("CONNECT", "x:80"), "CONNECT"),
        (head("GET", "/", "A b: c"), "header token"),
        (head("GET", "/", "A\0: c"), "header token"),
        (head("GET", "/", "A: b\0"), "header value"),
        (head("POST", "/eval", "Content-Length: -1"), "Content-Length"),
        (head("POST", "/eval", "Content-Length: 1e3"), "Content-Length"),
        (head("POST", "/eval", f"Content-Length: {'9' * 30}"), "Content-Length"),
        (head("POST", "/eval", *["Content-Length: 2"] * 2) + b"{}", "Content-Length"),
        (head("POST", "/eval", "Content-Length: 2", CHUNKED) + b"{}", "Content-Length"),
        (head("POST", "/eval", CHUNKED) + b"zz\r\n", "chunk size"),
        (head("POST", "/eval", CHUNKED) + b"2\r\n{}}\r\n", "chunk"),
    ],
)
def test_what_is_no_http_is_refused_by_a_problem(server: Server, sent: bytes, told: str) -> None:
    (answer,) = ask(server, sent)
    assert (answer.status, answer.kind) == (400, "bad-request")
    assert told in answer.problem["detail"]
    assert answer.headers["connection"] == "close"
    assert answer.headers["access-control-allow-origin"] == "*"
    assert server.logged(answer.problem["request_id"])[0]["status"] == 400
    assert_well(server)


def test_nonsense_behind_requests_is_refused_after_they_are_answered(server: Server) -> None:
    answers = ask(server, post("/eval", BODY) + HEALTH + b"nonsense\r\n\r\n" + HEALTH)
    assert [answer.status for answer in answers] == [200, 200, 400]
    assert b'"margin":-4' in answers[0].body


def test_bad_chunk_behind_other_requests_is_refused_in_its_turn(server: Server) -> None:
    broken = head("POST", "/eval", CHUNKED) + b"2\r\n{}\r\nzz\r\n"
    answers = ask(server, post("/eval", BODY) + HEALTH + broken)
    assert [answer.status for answer in answers] == [200, 200, 400]
    assert "chunk size" in answers[2].problem["detail"]


def test_bad_chunk_of_a_request_that_is_answered_already_says_nothing_more(
    server: Server,
) -> None:
    with connect(server) as client:
        client.sendall(head("POST", "/nowhere", CHUNKED))
        first = client.recv(65536)
        client.sendall(b"zz\r\n")
        answers = answers_in(first + received(client))
    assert [answer.status for answer in answers] == [404]


# What is odd


def test_requests_in_a_row_are_answered_in_a_row(server: Server) -> None:
    answers = ask(server, (HEALTH + post("/eval", BODY)) * 20 + LAST)
    assert [len(answer.body) > 100 for answer in answers] == [False, True] * 20 + [False]
    assert {answer.status for answer in answers} == {200}


def test_too_many_requests_in_a_row_are_refused(server: Server) -> None:
    answers = ask(server, HEALTH * 10_000)
    assert [answer.status for answer in answers[:-1]] == [200] * (len(answers) - 1)
    assert str(LONGEST_PIPELINE) in answers[-1].problem["detail"]
    assert len(answers) > LONGEST_PIPELINE
    assert_well(server)


def test_offer_of_another_protocol_is_ignored(server: Server) -> None:
    """Some clients offer HTTP/2 with the first request of every connection, body or not."""
    socket_offer = ("Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13")
    for offer in (UPGRADE, socket_offer):
        offered = head("GET", "/healthz", *offer) + post("/eval", BODY, *offer)
        answers = ask(server, offered + post("/eval", BODY) + LAST)
        assert [answer.status for answer in answers] == [200] * 4
        assert answers[1].body == answers[2].body
    assert "uvicorn[standard]" not in server.log.read_text()


def test_body_of_a_request_that_offers_another_protocol_may_come_later(server: Server) -> None:
    request = post("/eval", BODY, *UPGRADE)
    with connect(server) as client:
        client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        for at in range(0, len(request), 50):
            client.sendall(request[at : at + 50])
        client.sendall(LAST)
        answers = answers_in(received(client))
    assert [answer.status for answer in answers] == [200, 200]


def test_body_that_waits_to_be_asked_for_is_asked_for(server: Server) -> None:
    request = head(
        "POST", "/eval", "Expect: 100-continue", f"Content-Length: {len(BODY)}", "Connection: close"
    )
    with connect(server) as client:
        client.sendall(request)
        assert client.recv(65536) == b"HTTP/1.1 100 Continue\r\n\r\n"
        client.sendall(BODY)
        (answer,) = answers_in(received(client))
    assert answer.status == 200


@pytest.mark.parametrize(("path", "length", "status"), [("/no", 9, 404), ("/eval", 10**9, 413)])
def test_body_that_is_not_asked_for_is_not_waited_for(
    server: Server, path: str, length: int, status: int
) -> None:
    request = head("POST", path, "Expect: 100-continue", f"Content-Length: {length}")
    (answer,) = ask(server, request)
    assert answer.status == status


@pytest.mark.parametrize(
    "sent",
    [
        head("GET", "http://elsewhere/healthz", "Connection: close"),
        head("GET", "/%68ealthz", "Connection: close"),
        b"GET /healthz HTTP/1.0\r\n\r\n",
        b"\r\n\r\n" + LAST,
        head("GET", "/healthz", "X-\xe9: \xe9", "Connection: close").replace(b"X-\xc3\xa9", b"X"),
        head("GET", "/healthz", *["A: b"] * 2000, "Connection: close"),
        head("GET", "/healthz", "Content-Length: 5", "Connection: close") + b"hello",
    ],
    ids=["absolute", "encoded", "1.0", "newlines before", "odd value", "many headers", "body"],
)
def test_odd_request_is_answered(server: Server, sent: bytes) -> None:
    (answer,) = ask(server, sent)
    assert (answer.status, answer.body) == (200, b'{"status":"ok"}')


@pytest.mark.parametrize(
    "path",
    ["//", "/%00", "/static/%00", "/static/../../settings.py", "/static/" + "x" * 5000, "*"]
    + ["/cards/" + "9" * 5000, "/position/" + "9" * 30_000],
    ids=lambda path: path[:20],
)
def test_odd_address_is_the_clients_fault(server: Server, path: str) -> None:
    (answer,) = ask(server, head("GET", path, "Connection: close"))
    assert answer.kind in {"not-found", "invalid"}
    assert_well(server)


@pytest.mark.parametrize(
    ("address", "told"),
    [
        (b"/cards/\xc3\xa9", "/cards/é"),
        (b"/cards/\xff", "/cards/\\xff"),
        (b"/deal?first=\xc3\xa9", "/deal?first=é"),
        (b"/position/x?pv=\xe9", "/position/x?pv=\\xe9"),
        (b"/cards/%F0%9F", "/cards/%F0%9F"),
        (b"/deal?first=%ff", "/deal?first=%ff"),
    ],
)
def test_address_that_is_no_text_is_told_as_it_was_sent(
    server: Server, address: bytes, told: str
) -> None:
    (answer,) = ask(server, b"GET %s HTTP/1.1\r\nHost: x\r\n\r\n" % address)
    assert (answer.status, answer.kind) == (400, "bad-request")
    (error,) = answer.problem["errors"]
    assert (error["field"], json.loads(error["found"])) == ("address", told)
    assert answer.problem["instance"] == told.partition("?")[0]


# HEAD


@pytest.mark.parametrize(
    "path",
    [*PAGES, "/docs", "/openapi.json", "/static/js/dom.js", "/cards", "/cards/7", "/deal"]
    + ["/database", "/healthz", "/readyz", f"/position/{NOTATION_EXAMPLE}"]
    + ["/cards/0", "/nowhere", "/position/nothing"],
)
def test_head_is_answered_as_get_without_the_body(server: Server, path: str) -> None:
    changing = {"date", "server-timing"}
    given = {"X-Request-ID": "the-same"}
    whole = httpx.get(server.url + path, headers=given)
    bare = httpx.head(server.url + path, headers=given)
    assert bare.status_code == whole.status_code
    assert bare.content == b""
    assert {name: value for name, value in bare.headers.items() if name not in changing} == {
        name: value for name, value in whole.headers.items() if name not in changing
    }


def test_head_leaves_the_connection_as_it_was(server: Server) -> None:
    answers = b"".join([head("HEAD", "/cards"), head("HEAD", "/healthz"), LAST])
    with connect(server) as client:
        client.sendall(answers)
        heads = received(client).split(b"\r\n\r\n")
    assert [text[:12] for text in heads] == [b"HTTP/1.1 200"] * 3 + [b'{"status":"o']


def test_head_of_metrics_and_its_count(server: Server) -> None:
    assert httpx.head(f"{server.url}/metrics").status_code == 200
    httpx.head(f"{server.url}/cards/9")
    assert 'route="/cards/{card_id}",status="200"' in httpx.get(f"{server.url}/metrics").text


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("HEAD", "/eval", "POST"),
        ("HEAD", "/apply", "POST"),
        ("POST", "/healthz", "GET, HEAD"),
        ("POST", "/cards", "GET, HEAD"),
        ("DELETE", "/", "GET, HEAD"),
    ],
)
def test_method_that_is_not_allowed_is_told_which_are(
    server: Server, method: str, path: str, allowed: str
) -> None:
    response = httpx.request(method, server.url + path)
    assert (response.status_code, response.headers["allow"]) == (405, allowed)


# Origins


def test_answers_vary_by_origin_where_origins_are_limited(tmp_path: Path) -> None:
    ours = "https://ours.example"
    with running(tmp_path, db=str(tmp_path / "none"), cors_origins=ours) as server:
        for path in ("/healthz", "/cards", "/", "/nowhere"):
            for origin in ("", ours, "https://theirs.example"):
                headers = httpx.get(server.url + path, headers={"Origin": origin}).headers
                assert "Origin" in headers.get_list("vary")
                allowed = headers.get("access-control-allow-origin")
                assert allowed == (ours if origin == ours else None)


# Packed bodies


@pytest.mark.parametrize("path", ["/eval", "/apply", "/eval/batch"])
@pytest.mark.parametrize("coding", ["gzip", "x-gzip", "GZip", "identity"])
def test_packed_body_is_read_as_the_plain_one(server: Server, path: str, coding: str) -> None:
    given = {"/eval": STATE_EXAMPLE, "/apply": APPLY_EXAMPLE}
    body = json.dumps(given.get(path, {"states": [STATE_EXAMPLE]})).encode()
    packed = body if coding == "identity" else gzip.compress(body)
    headers = {"Content-Encoding": coding, "Content-Type": "application/json"}
    response = httpx.post(server.url + path, content=packed, headers=headers)
    assert response.status_code == 200
    assert response.content == httpx.post(server.url + path, content=body).content


@pytest.mark.parametrize("coding", ["br", "deflate", "gzip, gzip", "zstd"])
def test_other_codings_are_refused_by_name(server: Server, coding: str) -> None:
    headers = {"Content-Encoding": coding}
    response = httpx.post(f"{server.url}/eval", content=b"x", headers=headers)
    assert response.status_code == 415
    detail = response.json()["detail"]
    assert detail == f"Content-Encoding: found '{coding}'; allowed: gzip, identity"


@pytest.mark.parametrize(
    ("packed", "status", "told"),
    [
        (gzip.compress(bytes(1 << 30), 1), 413, "the body is larger"),
        (gzip.compress(b" " * (500 * BODY_LIMIT)), 413, "unpacks to more than"),
        (gzip.compress(BODY)[:-1], 400, "in the middle"),
        (gzip.compress(BODY)[:9], 400, "in the middle"),
        (b"", 400, "in the middle"),
        (gzip.compress(BODY) + b"more", 400, "4 bytes behind"),
        (gzip.compress(b"") * 10_000, 400, "bytes behind"),
        (gzip.compress(BODY)[:-8] + bytes(8), 400, "incorrect data check"),
        (BODY, 400, "incorrect header check"),
    ],
    ids=["large bomb", "small bomb", "cut", "head", "empty", "more", "members", "sum", "plain"],
)
def test_badly_packed_body_is_refused(
    server: Server, packed: bytes, status: int, told: str
) -> None:
    before = memory_of(server)
    response = httpx.post(
        f"{server.url}/eval", content=packed, headers={"Content-Encoding": "gzip"}
    )
    assert response.status_code == status
    assert told in response.json()["detail"]
    assert memory_of(server) - before < 20_000_000
    assert_well(server)


def test_body_in_many_small_chunks_is_read(server: Server) -> None:
    states = json.dumps({"states": [STATE_EXAMPLE] * 100}).encode()
    chunks = b"".join(b"1\r\n%c\r\n" % byte for byte in states) + b"0\r\n\r\n"
    (answer,) = ask(server, head("POST", "/eval/batch", CHUNKED, "Connection: close") + chunks)
    assert answer.status == 200
    assert len(json.loads(answer.body)["results"]) == 100


# Clients that go


@pytest.mark.parametrize("path", ["/eval", "/eval/batch", "/apply"])
@pytest.mark.parametrize("body", [b"", b'{"states": ['], ids=["before", "within"])
def test_client_that_hangs_up_before_its_body_is_whole_is_no_error_of_ours(
    server: Server, path: str, body: bytes
) -> None:
    name = f"gone-{path.replace('/', '-')}-{len(body)}"
    with connect(server) as client:
        client.sendall(head("POST", path, "Content-Length: 1000", f"X-Request-ID: {name}") + body)
    (line,) = server.logged(name)
    assert (line["event"], line["status"], line["level"]) == ("request", 499, "info")
    assert 'kind="client-gone"' in httpx.get(f"{server.url}/metrics").text
    assert_well(server)


def test_client_that_hangs_up_in_its_head_is_not_heard_of(server: Server) -> None:
    with connect(server) as client:
        client.sendall(head("GET", "/healthz", "X-Request-ID: gone-in-the-head")[:-2])
    assert_well(server)
    assert "gone-in-the-head" not in server.log.read_text()


@pytest.mark.parametrize("linger", [b"", struct.pack("ii", 1, 0)], ids=["closed", "reset"])
def test_client_that_hangs_up_before_its_answer_is_no_error_of_ours(
    server: Server, linger: bytes
) -> None:
    name = f"gone-before-the-answer-{len(linger)}"
    states = json.dumps({"states": [opening(number) for number in range(4)]}).encode()
    with connect(server) as client:
        if linger:  # no farewell: what is sent now meets an error
            client.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        client.sendall(post("/eval/batch", states, f"X-Request-ID: {name}"))
    assert server.logged(name)[0]["level"] == "info"
    assert_well(server)


@pytest.mark.parametrize("times", [1, 20])
def test_client_that_hangs_up_while_it_is_answered_is_no_error_of_ours(
    server: Server, times: int
) -> None:
    name = f"gone-while-answered-{times}"
    with connect(server) as client:
        client.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        request = head("GET", "/static/swagger/swagger-ui-bundle.js", f"X-Request-ID: {name}")
        client.sendall(request * times)
        assert client.recv(10) == b"HTTP/1.1 2"
    assert server.logged(name)[0]["level"] == "info"
    assert_well(server)
