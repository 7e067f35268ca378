"""Work shared out among threads, its results in order, and never far ahead of the writer."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Generator, Iterable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")

AHEAD_PER_THREAD = 3  # results that may wait for the writer


def in_order(
    function: Callable[[T], R], items: Iterable[T], threads: int, stop: Callable[[], None]
) -> Generator[R, None, None]:
    """Return `function` of every item, in order, computed by so many threads.

    When the caller gives up half-way, what has not begun never does, and `stop` is to make
    an end of what has.
    """
    waiting: deque[Future[R]] = deque()
    with ThreadPoolExecutor(threads, thread_name_prefix="export") as pool:
        try:
            for item in items:
                waiting.append(pool.submit(function, item))
                if len(waiting) >= threads * AHEAD_PER_THREAD:
                    yield waiting.popleft().result()
            while waiting:
                yield waiting.popleft().result()
        finally:
            for future in waiting:
                future.cancel()
            stop()
