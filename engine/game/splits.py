"""Splits: who of two players has which five of ten cards.

Under Sudden Death the ten cards stay the same from round to round. In the order of their ids they
have places 0 to 9; a split is a mask of the five places that are the starter's, and has a number.
So a round's opening is one of 252, whichever of the players is called A.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np

from engine.game.board import CELLS, HAND_SIZE, SLOTS
from engine.game.cards import Card
from engine.game.deal import Deal, Player
from engine.game.rules import Rules
from engine.game.state import State
from engine.kernel import Numbers

SPLITS: tuple[int, ...] = tuple(
    sum(1 << place for place in places) for places in combinations(range(SLOTS), HAND_SIZE)
)
SPLIT_NUMBERS = {mask: number for number, mask in enumerate(SPLITS)}
ALL_PLACES = (1 << SLOTS) - 1


def split_of(deal: Deal) -> int:
    """Return the number of a deal's split: which cards its starter was dealt."""
    places = places_of(deal)
    return SPLIT_NUMBERS[sum(1 << place for place in places[:HAND_SIZE])]


def places_of(deal: Deal) -> list[int]:
    """Return each slot's place among the ten cards; of equal cards the lower slot comes first."""
    order = sorted(range(SLOTS), key=deal.ids.__getitem__)
    return [order.index(slot) for slot in range(SLOTS)]


def hands_of(split: int, cards: Sequence[Card]) -> tuple[list[Card], list[Card]]:
    """Return the starter's hand and the other's, of ten cards ascending by id."""
    mask = SPLITS[split]
    starter = [card for place, card in enumerate(cards) if (mask >> place) & 1]
    other = [card for place, card in enumerate(cards) if not (mask >> place) & 1]
    return starter, other


def opening_of(split: int, cards: Sequence[Card], rules: Rules) -> State:
    """Return the opening of a split, whose starter is called A."""
    return State.start(Deal.of(*hands_of(split, cards), rules=rules))


def splits_after(deal: Deal) -> Numbers:
    """Return the next round's split for each set of slots that the starter owns at the end [1024].

    The other player starts it, with the cards that it owns. -1 where a round is not drawn.
    """
    places = np.array(places_of(deal), dtype=np.int64)
    sets = np.arange(1 << SLOTS, dtype=np.int64)
    others = (~sets[:, None] >> np.arange(SLOTS)) & 1
    masks = others @ (1 << places)
    numbers = np.full(1 << SLOTS, -1, dtype=np.int64)
    for mask, number in SPLIT_NUMBERS.items():
        numbers[masks == mask] = number
    return numbers


def next_round(state: State) -> State:
    """Return the opening that follows a drawn round: each has the cards of its colour.

    Who did not start the round that was drawn starts this one.
    """
    if state.ply != CELLS or state.margin:
        raise ValueError("only a drawn round is followed by another")
    hands = [list(hand) for hand in state.hands]
    for placed in state.board:
        assert placed is not None
        hands[placed.owner].append(placed.card)
    first: Player = state.deal.first.opponent
    return State.start(Deal.of(*hands, rules=state.rules, first=first))
