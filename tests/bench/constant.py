"""The service with one more route: it reads a body and returns constant bytes.

What any answer of this app costs at least; hits are measured against it.
"""

from __future__ import annotations

import os
import sys

import uvicorn
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response

from app.main import create_app
from app.middleware import Surround

SIZE = "BENCH_SIZE"  # of the constant answer, in bytes


def create() -> Surround:
    """Return the app."""
    surround = create_app()
    assert isinstance(surround, Surround)
    app = surround.app
    assert isinstance(app, FastAPI)
    content = b"x" * int(os.environ[SIZE])

    async def constant(request: Request) -> Response:
        await request.body()
        return Response(content, media_type="application/json")

    app.add_api_route("/constant", constant, methods=["POST"])
    return surround


if __name__ == "__main__":
    uvicorn.run(
        "tests.bench.constant:create",
        factory=True,
        port=int(sys.argv[1]),
        workers=int(sys.argv[2]),
        log_config=None,
        access_log=False,
        server_header=False,
    )
