"""Advice beside the event loop: a bounded pool and queue of its own, behind searches that wait.

    request → Asked → estimate → thread: worlds, one after the other → lines → reader

Advice is long work that nobody needs at once; a search is short work that somebody waits for. So
threads of advice are nice to others, and wait between worlds while searches are waiting.
"""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import AsyncGenerator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import NamedTuple

from advise.adviser import Adviser
from advise.belief import Belief
from advise.cost import default_worlds, fitting_worlds, seconds_for
from advise.keeping import TURN, keep, kept_moves, view_before
from app.advice_answer import advice_object
from app.advice_request import Asked
from app.errors import Kind, ServiceError
from app.live import Live
from app.metrics import Metrics
from engine.errors import SearchStoppedError, counted
from engine.game.cards import Catalogue
from engine.game.moves import Move
from engine.search.workspace import Query
from engine.text.objects import encode

NICENESS = 10
PAUSE_SECONDS = 0.002  # between two looks at who waits
LONGEST_PAUSE = 0.1  # seconds, between two worlds: advice goes on, slowly, behind any crowd
PATIENCE = 5  # times the estimate's limit, after which work is ended


class Line(NamedTuple):
    """What a thread tells: a line, or that there is no more, or what went wrong."""

    text: bytes | None
    error: Exception | None = None


class AdviceDesk:
    """Advises in threads of its own."""

    def __init__(
        self, threads: int, queue: int, seconds: float, live: Live, catalogue: Catalogue
    ) -> None:
        """Advise with `threads`, let `queue` more wait; refuse what takes longer than `seconds`."""
        self.threads, self.queue, self.seconds = threads, queue, seconds
        self.metrics = Metrics()
        self._live, self._catalogue = live, catalogue
        self._pool = ThreadPoolExecutor(threads, "advice", initializer=be_nice)
        self._queries: set[Query] = set()
        self._is_closing = False

    def check(self, asked: Asked) -> None:
        """Raise `ServiceError` for what would take too long."""
        view, belief = asked.view, asked.belief
        worlds = min(asked.wish.worlds or default_worlds(view, belief.total), belief.total)
        seconds = seconds_for(view, belief, worlds)
        if seconds <= self.seconds:
            return
        fitting = fitting_worlds(view, belief, self.seconds)
        detail = (
            f"worlds: {counted(worlds, 'world')} at ply {view.ply} take about {seconds:.0f} s; "
            f"allowed: {self.seconds:g} s, which is at most {counted(fitting, 'world')}"
        )
        raise ServiceError(Kind.TOO_LARGE, detail)

    async def lines(self, asked: Asked, *, is_stream: bool) -> AsyncGenerator[bytes, None]:
        """Return answers as JSON, each better; the last alone unless it is a stream.

        Whoever closes this ends the work at the next world.
        """
        if len(self._queries) >= self.threads + self.queue:
            self.metrics.refused.inc()
            detail = f"{len(self._queries)} requests for advice are running or waiting; ask again"
            raise ServiceError(Kind.BUSY, detail)
        loop, query = asyncio.get_running_loop(), Query()
        told: asyncio.Queue[Line] = asyncio.Queue()

        def tell(line: Line) -> None:
            with suppress(RuntimeError):  # the loop may be closed by now
                loop.call_soon_threadsafe(told.put_nowait, line)

        def work() -> None:
            try:
                for line in self._work(asked, query, is_stream):
                    tell(Line(line))
                tell(Line(None))
            except Exception as error:  # noqa: BLE001  every error is answered
                tell(Line(None, error))

        try:
            self._pool.submit(work)
        except RuntimeError as error:  # the pool takes nothing any more
            raise ServiceError(Kind.STARTING, "the service is shutting down") from error
        self._queries.add(query)
        self.metrics.advice.set(len(self._queries))
        timer = loop.call_later(PATIENCE * self.seconds, query.stop)
        try:
            while (line := await told.get()).text is not None:
                yield line.text
            if line.error is not None:
                raise self._as_service_error(line.error)
        finally:
            query.stop()
            timer.cancel()
            self._queries.discard(query)
            self.metrics.advice.set(len(self._queries))

    def _as_service_error(self, error: Exception) -> Exception:
        if not isinstance(error, SearchStoppedError):
            return error
        if self._is_closing:
            return ServiceError(Kind.STARTING, "the service is shutting down")
        return ServiceError(Kind.TIME_LIMIT, f"no answer within {PATIENCE * self.seconds:g} s")

    def _work(self, asked: Asked, query: Query, is_stream: bool) -> Iterator[bytes]:
        """Advise, in one of the pool's threads."""
        query.check()
        adviser = Adviser(query=query, pause=self._pause)
        yield from answers(asked, adviser, self._catalogue, is_stream=is_stream)

    def _pause(self) -> None:
        """Wait while searches are waiting, but not for ever."""
        until = time.monotonic() + LONGEST_PAUSE
        while self._live.waiting and time.monotonic() < until:
            time.sleep(PAUSE_SECONDS)

    def close(self) -> None:
        """End the threads; what has not begun never does."""
        self._is_closing = True
        for query in list(self._queries):
            query.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)


def answers(
    asked: Asked, adviser: Adviser, catalogue: Catalogue, *, is_stream: bool
) -> Iterator[bytes]:
    """Return answers as JSON, each better; the last alone unless it is a stream."""
    view, belief, wish = asked.view, asked.belief, asked.wish
    for advice in adviser.advise(view, belief, wish, is_whole_only=not is_stream):
        if asked.keeps and advice.is_complete:
            kept = _kept(asked, catalogue)
            if kept:
                advice = keep(advice, kept, wish.seed)  # noqa: PLW2901
        yield encode(advice_object(advice, belief))


def _kept(asked: Asked, catalogue: Catalogue) -> dict[Move, float]:
    """Return what the plan of the turn before says to do now."""
    view, states, history = asked.view, asked.states, asked.history
    assert states is not None
    assert history is not None
    made, reply = history[-TURN], history[-1]
    before = view_before(view, states, made, catalogue)
    belief = Belief.of(before, asked.belief.prior, catalogue)
    return dict(kept_moves(before, belief, asked.wish.objective, made, reply))


def be_nice() -> None:
    """Let this thread wait for others; where threads have no niceness of their own, do nothing."""
    with suppress(OSError, AttributeError):
        os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)
