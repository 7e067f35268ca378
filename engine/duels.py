"""Who wins which contact, settled once per deal.

A duel word has four lanes of 16 bits, one for each border of a cell. Where it tells
of contacts, bit `slot` of a lane stands for that card lying beyond that border:

    bits   0..15   16..31   32..47   48..63
    lane   TOP 0   LEFT 1   RIGHT 2  BOTTOM 3      (the lane opposite to `lane` is 3 - lane)

This order of lanes is the order of the neighbours' cell numbers, cell - 3, - 1, + 1, + 3,
so that a mask of cells becomes lanes, and lanes a mask of cells, by shifts alone.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.board import CELLS, NEIGHBOURS, SIDES, SLOTS, WALL
from engine.kernel import kernel

Words: TypeAlias = npt.NDArray[np.int64]
Ranks: TypeAlias = npt.NDArray[np.int64]

LANES = 4
LANE_BITS = 16
LANE = (1 << LANE_BITS) - 1
LANE_OF_SIDE = np.array([0, 2, 3, 1], dtype=np.int64)  # [4]: of TOP, RIGHT, BOTTOM, LEFT
LOWEST_RANK, HIGHEST_RANK = 1, 10
NO_ELEMENT = 0

# What a slot on a cell has a word for: the first index of Duels.words.
BEATS = 0  # contacts it wins by the basic rule
LOSES = 1  # contacts in which it is beaten
EQUALS = 2  # contacts of equal ranks, as Same sees them
REACHES = 3  # contacts in which it is at least as high, as Same sees them
TOUCH = 4  # lane by lane the rank that Same and Plus look at
WALLS = 5  # a plain number: sides of rank 10 against the board's edge, for Same
KINDS = 6

SAME, PLUS, SAME_WALL, FF8 = 1, 2, 4, 8  # bits of Duels.options


class Duels(NamedTuple):
    """What each slot on each cell does to its neighbours, for one deal."""

    words: Words  # [KINDS, 9, 10]: kind, cell, slot
    options: int  # SAME | PLUS | SAME_WALL | FF8


@kernel
def make_duels(ranks: Ranks, card_elements: Ranks, cell_elements: Ranks, options: int) -> Duels:
    """Settle every contact of ten cards `ranks` [10, 4] of `card_elements` [10].

    `cell_elements` [9] is NO_ELEMENT throughout when Elemental is off. Under
    `triplecargo` every rule looks at shifted ranks clamped to 1..10; under `ff8`
    Same and Plus look at printed ranks and the basic rule at unclamped ones.
    """
    strength = np.empty((CELLS, SLOTS, SIDES), dtype=np.int64)
    touch = np.empty((CELLS, SLOTS, SIDES), dtype=np.int64)
    for cell in range(CELLS):
        for slot in range(SLOTS):
            shift = _shift(card_elements[slot], cell_elements[cell])
            for side in range(SIDES):
                shifted = int(ranks[slot, side]) + shift
                if not options & FF8:
                    shifted = min(max(shifted, LOWEST_RANK), HIGHEST_RANK)
                strength[cell, slot, side] = shifted
                touch[cell, slot, side] = ranks[slot, side] if options & FF8 else shifted
    words = np.zeros((KINDS, CELLS, SLOTS), dtype=np.int64)
    for cell in range(CELLS):
        for side in range(SIDES):
            if NEIGHBOURS[cell, side] == WALL:
                _count_walls(words, touch, cell, side, options)
            else:
                _settle(words, strength, touch, cell, side)
    return Duels(words, options)


@kernel
def _shift(card_element: int, cell_element: int) -> int:
    """Return what a cell's element does to a card's ranks."""
    if cell_element == NO_ELEMENT:
        return 0
    return 1 if card_element == cell_element else -1


@kernel
def _count_walls(words: Words, touch: Ranks, cell: int, side: int, options: int) -> None:
    """Count the board's edge at one side of one cell, for the cards it helps."""
    for slot in range(SLOTS):
        if options & SAME_WALL and touch[cell, slot, side] == HIGHEST_RANK:
            words[WALLS, cell, slot] += 1


@kernel
def _settle(words: Words, strength: Ranks, touch: Ranks, cell: int, side: int) -> None:
    """Write down all that can meet at one side of one cell."""
    other = int(NEIGHBOURS[cell, side])
    facing = (side + 2) % SIDES
    first_bit = LANE_BITS * int(LANE_OF_SIDE[side])
    for slot in range(SLOTS):
        words[TOUCH, cell, slot] |= touch[cell, slot, side] << first_bit
        for rival in range(SLOTS):
            bit = 1 << (first_bit + rival)
            if strength[cell, slot, side] > strength[other, rival, facing]:
                words[BEATS, cell, slot] |= bit
            if strength[cell, slot, side] < strength[other, rival, facing]:
                words[LOSES, cell, slot] |= bit
            difference = touch[cell, slot, side] - touch[other, rival, facing]
            if difference == 0:
                words[EQUALS, cell, slot] |= bit
            if difference >= 0:
                words[REACHES, cell, slot] |= bit
