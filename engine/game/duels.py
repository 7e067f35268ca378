"""All that kernels need to know of a deal, settled once, in one flat array.

Everything about a slot lying on a cell stands in eight words side by side, one for each
kind below (`word`); behind them all, for each slot on each cell, the nine words that it
adds to the contacts of the nine cells (`shadow`). One flat array, because kernels pass it
on millions of times.

A duel word has four lanes (see `engine.game.lanes`), one for each border of the cell. Within a
lane bit `slot` (0..9) stands for that card lying beyond the border. The contacts of a cell
have in bits 10..13 of each lane also that card's touching rank, as Same and Plus see it.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import CELLS, HAND_SIZE, NEIGHBOURS, SIDES, SLOTS, WALL
from engine.game.cards import NO_ELEMENT
from engine.game.lanes import EVERY_LANE, LANE_BITS, LANE_OF_SIDE, LANES
from engine.kernel import Numbers, inline_kernel, kernel, lowest_bit

Duels: TypeAlias = npt.NDArray[np.int64]  # [DUELS_LENGTH]

RANK_AT = SLOTS
RANKS_OF_LANES = 0b1111 * EVERY_LANE

LOWEST_RANK, HIGHEST_RANK = 1, 10

# The kinds of words.
BEATS = 0  # contacts it wins by the basic rule
LOSES = 1  # contacts in which it is beaten
EQUALS = 2  # contacts of equal ranks, as Same sees them
REACHES = 3  # contacts in which it is at least as high, as Same sees them
TOUCH = 4  # lane by lane the rank that Same and Plus look at
WALLS = 5  # a plain number: sides of rank 10 against the board's edge, for Same
TWINS = 6  # on cell 0: the mask of lower slots in its hand with an equal card
OPTIONS = 7  # on cell 0, slot 0: SAME | PLUS | SAME_WALL | FF8

SAME, PLUS, SAME_WALL, FF8 = 1, 2, 4, 8

_KIND_BITS, _SLOT_BITS = 3, 4  # eight kinds; sixteen slots, so that EMPTY has words too: 0
_SHADOWS_AT = CELLS << (_SLOT_BITS + _KIND_BITS)
DUELS_LENGTH = _SHADOWS_AT + CELLS * SLOTS * CELLS


@inline_kernel
def place_of(kind: int, cell: int, slot: int) -> int:
    """Return where a word stands."""
    return (((cell << _SLOT_BITS) | slot) << _KIND_BITS) | kind


@inline_kernel
def word(duels: Duels, kind: int, cell: int, slot: int) -> int:
    """Return the word of one kind about `slot` on `cell`."""
    return int(duels[place_of(kind, cell, slot)])


@inline_kernel
def shadow_place(cell: int, slot: int, other: int) -> int:
    """Return where a shadow stands."""
    return _SHADOWS_AT + (cell * SLOTS + slot) * CELLS + other


@inline_kernel
def shadow(duels: Duels, cell: int, slot: int, other: int) -> int:
    """Return what `slot` on `cell` adds to the contacts of `other`; 0 when it is not beside."""
    return int(duels[shadow_place(cell, slot, other)])


@inline_kernel
def options_of(duels: Duels) -> int:
    """Return the switches and the variant."""
    return int(duels[OPTIONS])


@kernel
def playable_slots(duels: Duels, hand: int) -> int:
    """Return the slots of the mask `hand` that make a move of their own.

    Of equal cards in a hand only the lowest slot is played, so they give one move per cell.
    """
    playable = 0
    slots = hand
    while slots:
        slot = lowest_bit(slots)
        slots &= slots - 1
        if word(duels, TWINS, 0, slot) & hand == 0:
            playable |= 1 << slot
    return playable


class Room(NamedTuple):
    """Scratch in which duels are settled: the ranks of each slot on each cell."""

    strength: Numbers  # [9, 10, 4]: what the basic rule looks at
    touch: Numbers  # [9, 10, 4]: what Same and Plus look at


def make_room() -> Room:
    """Return fresh scratch."""
    shape = CELLS, SLOTS, SIDES
    return Room(np.empty(shape, dtype=np.int64), np.empty(shape, dtype=np.int64))


@kernel
def write_duels(
    duels: Duels, room: Room, ids: Numbers, cards: Numbers, elements: Numbers, options: int
) -> None:
    """Settle every contact of ten cards: `ids` [10], `cards` [10, 5] their ranks and elements.

    `elements` [9] are the cells', NO_ELEMENT throughout when Elemental is off.
    """
    for cell in range(CELLS):
        for slot in range(SLOTS):
            shift = _shift(cards[slot, SIDES], elements[cell])
            for side in range(SIDES):
                _set_ranks(room, (cell, slot, side), cards[slot, side], shift, options)
    duels[:] = 0
    duels[OPTIONS] = options
    _find_twins(duels, ids)
    for cell in range(CELLS):
        for side in range(SIDES):
            if NEIGHBOURS[cell, side] == WALL:
                _count_walls(duels, room.touch, cell, side)
            else:
                _compare(duels, room.strength, room.touch, cell, side)


@kernel
def _shift(card_element: int, cell_element: int) -> int:
    """Return what a cell's element does to a card's ranks."""
    if cell_element == NO_ELEMENT:
        return 0
    return 1 if card_element == cell_element else -1


@kernel
def _set_ranks(
    room: Room, where: tuple[int, int, int], printed: int, shift: int, options: int
) -> None:
    """Set what the basic rule, and what Same and Plus, look at.

    Under `triplecargo` that is the shifted rank clamped to 1..10 for all of them; under
    `ff8` the basic rule looks at the unclamped one, Same and Plus at the printed one.
    """
    if options & FF8:
        room.strength[where] = printed + shift
        room.touch[where] = printed
    else:
        clamped = min(max(printed + shift, LOWEST_RANK), HIGHEST_RANK)
        room.strength[where] = clamped
        room.touch[where] = clamped


@kernel
def _find_twins(duels: Duels, ids: Numbers) -> None:
    """Write down which slots of a hand hold equal cards."""
    for slot in range(SLOTS):
        for lower in range(slot - slot % HAND_SIZE, slot):
            if ids[lower] == ids[slot]:
                duels[place_of(TWINS, 0, slot)] |= 1 << lower


@kernel
def _count_walls(duels: Duels, touch: Numbers, cell: int, side: int) -> None:
    """Count the board's edge at one side of one cell, for the cards it helps."""
    for slot in range(SLOTS):
        if options_of(duels) & SAME_WALL and touch[cell, slot, side] == HIGHEST_RANK:
            duels[place_of(WALLS, cell, slot)] += 1


@kernel
def _compare(duels: Duels, strength: Numbers, touch: Numbers, cell: int, side: int) -> None:
    """Write down all that can meet at one side of one cell."""
    other = int(NEIGHBOURS[cell, side])
    facing = (side + 2) % SIDES
    lane = int(LANE_OF_SIDE[side])
    for slot in range(SLOTS):
        rank = int(touch[cell, slot, side])
        duels[place_of(TOUCH, cell, slot)] |= rank << (LANE_BITS * lane)
        contact = (1 << slot) | (rank << RANK_AT)
        duels[shadow_place(cell, slot, other)] = contact << (LANE_BITS * (LANES - 1 - lane))
        for rival in range(SLOTS):
            bit = 1 << (LANE_BITS * lane + rival)
            if strength[cell, slot, side] > strength[other, rival, facing]:
                duels[place_of(BEATS, cell, slot)] |= bit
            if strength[cell, slot, side] < strength[other, rival, facing]:
                duels[place_of(LOSES, cell, slot)] |= bit
            difference = rank - int(touch[other, rival, facing])
            if difference == 0:
                duels[place_of(EQUALS, cell, slot)] |= bit
            if difference >= 0:
                duels[place_of(REACHES, cell, slot)] |= bit
