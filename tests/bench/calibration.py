"""The loop every figure is compared with: 10^8 dependent splitmix64 steps."""

from __future__ import annotations

import time

import numpy as np

from engine.kernel import kernel

STEPS = 100_000_000
GAMMA = np.uint64(0x9E3779B97F4A7C15)
FIRST = np.uint64(0xBF58476D1CE4E5B9)
SECOND = np.uint64(0x94D049BB133111EB)


@kernel
def splitmix(seed: np.uint64, steps: int) -> np.uint64:
    """Return a value that depends on every step, so that none can be left out."""
    value = seed
    for _ in range(steps):
        value = value + GAMMA
        value = (value ^ (value >> np.uint64(30))) * FIRST
        value = (value ^ (value >> np.uint64(27))) * SECOND
        value = value ^ (value >> np.uint64(31))
    return value


def calibrate() -> float:
    """Return the seconds the loop takes on this machine at this moment."""
    splitmix(np.uint64(1), 1)
    began = time.perf_counter()
    splitmix(np.uint64(1), STEPS)
    return time.perf_counter() - began
