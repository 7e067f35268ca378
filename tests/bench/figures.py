"""Figures: what was measured, absolute and relative to the calibration loop."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from tests.bench.calibration import calibrate

REPEATS = 5


@dataclass(frozen=True)
class Rate:
    """How often a second something is done, and how often in one calibration loop."""

    name: str
    unit: str
    per_second: float
    calibration: float  # seconds

    def __str__(self) -> str:
        """Return a line of the report."""
        ratio = self.per_second * self.calibration
        return f"{self.name:<52} {self.per_second:>13,.0f} {self.unit}/s {ratio:>13,.0f} per cal."

    def as_dict(self) -> dict[str, Any]:
        """Return the figure for a program to read."""
        return {**asdict(self), "per_calibration": self.per_second * self.calibration}


@dataclass(frozen=True)
class Duration:
    """How long something takes: median and worst of several cases, and nodes if any."""

    name: str
    median: float  # seconds
    worst: float  # seconds
    calibration: float  # seconds
    median_nodes: float = 0
    nodes_per_second: float = 0

    def __str__(self) -> str:
        """Return a line of the report."""
        text = (
            f"{self.name:<52} {self.median * 1e3:>9.3f} ms median {self.worst * 1e3:>9.3f} worst "
            f"{self.median / self.calibration:>9.5f} cal."
        )
        if self.median_nodes:
            text += f" {self.median_nodes:>9,.0f} nodes {self.nodes_per_second / 1e6:>6.1f} M/s"
        return text

    def as_dict(self) -> dict[str, Any]:
        """Return the figure for a program to read."""
        return {**asdict(self), "calibrations": self.median / self.calibration}


@dataclass(frozen=True)
class Amount:
    """How much of something there is; no matter of speed."""

    name: str
    amount: float
    unit: str

    def __str__(self) -> str:
        """Return a line of the report."""
        return f"{self.name:<52} {self.amount:>13,.3f} {self.unit}"

    def as_dict(self) -> dict[str, Any]:
        """Return the figure for a program to read."""
        return asdict(self)


Figure = Rate | Duration | Amount


def measure_rate(name: str, unit: str, rate: Callable[[], float]) -> Rate:
    """Return the median of several rates, each with a calibration right beside it."""
    samples = []
    for _ in range(REPEATS):
        seconds = calibrate()
        samples.append((rate() * seconds, seconds))
    calibration = statistics.median(seconds for _, seconds in samples)
    ratio = statistics.median(ratio for ratio, _ in samples)
    return Rate(name, unit, ratio / calibration, calibration)


def measure_cases(name: str, cases: Sequence[Callable[[], int]]) -> Duration:
    """Return median and worst over the cases; each is run a few times and its median taken.

    A case returns the nodes it looked at, 0 when it counts none.
    """
    calibrations: list[float] = []
    seconds: list[float] = []
    nodes: list[int] = []
    for case in cases:
        if len(calibrations) < REPEATS:
            calibrations.append(calibrate())
        runs = []
        for _ in range(REPEATS):
            began = time.perf_counter()
            found = case()
            runs.append(time.perf_counter() - began)
        seconds.append(statistics.median(runs))
        nodes.append(found)
    return Duration(
        name,
        statistics.median(seconds),
        max(seconds),
        statistics.median(calibrations),
        statistics.median(nodes),
        sum(nodes) / sum(seconds),
    )
