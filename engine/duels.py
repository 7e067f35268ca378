"""Who wins which contact, settled once per deal.

A duel word has four lanes of 16 bits, one per side of a cell; bit `slot` of a lane
stands for that card lying on the neighbouring cell.

    bits  0..9    10..15   16..25   ...   48..57
          TOP     unused   RIGHT          LEFT
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.board import CELLS, NEIGHBOURS, SIDES, SLOTS, WALL
from engine.kernel import kernel

Words: TypeAlias = npt.NDArray[np.int64]
Ranks: TypeAlias = npt.NDArray[np.int64]

LANE_BITS = 16
LANE = (1 << LANE_BITS) - 1
LOWEST_RANK, HIGHEST_RANK = 1, 10
NO_ELEMENT = 0

SAME, PLUS, SAME_WALL, FF8 = 1, 2, 4, 8  # bits of Duels.options


class Duels(NamedTuple):
    """What each slot on each cell does to its neighbours, for one deal."""

    beats: Words  # [9, 10] duel words: takes by the basic rule
    equals: Words  # [9, 10] duel words: touching ranks are equal, as Same sees them
    reaches: Words  # [9, 10] duel words: at least as high, as Same sees them
    touch: Ranks  # [9, 10, 4] the ranks Same and Plus look at
    walls: Ranks  # [9, 10] sides of rank 10 that lie against the board's edge, for Same
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
    duels = Duels(
        np.zeros((CELLS, SLOTS), dtype=np.int64),
        np.zeros((CELLS, SLOTS), dtype=np.int64),
        np.zeros((CELLS, SLOTS), dtype=np.int64),
        touch,
        np.zeros((CELLS, SLOTS), dtype=np.int64),
        options,
    )
    for cell in range(CELLS):
        for side in range(SIDES):
            _settle(duels, strength, cell, side)
    return duels


@kernel
def _shift(card_element: int, cell_element: int) -> int:
    """Return what a cell's element does to a card's ranks."""
    if cell_element == NO_ELEMENT:
        return 0
    return 1 if card_element == cell_element else -1


@kernel
def _settle(duels: Duels, strength: Ranks, cell: int, side: int) -> None:
    """Write down all that can meet at one side of one cell."""
    touch = duels.touch
    other = int(NEIGHBOURS[cell, side])
    facing = (side + 2) % SIDES
    for slot in range(SLOTS):
        if other == WALL:
            if duels.options & SAME_WALL and touch[cell, slot, side] == HIGHEST_RANK:
                duels.walls[cell, slot] += 1
            continue
        for rival in range(SLOTS):
            bit = 1 << (LANE_BITS * side + rival)
            if strength[cell, slot, side] > strength[other, rival, facing]:
                duels.beats[cell, slot] |= bit
            difference = touch[cell, slot, side] - touch[other, rival, facing]
            if difference == 0:
                duels.equals[cell, slot] |= bit
            if difference >= 0:
                duels.reaches[cell, slot] |= bit
