"""Chances: what moves are drawn by, and written as, in whole millionths.

Whatever a distribution comes from, it is rounded to millionths that add up to one million
before anything is drawn or written: shares are rounded down, and what is missing goes to the
largest remainders, the first move first. So the sum is always 1.000000, and a difference in
the last bit of an exponential, from machine to machine, disappears.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, floor
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import CELLS, Codes
from engine.game.moves import NO_MOVE
from engine.game.shape import MILLION
from engine.kernel import kernel

Weights: TypeAlias = npt.NDArray[np.float64]  # [n, 45], by number of move
Chances: TypeAlias = npt.NDArray[np.int32]  # [n, 45], in millionths

_MILLION = int(MILLION)
_GIVEN = -1.0


def millionths(weights: Weights) -> Chances:
    """Return weights as chances, row by row; a row of zeros stays one."""
    chances = np.zeros(weights.shape, dtype=np.int32)
    write_millionths(weights, np.zeros(weights.shape[1]), chances)
    return chances


def chances_of(weights: Sequence[float]) -> list[int]:
    """Return the chances of one state's moves."""
    result: list[int] = millionths(np.array([weights], dtype=np.float64))[0].tolist()
    return result


def score_weights(cards: Codes, temperature: float = 1.0) -> Weights:
    """Return softmax weights of exact scores, from the mover's cards after each move [n, 45].

    A card more is a score of two more. There are ten numbers of cards, so ten exponentials.
    """
    by_distance = np.array([exp(-2 * less / temperature) for less in range(CELLS + 1)])
    behind = cards.max(axis=1, keepdims=True, initial=0) - cards
    return np.where(cards == NO_MOVE, 0.0, by_distance[np.minimum(behind, CELLS)])


def softmax_weights(scores: Sequence[float]) -> list[float]:
    """Return softmax weights of any scores; the highest has weight 1."""
    highest = max(scores)
    return [exp(score - highest) for score in scores]


def without(chances: Sequence[float], best: int) -> list[float]:
    """Return weights with the best move removed.

    Where nothing is left, the most probable other move is; where there is no other, the best.
    """
    others = [0.0 if number == best else chance for number, chance in enumerate(chances)]
    if not any(others):
        others[0 if best or len(others) == 1 else 1] = 1.0
    return others


def draw(chances: Sequence[int], number: float) -> int:
    """Return the move that a random number from 0 up to 1 falls on."""
    left = floor(number * MILLION)
    for move, chance in enumerate(chances):
        left -= chance
        if left < 0:
            return move
    raise AssertionError("chances add up to one million")


@kernel
def write_millionths(weights: Weights, remainders: Weights, chances: Chances) -> None:
    """Write each row of weights as chances; `remainders` [45] is scratch."""
    width = weights.shape[1]
    for row in range(len(weights)):
        total = 0.0
        for move in range(width):
            total += weights[row, move]
        left = _MILLION if total > 0 else 0
        for move in range(width):
            share = weights[row, move] / total * _MILLION if total > 0 else 0.0
            chances[row, move] = int(share)
            remainders[move] = share - int(share) if weights[row, move] > 0 else _GIVEN
            left -= int(share)
        for _ in range(left):
            largest = 0
            for move in range(1, width):
                if remainders[move] > remainders[largest]:
                    largest = move
            chances[row, largest] += 1
            remainders[largest] = _GIVEN
