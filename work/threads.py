"""A crew of this machine's threads."""

from __future__ import annotations

from collections import deque
from collections.abc import Generator, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from engine.errors import counted
from work.tasks import Means, Task, UnfitError, Watch

T = TypeVar("T")
R = TypeVar("R")

AHEAD_PER_WORKER = 3  # results that may wait to be taken


@dataclass(frozen=True)
class ThreadCrew:
    """So many items at a time, each with so many threads."""

    workers: int
    threads: int = 1
    mebibytes: int = 1 << 40  # for one item; without a limit unless it is set
    setting: str = "--memory"  # what sets it

    @contextmanager
    def engaged(self, task: Task[T, R], watch: Watch) -> Iterator[ThreadEngagement[T, R]]:  # noqa: ARG002
        """Look whether the task fits."""
        objection = task.objection(Means(self.threads, self.mebibytes, self.setting))
        if objection:
            raise UnfitError(objection)
        try:
            yield ThreadEngagement(task, self)
        finally:
            task.stop()


@dataclass(frozen=True)
class ThreadEngagement(Generic[T, R]):
    """Threads that are ready for a task."""

    task: Task[T, R]
    crew: ThreadCrew

    @property
    def means(self) -> str:
        """Return how many threads there are, in words."""
        return counted(self.crew.workers * self.crew.threads, "thread")

    def results(self, items: Iterable[T], *, in_order: bool = True) -> Generator[R]:
        """Return the result of every item."""
        if self.crew.workers == 1:  # in the caller's own thread, where Ctrl-C is heard at once
            for item in items:
                yield self.task.run(item, self.crew.threads)
            return
        waiting: deque[Future[R]] = deque()
        with ThreadPoolExecutor(self.crew.workers, thread_name_prefix=self.task.name) as pool:
            try:
                for item in items:
                    waiting.append(pool.submit(self.task.run, item, self.crew.threads))
                    if len(waiting) >= self.crew.workers * AHEAD_PER_WORKER:
                        yield _take(waiting, in_order)
                while waiting:
                    yield _take(waiting, in_order)
            finally:
                for future in waiting:
                    future.cancel()
                if waiting:
                    self.task.stop()


def _take(waiting: deque[Future[R]], in_order: bool) -> R:
    """Return the next result, and take it off the queue."""
    if not in_order:
        done, _ = wait(waiting, return_when=FIRST_COMPLETED)
        first = next(future for future in waiting if future in done)
        waiting.remove(first)
        return first.result()
    return waiting.popleft().result()
