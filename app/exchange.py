"""One request on its way, and its answer: id, limits, headers, counts, log. Plain ASGI."""

from __future__ import annotations

import asyncio
import hashlib
import logging
import secrets
import time
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from starlette.requests import ClientDisconnect
from starlette.types import Message, Receive, Scope, Send

from app.coding import PLAIN, coding_of, unpacked
from app.errors import (
    PROBLEM_JSON,
    RETRY_SECONDS,
    Kind,
    ServiceError,
    as_service_error,
    problem_object,
)
from app.metrics import Metrics
from engine.text.objects import encode

log = logging.getLogger("triad.request")

JSON = "application/json"
LONGEST_ID = 64
FIRST_ERROR = 400  # status from which a request is logged
REQUEST_ID, CONTENT_LENGTH, CONTENT_TYPE = b"x-request-id", b"content-length", b"content-type"
ORIGIN, CONTENT_ENCODING = b"origin", b"content-encoding"
REFUSAL = "triad.refusal"  # where in a scope the connection says what is wrong with a request

RawHeaders = list[tuple[bytes, bytes]]

PAGE_HEADERS: RawHeaders = [
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"x-frame-options", b"DENY"),
    (
        b"content-security-policy",
        b"default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
        b"frame-ancestors 'none'",
    ),
]
EXPOSED = (b"access-control-expose-headers", b"ETag, Retry-After, Server-Timing, X-Request-ID")


def with_head(methods: str) -> str:
    """Return the methods of a route as Allow has them: who may GET may HEAD."""
    return methods.replace("GET", "GET, HEAD")


class Policy(NamedTuple):
    """What holds for every request."""

    body_limit: int
    origins: frozenset[str]  # whose pages may ask
    logs_all: bool
    slow_seconds: float  # from which a request is logged


class Reply(NamedTuple):
    """What is answered: ready bytes."""

    content: bytes
    status: int = 200
    media_type: str = JSON
    headers: RawHeaders = []  # noqa: RUF012  never changed


