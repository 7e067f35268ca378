"""Pearson's chi-square: do counts agree with the chances they should have been drawn by?"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from math import sqrt
from typing import TypeVar

K = TypeVar("K", bound=Hashable)

LEAST_EXPECTED = 5.0  # rarer outcomes are taken together
QUANTILE = 3.719  # of the normal distribution: one fair sample in ten thousand is refused


def critical_value(freedom: int) -> float:
    """Return what a fair sample's statistic hardly ever exceeds (Wilson and Hilferty)."""
    spread = 2 / (9 * freedom)
    return freedom * (1 - spread + QUANTILE * sqrt(spread)) ** 3


def agrees(counts: Mapping[K, int], weights: Mapping[K, float]) -> bool:
    """Tell whether counts agree with chances, given as weights."""
    possible = {key: weight for key, weight in weights.items() if weight > 0}
    if any(count and key not in possible for key, count in counts.items()):
        return False
    draws, total = sum(counts.values()), sum(possible.values())
    cells: list[tuple[float, float]] = []  # expected, counted
    rare_expected = rare_counted = 0.0
    for key, weight in possible.items():
        expected = draws * weight / total
        if expected < LEAST_EXPECTED:
            rare_expected += expected
            rare_counted += counts.get(key, 0)
        else:
            cells.append((expected, counts.get(key, 0)))
    if rare_expected >= LEAST_EXPECTED:
        cells.append((rare_expected, rare_counted))
    statistic = sum((counted - expected) ** 2 / expected for expected, counted in cells)
    return statistic < critical_value(max(1, len(cells) - 1))
