"""What results tell, and how sure it is: means, intervals, paired differences, ratings.

Shares have Wilson's interval, means the normal one, with the finite-population correction where
a whole is sampled without repetition. Weighted samples count by their effective number,
(Σw)² / Σw². Games of one deal depend on each other, so a pair of them is one result.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, log10, sqrt
from typing import NamedTuple

Z_95, Z_99 = 1.959963984540054, 2.5758293035489004  # normal quantiles, two-sided
_ELO_SCALE = 400  # points of rating that stand for ten times the odds


class Interval(NamedTuple):
    """Where a number lies with some confidence."""

    low: float
    high: float


class Estimate(NamedTuple):
    """A mean, how far single results are from it, and how many there are in effect."""

    mean: float
    deviation: float  # standard deviation of one result
    number: float  # of results, in effect

    def error(self, population: int | None = None) -> float:
        """Return the standard error of the mean; 0 when all of a population was seen."""
        if self.number <= 0:
            return 0.0
        share = 1.0
        if population is not None:
            share = max(population - self.number, 0.0) / max(population - 1, 1)
        return self.deviation * sqrt(share / self.number)

    def interval(self, z: float = Z_95, population: int | None = None) -> Interval:
        """Return the normal interval of the mean."""
        width = z * self.error(population)
        return Interval(self.mean - width, self.mean + width)


def effective_number(weights: Sequence[float]) -> float:
    """Return how many equal weights tell as much: all of them, or one, or between."""
    squares = fsum(weight * weight for weight in weights)
    return fsum(weights) ** 2 / squares if squares else 0.0


def estimate(values: Sequence[float], weights: Sequence[float] | None = None) -> Estimate:
    """Return the mean of values, weighted or not."""
    weights = [1.0] * len(values) if weights is None else weights
    count, total = effective_number(weights), fsum(weights)
    if not total:
        return Estimate(0.0, 0.0, 0.0)
    mean = fsum(w * value for w, value in zip(weights, values, strict=True)) / total
    spread = fsum(w * (value - mean) ** 2 for w, value in zip(weights, values, strict=True)) / total
    # Of few results the spread around their own mean is too small: count - 1 of them are free.
    correction = count / (count - 1) if count > 1 else 1.0
    return Estimate(mean, sqrt(spread * correction), count)


def paired_difference(
    first: Sequence[float], second: Sequence[float], weights: Sequence[float] | None = None
) -> Estimate:
    """Return by how much the first is higher than the second, result by result."""
    return estimate([a - b for a, b in zip(first, second, strict=True)], weights)


def wilson(successes: float, trials: float, z: float = Z_95) -> Interval:
    """Return Wilson's interval of a share; all there can be without trials."""
    if trials <= 0:
        return Interval(0.0, 1.0)
    share, square = successes / trials, z * z
    middle = share + square / (2 * trials)
    width = z * sqrt(share * (1 - share) / trials + square / (4 * trials * trials))
    scale = 1 + square / trials
    return Interval(max(0.0, (middle - width) / scale), min(1.0, (middle + width) / scale))


def rating_difference(points: float) -> float | None:
    """Return mean points as a difference of Elo ratings; None when all was won, or lost."""
    if not 0 < points < 1:
        return None
    return _ELO_SCALE * log10(points / (1 - points))


class Bin(NamedTuple):
    """Games whose forecasts lie close together."""

    low: float
    high: float
    games: int
    forecast: float  # mean
    result: float  # mean
    error: float  # standard error of the mean result


def calibration(forecasts: Sequence[float], results: Sequence[float], bins: int = 5) -> list[Bin]:
    """Return forecasts beside results, by forecast, in bins of equal width; empty ones left out."""
    sorted_in: dict[int, list[tuple[float, float]]] = {}
    for forecast, result in zip(forecasts, results, strict=True):
        sorted_in.setdefault(min(int(forecast * bins), bins - 1), []).append((forecast, result))
    return [_bin(number, bins, sorted_in[number]) for number in sorted(sorted_in)]


def _bin(number: int, bins: int, pairs: list[tuple[float, float]]) -> Bin:
    found = estimate([result for _, result in pairs])
    mean = fsum(forecast for forecast, _ in pairs) / len(pairs)
    low, high = number / bins, (number + 1) / bins
    return Bin(low, high, len(pairs), mean, found.mean, found.error())
