"""A crew on a Dask cluster: items go out to its workers, and results come back.

An item goes to a worker that offers the task's resource (see `work.cluster.staff`), one at a
time for each. The rest is Dask's: if that worker dies the item goes to another, and it fails
when too many died over it, or when it went wrong more often than its retries allow. Neither
scheduler nor caller ever holds more than a few items for each worker.
"""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from queue import Empty, SimpleQueue
from typing import Any, Generic, NamedTuple, TypeVar, cast

from distributed import Future, KilledWorker, get_worker

from engine.errors import shown
from work.cluster.connection import Connection, remote
from work.cluster.staff import Staff
from work.tasks import ClusterError, Means, Task, UnfitError, Watch

T = TypeVar("T")
R = TypeVar("R")

Connect = Callable[[Task[Any, Any]], Connection]

PATIENCE = 60.0  # seconds without a worker: long enough for one to be started again
LOOK_SECONDS = 1.0  # between two looks at who is there
GLANCE_SECONDS = 0.05  # the same while a job waits to begin
MEETING_SECONDS = 5.0  # that workers have to say what they are before a job begins without them
RETRIES = 2  # of an item that goes wrong: on another worker it may not
AHEAD_PER_WORKER = 2  # items given out: one at work, one at hand


def run_item(task: Task[T, R], item: T) -> R:
    """On a worker: work one item out with all its threads."""
    return task.run(item, get_worker().state.nthreads)


def connect_to(address: str) -> Connect:
    """Return the way to a scheduler that is there."""
    return lambda _task: Connection.to(address)


def connect_to_own(threads: int, mebibytes: int) -> Connect:
    """Return the way to a cluster on this machine, with so much of it in all."""

    def connect(task: Task[Any, Any]) -> Connection:
        objection = task.objection(Means(threads, mebibytes, "--memory"))
        if objection:
            raise UnfitError(objection)
        workers = min(threads, mebibytes // max(task.mebibytes, 1))
        return Connection.to_own(workers, -(-threads // workers), mebibytes // workers)

    return connect


@dataclass(frozen=True)
class ClusterCrew:
    """The workers of a Dask cluster."""

    connect: Connect
    patience: float = PATIENCE

    @contextmanager
    def engaged(self, task: Task[T, R], watch: Watch) -> Iterator[ClusterEngagement[T, R]]:
        """Connect, and wait for a worker that is fit; and a little for the others there are."""
        connection = self.connect(task)
        try:
            staff = Staff(connection, task, watch)
            until = time.monotonic() + MEETING_SECONDS
            while not staff.fit or (staff.is_awaited and time.monotonic() < until):
                staff.look()
                staff.check(self.patience)
                time.sleep(GLANCE_SECONDS)
            yield ClusterEngagement(connection, staff, task, watch, self.patience)
        finally:
            connection.close()


class Given(NamedTuple, Generic[T, R]):
    """An item that the cluster has."""

    number: int
    item: T
    future: Future[R]  # who lets go of it takes the item back


class Outcome(NamedTuple, Generic[R]):
    """What became of an item."""

    key: str
    result: R | None
    error: BaseException | None


class ClusterEngagement(Generic[T, R]):
    """A cluster that is ready for a task."""

    def __init__(
        self,
        connection: Connection,
        staff: Staff,
        task: Task[T, R],
        watch: Watch,
        patience: float,
    ) -> None:
        """Work with the workers that are fit, now and later."""
        self._connection, self._staff, self._task = connection, staff, task
        self._watch, self._patience = watch, patience
        self._given: dict[str, Given[T, R]] = {}  # by key
        self._done: SimpleQueue[Outcome[R]] = SimpleQueue()
        self._looked = -LOOK_SECONDS

    @property
    def means(self) -> str:
        """Return who works, in words."""
        return f"{self._staff} at {self._connection.address}"

    def results(self, items: Iterable[T], *, in_order: bool = True) -> Generator[R]:
        """Return the result of every item."""
        left = enumerate(items)
        ready: dict[int, R] = {}  # by number: in order, they wait for earlier ones
        due = 0
        self._look()
        while self._give(left, len(ready)) or self._given:
            ready.update(self._taken())
            while ready and (not in_order or due in ready):
                yield ready.pop(due if in_order else next(iter(ready)))
                due += 1
            self._look()

    def _look(self) -> None:
        """See who is there, now and then."""
        if time.monotonic() - self._looked >= LOOK_SECONDS:
            self._looked = time.monotonic()
            self._staff.look()
            self._staff.check(self._patience)
            self._watch.staff(len(self._staff.fit))

    def _give(self, left: Iterator[tuple[int, T]], ready: int) -> bool:
        """Give out as many items as there is room for; tell whether there may be more."""
        room = AHEAD_PER_WORKER * len(self._staff.fit) - len(self._given) - ready
        for _ in range(room):
            number, item = next(left, (-1, None))
            if item is None:
                return False
            key = f"{self._task.name}-{uuid.uuid4()}"
            future = self._connection.client.submit(
                remote(run_item, self._task, item),
                key=key,
                resources={self._staff.resource: 1},
                retries=RETRIES,
            )
            self._given[key] = Given(number, item, future)
            future.add_done_callback(self._fetch)
        return True

    def _fetch(self, future: Future[R]) -> None:
        """Fetch what became of an item, in a thread of Dask's.

        A result that is lost with its worker is worked out again, for which somebody must go on
        looking at who is there: so whoever takes results does not fetch them.
        """
        try:
            self._done.put(Outcome(str(future.key), future.result(), None))
        except BaseException as error:  # noqa: BLE001  told by whoever takes it
            self._done.put(Outcome(str(future.key), None, error))

    def _taken(self) -> dict[int, R]:
        """Return the result that comes next, by its number; nothing when none comes soon."""
        try:
            key, result, error = self._done.get(timeout=LOOK_SECONDS)
        except Empty:
            return {}
        number, item, future = self._given.pop(key)
        if error is None:
            return {number: cast(R, result)}
        if isinstance(error, KilledWorker):
            raise ClusterError(
                f"{error.allowed_failures + 1} workers died over {item}, the last was "
                f"{error.last_worker.address}: their own logs or their machines may say of what"
            ) from error
        if future.status == "error":
            raise ClusterError(f"{item} could not be worked out: {shown(error)}") from error
        raise self._connection.lost() from error
