"""Intervals and means against values worked out elsewhere."""

from __future__ import annotations

from math import inf, sqrt

import pytest
from hypothesis import given, strategies as st

from advise.statistics import (
    Z_99,
    calibration,
    effective_number,
    estimate,
    paired_difference,
    rating_difference,
    wilson,
)


@pytest.mark.parametrize(
    ("successes", "trials", "low", "high"),
    [  # Newcombe 1998, table I, method 3
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_interval_is_the_known_one(
    successes: int, trials: int, low: float, high: float
) -> None:
    found = wilson(successes, trials)
    assert found.low == pytest.approx(low, abs=5e-5)
    assert found.high == pytest.approx(high, abs=5e-5)


@given(st.integers(1, 500), st.data())
def test_ends_of_wilsons_interval_are_as_far_away_as_the_quantile_says(
    trials: int, data: st.DataObject
) -> None:
    successes = data.draw(st.integers(0, trials))
    share = successes / trials
    for end in wilson(successes, trials, Z_99):
        distance = Z_99 * sqrt(end * (1 - end) / trials)
        assert abs(share - end) == pytest.approx(distance, abs=1e-7)


def test_wilson_interval_without_trials_is_everything() -> None:
    assert wilson(0, 0) == (0, 1)


def test_mean_and_its_interval_are_the_known_ones() -> None:
    found = estimate([2, 4, 4, 4, 5, 5, 7, 9])
    assert found.mean == 5
    assert found.deviation == pytest.approx(sqrt(32 / 7))
    assert found.error() == pytest.approx(sqrt(32 / 7 / 8))
    assert found.interval().high - 5 == pytest.approx(1.959963984540054 * sqrt(32 / 7 / 8))
    assert found.interval(Z_99).high - 5 == pytest.approx(2.5758293035489004 * sqrt(32 / 7 / 8))


def test_interval_shrinks_to_nothing_when_all_was_seen() -> None:
    found = estimate([0, 1, 1, 0, 1])
    assert found.error(population=5) == 0
    assert found.error(population=10) == pytest.approx(found.error() * sqrt(5 / 9))
    assert found.error(population=10**9) == pytest.approx(found.error())


def test_effective_number_counts_equal_weights_as_they_are() -> None:
    assert effective_number([0.2] * 5) == pytest.approx(5)
    assert effective_number([1, 0, 0]) == 1
    assert effective_number([3, 1]) == pytest.approx(1.6)
    assert effective_number([]) == 0


@given(st.lists(st.floats(0, 1), min_size=1, max_size=20))
def test_equal_weights_change_nothing(values: list[float]) -> None:
    plain, weighted = estimate(values), estimate(values, [2.5] * len(values))
    assert weighted.mean == pytest.approx(plain.mean)
    assert weighted.deviation == pytest.approx(plain.deviation, abs=1e-9)
    assert weighted.number == pytest.approx(len(values))


def test_nothing_tells_nothing() -> None:
    assert estimate([]).mean == 0
    assert estimate([]).error() == 0


def test_paired_difference_is_of_pairs() -> None:
    found = paired_difference([1, 0, 1], [0.5, -0.5, 0.5])
    assert (found.mean, found.deviation) == (0.5, 0)


@pytest.mark.parametrize(("points", "rating"), [(0.5, 0), (10 / 11, 400), (0.64, 99.9512)])
def test_rating_difference_is_the_known_one(points: float, rating: float) -> None:
    assert rating_difference(points) == pytest.approx(rating, abs=1e-3)
    assert rating_difference(1 - points) == pytest.approx(-rating, abs=1e-3)


@pytest.mark.parametrize("points", [0, 1, inf])
def test_rating_difference_of_who_always_wins_is_unknown(points: float) -> None:
    assert rating_difference(points) is None


def test_calibration_puts_forecasts_into_bins() -> None:
    bins = calibration([0.0, 0.1, 0.5, 1.0], [0, 1, 0.5, 1])
    assert [(each.low, each.high, each.games) for each in bins] == [
        (0.0, 0.2, 2),
        (0.4, 0.6, 1),
        (0.8, 1.0, 1),
    ]
    assert [each.forecast for each in bins] == pytest.approx([0.05, 0.5, 1.0])
    assert [each.result for each in bins] == [0.5, 0.5, 1.0]
    assert bins[0].error == pytest.approx(0.5)
