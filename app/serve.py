"""`triad serve`: run the service under a supervisor that starts dead workers again."""

from __future__ import annotations

import os
import shutil
import socket
import tempfile
from pathlib import Path

import uvicorn
from uvicorn.supervisors import Multiprocess

from app.metrics import MULTIPROC
from app.settings import PREFIX, Settings
from engine.errors import TriadError

HEALTHCHECK_SECONDS = 60  # a worker that compiles its kernels answers slowly


class CannotServeError(TriadError):
    """The service cannot be started as asked."""


class Supervisor(Multiprocess):
    """Uvicorn's supervisor, which also notices a worker that dies while it is asked for a sign.

    Uvicorn asks each worker over a pipe and keeps the worker's end of it open here too, so that a
    death in that moment looks like a long silence.
    """

    def keep_subprocess_alive(self) -> None:
        """Start workers again that died."""
        for worker in self.processes:
            worker.child_conn.close()
        super().keep_subprocess_alive()


def serve(settings: Settings, listener: socket.socket) -> None:
    """Serve until told to stop. Workers read the same settings from the environment."""
    for name, value in settings.model_dump(mode="json").items():
        text = ",".join(value) if isinstance(value, list) else str(value)
        os.environ[PREFIX + name.upper()] = text
    counts = Path(tempfile.mkdtemp(prefix="triad-metrics-"))
    if settings.workers > 1:  # shared counts cost every request
        os.environ[MULTIPROC] = str(counts)
    config = uvicorn.Config(
        "app.main:create_app",
        factory=True,
        workers=settings.workers,
        log_config=None,
        log_level=settings.log_level.value,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=settings.drain_seconds,
        timeout_worker_healthcheck=HEALTHCHECK_SECONDS,
    )
    try:
        Supervisor(config, [listener]).run()
    finally:
        shutil.rmtree(counts, ignore_errors=True)


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or say why there is none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.set_inheritable(True)
    except OSError as error:
        raise CannotServeError(
            f"cannot listen on {host}:{port}: {error.strerror or error}"
        ) from error
    return listener
