"""Work shared by threads, with the same result for any number of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def share(task: Callable[[T], R], items: Iterable[T], threads: int) -> list[R]:
    """Return the task's results in the order of the items; tasks must not meet in memory."""
    if threads == 1:
        return [task(item) for item in items]
    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(task, items))


def parts_of(length: int, parts: int) -> list[tuple[int, int]]:
    """Return a range cut into at most so many parts of nearly equal length, none empty."""
    cuts = [length * part // parts for part in range(parts + 1)]
    return [(first, stop) for first, stop in zip(cuts, cuts[1:], strict=False) if first < stop]
