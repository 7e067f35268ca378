"""Items that come when they come: results in order, each as soon as it is its turn."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue

import pytest

from tests.work.test_threads import PATIENCE, Called
from work.stream import stream
from work.threads import AHEAD_PER_WORKER


def test_result_is_given_while_the_next_item_is_waited_for() -> None:
    given: SimpleQueue[int | None] = SimpleQueue()
    results = stream(Called(lambda item: item + 0.5), iter(given.get, None), 2)
    for item in (3, 1, 2):
        given.put(item)  # and no more
        assert next(results) == item + 0.5
    given.put(None)
    assert list(results) == []


def test_results_come_in_order_whoever_is_first() -> None:
    second_is_done = threading.Event()

    def square(item: int) -> float:
        if item == 0:
            assert second_is_done.wait(PATIENCE)
        if item == 1:
            second_is_done.set()
        return item * item

    assert list(stream(Called(square), range(50), 2)) == [item * item for item in range(50)]


def test_items_are_never_taken_far_ahead() -> None:
    asked: list[int] = []

    def items() -> Iterator[int]:
        for item in range(1_000):
            asked.append(item)
            yield item

    results = stream(Called(float), items(), 2)
    for expected in range(50):
        assert next(results) == expected
        assert len(asked) <= expected + 2 * AHEAD_PER_WORKER + 2  # one waits for room
    results.close()


def test_taker_that_gives_up_stops_what_is_under_way_and_who_feeds() -> None:
    task = Called(lambda item: float(item == 0 or task.stopped.wait(PATIENCE)))
    task.name = "given-up"  # no other test's
    results = stream(task, range(1_000), 2)
    assert next(results) == 1
    (feeder,) = [thread for thread in threading.enumerate() if thread.name == "given-up-items"]
    results.close()
    assert task.stopped.is_set()
    feeder.join(PATIENCE)
    assert not feeder.is_alive()


def failing(_item: int) -> float:
    raise ZeroDivisionError


def failing_items() -> Iterator[int]:
    yield 1
    raise ZeroDivisionError


@pytest.mark.parametrize(
    ("function", "items"), [(failing, lambda: range(10)), (float, failing_items)]
)
def test_error_is_the_takers(
    function: Callable[[int], float], items: Callable[[], Iterator[int]]
) -> None:
    with pytest.raises(ZeroDivisionError):
        list(stream(Called(function), items(), 2))
