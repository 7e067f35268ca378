"""Which moves are still in the race after a few worlds: the others need no more of them.

Moves are compared world by world, which tells far more than their means do: what is a good
world for one move is mostly one for another.
"""

from __future__ import annotations

import numpy as np

from advise.open_values import Values

LEAST_DEVIATION = 0.2  # of differences between moves, in points: a few worlds may look too calm
FAR = 2.0  # standard errors


def contenders(values: Values) -> list[int]:
    """Return the moves, by number, that are not far behind the best, of values [moves, worlds].

    Worlds must be drawn at random, equally likely ones or by their weights.
    """
    best = int(values.mean(axis=1).argmax())
    behind = values[best] - values
    deviations = np.maximum(behind.std(axis=1), LEAST_DEVIATION)
    is_near = behind.mean(axis=1) <= FAR * deviations / np.sqrt(values.shape[1])
    return [int(number) for number in np.flatnonzero(is_near)]
