"""The service with two more routes, which fail; workers that fail."""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator
from multiprocessing.connection import Connection

from fastapi import FastAPI
from starlette.responses import StreamingResponse
from starlette.types import ASGIApp

from app import main
from app.middleware import Surround


def create_app() -> ASGIApp:
    """Return the application with routes that raise, one of them while it answers."""
    surround = main.create_app()
    assert isinstance(surround, Surround)
    assert isinstance(surround.app, FastAPI)

    async def fail() -> None:
        raise RuntimeError("secret")

    async def fail_later() -> StreamingResponse:
        async def parts() -> AsyncIterator[bytes]:
            yield b"half"
            raise RuntimeError("late secret")

        return StreamingResponse(parts())

    surround.app.add_api_route("/fail", fail)
    surround.app.add_api_route("/fail-later", fail_later)
    return surround


def fail(_: bool, __: Connection) -> None:
    """End before anything is served."""
    sys.exit(7)


def hang(_: bool, mouth: Connection) -> None:
    """Give one sign of life, and no other."""
    mouth.send(True)
    time.sleep(3600)
