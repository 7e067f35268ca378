"""Start the real server as a process, on a free port."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar

import httpx
import psutil  # type: ignore[import-untyped]
from msgspec import UNSET, UnsetType

from tests.commands import RUN

T = TypeVar("T")
PATIENCE = 180  # seconds to get ready; a fresh machine compiles


def given(value: T | UnsetType) -> T:
    """Return a field of an answer that may be left out, and is not."""
    assert value is not UNSET
    return value


@dataclass
class Server:
    """A running server."""

    process: subprocess.Popen[bytes]
    url: str
    log: Path

    def wait_until_ready(self) -> None:
        """Wait for /readyz."""
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            assert self.process.poll() is None, self.log.read_text()
            try:
                if httpx.get(f"{self.url}/readyz").status_code == 200:
                    return
            except httpx.TransportError:
                pass
            time.sleep(0.05)
        raise TimeoutError(self.log.read_text())

    def logged(self, text: str) -> list[dict[str, Any]]:
        """Return the lines of the log with `text` in them; wait for one, as logs come later."""
        until = time.monotonic() + PATIENCE
        while True:
            lines = [line for line in self.log.read_text().splitlines() if text in line]
            if lines:
                return [json.loads(line) for line in lines]
            assert time.monotonic() < until, text
            time.sleep(0.05)

    @property
    def port(self) -> int:
        """Return the port."""
        return int(self.url.rpartition(":")[2])

    def workers(self) -> list[psutil.Process]:
        """Return the processes that serve."""
        found = []
        for child in psutil.Process(self.process.pid).children():
            with suppress(psutil.Error):  # it may just have gone
                if any("spawn_main" in word for word in child.cmdline()):
                    found.append(child)
        return found

    def stop(self) -> int:
        """Tell it to stop; return its exit code."""
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait(timeout=PATIENCE)


def free_port() -> int:
    """Return a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


TRIAD_SERVE = ("-c", RUN, "triad", "serve")


@contextmanager
def running(
    folder: Path,
    *arguments: str,
    ready: bool = True,
    port: int = 0,
    program: Sequence[str] = TRIAD_SERVE,
    code: Path | None = None,
    **settings: str,
) -> Iterator[Server]:
    """Run `triad serve` with its log in `folder`; settings are TRIAD_* variables.

    Another program may be run instead, which takes `--port` too; or the same from other code.
    """
    port = port or free_port()
    log = folder / "server.log"
    with log.open("ab") as output:
        process = subprocess.Popen(
            [sys.executable, *program, "--port", str(port), *arguments],
            stdout=output,
            stderr=output,
            env={
                **os.environ,
                **{f"TRIAD_{name.upper()}": value for name, value in settings.items()},
                **({"PYTHONPATH": str(code)} if code else {}),
            },
            cwd=code,
        )
    server = Server(process, f"http://127.0.0.1:{port}", log)
    try:
        if ready:
            server.wait_until_ready()
        yield server
    finally:
        if process.poll() is None:
            server.stop()


def memory_of(server: Server) -> int:
    """Return the bytes that the processes that serve take."""
    return sum(worker.memory_info().rss for worker in server.workers())


def assert_well(server: Server) -> None:
    """Check that a server answers, and has met no error of its own."""
    assert httpx.get(f"{server.url}/healthz").status_code == 200
    lines = server.log.read_text().splitlines()
    assert not [line for line in lines if "Traceback" in line or '"level":"error"' in line]
