"""The board, and a state within its deal as one integer: its code.

    cells  0 1 2      sides    TOP 0
           3 4 5         LEFT 3     RIGHT 1
           6 7 8            BOTTOM 2

    code   bits 0..35    nine 4-bit slots, cell 0 lowest
           bits 36..44   nine owner bits, cell 0 lowest: 0 the starter, 1 the other

A slot is a card's place in the deal: 0..4 the starter's five, 5..9 the other
player's. A seat is a player seen from the deal: 0 the starter, 1 the other. An
empty cell has slot EMPTY and owner bit 0, so equal states have equal codes, and
everything else follows from the code: the ply is the number of cards down, the
hands are the slots that are not, and the seats take turns.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.shape import (
    CELLS as CELLS,
    HAND_SIZE as HAND_SIZE,
    SEATS as SEATS,
    SIDES as SIDES,
    SLOTS as SLOTS,
)
from engine.kernel import inline_kernel, kernel

Codes: TypeAlias = npt.NDArray[np.int64]  # of states

WALL = -1
NEIGHBOURS = np.array(  # [9, 4]: the cell beyond each side
    [
        [-1, 1, 3, -1],
        [-1, 2, 4, 0],
        [-1, -1, 5, 1],
        [0, 4, 6, -1],
        [1, 5, 7, 3],
        [2, -1, 8, 4],
        [3, 7, -1, -1],
        [4, 8, -1, 6],
        [5, -1, -1, 7],
    ],
    dtype=np.int64,
)
CELL_ORDER = np.array([0, 2, 6, 8, 1, 3, 5, 7, 4], dtype=np.int64)  # moves: corners, edges, centre

EMPTY = 15  # beyond every slot, so its bit is in no mask of slots
SLOT_BITS = 4
OWNERS_AT = CELLS * SLOT_BITS
EMPTY_BOARD = (1 << OWNERS_AT) - 1
ALL_CELLS = (1 << CELLS) - 1
CELLS_IN = tuple(  # by mask
    tuple(cell for cell in range(CELLS) if (mask >> cell) & 1) for mask in range(1 << CELLS)
)
HANDS = np.array([0b0000011111, 0b1111100000], dtype=np.int64)  # [2]: each seat's slots


@inline_kernel
def slot_at(code: int, cell: int) -> int:
    """Return the slot on `cell`, or EMPTY."""
    return (code >> (SLOT_BITS * cell)) & EMPTY


@inline_kernel
def owner_at(code: int, cell: int) -> int:
    """Return the seat that owns the card on `cell`; 0 when there is none."""
    return (code >> (OWNERS_AT + cell)) & 1


@inline_kernel
def owners_of(code: int) -> int:
    """Return the mask of cells the second seat owns."""
    return code >> OWNERS_AT


@inline_kernel
def with_card(code: int, slot: int, cell: int, owner: int) -> int:
    """Return `code` with a card put on the empty `cell`; nothing is captured."""
    return code ^ ((EMPTY ^ slot) << (SLOT_BITS * cell)) | (owner << (OWNERS_AT + cell))


@inline_kernel
def with_captures(code: int, captured: int) -> int:
    """Return `code` with the owner of every cell in the mask `captured` changed."""
    return code ^ (captured << OWNERS_AT)


@kernel
def empty_cells(code: int) -> int:
    """Return the mask of empty cells."""
    cells = 0
    for cell in range(CELLS):
        if slot_at(code, cell) == EMPTY:
            cells |= 1 << cell
    return cells


@kernel
def slots_down(code: int) -> int:
    """Return the mask of slots that lie on the board."""
    slots = 0
    for cell in range(CELLS):
        slots |= 1 << slot_at(code, cell)
    return slots & ~(1 << EMPTY)


@kernel
def hand_of(code: int, seat: int) -> int:
    """Return the mask of the seat's slots that are not down."""
    return int(HANDS[seat]) & ~slots_down(code)