class Exchange:
    """One request."""

    __slots__ = (
        "_send",
        "began",
        "given_id",
        "headers",
        "policy",
        "route",
        "scope",
        "status",
        "told",
    )

    def __init__(self, policy: Policy, scope: Scope, send: Send) -> None:
        """Look at a request that has come."""
        self.policy, self.scope, self._send = policy, scope, send
        self.headers: Mapping[bytes, bytes] = dict(scope["headers"])
        self.began = time.perf_counter()
        self.given_id = ""
        self.status = 0
        self.route = ""
        self.told: Exception | None = None  # the error that the answer is about

    @property
    def id(self) -> str:
        """Return the request's id: the client's own where it is usable, else made when needed."""
        if not self.given_id:
            given = self.headers.get(REQUEST_ID, b"").decode("latin-1")
            usable = given.isascii() and given.isprintable() and 0 < len(given) <= LONGEST_ID
            self.given_id = given if usable else secrets.token_hex(8)
        return self.given_id

    @property
    def is_preflight(self) -> bool:
        """Tell whether a browser asks what it may ask."""
        asks = b"access-control-request-method" in self.headers
        return bool(asks and self.scope["method"] == "OPTIONS")

    def check(self) -> None:
        """Refuse what the connection does, and a body that says beforehand that it is too large."""
        self._check_refusal()
        length = self.headers.get(CONTENT_LENGTH, b"")
        if length.isdigit() and int(length) > self.policy.body_limit:
            raise self.too_large()

    def _check_refusal(self) -> None:
        if REFUSAL in self.scope:
            raise self.scope[REFUSAL]

    def too_large(self) -> ServiceError:
        """Return the error of a body that is too large."""
        detail = f"the body is larger than {self.policy.body_limit} bytes"
        return ServiceError(Kind.TOO_LARGE, detail)

    def limited(self, receive: Receive) -> Receive:
        """Return `receive` that gives up on a body that gets too large or is refused."""
        received = 0

        async def counted() -> Message:
            nonlocal received
            message = await receive()
            self._check_refusal()
            received += len(message.get("body", b""))
            if received > self.policy.body_limit:
                raise self.too_large()
            return message

        return counted

    async def read_json(self, receive: Receive) -> bytes:
        """Return the body of a request that is JSON, or raise `ServiceError`."""
        given = self.headers.get(CONTENT_TYPE, b"application/json")
        media_type = given.split(b";")[0].strip().lower().decode("latin-1")
        if media_type != JSON and not media_type.endswith("+json"):
            raise ServiceError(Kind.MEDIA_TYPE, f"found {media_type!r}; allowed: {JSON}")
        coding = coding_of(self.headers.get(CONTENT_ENCODING, b""))
        body = await self._read(self.limited(receive))
        if coding in PLAIN:
            return body
        return await asyncio.to_thread(unpacked, body, self.policy.body_limit)

    @staticmethod
    async def _read(receive: Receive) -> bytes:
        message = await receive()
        parts: list[bytes] = [message.get("body", b"")]
        while message.get("more_body", False):
            message = await receive()
            parts.append(message.get("body", b""))
        if message["type"] == "http.disconnect":
            raise ClientDisconnect
        return b"".join(parts)

    def tagged(self, content: bytes, caching: bytes) -> Reply:
        """Return the answer with its ETag, or, to who has it already, that nothing has changed."""
        tag = f'"{hashlib.blake2b(content, digest_size=16).hexdigest()}"'
        headers = [(b"etag", tag.encode()), (b"cache-control", caching)]
        asked = self.headers.get(b"if-none-match", b"").decode("latin-1")
        tags = {item.strip().removeprefix("W/") for item in asked.split(",")}
        if tag in tags or "*" in tags:
            return Reply(b"", 304, headers=headers)
        return Reply(content, headers=headers)

    async def reply(self, reply: Reply) -> None:
        """Send a whole answer."""
        self.status = reply.status
        headers = [
            (b"content-type", reply.media_type.encode()),
            (b"content-length", str(len(reply.content)).encode()),
            (b"x-content-type-options", b"nosniff"),
            *reply.headers,
            *self._common_headers(),
        ]
        await self._send(
            {"type": "http.response.start", "status": reply.status, "headers": headers}
        )
        await self._send({"type": "http.response.body", "body": reply.content})

    async def send(self, message: Message) -> None:
        """Send a message of the pages and the other routes on, with the headers that all have."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            has = {name for name, _ in message["headers"]}
            message["headers"] = [
                *message["headers"],
                *(header for header in PAGE_HEADERS if header[0] not in has),
                *self._common_headers(),
            ]
        await self._send(message)

    def _common_headers(self) -> Iterable[tuple[bytes, bytes]]:
        milliseconds = 1e3 * (time.perf_counter() - self.began)
        yield b"server-timing", b"total;dur=%.3f" % milliseconds
        if self.status >= FIRST_ERROR or REQUEST_ID in self.headers:
            yield REQUEST_ID, self.id.encode()
        if "*" in self.policy.origins:
            yield b"access-control-allow-origin", b"*"
            yield EXPOSED
            return
        yield b"vary", b"Origin"  # also without one: a cache keeps this answer for those with one
        if self.headers.get(ORIGIN, b"").decode("latin-1") in self.policy.origins:
            yield b"access-control-allow-origin", self.headers[ORIGIN]
            yield EXPOSED

    def problem(self, error: Exception) -> Reply:
        """Return the problem of an error; the log has what is not for others to see."""
        self.told = error
        told = as_service_error(error)
        path = self.scope["path"]
        Metrics().errors.labels(told.kind.slug).inc()
        if told.kind is Kind.INTERNAL:
            extra = {"request_id": self.id, "path": path}
            log.error("internal error", exc_info=error, extra=extra)
        headers = [
            (name.lower().encode(), (with_head(value) if name == "Allow" else value).encode())
            for name, value in (getattr(error, "headers", None) or {}).items()
        ]
        if told.kind.status == Kind.BUSY.status:
            headers.append((b"retry-after", str(RETRY_SECONDS).encode()))
        content = encode(problem_object(told, path, self.id))
        return Reply(content, told.kind.status, PROBLEM_JSON, headers)

    def note(self) -> None:
        """Count the request; log it if it failed, was slow, or all are to be logged."""
        seconds = time.perf_counter() - self.began
        route = self.route or getattr(self.scope.get("route"), "path", "none")
        Metrics().count(route, self.status, seconds)
        is_noted = self.status >= FIRST_ERROR or seconds >= self.policy.slow_seconds
        if is_noted or self.policy.logs_all:
            level = logging.INFO if self.status < Kind.INTERNAL.status else logging.WARNING
            fields = {
                "request_id": self.id,
                "method": self.scope["method"],
                "path": self.scope["path"],
                "status": self.status,
                "ms": round(1e3 * seconds, 3),
            }
            log.log(level, "request", extra=fields)
