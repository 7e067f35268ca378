"""Moves compared over worlds: means, intervals, paired differences, and their order.

What is compared is a row of numbers for each move, one for each world, whose mean is the measure:
the worth of the end with open hands, or, for the worst quarter, numbers with that mean (Rockafellar
and Uryasev): q + min(v - q, 0) / share, with q the quantile of that share.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np

from advise.open_values import WORST_SHARE, Values
from advise.statistics import Z_95, Z_99, Estimate, Interval, wilson
from advise.worlds import Weights

DIGITS = 9  # of numbers that are compared: sums in another order differ behind them


class Sample(NamedTuple):
    """How sure numbers are: whether all worlds are in them, else of how many they are some."""

    is_whole: bool
    population: float  # in effect

    def error(self, found: Estimate) -> float:
        """Return the standard error of a mean."""
        if self.is_whole:
            return 0.0
        return found.deviation * sqrt(self.unseen_share(found.number) / max(found.number, 1.0))

    def unseen_share(self, number: float) -> float:
        """Return the finite-population correction: the less is left, the surer."""
        return max(self.population - number, 0.0) / max(self.population - 1.0, 1.0)

    def interval(self, found: Estimate, z: float = Z_95) -> Interval:
        """Return the normal interval of a mean."""
        width = z * self.error(found)
        return Interval(found.mean - width, found.mean + width)

    def share_interval(self, found: Estimate) -> Interval:
        """Return Wilson's interval of a mean between 0 and 1.

        It is for shares, whose variance is p(1 - p). Where draws make it less, or worlds have
        been left out, that is as if there were more of them.
        """
        if self.is_whole:
            return Interval(found.mean, found.mean)
        mean = min(max(found.mean, 0.0), 1.0)
        number, spread = found.number, mean * (1.0 - mean)
        if found.deviation > 0.0 and spread > 0.0:
            number *= max(spread / found.deviation**2, 1.0)
        number /= max(self.unseen_share(found.number), 1e-9)
        return wilson(mean * number, number)


def estimate_of(values: Values, weights: Weights) -> Estimate:
    """Return the mean of values, how far they are from it, and how many there are in effect."""
    total = float(weights.sum())
    number = total * total / float((weights * weights).sum())
    mean = float((weights * values).sum()) / total
    spread = float((weights * (values - mean) ** 2).sum()) / total
    free = number / (number - 1.0) if number > 1.0 else 1.0
    return Estimate(mean, sqrt(max(spread, 0.0) * free), number)


def worst_scores(values: Values, weights: Weights, share: float = WORST_SHARE) -> Values:
    """Return numbers whose mean is that of the worst share of a row of values."""
    order = np.argsort(values, kind="stable")
    reached = np.cumsum(weights[order]) / weights.sum()
    place = min(int(np.searchsorted(reached, share - 1e-12)), len(values) - 1)
    quantile = values[order][place]
    scores: Values = quantile + np.minimum(values - quantile, 0.0) / share
    return scores


class Lead(NamedTuple):
    """By how much the best move is ahead of another."""

    mean: float
    interval: Interval
    is_sure: bool  # at 99 %


def lead_of(best: Values, other: Values, weights: Weights, sample: Sample) -> Lead:
    """Return the paired lead over the worlds that both were looked at in."""
    common = min(len(best), len(other))
    found = estimate_of(best[:common] - other[:common], weights[:common])
    low = sample.interval(found, Z_99).low - (0.0 if sample.is_whole else _doubt(found, sample))
    return Lead(found.mean, sample.interval(found), round(low, DIGITS) > 0.0)


def _doubt(found: Estimate, sample: Sample) -> float:
    """Return what worlds that were not looked at may cost where all others say the same.

    By Wilson's interval so large a share of them may be otherwise, and lost.
    """
    if found.deviation > 0.0:
        return 0.0
    share = Z_99**2 / (found.number + Z_99**2) * sample.unseen_share(found.number)
    return (abs(found.mean) + 1.0) * share
