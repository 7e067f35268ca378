"""Searches beside the event loop: a bounded pool and queue, one search for equal questions.

Kernels release the GIL, so a search takes a core of its own and leaves the event loop alone.
"""

from __future__ import annotations

import asyncio
import threading
import time
from collections import OrderedDict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from app.errors import Kind, ServiceError
from app.metrics import Metrics
from app.wishes import Wishes
from engine.errors import SearchStoppedError
from engine.game.facts import Facts
from engine.game.state import State
from engine.search.workspace import Query
from store.answer import Answer
from store.oracle import Oracle

Question = tuple[Facts, Wishes]
T = TypeVar("T")


class Search:
    """One search, and who waits for it."""

    def __init__(self, state: State, wishes: Wishes) -> None:
        """Ask about a state."""
        self.state, self.wishes = state, wishes
        self.future: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self.query = Query()


class Live:
    """Solves states live."""

    def __init__(self, threads: int, queue: int, time_limit: float, kept: int) -> None:
        """Search with `threads`, let `queue` more wait, keep `kept` answers."""
        self.threads, self.queue, self.time_limit, self.kept = threads, queue, time_limit, kept
        self.metrics = Metrics()
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="search")
        self._local = threading.local()
        self._searches: dict[Question, Search] = {}
        self._answers: OrderedDict[Question, Answer] = OrderedDict()
        self._others = 0  # what runs or waits and is no search
        self._is_closing = False

    @property
    def waiting(self) -> int:
        """Return the number of searches, and of what takes their place, that run or wait."""
        return len(self._searches) + self._others

    async def answer(self, state: State, wishes: Wishes) -> Answer:
        """Return the search's answer, or raise `ServiceError` when it takes too long."""
        question = (state.facts, wishes)
        if question in self._answers:
            self._answers.move_to_end(question)
            self.metrics.kept.inc()
            return self._answers[question]
        search = self._searches.get(question) or self._submit(question, state, wishes)
        return await asyncio.shield(search.future)

    async def run(self, work: Callable[[], T]) -> T:
        """Do something else in the place of a search, under the limits of searches.

        Whoever asks is told when it takes too long; it is not stopped, and must end by itself.
        """
        self._check_room()
        try:
            task = asyncio.get_running_loop().run_in_executor(self._pool, work)
        except RuntimeError as error:  # the pool takes nothing any more
            raise _going_away() from error
        self._count_others(1)
        task.add_done_callback(self._finish_other)
        try:
            return await asyncio.wait_for(asyncio.shield(task), self.time_limit)
        except TimeoutError as error:
            raise self._late() from error
        except asyncio.CancelledError as error:
            if task.cancelled():
                raise _going_away() from error
            raise

    def _finish_other(self, task: asyncio.Future[T]) -> None:
        self._count_others(-1)
        if not task.cancelled():
            task.exception()  # nobody may be waiting any more

    def _count_others(self, change: int) -> None:
        self._others += change
        self.metrics.queue.set(self.waiting)

    def _check_room(self) -> None:
        """Raise `ServiceError` when as many searches wait as may."""
        if self.waiting >= self.threads + self.queue:
            self.metrics.refused.inc()
            detail = f"{self.waiting} searches are running or waiting; ask again"
            raise ServiceError(Kind.BUSY, detail)

    def _late(self) -> ServiceError:
        return ServiceError(Kind.TIME_LIMIT, f"no answer within {self.time_limit:g} s")

    def _submit(self, question: Question, state: State, wishes: Wishes) -> Search:
        self._check_room()
        loop = asyncio.get_running_loop()
        search = Search(state, wishes)
        try:
            task = loop.run_in_executor(self._pool, self._search, search)
        except RuntimeError as error:  # the pool takes nothing any more
            raise _going_away() from error
        self._searches[question] = search
        self.metrics.queue.set(self.waiting)
        timer = loop.call_later(self.time_limit, search.query.stop)

        def finish(done: asyncio.Future[Answer]) -> None:
            timer.cancel()
            self._finish(question, search, done)

        task.add_done_callback(finish)
        return search

    def _search(self, search: Search) -> Answer:
        """Search, in one of the pool's threads."""
        if not hasattr(self._local, "oracle"):
            self._local.oracle = Oracle(None)
        oracle: Oracle = self._local.oracle
        wishes, began = search.wishes, time.perf_counter()
        try:
            return oracle.search(search.state, moves=wishes.moves, pv=wishes.pv, query=search.query)
        finally:
            self.metrics.solve_seconds.observe(time.perf_counter() - began)

    def _finish(self, question: Question, search: Search, task: asyncio.Future[Answer]) -> None:
        """Give everybody who waits the answer, and keep it."""
        self._searches.pop(question, None)
        self.metrics.queue.set(self.waiting)
        error = task.exception() if not task.cancelled() else SearchStoppedError("cancelled")
        if error is None:
            self._answers[question] = task.result()
            while len(self._answers) > self.kept:
                self._answers.popitem(last=False)
            search.future.set_result(task.result())
            return
        if isinstance(error, SearchStoppedError):
            self.metrics.stopped.inc()
            error = _going_away() if self._is_closing else self._late()
        search.future.set_exception(error)
        search.future.exception()  # nobody may be waiting any more

    def close(self) -> None:
        """End the threads; what has not begun never does."""
        self._is_closing = True
        for search in list(self._searches.values()):  # the event loop may take some away
            search.query.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)


def _going_away() -> ServiceError:
    return ServiceError(Kind.STARTING, "the service is shutting down")
