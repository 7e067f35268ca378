"""Kernels: what both players see of a game that goes on: public states, shared by all worlds.

A public state is a code, in which the opponent's cards take its slots as they come to light, and
which cards these were: `gone`. What follows from a move is the same in every world that has the
cards, so it is worked out once. Duels are settled anew only where other cards have come to light,
so states are taken in the order of these.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from advise.view_arrays import ViewArrays
from engine.game.board import CELLS, EMPTY, SLOT_BITS, owners_of
from engine.game.capture import place
from engine.game.duels import DUELS_LENGTH, Duels, Room, make_room, write_duels
from engine.game.moves import MOST_MOVES, Moves, code_after, list_moves
from engine.kernel import Numbers, kernel, plain

_owners_of = plain(owners_of)


class PublicStates(NamedTuple):
    """States that look different to the viewer, each by how it came about."""

    codes: Numbers  # [n]
    gone: Numbers  # [n, cards]: ids, as they were played


class OwnMoves(NamedTuple):
    """The viewer's moves in public states, in the documented order."""

    counts: Numbers  # [n]
    packed: Numbers  # [n, most]
    codes: Numbers  # [n, most]: of the states after them


class Ground(NamedTuple):
    """What public states are worked out with; each thread has its own."""

    seen: ViewArrays
    rows: Numbers  # [ids, 5]: cards by id, ranks and element
    duels: Duels
    room: Room
    ids: Numbers  # [10]: cards by slot, those of `view` at first
    cards: Numbers  # [10, 5]
    moves: Moves  # [45]: scratch


def make_ground(view: ViewArrays, rows: Numbers) -> Ground:
    """Return fresh scratch for a view."""
    duels = np.zeros(DUELS_LENGTH, dtype=np.int64)
    moves = np.zeros(MOST_MOVES, dtype=np.int64)
    return Ground(view, rows, duels, make_room(), view.ids.copy(), view.cards.copy(), moves)


@kernel
def settle(ground: Ground, gone: Numbers) -> None:
    """Settle the duels between the cards of a view and those that have come to light."""
    view = ground.seen
    for number in range(len(gone)):
        slot, card = int(view.slots[number]), int(gone[number])
        ground.ids[slot] = card
        for column in range(ground.rows.shape[1]):
            ground.cards[slot, column] = ground.rows[card, column]
    write_duels(ground.duels, ground.room, ground.ids, ground.cards, view.elements, view.options)


@kernel
def is_other(gone: Numbers, before: int, number: int) -> bool:
    """Tell whether other cards have come to light in a state than in the one looked at before."""
    if before < 0:
        return True
    for column in range(gone.shape[1]):
        if gone[before, column] != gone[number, column]:
            return True
    return False


@kernel
def write_own_moves(ground: Ground, states: PublicStates, order: Numbers, own: OwnMoves) -> None:
    """Write the viewer's moves in each state, and what they lead to."""
    before = -1
    for number in order:
        if is_other(states.gone, before, number):
            settle(ground, states.gone[number])
        before = int(number)
        code = int(states.codes[number])
        count = list_moves(ground.duels, code, ground.moves)
        own.counts[number] = count
        for place_of_move in range(count):
            move = int(ground.moves[place_of_move])
            own.packed[number, place_of_move] = move
            own.codes[number, place_of_move] = code_after(ground.duels, code, move)


@kernel
def write_their_moves(
    ground: Ground, states: PublicStates, order: Numbers, cells: Numbers, codes: Numbers
) -> None:
    """Write the codes after the opponent has put the last card of `gone` on a cell.

    `states` have the codes before.
    """
    before, last = -1, states.gone.shape[1] - 1
    slot = int(ground.seen.slots[last])
    for number in order:
        if is_other(states.gone, before, number):
            settle(ground, states.gone[number])
        before = int(number)
        code, cell = int(states.codes[number]), int(cells[number])
        codes[number] = place(ground.duels, code, slot, cell, 1 - ground.seen.seat)


def order_of(states: PublicStates) -> Numbers:
    """Return the states' numbers, those with the same cards together."""
    if not states.gone.shape[1]:
        return np.arange(len(states.codes))
    return np.lexsort(states.gone.T).astype(np.int64)


def own_moves(ground: Ground, states: PublicStates, most: int) -> OwnMoves:
    """Return the viewer's moves in each state; there are never more than `most`."""
    count = len(states.codes)
    own = OwnMoves(
        np.zeros(count, dtype=np.int64),
        np.zeros((count, most), dtype=np.int64),
        np.zeros((count, most), dtype=np.int64),
    )
    write_own_moves(ground, states, order_of(states), own)
    return own


def after_their_moves(ground: Ground, states: PublicStates, cells: Numbers) -> PublicStates:
    """Return the states after the opponent has put the last card of `gone` on a cell."""
    codes = np.empty(len(states.codes), dtype=np.int64)
    write_their_moves(ground, states, order_of(states), cells, codes)
    return states._replace(codes=codes)


def owned_cards(codes: Numbers, seat: int, ply: int) -> Numbers:
    """Return how many cards on the board a seat owns, with `ply` cards there."""
    others = np.bitwise_count(_owners_of(codes)).astype(np.int64)  # type: ignore[arg-type]
    owned: Numbers = others if seat else ply - others
    return owned


def slots_of(codes: Numbers) -> Numbers:
    """Return which slot lies on each cell [n, 9]; EMPTY where none does."""
    shifts = SLOT_BITS * np.arange(CELLS)
    slots: Numbers = (codes[:, np.newaxis] >> shifts) & EMPTY
    return slots
