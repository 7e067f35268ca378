"""What surrounds every request: id, size limit, errors as problems, headers, metrics, log.

Plain ASGI, one layer, because each layer costs every request.
"""

from __future__ import annotations

import logging
import secrets
import time
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from app.errors import Kind, ServiceError, as_service_error, problem_response
from app.metrics import Metrics

log = logging.getLogger("triad.request")

REQUEST_ID = "X-Request-ID"
LONGEST_ID = 64
SECURITY_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "X-Frame-Options": "DENY",
    "Content-Security-Policy": (
        "default-src 'self'; object-src 'none'; base-uri 'none'; form-action 'none'; "
        "frame-ancestors 'none'"
    ),
}
PREFLIGHT = {
    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
    "Access-Control-Allow-Headers": "Content-Type, If-None-Match, X-Request-ID",
    "Access-Control-Max-Age": "86400",
}
EXPOSED = "ETag, Retry-After, Server-Timing, X-Request-ID"


def respond(scope: Scope, error: Exception) -> Response:
    """Return the problem of an error; the log has what is not for others to see."""
    told = as_service_error(error)
    request_id = scope["state"]["request_id"]
    Metrics().errors.labels(told.kind.slug).inc()
    if told.kind is Kind.INTERNAL:
        extra = {"request_id": request_id, "path": scope["path"]}
        log.error("internal error", exc_info=error, extra=extra)
    headers = dict(getattr(error, "headers", None) or {})
    return problem_response(told, scope["path"], request_id, headers)


class Surround:
    """The one layer around the routes."""

    def __init__(self, app: ASGIApp, *, body_limit: int, origins: Iterable[str]) -> None:
        """Surround `app`."""
        self.app, self.body_limit, self.origins = app, body_limit, set(origins)
        self.metrics = Metrics()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = _Request(self, scope, send)
        try:
            if request.is_preflight:
                await Response(status_code=204, headers=PREFLIGHT)(scope, receive, request.send)
                return
            request.check_size()
            await self.app(scope, request.limited(receive), request.send)
        except Exception as error:
            if not request.status:
                await respond(scope, error)(scope, receive, request.send)
            elif as_service_error(error).kind is not Kind.INTERNAL:
                raise
        finally:
            request.note()

    def allowed_origin(self, headers: Headers) -> str | None:
        """Return the origin that may read the answer."""
        origin = headers.get("origin")
        if "*" in self.origins:
            return "*"
        return origin if origin in self.origins else None


class _Request:
    """One request on its way."""

    def __init__(self, around: Surround, scope: Scope, send: Send) -> None:
        self.around, self.scope, self._send = around, scope, send
        self.headers = Headers(scope=scope)
        given = self.headers.get(REQUEST_ID, "")
        usable = given.isascii() and given.isprintable() and 0 < len(given) <= LONGEST_ID
        self.id = given if usable else secrets.token_hex(8)
        scope.setdefault("state", {})["request_id"] = self.id
        self.began = time.perf_counter()
        self.status = 0
        self.received = 0

    @property
    def is_preflight(self) -> bool:
        """Tell whether a browser asks what it may ask."""
        return self.scope["method"] == "OPTIONS" and "access-control-request-method" in self.headers

    def check_size(self) -> None:
        """Refuse a body that says beforehand that it is too large."""
        length = self.headers.get("content-length", "")
        if length.isdecimal() and int(length) > self.around.body_limit:
            raise self.too_large()

    def too_large(self) -> ServiceError:
        """Return the error of a body that is too large."""
        detail = f"the body is larger than {self.around.body_limit} bytes"
        return ServiceError(Kind.TOO_LARGE, detail)

    def limited(self, receive: Receive) -> Receive:
        """Return `receive` that gives up on a body that gets too large."""

        async def counted() -> Message:
            message = await receive()
            self.received += len(message.get("body", b""))
            if self.received > self.around.body_limit:
                raise self.too_large()
            return message

        return counted

    async def send(self, message: Message) -> None:
        """Send a message on, with the headers that every answer has."""
        if message["type"] == "http.response.start":
            self.status = message["status"]
            headers = MutableHeaders(scope=message)
            headers[REQUEST_ID] = self.id
            headers["Server-Timing"] = f"total;dur={1e3 * (time.perf_counter() - self.began):.3f}"
            for name, value in SECURITY_HEADERS.items():
                headers.setdefault(name, value)
            if origin := self.around.allowed_origin(self.headers):
                headers["Access-Control-Allow-Origin"] = origin
                headers["Access-Control-Expose-Headers"] = EXPOSED
                if origin != "*":
                    headers.add_vary_header("Origin")
        await self._send(message)

    def note(self) -> None:
        """Count the request and log it."""
        seconds = time.perf_counter() - self.began
        route = getattr(self.scope.get("route"), "path", "none")
        self.around.metrics.requests.labels(route, str(self.status)).inc()
        self.around.metrics.seconds.labels(route).observe(seconds)
        log.info(
            "request",
            extra={
                "request_id": self.id,
                "method": self.scope["method"],
                "path": self.scope["path"],
                "status": self.status,
                "ms": round(1e3 * seconds, 3),
            },
        )
