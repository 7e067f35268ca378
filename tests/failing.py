"""The service with one more route, which fails."""

from __future__ import annotations

from fastapi import FastAPI
from starlette.types import ASGIApp

from app import main
from app.middleware import Surround


def create_app() -> ASGIApp:
    """Return the application with a route that raises."""
    surround = main.create_app()
    assert isinstance(surround, Surround)
    assert isinstance(surround.app, FastAPI)

    async def fail() -> None:
        raise RuntimeError("secret")

    surround.app.add_api_route("/fail", fail)
    return surround
