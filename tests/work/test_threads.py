"""Tasks shared out among threads: in order, never far ahead, and stopped when given up."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterable, Iterator

import numpy as np
import pytest

from engine.errors import SearchStoppedError
from precompute.export.labellers import Labellers
from precompute.export.recipe import Labels
from tests.databases import Unwatched, small_roots
from work.tasks import Task, UnfitError
from work.threads import AHEAD_PER_WORKER, ThreadCrew, ThreadEngagement

PATIENCE = 60  # seconds


class Called(Task[int, float]):
    """Calls a function for every item."""

    name = "called"

    def __init__(self, function: Callable[[int], float], mebibytes: int = 0) -> None:
        self.function, self.mebibytes = function, mebibytes
        self.stopped = threading.Event()

    def run(self, item: int, threads: int) -> float:
        assert threads == 1
        return self.function(item)

    def stop(self) -> None:
        self.stopped.set()


def results(task: Called, items: Iterable[int], *, in_order: bool = True) -> Generator[float]:
    return ThreadEngagement(task, ThreadCrew(2)).results(items, in_order=in_order)


def test_results_come_in_order_whoever_is_first() -> None:
    second_is_done = threading.Event()

    def square(item: int) -> float:
        if item == 0:
            assert second_is_done.wait(PATIENCE)
        if item == 1:
            second_is_done.set()
        return item * item

    assert list(results(Called(square), range(20))) == [item * item for item in range(20)]


def test_results_come_as_they_are_ready_when_order_does_not_matter() -> None:
    others_are_done = threading.Event()

    def wait_for_others(item: int) -> float:
        assert item or others_are_done.wait(PATIENCE)
        return item

    found = []
    for result in results(Called(wait_for_others), range(8), in_order=False):
        found.append(result)
        if len(found) == 7:
            others_are_done.set()
    assert found == [*range(1, 8), 0]


def test_work_is_never_far_ahead_of_its_reader() -> None:
    asked: list[int] = []

    def items() -> Iterator[int]:
        for item in range(1_000):
            asked.append(item)
            yield item

    taken = results(Called(float), items())
    for expected in range(50):
        assert next(taken) == expected
        assert len(asked) <= expected + 2 * AHEAD_PER_WORKER
    taken.close()


def test_reader_that_gives_up_stops_what_is_under_way() -> None:
    task = Called(lambda item: float(item == 0 or task.stopped.wait(PATIENCE)))
    taken = results(task, range(1_000))
    assert next(taken) == 1
    taken.close()
    assert task.stopped.is_set()


def test_error_of_a_worker_is_the_readers() -> None:
    with pytest.raises(ZeroDivisionError):
        list(results(Called(lambda item: 1 / (3 - item)), range(10)))


def test_task_that_takes_too_much_is_refused_and_one_that_ends_is_stopped() -> None:
    task = Called(float, mebibytes=300)
    small, large = ThreadCrew(1, mebibytes=200), ThreadCrew(1, mebibytes=300)
    message = "too little memory: found a ceiling of 200 MiB; allowed: 300 MiB or more"
    with pytest.raises(UnfitError, match=message), small.engaged(task, Unwatched()):
        pass
    assert not task.stopped.is_set()
    with large.engaged(task, Unwatched()) as engaged:
        assert list(engaged.results([1, 2])) == [1, 2]
    assert task.stopped.is_set()


def test_stopped_labellers_label_nothing_more() -> None:
    (root,) = small_roots(1, 7)
    labellers = Labellers(Labels(), 2, 1)
    codes = np.array([root.code])
    with labellers.lend() as labeller:
        labeller.best(root.deal, codes)
        labellers.stop()
        for ask in (labeller.best, labeller.scores):
            with pytest.raises(SearchStoppedError):
                ask(root.deal, codes)
