"""The application: routes, errors, documentation and pages around one service."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.openapi.docs import get_swagger_ui_html
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp

from app import openapi
from app.advice_routes import advice_router
from app.exchange import Policy
from app.hot import HotRoutes
from app.logs import set_up
from app.middleware import Surround
from app.pages import add_pages
from app.routes import router
from app.service import Service, ServicePhase
from app.settings import Settings
from engine.errors import TriadError

# How long another thread may keep the GIL when the event loop comes back from a kernel.
SWITCH_SECONDS = 0.0002
LONGEST_START = 30.0  # seconds; kernels are in the cache by then
# The documentation page is Swagger UI, served by us, and needs to style its own elements and
# to run the few lines that start it.
DOCS_POLICY = (
    "default-src 'self'; img-src 'self' data:; "
    "style-src 'self' 'unsafe-inline'; script-src 'self' 'unsafe-inline'"
)


def create_app(settings: Settings | None = None, *, is_successor: bool = False) -> ASGIApp:
    """Return the application; settings come from the environment when they are not given.

    The successor of one that served takes requests when it can answer them. The first one takes
    them at once, so that it can be asked how it is while it compiles.
    """
    settings = settings or Settings()
    sys.setswitchinterval(SWITCH_SECONDS)
    set_up(settings.log_level)
    service = Service(settings)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        await service.start()
        if is_successor:
            await until_ready(service)
        yield
        await service.stop()

    app = FastAPI(
        title="Triadbase", lifespan=lifespan, docs_url=None, redoc_url=None, redirect_slashes=False
    )
    app.state.service = service
    app.include_router(router)
    app.include_router(advice_router)
    add_pages(app)
    app.get("/docs", include_in_schema=False)(docs)
    for kind in (TriadError, HTTPException, RequestValidationError, ClientDisconnect, Exception):
        app.add_exception_handler(kind, handle)
    hot = HotRoutes(service)
    app.openapi = partial(openapi.document, app, hot)  # type: ignore[method-assign]
    policy = Policy(
        settings.body_limit,
        frozenset(settings.cors_origins),
        settings.access_log,
        settings.slow_seconds,
    )
    return Surround(app, hot, policy)


async def until_ready(service: Service) -> None:
    """Wait for a service that starts; if that takes very long, those who ask shall be told."""
    with suppress(TimeoutError):
        async with asyncio.timeout(LONGEST_START):
            while service.phase is ServicePhase.STARTING:
                await asyncio.sleep(0.02)


async def handle(request: Request, error: Exception) -> Response:
    """Return the problem of an error."""
    reply = request.scope["exchange"].problem(error)
    response = Response(reply.content, reply.status, media_type=reply.media_type)
    response.raw_headers += reply.headers
    return response


async def docs(request: Request) -> HTMLResponse:
    """Return the documentation; its parts come from here, so it works without internet."""
    response = get_swagger_ui_html(
        openapi_url=str(request.app.openapi_url),
        title="Triadbase API",
        swagger_js_url="/static/swagger/swagger-ui-bundle.js",
        swagger_css_url="/static/swagger/swagger-ui.css",
        swagger_favicon_url="/static/swagger/favicon-32x32.png",
    )
    response.headers["Content-Security-Policy"] = DOCS_POLICY
    return response
