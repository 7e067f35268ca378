"""What cards on the board are worth: values and margins, in both variants.

Searches and tables count cards that a seat owns on the board at the end, 0 to 9. The card
that is never played is the second player's, and counts in variants that count hands.
"""

from __future__ import annotations

from functools import cache

from engine.game.board import CELLS
from engine.game.deal import Player
from engine.game.state import State
from engine.kernel import inline_kernel

Worth = tuple[int, int]  # value for the side to move; margin, A's view


@inline_kernel
def cards_of(seat: int, starter_cards: int) -> int:
    """Return a seat's cards at the end from the starter's; or the starter's from a seat's."""
    return CELLS - starter_cards if seat else starter_cards


def worths(state: State) -> tuple[Worth, ...]:
    """Return value and margin for each number of cards the mover may end with."""
    unplayed = 1 if state.rules.variant.counts_hands else 0
    if state.to_move is state.deal.first:
        unplayed = -unplayed
    return _worths(unplayed, 1 if state.to_move is Player.A else -1)


@cache
def _worths(unplayed: int, sign: int) -> tuple[Worth, ...]:
    scores = [2 * cards - CELLS + unplayed for cards in range(CELLS + 1)]
    return tuple((sign_of(score), sign * score) for score in scores)


def score_of(state: State, margin: int) -> int:
    """Return a margin from the mover's view."""
    return margin if state.to_move is Player.A else -margin


def sign_of(score: int) -> int:
    """Return won, drawn or lost: 1, 0, -1."""
    return (score > 0) - (score < 0)
