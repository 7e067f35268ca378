"""`triad serve`: run the service by workers under a supervisor."""

from __future__ import annotations

import logging
import os
import resource
import shutil
import socket
import tempfile
from functools import partial
from pathlib import Path

from app.logs import set_up
from app.metrics import MULTIPROC
from app.settings import PREFIX, Settings
from app.supervisor import CannotServeError, Supervisor
from app.worker import GRACE_SECONDS, work

log = logging.getLogger("triad.serve")

OTHER_FILES = 250  # that a worker opens: databases, pipes, connections that are refused


def serve(settings: Settings, listener: socket.socket) -> None:
    """Serve until told to stop. Workers read the same settings from the environment."""
    for name, value in settings.model_dump(mode="json").items():
        text = ",".join(value) if isinstance(value, list) else str(value)
        os.environ[PREFIX + name.upper()] = text
    counts = Path(tempfile.mkdtemp(prefix="triad-metrics-"))
    if settings.workers > 1:  # shared counts cost every request
        os.environ[MULTIPROC] = str(counts)
    set_up(settings.log_level)
    allow_files(settings.connections)
    patience = settings.drain_seconds + GRACE_SECONDS
    try:
        # A port that this process held on to would have connections wait for nobody.
        Supervisor(partial(work, listener), settings.workers, patience, listener.close).run()
    finally:
        shutil.rmtree(counts, ignore_errors=True)


def allow_files(connections: int) -> None:
    """Let this process, and so its workers, open as many files as they need; warn if it may not."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = connections + OTHER_FILES
    if soft == resource.RLIM_INFINITY or soft >= needed:
        return
    allowed = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, hard))
    if allowed < needed:
        log.warning(
            "a process may not open as many files as connections ask for",
            extra={"allowed": allowed, "needed": needed, "connections": connections},
        )


def bind(host: str, port: int) -> socket.socket:
    """Return a socket that listens, or say why there is none."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listener = socket.socket(family, kind, protocol)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        raise CannotServeError(
            f"cannot listen on {host}:{port}: {error.strerror or error}"
        ) from error
    return listener
