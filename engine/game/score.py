"""What cards on the board are worth: values and margins, in both variants.

Searches and tables count cards that a seat owns on the board at the end, 0 to 9. The card
that is never played is the second player's, and counts in variants that count hands.
"""

from __future__ import annotations

from functools import cache

from engine.game.board import CELLS
from engine.game.deal import Player
from engine.game.rules import Variant
from engine.game.shape import Value
from engine.kernel import inline_kernel, plain

Worth = tuple[Value, int]  # value for the side to move; margin, A's view


@inline_kernel
def cards_of(seat: int, starter_cards: int) -> int:
    """Return a seat's cards at the end from the starter's; or the starter's from a seat's."""
    return CELLS - starter_cards if seat else starter_cards


seat_cards = plain(cards_of)


@cache
def worths(variant: Variant, to_move: Player, ply: int) -> tuple[Worth, ...]:
    """Return value and margin for each number of cards the mover may end with."""
    unplayed = 1 if variant.counts_hands else 0
    if ply & 1 == 0:  # the mover is the starter, and the unplayed card is the other's
        unplayed = -unplayed
    scores = [2 * cards - CELLS + unplayed for cards in range(CELLS + 1)]
    return tuple((sign_of(score), score_for(to_move, score)) for score in scores)


def score_for(player: Player, margin: int) -> int:
    """Return a margin, which is A's view, from a player's view; or the other way round."""
    return margin if player is Player.A else -margin


def sign_of(score: int) -> Value:
    """Return won, drawn or lost: 1, 0, -1."""
    return 1 if score > 0 else -1 if score < 0 else 0
