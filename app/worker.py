"""One process that serves: uvicorn with our connections, below a supervisor."""

from __future__ import annotations

import asyncio
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
from multiprocessing.connection import Connection as Mouth
from typing import TYPE_CHECKING, cast

import uvicorn

from app.metrics import MULTIPROC
from app.settings import Settings

if TYPE_CHECKING:  # the supervisor imports this file, and does not need it
    from app.protocol import Connection

log = logging.getLogger("triad.worker")

BEAT_SECONDS = 1.0  # between two signs of life
GRACE_SECONDS = 10.0  # to end, after the time for requests is over
TICK_SECONDS = 0.02  # between looks at what is still to be answered
LAST_SECONDS = 3.0  # for last answers to be taken; a connection lingers for less


class Server(uvicorn.Server):
    """Uvicorn's server, which SIGTERM ends as if it had come to its end by itself.

    Uvicorn lets the signal end the process when all is done, and the last lines of the log with it.
    """

    @contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Have SIGTERM end the server."""
        signal.signal(signal.SIGTERM, self.handle_exit)
        yield

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections, answer what was asked, and end the application.

        Uvicorn's own cuts off the requests that are answered, and forgets those that are read.
        """
        log.info("Shutting down")
        for server in self.servers:
            server.close()
        for listener in sockets or ():
            listener.close()
        await self._drain(float(self.config.timeout_graceful_shutdown or 0))
        await self.lifespan.shutdown()

    async def _drain(self, seconds: float) -> None:
        """Wait for all answers; after some seconds, cut off what has none.

        A task is cut off once, and not before it has begun: it is to tell so.
        """
        clock, state = asyncio.get_running_loop().time, self.server_state
        until = clock() + seconds
        begun: set[asyncio.Task[None]] = set()
        told: set[asyncio.Task[None]] = set()
        while (state.connections or state.tasks) and clock() < until + LAST_SECONDS:
            connections = [cast("Connection", connection) for connection in state.connections]
            is_late = clock() >= until
            for connection in connections:
                connection.shutdown()  # one may have come just now
                if is_late:
                    connection.cut_off()
            for task in (begun & state.tasks) - told if is_late else ():
                task.cancel()
                told.add(task)
            begun = set(state.tasks)
            await asyncio.sleep(TICK_SECONDS)


def work(listener: socket.socket, is_successor: bool, mouth: Mouth) -> None:
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


def beat(server: Server, mouth: Mouth, settings: Settings) -> None:
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
