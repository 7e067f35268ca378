"""Which cards change owner when the computer player imagines a placement: without Combo.

A card on a cell is one word of four lanes (see `engine.game.lanes`), and so is what faces a
cell: the touching ranks of the cards around it. All four borders are then compared at once,
and no two cards need to have been compared before.

    bits of a lane   0..7    the rank that the basic rule looks at, 0 to 11
                     8..15   the printed rank, which Same and Plus look at; 0: no card

Where Same Wall is in force the board's edge faces a cell with a printed 10. Words lie in a
border of unused places, so that a card can be put down without a look where the board ends:

    cells   0 1 2        places    5  6  7   and 4, 8, 12, 16 between the rows
            3 4 5                  9 10 11
            6 7 8                 13 14 15
"""

from __future__ import annotations

import numpy as np

from engine.game.board import CELLS, NEIGHBOURS, SIDES, WALL
from engine.game.capture import NO_SUMS, favoured_sum, lanes_with, repeated
from engine.game.cards import NO_ELEMENT
from engine.game.duels import HIGHEST_RANK, PLUS, SAME, SAME_WALL
from engine.game.lanes import EVERY_LANE, LANE, LANE_BITS, LANE_OF_SIDE, LANES, lane_flags
from engine.kernel import Numbers, bit_count, inline_kernel, kernel

PLACES = 20
PLACE_OF = np.array([5, 6, 7, 9, 10, 11, 13, 14, 15], dtype=np.int64)  # [9]
_ROW = 4

_PRINTED_AT = 8
_RANKS = 0xF * EVERY_LANE
_WON = 0x80 * EVERY_LANE  # above every rank: what is left of it in a difference tells the sign


def _edges() -> Numbers:
    """Return for each cell the word in which each edge of the board shows a printed 10."""
    edges = np.zeros(CELLS, dtype=np.int64)
    for cell in range(CELLS):
        for side in range(SIDES):
            if NEIGHBOURS[cell, side] == WALL:
                lane = int(LANE_OF_SIDE[side])
                edges[cell] |= HIGHEST_RANK << (LANE_BITS * lane + _PRINTED_AT)
    return edges


_EDGES = _edges()  # [9]


@inline_kernel
def word_of(ranks: int, card_element: int, cell_element: int) -> int:
    """Return a card as it lies on a cell."""
    if cell_element == NO_ELEMENT:
        return (ranks << _PRINTED_AT) + ranks
    shift = EVERY_LANE if card_element == cell_element else -EVERY_LANE
    return (ranks << _PRINTED_AT) + ranks + shift


@kernel
def clear_facing(facing: Numbers, options: int) -> None:
    """Empty the board: `facing` [20 or more] is what faces each place."""
    facing[:PLACES] = 0
    if options & SAME and options & SAME_WALL:
        for cell in range(CELLS):
            facing[PLACE_OF[cell]] = _EDGES[cell]


@inline_kernel
def put(facing: Numbers, word: int, cell: int, sign: int) -> None:
    """Put a card down, or with a `sign` of -1 take it up: its neighbours face it, or no more."""
    place = int(PLACE_OF[cell])
    top, left = word & LANE, (word >> LANE_BITS) & LANE
    right, bottom = (word >> (2 * LANE_BITS)) & LANE, word >> (3 * LANE_BITS)
    facing[place - _ROW] += sign * (top << (3 * LANE_BITS))
    facing[place - 1] += sign * (left << (2 * LANE_BITS))
    facing[place + 1] += sign * (right << LANE_BITS)
    facing[place + _ROW] += sign * bottom


@inline_kernel
def beaten(word: int, facing: int, opponents: int) -> int:
    """Return the lanes, of the full lanes `opponents`, that the basic rule takes.

    A lane that is taken has one bit, always the same.
    """
    strengths = (word & _RANKS) | _WON
    return (strengths - (facing & _RANKS) - EVERY_LANE) & _WON & opponents


@kernel
def taken_by_special(options: int, word: int, facing: int, cards: int, opponents: int) -> int:
    """Return the lanes that Same and Plus take; `cards` are the full lanes where a card lies."""
    ranks, theirs = (word >> _PRINTED_AT) & _RANKS, (facing >> _PRINTED_AT) & _RANKS
    taken = 0
    if options & SAME and LANES - bit_count(lane_flags(ranks ^ theirs)) >= 2:
        taken = ((ranks | _WON) - theirs) & _WON & opponents
    if options & PLUS:
        sums = ((ranks + theirs) & cards) | (NO_SUMS & ~cards)
        if repeated(sums):
            taken |= lanes_with(sums, favoured_sum(sums)) & _WON & opponents
    return taken
