"""One connection: uvicorn's, with limits on what a client may send and how long it may take.

Uvicorn reads heads of any length, waits without end for the rest of a request and for a client
that does not take its answer, and refuses in plain text. Here a connection is always in one of
these states, and one timer ends what takes too long:

    idle ── first byte ──→ reading ── whole ──→ answering ── sent ──→ idle
     │                        │                     │
     └ keep_alive_seconds:    └ client_seconds:     └ not taken for client_seconds:
       closed                   408                   dropped

What is wrong with a request before the application sees it is put into its scope, and the
application answers: in the same form, with the same headers, counted and logged as all others.
"""

from __future__ import annotations

import asyncio
from asyncio import TimerHandle, Transport
from functools import cache
from typing import Any, NamedTuple, cast

import httptools
from uvicorn._types import ASGI3Application
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

from app.address import address_in, as_sent, is_text, wrong_address
from app.errors import Kind, ServiceError, going_away, wrong_request
from app.exchange import REFUSAL
from app.settings import Settings
from engine.errors import MISSING, Words

LONGEST_LOOK = 1.0  # seconds between looks at the clock
LINGER_SECONDS = 2.0  # how long what still comes is thrown away after the last answer
SPARE_CONNECTIONS = 50  # beyond the limit: these are told why, those beyond are dropped
LONGEST_PIPELINE = 100  # requests that wait on one connection: each takes some 2 KB
LONGEST_PATH = 200  # bytes that are told of the address of a request that cannot be read
COLON_AND_NEWLINE = 4  # bytes around a header
NEWLINES = 4  # bytes around a chunk, besides its length
# Bytes that are read in a row, unless more of a body are to come. What they were is known only
# when all were read: so many may go uncounted where one request ends and the next begins.
STRIDE = 4096


class Limits(NamedTuple):
    """What a client may do."""

    header_bytes: int
    client_seconds: float
    keep_alive_seconds: float
    connections: int

    @property
    def look_seconds(self) -> float:
        """Return how long to wait between looks at the clock."""
        return min(LONGEST_LOOK, self.client_seconds / 4, self.keep_alive_seconds / 4)


@cache
def limits_of_process() -> Limits:
    """Return the limits that this process's settings ask for."""
    settings = Settings()
    return Limits(
        settings.header_limit,
        settings.client_seconds,
        settings.keep_alive_seconds,
        settings.connections,
    )


def connection(**given: Any) -> Connection:
    """Return a connection; uvicorn calls this for each, and knows it by its name."""
    return Connection(limits_of_process(), **given)


