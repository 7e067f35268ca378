"""The route of advice: one answer, or a stream of improving ones."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncGenerator

from fastapi import APIRouter, Depends, Request
from starlette.requests import ClientDisconnect
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from app.advice_objects import AdviceObject, AdviseRequest
from app.advice_request import Asked, read_request
from app.errors import Kind, ServiceError
from app.exchange import JSON
from app.metrics import Metrics
from app.routes import answers, known_parameters, required_body, service_of
from app.service import Service
from engine.errors import NotJsonError

log = logging.getLogger("triad.advice")

NDJSON = "application/x-ndjson"

advice_router = APIRouter(dependencies=[Depends(known_parameters)])


@advice_router.post(
    "/advise",
    summary="What to play when the opponent's hand is hidden",
    responses=answers(AdviceObject, 400, 413, 415, 422, 503),
    openapi_extra={"requestBody": required_body(AdviseRequest)},
)
async def advise(request: Request) -> Response:
    """Advise who is to move. With `Accept: application/x-ndjson` a line at each checkpoint."""
    service = service_of(request)
    service.check_ready()
    body = await request.scope["exchange"].read_json(request.receive)
    asked = await asyncio.to_thread(read, body, service)
    service.desk.check(asked)
    is_stream = NDJSON in request.headers.get("accept", "")
    lines = service.desk.lines(asked, is_stream=is_stream)
    first = await first_line(request, lines)
    if is_stream:
        return LineStream(first, lines)
    await lines.aclose()
    return Response(first, media_type=JSON)


def read(body: bytes, service: Service) -> Asked:
    """Return what a body asks."""
    try:
        return read_request(body, service.catalogue)
    except NotJsonError as error:
        raise ServiceError(Kind.NOT_JSON, str(error), error.problems) from error


async def first_line(request: Request, lines: AsyncGenerator[bytes, None]) -> bytes:
    """Return the first line, unless the client hangs up before it is there."""
    line = asyncio.ensure_future(anext(lines))
    gone = asyncio.ensure_future(hang_up(request))
    try:
        await asyncio.wait({line, gone}, return_when=asyncio.FIRST_COMPLETED)
        if not line.done():
            raise ClientDisconnect
        return line.result()
    finally:
        gone.cancel()
        if not line.done():
            line.cancel()
            await asyncio.gather(line, return_exceptions=True)


async def hang_up(request: Request) -> None:
    """Wait until the client is gone."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


class LineStream(StreamingResponse):
    """Answers, a line each, as they come; who stops reading ends the work."""

    def __init__(self, first: bytes, lines: AsyncGenerator[bytes, None]) -> None:
        """Send the first line, and what follows."""
        self.lines = lines
        super().__init__(ended(first, lines), media_type=NDJSON)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Send them; however that ends, the work does too."""
        streams = Metrics().streams
        streams.inc()
        try:
            await super().__call__(scope, receive, send)
        finally:
            streams.dec()
            await self.lines.aclose()


async def ended(first: bytes, lines: AsyncGenerator[bytes, None]) -> AsyncGenerator[bytes, None]:
    """Return lines with their ends."""
    yield first + b"\n"
    try:
        async for line in lines:
            yield line + b"\n"
    except ServiceError as error:  # the answer has begun: that its last line is missing tells
        log.warning("advice cut short: %s", error)
