"""Work shared out among threads: in order, never far ahead, and stopped when given up."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import numpy as np
import pytest

from engine.errors import SearchStoppedError
from precompute.export.flight import AHEAD_PER_THREAD, in_order
from precompute.export.recipe import Labels
from precompute.export.worker import Crew
from tests.databases import small_roots

PATIENCE = 60  # seconds


def nothing() -> None:
    pass


def test_results_come_in_order_whoever_is_first() -> None:
    second_is_done = threading.Event()

    def work(item: int) -> int:
        if item == 0:
            assert second_is_done.wait(PATIENCE)
        if item == 1:
            second_is_done.set()
        return item * item

    assert list(in_order(work, range(20), 2, nothing)) == [item * item for item in range(20)]


def test_work_is_never_far_ahead_of_its_reader() -> None:
    asked: list[int] = []

    def items() -> Iterator[int]:
        for item in range(1_000):
            asked.append(item)
            yield item

    results = in_order(lambda item: item, items(), 2, nothing)
    for expected in range(50):
        assert next(results) == expected
        assert len(asked) <= expected + 2 * AHEAD_PER_THREAD
    results.close()


def test_reader_that_gives_up_stops_what_is_under_way() -> None:
    stopped = threading.Event()

    def work(item: int) -> int:
        assert item == 0 or stopped.wait(PATIENCE)
        return item

    results = in_order(work, range(1_000), 2, stopped.set)
    assert next(results) == 0
    results.close()
    assert stopped.is_set()


def test_error_of_a_worker_is_the_readers() -> None:
    def work(item: int) -> float:
        return 1 / (3 - item)

    with pytest.raises(ZeroDivisionError):
        list(in_order(work, range(10), 2, nothing))


def test_stopped_crew_labels_nothing_more() -> None:
    (root,) = small_roots(1, 7)
    crew = Crew(Labels(), 2, 1)
    codes = np.array([root.code])
    with crew.lend() as worker:
        worker.best(root.deal, codes)
        crew.stop()
        for ask in (worker.best, worker.scores):
            with pytest.raises(SearchStoppedError):
                ask(root.deal, codes)
