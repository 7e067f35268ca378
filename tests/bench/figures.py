"""Figures: what was measured, absolute and per calibration."""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from tests.bench.calibration import calibrate

REPEATS = 5


@dataclass(frozen=True)
class Figure:
    """One measured rate: how often a second, and how often in one calibration loop."""

    name: str
    per_second: float
    unit: str
    calibration: float  # seconds

    @property
    def per_calibration(self) -> float:
        """Return the rate in the time of the calibration loop."""
        return self.per_second * self.calibration

    def __str__(self) -> str:
        """Return a line of the report."""
        return (
            f"{self.name:<44} {self.per_second:>14,.0f} {self.unit}/s "
            f"{self.per_calibration:>14,.0f} per calibration"
        )


def measure_rate(name: str, unit: str, rate: Callable[[], float]) -> Figure:
    """Return the median of several rates, each with a calibration right beside it."""
    samples = []
    for _ in range(REPEATS):
        seconds = calibrate()
        samples.append((rate() * seconds, seconds))
    calibration = statistics.median(seconds for _, seconds in samples)
    ratio = statistics.median(ratio for ratio, _ in samples)
    return Figure(name, ratio / calibration, unit, calibration)