class Connection(HttpToolsProtocol):
    """One connection."""

    def __init__(self, limits: Limits, **given: Any) -> None:
        """Take what uvicorn gives every connection, and the limits."""
        super().__init__(**given)
        self.url = b""
        self._limits = limits
        self._frame = 0  # bytes of the request that are not its body: head, chunks, trailers
        self._chunk = 0  # bytes of the body in this chunk
        self._to_come = 0  # bytes of the body that are still to come, as far as was said
        self._is_past_head = False  # of the request that is being read
        self._is_last = False  # no request is read after this one
        self._is_deaf = False  # what comes is not looked at any more
        self._answered: RequestResponseCycle | None = None  # the request whose turn it is
        self._timer: TimerHandle | None = None
        # Since when, by the clock of the event loop; 0 when it is not so.
        self._reads_since = 0.0
        self._idles_since = self.loop.time()
        self._stuck_since = 0.0
        self._parted_since = 0.0

    # The connection

    def connection_made(self, transport: Transport) -> None:  # type: ignore[override]
        """Take the connection, unless there are too many."""
        super().connection_made(transport)
        limit = self._limits.connections
        if len(self.connections) > limit + SPARE_CONNECTIONS:
            transport.abort()
            return
        self._look()
        if len(self.connections) > limit:
            detail = f"{len(self.connections)} connections are open; allowed: at most {limit}"
            self.refuse(ServiceError(Kind.CONNECTIONS, detail))

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the connection; tell who answers it, which uvicorn does not if others wait."""
        super().connection_lost(exc)
        if self._timer:
            self._timer.cancel()
        if self._answered and not self._answered.response_complete:
            self._answered.disconnected = True
            self._answered.message_event.set()

    def pause_writing(self) -> None:
        """Note that the client does not take what is sent."""
        super().pause_writing()
        self._stuck_since = self.loop.time()

    def resume_writing(self) -> None:
        """Note that it does again."""
        super().resume_writing()
        self._stuck_since = 0.0

    def shutdown(self) -> None:
        """End, but not before the answer to a request that is being read; may be told again."""
        self._is_last = True
        if self._parted_since:
            return
        if not self._reads_since:
            super().shutdown()
        elif self._is_past_head:
            self.cycle.keep_alive = False

    def cut_off(self) -> None:
        """Refuse a request that is still being read: nobody waits for the rest of it any more."""
        if self._reads_since:
            self.refuse(going_away())

    def part(self) -> None:
        """Say that no more is sent, and throw away what comes until the client closes too.

        Closing with bytes unread would have the network take back the last answer.
        """
        self._is_deaf = True
        self._parted_since = self.loop.time()
        if not self.transport.is_closing():
            self.transport.write_eof()
            self.flow.resume_reading()

    def _look(self) -> None:
        """End what takes too long, and look again in a while."""
        self._timer = self.loop.call_later(self._limits.look_seconds, self._look)
        now = self.loop.time()
        slow = now - self._limits.client_seconds
        if self.transport.is_closing() and not self._stuck_since:
            self._stuck_since = now  # what is still to be sent keeps it open
        if 0 < self._stuck_since < slow or 0 < self._parted_since < now - LINGER_SECONDS:
            self.transport.abort()
        elif 0 < self._reads_since < slow and not self.flow.read_paused:
            detail = f"it was not whole after {self._limits.client_seconds:g} seconds"
            self.refuse(ServiceError(Kind.TIMEOUT, detail))
        elif self._is_idle and self._idles_since < now - self._limits.keep_alive_seconds:
            self.transport.close()

    @property
    def _is_idle(self) -> bool:
        is_answered = self.cycle is None or self.cycle.response_complete
        return is_answered and not self._reads_since and not self._parted_since

    # The request

    def data_received(self, data: bytes) -> None:
        """Read what has come."""
        start = 0
        while start < len(data) and not self._is_deaf:
            part = data[start : start + max(STRIDE, self._to_come)]
            self._frame += len(part)
            try:
                self.parser.feed_data(part)
            except httptools.HttpParserUpgrade as upgrade:
                self._decline_upgrade(data[start + upgrade.args[0] :])
                return
            except httptools.HttpParserError as error:
                if isinstance(error, httptools.HttpParserInvalidURLError):
                    self.url = address_in(self.url, part)
                self.refuse(self._as_service_error(error))
                return
            if self._frame > self._limits.header_bytes:
                self.refuse(self._too_long())
            start += len(part)

    def on_message_begin(self) -> None:
        """Note that a request begins."""
        super().on_message_begin()
        self._reads_since = self.loop.time()

    def on_headers_complete(self) -> None:
        """Have the request answered, if its head is as it may be."""
        limit = self._limits.header_bytes
        if self._frame > limit and self._head_bytes() > limit:
            raise self._too_long()
        if not is_text(self.url):
            raise wrong_address(self.url)
        self._read_headers()
        if self.parser.should_upgrade():
            return  # the parser stops behind this head
        if len(self.pipeline) >= LONGEST_PIPELINE:
            detail = f"more than {LONGEST_PIPELINE} requests of one connection are waiting"
            raise ServiceError(Kind.BAD_REQUEST, detail)
        super().on_headers_complete()
        if self._is_last:
            self.cycle.keep_alive = False
        self.headers = []  # what comes behind a body is no header of the request
        self._is_past_head = True

    def on_body(self, body: bytes) -> None:
        """Hand on a part of the body."""
        super().on_body(body)
        self._frame -= len(body)
        self._chunk += len(body)
        self._to_come -= len(body)

    def on_chunk_header(self) -> None:
        """Note that a chunk begins."""
        self._chunk = 0

    def on_chunk_complete(self) -> None:
        """Count no more of a chunk than what need not be there: its length has to be."""
        self._frame -= len(b"%x" % self._chunk) + NEWLINES

    def on_message_complete(self) -> None:
        """Note that the request is whole."""
        if self._is_past_head:
            super().on_message_complete()
            self._reads_since, self._frame, self._is_past_head = 0.0, 0, False

    def on_response_complete(self) -> None:
        """Go on with the next request, or wait for one."""
        self.server_state.total_requests += 1
        if self.transport.is_closing():
            return
        self.flow.resume_reading()
        self._idles_since = self.loop.time()
        if self.pipeline:
            self._start_asgi_task(*self.pipeline.pop())
        elif self._is_past_head and self.expect_100_continue:
            self.part()  # a body that was not asked for may come or not: nobody can tell

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: ASGI3Application) -> None:
        self._answered = cycle
        super()._start_asgi_task(cycle, app)

    def _decline_upgrade(self, rest: bytes) -> None:
        """Read the request again, as one that does not offer another protocol.

        The parser takes what is behind the head for that other protocol. It is the body: some
        clients offer HTTP/2 with the first request of every connection.
        """
        method = self.parser.get_method()
        if method == b"CONNECT":
            self.refuse(ServiceError(Kind.BAD_REQUEST, "found CONNECT; this is no proxy"))
            return
        lines = [b"%s %s HTTP/1.1" % (method, self.url)]
        lines += [b"%s: %s" % header for header in self.headers if header[0] != b"upgrade"]
        self.parser = httptools.HttpRequestParser(self)
        self._frame = 0
        self.data_received(b"\r\n".join([*lines, b"", rest]))

    # Refusals

    def refuse(self, error: ServiceError) -> None:
        """Have the application answer with this error, when it is its turn; then part."""
        self._is_deaf = True
        if not self._is_past_head:
            self._queue(self._refused_cycle(error))
        elif self.cycle.response_complete:
            self.part()
        else:  # it is being answered, or waits for that
            self.cycle.scope[REFUSAL] = error  # type: ignore[literal-required]
            self.cycle.keep_alive = self.cycle.more_body = False
            self.cycle.transport = cast(Transport, Farewell(self))
            self.cycle.message_event.set()
        self._reads_since = 0.0

    def _refused_cycle(self, error: ServiceError) -> RequestResponseCycle:
        """Return a request of which there is no more than a part of the head, if as much."""
        if not self._reads_since:
            super().on_message_begin()
        path = as_sent(self.url.partition(b"?")[0][:LONGEST_PATH])
        method = self.parser.get_method().decode() if path else "-"
        scope = {**self.scope, "method": method, "path": path, "query_string": b"", REFUSAL: error}
        return RequestResponseCycle(
            scope=cast(Any, scope),
            transport=cast(Transport, Farewell(self)),
            flow=self.flow,
            logger=self.logger,
            access_logger=self.access_logger,
            access_log=self.access_log,
            default_headers=self.server_state.default_headers,
            message_event=asyncio.Event(),
            expect_100_continue=False,
            keep_alive=False,
            on_response=self.on_response_complete,
        )

    def _queue(self, cycle: RequestResponseCycle) -> None:
        """Have a request answered after those that came before it."""
        before, self.cycle = self.cycle, cycle
        if before is None or before.response_complete:
            self._start_asgi_task(cycle, self.app)
        else:
            self.pipeline.appendleft((cycle, self.app))

    def _read_headers(self) -> None:
        """Note how long the body is; refuse who does not say whom to ask, or says so twice."""
        count = self._to_come = 0
        for name, value in self.headers:
            if name == b"host":
                count += 1
            elif name == b"content-length":
                self._to_come = int(value)
        if count > 1 or (count == 0 and self.parser.get_http_version() == "1.1"):
            found = Words("the header twice") if count else MISSING
            raise wrong_request("Host", found, "the header once")

    def _head_bytes(self) -> int:
        sizes = (len(name) + len(value) + COLON_AND_NEWLINE for name, value in self.headers)
        return len(self.url) + sum(sizes)

    def _too_long(self) -> ServiceError:
        limit = self._limits.header_bytes
        what = "address, headers and what is around chunks"
        detail = f"{what} have more than {limit} bytes; allowed: at most {limit}"
        return ServiceError(Kind.ADDRESS if len(self.url) > limit // 2 else Kind.HEADERS, detail)

    def _as_service_error(self, error: httptools.HttpParserError) -> ServiceError:
        """Return what is wrong with a request that the parser does not take."""
        cause = error.__context__  # what one of the methods above raised
        if isinstance(cause, ServiceError):
            return cause
        if cause or isinstance(error, httptools.HttpParserInvalidURLError):
            return wrong_address(self.url)
        if isinstance(error, httptools.HttpParserInvalidMethodError):
            detail = "what was sent does not begin with a method of HTTP/1.1"
        else:
            detail = f"the request is not HTTP/1.1: {error}"
        return ServiceError(Kind.BAD_REQUEST, detail)


class Farewell:
    """The way to the client for a connection's last answer: closing it is parting."""

    def __init__(self, connection: Connection) -> None:
        """Write to the connection's own transport."""
        self.write = connection.transport.write
        self.is_closing = connection.transport.is_closing
        self.close = connection.part
