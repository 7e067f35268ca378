"""A view as kernels want it: ten slots, of which those of unseen cards are still to be filled.

    the viewer's five     hand, ascending by card id    then cards on the board
    the opponent's five   cards in hand                 then cards on the board

A board does not say who brought which card, and nothing that follows depends on it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from advise.view import View
from advise.worlds import Worlds
from engine.game.board import CELLS, EMPTY_BOARD, HAND_SIZE, SIDES, SLOTS, with_card
from engine.game.cards import Card
from engine.game.deal import card_numbers, element_numbers, options_in
from engine.game.duels import DUELS_LENGTH, make_room, write_duels
from engine.game.moves import MOST_MOVES, Move, Moves, list_moves
from engine.game.score import score_for, worths
from engine.kernel import Numbers, plain

_with_card = plain(with_card)


class ViewArrays(NamedTuple):
    """A view as kernels see it; the slots of the opponent's hand hold nothing."""

    code: int
    ids: Numbers  # [10]: cards by slot
    cards: Numbers  # [10, 5]: their ranks and elements
    elements: Numbers  # [9]: the cells'
    options: int  # the rules in force
    seat: int  # the viewer's
    slots: Numbers  # [cards in the opponent's hand]: theirs


def seat_of(view: View) -> int:
    """Return the viewer's seat: 0 for who started."""
    return int(view.viewer is not view.first)


def arrays_of(view: View) -> ViewArrays:
    """Return a view as kernels see it."""
    seat = seat_of(view)
    own, theirs = HAND_SIZE * seat, HAND_SIZE * (1 - seat)
    held = len(view.known) + view.unseen
    free = [*range(own + len(view.hand), own + HAND_SIZE)]
    free += range(theirs + held, theirs + HAND_SIZE)
    ids, cards = np.zeros(SLOTS, dtype=np.int64), np.zeros((SLOTS, SIDES + 1), dtype=np.int64)
    for slot, card in enumerate(view.hand, start=own):
        ids[slot], cards[slot] = card.id, card_numbers(card)
    code = EMPTY_BOARD
    for cell, placed in enumerate(view.board):
        if placed:
            slot = free.pop()
            ids[slot], cards[slot] = placed.card.id, card_numbers(placed.card)
            code = _with_card(code, slot, cell, placed.owner ^ view.first)
    elements = np.array(element_numbers(view.elements), dtype=np.int64)
    slots = np.arange(theirs, theirs + held)
    return ViewArrays(code, ids, cards, elements, options_in(view.rules), seat, slots)


def packed_moves(arrays: ViewArrays) -> Moves:
    """Return the viewer's moves as kernels see them, in the documented order."""
    duels, moves = np.empty(DUELS_LENGTH, dtype=np.int64), np.empty(MOST_MOVES, dtype=np.int64)
    write_duels(duels, make_room(), arrays.ids, arrays.cards, arrays.elements, arrays.options)
    return moves[: list_moves(duels, arrays.code, moves)].copy()


def named_moves(arrays: ViewArrays, packed: Moves) -> tuple[Move, ...]:
    """Return packed moves as players say them."""
    ids = arrays.ids.tolist()
    return tuple(Move(ids[move // CELLS], move % CELLS) for move in packed.tolist())


class PoolArrays(NamedTuple):
    """A pool of cards as kernels see it."""

    ids: Numbers  # [cards]
    cards: Numbers  # [cards, 5]: ranks and elements


def pool_arrays(pool: Sequence[Card]) -> PoolArrays:
    """Return a pool as kernels see it."""
    rows = np.array([card_numbers(card) for card in pool], dtype=np.int64)
    ids = np.array([card.id for card in pool], dtype=np.int64)
    return PoolArrays(ids, rows.reshape(len(pool), SIDES + 1))


def held_worlds(view: View, worlds: Worlds) -> Worlds:
    """Return worlds with all that the opponent holds in each, what is known included."""
    return worlds.with_known(view.known)


def scores_of(view: View) -> tuple[int, ...]:
    """Return by the viewer's cards on the board at the end, 0 to 9, its margin.

    The unplayed card counts where the variant counts it.
    """
    worth = worths(view.rules.variant, view.viewer, seat_of(view))
    return tuple(score_for(view.viewer, margin) for _, margin in worth)
