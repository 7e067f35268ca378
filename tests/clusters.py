"""Start a real Dask scheduler, real workers, and jobs upon them, as processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, ClassVar

from distributed import Client

from tests.commands import RUN

PATIENCE = 180  # seconds; a fresh machine compiles
WORKER = ("distributed.cli.dask_worker", "--no-nanny", "--no-dashboard", "--nthreads", "1")


def wait_until(is_so: Callable[[], object], process: subprocess.Popen[Any]) -> None:
    """Wait for something that a living process is to bring about."""
    until = time.monotonic() + PATIENCE
    while not is_so():
        assert process.poll() is None
        assert time.monotonic() < until
        time.sleep(0.01)


def start_module(log: Path, code: Path | None, *arguments: str) -> subprocess.Popen[bytes]:
    """Run a module of Python, with all that it prints in a file.

    It finds this project's packages in the folder `code`, if that is given.
    """
    environment = {**os.environ, **({"PYTHONPATH": str(code)} if code else {})}
    with log.open("ab") as output:
        return subprocess.Popen(
            [sys.executable, "-m", *arguments],
            stdout=output,
            stderr=output,
            env=environment,
            cwd=code,
        )


def without_project(folder: Path) -> Path:
    """Return a folder of code that is like a machine without this project."""
    for name in ("console", "engine", "precompute", "store", "work"):
        (folder / name).mkdir(parents=True)
        (folder / name / "__init__.py").write_text(f"raise ModuleNotFoundError({name!r})\n")
    return folder


@dataclass
class Cluster:
    """A running scheduler and its workers."""

    folder: Path
    scheduler: subprocess.Popen[bytes]
    address: str
    workers: list[subprocess.Popen[bytes]] = field(default_factory=list)

    def start_worker(self, *arguments: str, code: Path | None = None) -> subprocess.Popen[bytes]:
        """Start a worker, with this project's code or with what is in a folder."""
        name = f"worker-{len(self.workers)}"
        process = start_module(
            self.folder / f"{name}.log",
            code,
            *WORKER,
            *("--name", name, "--local-directory", str(self.folder)),
            *arguments,
            self.address,
        )
        self.workers.append(process)
        return process

    def solving(self) -> dict[str, list[str]]:
        """Return which roots each worker has, by the worker's name."""

        def look(dask_scheduler: Any) -> dict[str, list[str]]:
            return {
                state.name: [task.key for task in state.processing if "solve" in task.key]
                for state in dask_scheduler.workers.values()
            }

        return dict(self.ask_scheduler(look))

    def count_tasks(self) -> int:
        """Return all that the scheduler holds for anybody."""
        return int(self.ask_scheduler(lambda dask_scheduler: len(dask_scheduler.tasks)))

    def ask_scheduler(self, function: Callable[..., Any]) -> Any:
        """Return what a function finds within the scheduler."""
        return self.client.run_on_scheduler(function)

    @cached_property
    def client(self) -> Client:
        """Return an onlooker of the cluster."""
        return Client(self.address, timeout=PATIENCE, set_as_default=False)

    def catch(self, number: int) -> subprocess.Popen[bytes]:
        """Stop a worker, by its number, while it is solving a root; return its process."""
        process = self.workers[number]
        while True:
            wait_until(lambda: self.solving().get(f"worker-{number}"), process)
            process.send_signal(signal.SIGSTOP)
            if self.solving()[f"worker-{number}"]:  # it had nothing left to say
                return process
            process.send_signal(signal.SIGCONT)

    def stop(self) -> None:
        """End everything."""
        if "client" in vars(self):
            self.client.close()
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def await_workers(self, count: int) -> None:
        """Wait until so many workers are there."""
        self.client.wait_for_workers(count, timeout=PATIENCE)


@contextmanager
def running_cluster(folder: Path) -> Iterator[Cluster]:
    """Run a scheduler, which needs nothing of this project, as yet without workers."""
    contact = folder / "scheduler.json"
    scheduler = start_module(
        folder / "scheduler.log",
        without_project(folder / "bare"),
        "distributed.cli.dask_scheduler",
        *("--host", "127.0.0.1", "--port", "0"),
        *("--no-dashboard", "--dashboard-address", "127.0.0.1:0"),
        *("--scheduler-file", str(contact)),
    )
    wait_until(lambda: contact.exists() and contact.read_text().endswith("}"), scheduler)
    cluster = Cluster(folder, scheduler, json.loads(contact.read_text())["address"])
    try:
        yield cluster
    finally:
        cluster.stop()


class JobProcess:
    """A job that runs beside the test."""

    started: ClassVar[list[JobProcess]] = []

    def __init__(self, *arguments: str) -> None:
        """Start it, in a group of its own as a terminal does."""
        self.started.append(self)
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN, "precompute.cli", *arguments],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        self.errors: list[str] = []

    def read_until(self, text: str) -> None:
        """Read its messages until one has a text."""
        assert self.process.stderr is not None
        for line in self.process.stderr:
            self.errors.append(line.rstrip())
            if text in line:
                return
        raise AssertionError(self.errors)

    def end(self) -> dict[str, Any]:
        """Wait for its end; return its summary, if it has one."""
        output, errors = self.process.communicate(timeout=PATIENCE)
        self.errors += errors.splitlines()
        assert all(line.startswith("precompute: ") for line in self.errors), self.errors
        return dict(json.loads(output)) if output else {}


def job_on(cluster: Cluster, path: Path, *arguments: str) -> JobProcess:
    return JobProcess("--cluster", cluster.address, "--db", str(path), "--json", *arguments)
