"""One process that serves: uvicorn with our connections, below a supervisor."""

from __future__ import annotations

import logging
import os
import shutil
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from multiprocessing.connection import Connection

import uvicorn

from app.metrics import MULTIPROC
from app.settings import Settings

log = logging.getLogger("triad.worker")

BEAT_SECONDS = 1.0  # between two signs of life
GRACE_SECONDS = 10.0  # to end, after the time for requests is over


class Server(uvicorn.Server):
    """Uvicorn's server, which SIGTERM ends as if it had come to its end by itself.

    Uvicorn lets the signal end the process when all is done, and the last lines of the log with it.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Have SIGTERM end the server."""
        signal.signal(signal.SIGTERM, self.handle_exit)
        yield


def work(listener: socket.socket, is_successor: bool, mouth: Connection) -> None:
    """Serve what comes to `listener` until SIGTERM, or until nobody hears `mouth` any more."""
    from app.main import create_app  # the supervisor, who imports this file, does not need it

    settings = Settings()
    config = uvicorn.Config(
        partial(create_app, settings, is_successor=is_successor),
        factory=True,
        http="app.protocol:connection",
        ws="none",
        proxy_headers=False,  # nobody asks who the client is
        log_config=None,
        log_level=settings.log_level.value,
        access_log=False,
        server_header=False,
        timeout_graceful_shutdown=settings.drain_seconds,
    )
    server = Server(config)
    threading.Thread(target=beat, args=(server, mouth, settings), daemon=True).start()
    server.run([listener])


def beat(server: Server, mouth: Connection, settings: Settings) -> None:
    """Give signs of life; end the server when the supervisor is gone."""
    try:
        while True:
            mouth.send(server.started)
            time.sleep(BEAT_SECONDS)
    except OSError:
        log.warning("the supervisor is gone; this worker ends", extra={"pid": os.getpid()})
    server.should_exit = True
    if settings.workers > 1:  # what the supervisor would have done
        shutil.rmtree(os.environ[MULTIPROC], ignore_errors=True)
    time.sleep(settings.drain_seconds + GRACE_SECONDS)
    os._exit(1)
