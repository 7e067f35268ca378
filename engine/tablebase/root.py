"""A root: the state below which everything is indexed and solved. Any state may be one.

Below a root free cells are filled with the cards in hand. Equal cards are not told apart on
a board, whoever brought them; so that a state has one code only, their slots ascend with
their cells, and of equal cards in a hand the lowest slot is played first. Such a code is
arranged; a root's own board stays as it is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.game.board import (
    CELLS,
    EMPTY,
    EMPTY_BOARD,
    HAND_SIZE,
    HANDS,
    SEATS,
    SLOT_BITS,
    SLOTS,
    empty_cells,
    slot_at,
    slots_down,
    with_captures,
)
from engine.game.duels import Duels
from engine.game.facts import NO_CARD, Facts
from engine.game.state import State
from engine.kernel import Numbers, bit_count, inline_kernel, kernel, lowest_bit

NO_CODE = -1


class Root(NamedTuple):
    """What kernels know of a root."""

    code: int
    ply: int
    free: int  # mask of cells
    hands: int  # mask of slots
    copied: int  # mask of slots in hand that have an equal there
    alike: Numbers  # [10]: for each slot in hand the mask of those with an equal card
    ids: Numbers  # [10]: the cards by slot
    duels: Duels


def make_root(state: State) -> Root:
    """Return what kernels know of a root."""
    slots = state.deal.slots
    hands = ((1 << SLOTS) - 1) & ~slots_down(state.code)
    held = [slot for slot in range(SLOTS) if (hands >> slot) & 1]
    alike = np.zeros(SLOTS, dtype=np.int64)
    for slot in held:
        alike[slot] = sum(1 << other for other in held if slots[other] == slots[slot])
    copied = sum(1 << slot for slot in held if alike[slot] != 1 << slot)
    free = int(empty_cells(state.code))
    ids = np.array([card.id for card in slots], dtype=np.int64)
    return Root(state.code, state.ply, free, hands, copied, alike, ids, state.deal.duels)


@inline_kernel
def placed_by(root: Root, ply: int, seat: int) -> int:
    """Return how many cards a seat has placed below the root by `ply`."""
    return (ply + 1 - seat) // 2 - (root.ply + 1 - seat) // 2


@inline_kernel
def hand_size(root: Root, seat: int) -> int:
    """Return how many cards a seat holds at the root."""
    return bit_count(root.hands & int(HANDS[seat]))


@inline_kernel
def is_arranged(root: Root, code: int) -> bool:
    """Tell whether a code is arranged."""
    seen = 0
    for cell in range(CELLS):
        slot = slot_at(code, cell)
        if (root.copied >> slot) & 1:
            if seen & int(root.alike[slot]) & -(1 << slot):
                return False
            seen |= 1 << slot
    left = seen
    while left:
        slot = lowest_bit(left)
        left &= left - 1
        lower = int(root.alike[slot]) & int(HANDS[slot // HAND_SIZE]) & ((1 << slot) - 1)
        if lower & ~seen:
            return False
    return True


@inline_kernel
def arranged(root: Root, code: int) -> int:
    """Return `code` with the slots of equal cards ascending with their cells."""
    if root.copied == 0:
        return code
    down = root.free & ~empty_cells(code)
    used = slots_down(code)
    for first in range(SLOTS):
        group = int(root.alike[first]) if (root.copied >> first) & 1 else 0
        if group & ((1 << first) - 1):
            continue  # a lower slot stands for the group
        slots = group & used
        cells = down if slots else 0
        while cells:
            cell = lowest_bit(cells)
            cells &= cells - 1
            slot = slot_at(code, cell)
            if (group >> slot) & 1:
                code ^= (slot ^ lowest_bit(slots)) << (SLOT_BITS * cell)
                slots &= slots - 1
    return code


@inline_kernel
def emptied(code: int, cell: int) -> int:
    """Return `code` without the card on `cell`; its owner bit must be 0."""
    return code | (EMPTY << (SLOT_BITS * cell))


@inline_kernel
def code_before(root: Root, code: int, cell: int, seat: int) -> int:
    """Return the arranged code before `seat` put the card on `cell` there; owners must be 0.

    NO_CODE when it cannot have done so. Which of equal cards a seat brought is not seen, so
    the slot that leaves the board is its last of them, wherever that lay.
    """
    slot = slot_at(code, cell)
    placed = int(root.alike[slot]) & slots_down(code)
    if placed & (placed - 1) == 0:
        return emptied(code, cell) if (int(HANDS[seat]) >> slot) & 1 else NO_CODE
    leaving = placed & int(HANDS[seat])
    if leaving == 0:
        return NO_CODE
    while leaving & (leaving - 1):
        leaving &= leaving - 1
    last = lowest_bit(leaving)
    for other in range(CELLS):
        if slot_at(code, other) == last:
            code ^= (last ^ slot) << (SLOT_BITS * other)
    return arranged(root, emptied(code, cell))


# A state's facts as a row of numbers, for kernels.
OWNERS_AT = CELLS  # before it the cards on the nine cells; the mask of the second seat's cells
HANDS_AT = OWNERS_AT + 1  # the cards that the starter holds, then the other's, in five places each
ROW_LENGTH = HANDS_AT + SLOTS


def row_of(facts: Facts) -> list[int]:
    """Return the row of a state's facts."""
    occupied = sum(1 << cell for cell, card in enumerate(facts.board) if card)
    first = facts.first
    owners = facts.owners ^ occupied if first else facts.owners
    starter, other = facts.hands[first], facts.hands[not first]
    gaps = (NO_CARD,) * HAND_SIZE
    return [*facts.board, owners, *(starter + gaps)[:HAND_SIZE], *(other + gaps)[:HAND_SIZE]]


@kernel
def code_below(root: Root, row: Numbers) -> int:
    """Return the arranged code of a state below the root; NO_CODE if there is none.

    Rules, elements and starter must be the root's. Whether the state can be reached is
    another question.
    """
    used = _slots_used(root, row)
    if used == NO_CODE:
        return NO_CODE
    result = EMPTY_BOARD
    for cell in range(CELLS):
        card = int(row[cell])
        slot = slot_at(root.code, cell)
        if slot == EMPTY and card != NO_CARD:
            slot = _lowest_with(root.ids, used, card)
            if slot == NO_CODE:
                return NO_CODE
            used &= ~(1 << slot)
        elif slot != EMPTY and root.ids[slot] != card:
            return NO_CODE
        result ^= (EMPTY ^ slot) << (SLOT_BITS * cell)
    return with_captures(result, int(row[OWNERS_AT])) if used == 0 else NO_CODE


@kernel
def _slots_used(root: Root, row: Numbers) -> int:
    """Return the mask of the root's slots that a state has placed, or NO_CODE.

    Of equal cards it still holds the highest slots.
    """
    used = root.hands
    for seat in range(SEATS):
        slot = (seat + 1) * HAND_SIZE
        for place in range(HAND_SIZE - 1, -1, -1):  # both descend by card
            card = int(row[HANDS_AT + seat * HAND_SIZE + place])
            while card != NO_CARD:
                slot -= 1
                if slot < seat * HAND_SIZE:
                    return NO_CODE
                if (used >> slot) & 1 and root.ids[slot] == card:
                    used &= ~(1 << slot)
                    card = NO_CARD
    return used


@kernel
def _lowest_with(ids: Numbers, slots: int, wanted: int) -> int:
    """Return the lowest of the mask `slots` that holds a card, or NO_CODE."""
    while slots:
        slot = lowest_bit(slots)
        if ids[slot] == wanted:
            return slot
        slots &= slots - 1
    return NO_CODE
