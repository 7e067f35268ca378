"""What the computer player goes by: how deep it looks, what it weighs, what cards are to it.

The depths with nine empty cells of row 7 are inferred, and so is the scale of the weights; all
else is from published tables.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.errors import OpponentError, Words
from engine.game.board import SIDES
from engine.game.cards import Card, Catalogue, element_number
from engine.game.lanes import LANE_BITS, LANE_OF_SIDE
from engine.kernel import inline_kernel, plain

Cards: TypeAlias = npt.NDArray[np.int64]  # [highest id + 1, CARD_LENGTH]

ROWS = STRATEGIES = 8
SEES_HAND = 16  # a bit of `search` beside the row

DEPTHS = np.array(  # [8, 10]: by row and number of empty cells
    [
        [0, 1, 1, 1, 1, 1, 1, 1, 1, 1],
        [0, 1, 2, 2, 2, 1, 1, 1, 1, 1],
        [0, 1, 2, 2, 2, 2, 2, 2, 2, 2],
        [0, 1, 2, 3, 3, 3, 2, 2, 2, 2],
        [0, 1, 2, 3, 3, 3, 3, 3, 2, 2],
        [0, 1, 2, 3, 4, 3, 3, 3, 2, 2],
        [0, 1, 2, 3, 4, 4, 3, 3, 3, 3],
        [0, 1, 2, 3, 4, 4, 4, 4, 3, 3],
    ],
    dtype=np.int64,
)
GREATEST_DEPTH = 4

ONE = 12  # weights are in 1/4096: a product of two is shifted by as many bits
TILE, POWER, NOISE, SAME_TAKEN, IN_HAND = range(5)  # a weight's place in its row
_PLAIN = [4096, 0, 0, 4096, 4096]
WEIGHTS = np.array(  # [8, 5]: by strategy
    [
        _PLAIN,
        [2048, 4096, 0, 4096, 16384],
        [4096, 16384, 0, 4096, 2048],
        [4096, 0, 4096, 4096, 4096],
        [4096, 0, 0, 8192, 4096],
        [4096, 0, 0, 16384, 4096],
        _PLAIN,
        _PLAIN,
    ],
    dtype=np.int64,
)
_POWER_SCALE = 200  # of a card whose four sides are of rank 10

RANKS, ELEMENT, CARD_POWER, LEVEL = range(4)  # a fact's place in a card's row
CARD_LENGTH = 4

PER_LEVEL = 11  # cards of each level: the guess and the deal count on it
LEVELS = 10
_ROWS = range(PER_LEVEL)


def power(card: Card) -> int:
    """Return how strong the computer player thinks a card is."""
    return sum(rank * rank for rank in card.ranks) // 2


@inline_kernel
def id_of(level: int, row: int) -> int:
    """Return the card of a level, from 1, and a row in it, from 0."""
    return (level - 1) * PER_LEVEL + row + 1


_id_of = plain(id_of)


@lru_cache(maxsize=4)
def make_cards(catalogue: Catalogue) -> Cards:
    """Return all cards as kernels see them, by id; RANKS are four lanes.

    The player knows cards by level and row; raise `OpponentError` where they are not so.
    """
    found = {card.id: card.level for card in catalogue if card.id <= PER_LEVEL * LEVELS}
    if found != {_id_of(level, row): level for level in range(1, LEVELS + 1) for row in _ROWS}:
        allowed = f"a card file whose first {PER_LEVEL * LEVELS} ids are {PER_LEVEL} of each level"
        raise OpponentError.of("cards", Words("other levels"), allowed)
    rows = np.zeros((max(catalogue.ids) + 1, CARD_LENGTH), dtype=np.int64)
    for card in catalogue:
        lanes = sum(
            card.ranks[side] << (LANE_BITS * int(LANE_OF_SIDE[side])) for side in range(SIDES)
        )
        rows[card.id] = lanes, element_number(card.element), power(card), card.level
    return rows


@inline_kernel
def value_of(card_power: int, weight: int) -> int:
    """Return what a card is worth beyond the cell it lies on, by the weight of power."""
    return (card_power * weight // _POWER_SCALE) >> ONE
