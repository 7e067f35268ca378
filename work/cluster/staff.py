"""The workers of a cluster: who is fit for a task.

Every worker that comes is asked once, and when it is fit offers a Dask resource named after
the task. That the scheduler knows of it is all that makes a worker fit: one that was started
anew under an old address has to be asked again.
"""

from __future__ import annotations

import hashlib
import pickle
import time
import uuid
from typing import Any, NamedTuple

from distributed import Future, KilledWorker, get_worker
from distributed.core import Status
from distributed.utils import sync

from engine.errors import counted, shown
from work.cluster.connection import Connection, remote
from work.machine import MEBIBYTE, free_mebibytes
from work.tasks import ClusterError, Means, Task, Watch


class Introduction(NamedTuple):
    """What a worker says when it is asked: what it has, and what is in the way."""

    threads: int
    objection: str


def introduce(task: Task[Any, Any], resource: str) -> Introduction:
    """On a worker: offer the resource of a task, if the worker is fit for it."""
    worker = get_worker()
    manager = worker.memory_manager
    # Above a share of its limit a worker starts nothing any more.
    limit = (manager.memory_limit or 0) * (manager.memory_pause_fraction or 1)
    means = Means(
        worker.state.nthreads,
        int(limit) // MEBIBYTE or free_mebibytes(),
        f"{manager.memory_pause_fraction or 1:.0%} of its --memory-limit",
    )
    objection = task.objection(means)
    if not objection:
        sync(worker.loop, offer, worker, resource)
    return Introduction(means.threads, objection)


async def offer(worker: Any, resource: str) -> None:
    """Offer a resource; then pause and go on, upon which the scheduler looks what is waiting."""
    await worker.set_resources(**{resource: 1})
    worker.status = Status.paused
    worker.status = Status.running


class Staff:
    """The workers of a cluster: who is fit for a task, who was refused, who has not answered."""

    def __init__(self, connection: Connection, task: Task[Any, Any], watch: Watch) -> None:
        """Ask whoever is there about `task`."""
        self._connection, self._task, self._watch = connection, task, watch
        digest = hashlib.blake2b(pickle.dumps(task), digest_size=8).hexdigest()
        self.resource = f"{task.name}-{digest}"
        self._asked: dict[str, Future[Introduction]] = {}
        self._refused: dict[str, str] = {}
        self._has_begun, self._last_fit = False, time.monotonic()
        self.fit: dict[str, int] = {}  # threads, by address

    @property
    def is_awaited(self) -> bool:
        """Tell whether somebody has been asked and has not answered."""
        return bool(self._asked)

    def look(self) -> None:
        """Find out who is there, and ask those who have just come."""
        workers = self._connection.workers()
        self.fit = {
            address: worker["nthreads"]
            for address, worker in workers.items()
            if self.resource in worker["resources"]
        }
        unknown = workers.keys() - self.fit.keys()
        self._asked = {
            address: asked for address, asked in self._asked.items() if address in unknown
        }
        self._refused = {
            address: why for address, why in self._refused.items() if address in unknown
        }
        for address in unknown - self._refused.keys():
            self._meet(address)
        if self.fit:
            self._has_begun, self._last_fit = True, time.monotonic()

    def _meet(self, address: str) -> None:
        """Ask a worker, or hear what it answered: fit, it is found so at the next look."""
        future = self._asked.get(address)
        if future is None:
            call = remote(introduce, self._task, self.resource)
            key = f"introduce-{uuid.uuid4()}"
            self._asked[address] = self._connection.client.submit(call, key=key, workers=[address])
        elif future.done():
            del self._asked[address]
            reason = self._reason(future)
            if reason:
                self._refused[address] = reason
                self._watch.tell(f"worker refused: {address} {reason}")

    def _reason(self, future: Future[Introduction]) -> str:
        """Return why a worker that has answered is refused."""
        if future.status == "error":
            error = future.exception()
            is_dead = isinstance(error, KilledWorker)
            return "" if is_dead else f"cannot say what it is: {shown(error)}"
        if future.status != "finished":
            raise self._connection.lost()
        introduction: Introduction = future.result()
        return introduction.objection and f"has {introduction.objection}"

    def check(self, patience: float) -> None:
        """Raise `ClusterError` when nobody is fit: all are refused, or none has come in time.

        Those who were fit and have gone may come back.
        """
        if self.fit:
            return
        is_late = time.monotonic() - self._last_fit > patience
        if self._refused and not self._asked and (is_late or not self._has_begun):
            address, reason = next(iter(self._refused.items()))
            refused = counted(len(self._refused), "worker")
            raise ClusterError(f"no worker can be used; of {refused}, {address} {reason}")
        if is_late:
            silent = f"has {counted(len(self._asked), 'worker')}, but no answer from any"
            raise ClusterError(
                f"the Dask scheduler at {self._connection.address} "
                f"{silent if self._asked else 'has had no worker'} for {patience:.0f} s"
            )

    def __str__(self) -> str:
        """Return the workers in words."""
        threads = counted(sum(self.fit.values()), "thread")
        return f"{counted(len(self.fit), 'worker')} with {threads}"
