"""What the service is measured against: the same bodies read, constant bytes of a size returned.

python -m tests.bench.peers PORT fastapi|asgi SIZE
"""

from __future__ import annotations

import os
import sys

import uvicorn
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send

SIZE = "BENCH_SIZE"  # of the constant answer, in bytes
CONSTANT = "/constant"


def bare_fastapi() -> ASGIApp:
    """Return an app of one route, as its framework's guide has it."""
    app, content = FastAPI(), b"x" * int(os.environ[SIZE])

    async def constant(request: Request) -> Response:
        await request.body()
        return Response(content, media_type="application/json")

    app.add_api_route(CONSTANT, constant, methods=["POST"])
    return app


def bare_asgi() -> ASGIApp:
    """Return an app without a framework."""
    content = b"x" * int(os.environ[SIZE])
    length = str(len(content)).encode()
    headers = [(b"content-type", b"application/json"), (b"content-length", length)]
    start = {"type": "http.response.start", "status": 200, "headers": headers}

    async def app(_scope: Scope, receive: Receive, send: Send) -> None:
        while (await receive()).get("more_body", False):
            pass
        await send(start)
        await send({"type": "http.response.body", "body": content})

    return app


if __name__ == "__main__":
    _, port, name, size = sys.argv
    os.environ[SIZE] = size
    uvicorn.run(
        f"tests.bench.peers:bare_{name}",
        factory=True,
        port=int(port),
        lifespan="off" if name == "asgi" else "auto",
        log_config=None,
        access_log=False,
        server_header=False,
    )
