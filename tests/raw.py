"""Speak to a server over a bare socket, as no decent client does."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from typing import Any, NamedTuple

from tests.servers import PATIENCE, Server

PIECE = 65536


class RawAnswer(NamedTuple):
    """One answer."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def problem(self) -> dict[str, Any]:
        """Return the problem that it is, of which the headers must tell the same."""
        found: dict[str, Any] = json.loads(self.body)
        assert self.headers["content-type"] == "application/problem+json"
        assert found["status"] == self.status
        assert found["request_id"] == self.headers["x-request-id"]
        return found

    @property
    def kind(self) -> str:
        """Return which problem it is."""
        return str(self.problem["type"]).rpartition(":")[2]


def connect(server: Server) -> socket.socket:
    """Return a connection."""
    return socket.create_connection(("127.0.0.1", server.port), timeout=PATIENCE)


def head(method: str, path: str, *lines: str) -> bytes:
    """Return the head of a request."""
    return "\r\n".join([f"{method} {path} HTTP/1.1", "Host: x", *lines, "", ""]).encode()


def post(path: str, body: bytes, *lines: str) -> bytes:
    """Return a request with a body of JSON."""
    about = ("Content-Type: application/json", f"Content-Length: {len(body)}")
    return head("POST", path, *about, *lines) + body


def send_until_closed(client: socket.socket, data: bytes, times: int = 1) -> int:
    """Send something again and again, as long as it is taken; return how many bytes were."""
    sent = 0
    with suppress(ConnectionError):
        for _ in range(times):
            client.sendall(data)
            sent += len(data)
    return sent


def received(client: socket.socket) -> bytes:
    """Return all that comes until the server closes."""
    parts = []
    with suppress(ConnectionError):
        while part := client.recv(PIECE):
            parts.append(part)
    return b"".join(parts)


def answers_in(data: bytes) -> list[RawAnswer]:
    """Return the answers that were received, whole each; none has a body of unknown length."""
    answers = []
    while data:
        text, separator, data = data.partition(b"\r\n\r\n")
        assert separator, text
        first, *lines = text.decode("latin-1").split("\r\n")
        headers = dict(line.split(": ", 1) for line in lines)
        length = int(headers.get("content-length", 0))
        assert len(data) >= length, data
        answers.append(RawAnswer(int(first.split()[1]), headers, data[:length]))
        data = data[length:]
    return answers


def ask(server: Server, data: bytes) -> list[RawAnswer]:
    """Send something; return the answers until the server closes the connection."""
    with connect(server) as client:
        send_until_closed(client, data)
        return answers_in(received(client))
