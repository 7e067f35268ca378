"""Words of four lanes, one for each border of a cell, and masks of cells.

    bits   0..15   16..31   32..47   48..63
    lane   TOP 0   LEFT 1   RIGHT 2  BOTTOM 3      (the lane opposite to `lane` is 3 - lane)

This order of lanes is the order of the neighbours' cell numbers, cell - 3, - 1, + 1, + 3,
so that a mask of cells becomes lanes, and lanes a mask of cells, by shifts alone.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from engine.game.board import CELLS, NEIGHBOURS, SLOTS, WALL
from engine.kernel import inline_kernel

LANES = 4
LANE_BITS = 16
LANE = (1 << LANE_BITS) - 1
LANE_OF_SIDE = np.array([0, 2, 3, 1], dtype=np.int64)  # [4]: of TOP, RIGHT, BOTTOM, LEFT
EVERY_LANE = 0x0001_0001_0001_0001  # times a number: the number in each lane
SLOTS_OF_LANES = ((1 << SLOTS) - 1) * EVERY_LANE

# A cell's neighbours are cell - 3, - 1, + 1 and + 3: in a mask of cells shifted up by 3 and
# down by the cell's number they are bits 0, 2, 4 and 6, in the order of the lanes.
_ROW = 3
_NEAR_BITS = 0b1010101


def _near_masks() -> npt.NDArray[np.int64]:
    """Return for each cell which of the four bits are neighbours on the board."""
    near = np.zeros(CELLS, dtype=np.int64)
    for cell in range(CELLS):
        for other in NEIGHBOURS[cell].tolist():
            near[cell] |= (1 << (other + _ROW) >> cell) if other != WALL else 0
    return near


def _spread_lanes() -> npt.NDArray[np.int64]:
    """Return for each choice of the four bits the word whose lanes are full."""
    lanes = np.zeros(_NEAR_BITS + 1, dtype=np.uint64)
    for bits in range(_NEAR_BITS + 1):
        lanes[bits] = sum(
            LANE << (LANE_BITS * lane) for lane in range(LANES) if (bits >> (2 * lane)) & 1
        )
    return lanes.view(np.int64)


NEAR = _near_masks()  # [9]
FULL_LANES = _spread_lanes()  # [86]


@inline_kernel
def lanes_towards(cells: int, cell: int) -> int:
    """Return the word whose lanes are full where a neighbour of `cell` is in the mask `cells`."""
    return int(FULL_LANES[((cells << _ROW) >> cell) & int(NEAR[cell])])


@inline_kernel
def lane_flags(lanes: int) -> int:
    """Return a word with the lowest bit of each lane that is not 0 (and has at most ten bits).

    Adding ten ones carries into a lane's eleventh bit just when the lane is not 0.
    """
    return ((lanes + SLOTS_OF_LANES) >> SLOTS) & EVERY_LANE


@inline_kernel
def cells_of(lanes: int, cell: int) -> int:
    """Return the mask of cells around `cell` whose lane, a mask of slots, is not empty."""
    flags = lane_flags(lanes)
    near = (flags | flags >> 14 | flags >> 28 | flags >> 42) & _NEAR_BITS
    return (near << cell) >> _ROW


@inline_kernel
def full_lanes(flags: int) -> int:
    """Return the word whose lanes are full where `flags` has a lane's lowest bit."""
    return (flags << LANE_BITS) - flags
