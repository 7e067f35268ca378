"""Moves as kernels see them, and what a code says of whose turn it is.

A move is a slot on a cell, packed into one number below 90 (`pack_move`). Legal moves come
in the documented order: corners, edges, centre; then ascending card id, which is ascending
slot. Of equal cards in a hand only the lowest slot is played.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import CELL_ORDER, CELLS, HAND_SIZE, empty_cells, hand_of
from engine.game.capture import place
from engine.game.deal import Deal
from engine.game.duels import Duels, playable_slots
from engine.kernel import bit_count, inline_kernel, kernel, lowest_bit

Moves: TypeAlias = npt.NDArray[np.int64]  # packed

MOST_MOVES = HAND_SIZE * CELLS
NO_MOVE = -1


class Move(NamedTuple):
    """A card of the mover's hand, put on an empty cell."""

    card_id: int
    cell: int


def move_of(deal: Deal, packed: int) -> Move:
    """Return a packed move as players say it."""
    return moves_of(deal)[packed]


@lru_cache(maxsize=64)
def _named_moves(ids: tuple[int, ...]) -> list[Move]:
    """Return every packed move of ten cards, as players say it."""
    return [Move(card, cell) for card in ids for cell in range(CELLS)]


def moves_of(deal: Deal) -> list[Move]:
    """Return every packed move of a deal, as players say it."""
    return _named_moves(deal.ids)


@inline_kernel
def pack_move(slot: int, cell: int) -> int:
    """Return a move as one number."""
    return slot * CELLS + cell


@inline_kernel
def unpack_move(move: int) -> tuple[int, int]:
    """Return slot and cell of a packed move."""
    return move // CELLS, move % CELLS


@kernel
def ply_of(code: int) -> int:
    """Return the number of cards on the board."""
    return CELLS - bit_count(empty_cells(code))


@kernel
def mover_of(code: int) -> int:
    """Return the seat whose turn it is."""
    return ply_of(code) & 1


@kernel
def list_moves(duels: Duels, code: int, moves: Moves) -> int:
    """Write the legal moves in the documented order into `moves` [45]; return how many."""
    empty = empty_cells(code)
    playable = playable_slots(duels, hand_of(code, mover_of(code)))
    count = 0
    for cell in CELL_ORDER:
        slots = playable if (empty >> cell) & 1 else 0
        while slots:
            moves[count] = pack_move(lowest_bit(slots), int(cell))
            slots &= slots - 1
            count += 1
    return count


@kernel
def code_after(duels: Duels, code: int, move: int) -> int:
    """Return the code after a packed move."""
    slot, cell = unpack_move(move)
    return place(duels, code, slot, cell, mover_of(code))
