"""The way to a Dask scheduler and its workers: questions out, answers back, errors as ours."""

from __future__ import annotations

import asyncio
import logging
import pickle
import signal
import uuid
import warnings
from collections.abc import Callable, Iterator
from concurrent.futures import Future as Answer
from contextlib import contextmanager, suppress
from multiprocessing import resource_tracker
from typing import Any, TypeVar

import dask
from distributed import Client, KilledWorker, LocalCluster, rpc
from distributed import Future as RemoteFuture
from distributed.versions import VersionMismatchWarning

from engine.errors import TriadError
from precompute.crew import ClusterError
from precompute.resources import MEBIBYTE

T = TypeVar("T")

CONNECT_SECONDS = 10  # a scheduler that is there answers in milliseconds
CLOSE_SECONDS = 5
SCHEDULER = "Scheduler"  # as one calls itself

# What goes wrong is told by the job, in one line. Versions of libraries may differ between
# the job and its workers: only our own records and bytes travel.
for name in ("distributed", "distributed.client", "tornado.application", "asyncio"):
    logging.getLogger(name).setLevel(logging.CRITICAL)
warnings.simplefilter("ignore", VersionMismatchWarning)


class WorkerDiedError(TriadError):
    """A worker died over a question."""


class AnswerError(TriadError):
    """A worker could not answer; the cause is what it met."""


class Call:
    """A function and its arguments, pickled as the call itself: to unpickle it is to call it.

    A worker or scheduler that cannot unpickle what it is sent ends there and then. To those
    without this project, or with another version of it, a question must be mere bytes; then
    only the answer fails.
    """

    def __init__(self, function: Callable[..., object], arguments: tuple[object, ...]) -> None:
        """Keep what is to be called."""
        self._function, self._arguments = function, arguments

    def __reduce__(self) -> tuple[Callable[..., object], tuple[object, ...]]:
        """Return what unpickling calls."""
        return self._function, self._arguments


@contextmanager
def interruption_held() -> Iterator[None]:
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


async def ask_kind(address: str) -> str:
    """Return what part of a cluster answers at an address."""
    async with rpc(address) as there:
        identity = await there.identity()
        return str(identity["type"])


async def running_loop() -> asyncio.AbstractEventLoop:
    """Return the event loop that a client runs, in a thread of its own."""
    return asyncio.get_running_loop()


class Connection:
    """A scheduler, and all that is asked of its workers."""

    def __init__(self, address: str, client: Client, cluster: LocalCluster | None = None) -> None:
        """Speak to the scheduler at an address; end a cluster of our own with the rest."""
        self.address, self._client, self._cluster = address, client, cluster
        self._loop: asyncio.AbstractEventLoop = client.sync(running_loop)

    @classmethod
    def to(cls, address: str) -> Connection:
        """Connect to a scheduler.

        A client would wait for ever for one that takes the connection and then says nothing.
        """
        try:
            kind = asyncio.run(asyncio.wait_for(ask_kind(address), CONNECT_SECONDS))
            if kind == SCHEDULER:
                return cls(address, Client(address, timeout=CONNECT_SECONDS, set_as_default=False))
        except Exception as error:  # whatever those say who are no part of Dask
            raise ClusterError(
                f"no Dask scheduler answers at {address} within {CONNECT_SECONDS} s"
            ) from error
        raise ClusterError(f"no Dask scheduler is at {address}, but a {kind}")

    @classmethod
    def to_own(cls, workers: int, threads: int, mebibytes: int) -> Connection:
        """Start a cluster on this machine: so many workers, with so much for a root each."""
        share = dask.config.get("distributed.worker.memory.pause") or 1
        with interruption_held():
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
        """Forget all questions and go; a worker that is at one of them finishes it for nobody."""
        with suppress(OSError, TimeoutError):
            self._client.close(CLOSE_SECONDS)
        with suppress(OSError, TimeoutError):
            if self._cluster:
                self._cluster.close(CLOSE_SECONDS)

    def workers(self) -> set[str]:
        """Return the addresses of the workers that are there."""
        try:
            return set(self._client.nthreads())
        except (OSError, AttributeError) as error:  # a client that has given up has no scheduler
            raise self._lost() from error

    def ask(self, worker: str, function: Callable[..., T], *arguments: Any) -> Answer[T]:
        """Have one worker call a function; nothing of it stays on the cluster.

        The answer is the function's value, `AnswerError` or `WorkerDiedError`. While the
        worker is away there is none; to cancel it is to take the question back.
        """
        question = pickle.dumps(Call(function, arguments))
        key = f"{function.__name__}-{uuid.uuid4()}"
        future = self._client.submit(pickle.loads, question, key=key, workers=[worker])
        return asyncio.run_coroutine_threadsafe(self._fetch(future), self._loop)

    async def _fetch(self, future: RemoteFuture[Any]) -> Any:
        try:
            return await self._client.gather(future, asynchronous=True)
        except KilledWorker as error:
            raise WorkerDiedError(str(error)) from error
        except Exception as error:
            raise (AnswerError(str(error)) if future.status == "error" else self._lost()) from error
        except asyncio.CancelledError as error:
            if future.status == "cancelled":
                raise self._lost() from error
            raise
        finally:
            future.release()

    def _lost(self) -> ClusterError:
        return ClusterError(f"the Dask scheduler at {self.address} is gone")
