"""The way to a Dask scheduler, and how a call gets to its workers."""

from __future__ import annotations

import asyncio
import logging
import pickle
import signal
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any, TypeVar

import dask
from distributed import Client, LocalCluster, rpc
from distributed.versions import VersionMismatchWarning

from work.machine import MEBIBYTE
from work.tasks import ClusterError

R = TypeVar("R")

CONNECT_SECONDS = 10  # a scheduler that is there answers in milliseconds
CLOSE_SECONDS = 5
SCHEDULER = "Scheduler"  # as one calls itself

# What goes wrong is told by the job, in one line. Versions of libraries may differ between
# the job and its workers: only our own records and bytes travel.
for _name in ("distributed", "distributed.client", "tornado.application", "asyncio"):
    logging.getLogger(_name).setLevel(logging.CRITICAL)
warnings.simplefilter("ignore", VersionMismatchWarning)


def remote(function: Callable[..., R], *arguments: object) -> Callable[[], R]:
    """Return a call that needs nothing of this project until it is made.

    A scheduler unpickles what it passes on, and a worker that cannot unpickle a task ends there
    and then. So what travels is a function by value, around bytes; where this project is missing,
    the call fails like any other.
    """
    call = pickle.dumps((function, arguments))

    def made() -> R:
        import pickle  # travels with the function

        called, given = pickle.loads(call)
        result: R = called(*given)
        return result

    return made


class Connection:
    """A scheduler, and a cluster of our own behind it if we started one."""

    def __init__(self, address: str, client: Client, cluster: LocalCluster | None = None) -> None:
        """Speak to the scheduler at an address; end a cluster of our own with the rest."""
        self.address, self.client, self._cluster = address, client, cluster

    @classmethod
    def to(cls, address: str) -> Connection:
        """Connect to a scheduler.

        A client would wait for ever for one that takes the connection and then says nothing.
        """
        try:
            kind = asyncio.run(asyncio.wait_for(_kind_of(address), CONNECT_SECONDS))
            if kind == SCHEDULER:
                return cls(address, Client(address, timeout=CONNECT_SECONDS, set_as_default=False))
        except Exception as error:  # whatever those say who are no part of Dask
            raise ClusterError(
                f"no Dask scheduler answers at {address} within {CONNECT_SECONDS} s"
            ) from error
        raise ClusterError(f"no Dask scheduler is at {address}, but a {kind}")

    @classmethod
    def to_own(cls, workers: int, threads: int, mebibytes: int) -> Connection:
        """Start a cluster on this machine: so many workers, with so much for an item each."""
        share = dask.config.get("distributed.worker.memory.pause") or 1
        with _interruption_held():
            cluster = LocalCluster(
                n_workers=workers,
                threads_per_worker=threads,
                memory_limit=int(mebibytes * MEBIBYTE / share),
                dashboard_address="127.0.0.1:0",  # a free port: another cluster may have Dask's own
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
            )
        client = Client(cluster, set_as_default=False)
        return cls(cluster.scheduler_address, client, cluster)

    def close(self) -> None:
        """Forget all items and go; a worker that is at one of them finishes it for nobody."""
        with suppress(OSError, TimeoutError):
            self.client.close(CLOSE_SECONDS)
        with suppress(OSError, TimeoutError):
            if self._cluster:
                self._cluster.close(CLOSE_SECONDS)

    def workers(self) -> dict[str, dict[str, Any]]:
        """Return what the scheduler knows of the workers that are there, by address."""
        try:
            known: dict[str, dict[str, Any]] = self.client.scheduler_info(n_workers=-1)["workers"]
        except (OSError, AttributeError) as error:  # a client that has given up has no scheduler
            raise self.lost() from error
        return known

    def lost(self) -> ClusterError:
        """Return the error of a scheduler that has gone."""
        return ClusterError(f"the Dask scheduler at {self.address} is gone")


async def _kind_of(address: str) -> str:
    """Return what part of a cluster answers at an address."""
    async with rpc(address) as there:
        identity = await there.identity()
        return str(identity["type"])


@contextmanager
def _interruption_held() -> Iterator[None]:
    """Hold Ctrl-C back to the end; processes that are started meanwhile never see it.

    They inherit the mask of the thread that starts them. So they leave it to us to end them,
    and have nothing to say about it.
    """
    held: list[int] = []
    resource_tracker.ensure_running()  # its start would take the mask away again
    before = signal.signal(signal.SIGINT, lambda number, _: held.append(number))
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGINT])
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGINT])
        signal.signal(signal.SIGINT, before)
    if held:
        raise KeyboardInterrupt
