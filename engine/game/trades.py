"""Trades: which cards change hands after a game, and what that is worth to a player.

    One      the winner takes one of the loser's five dealt cards
    Diff     as many as the score difference: 2 or 4; from 6 on all five
    Direct   each keeps the cards of its colour, after a draw too
    All      the winner takes all five

Values are whole units given by the asker; a card's level when none is given. Hands are dealt hands,
in slot order: that decides ties of the computer player.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from enum import StrEnum

from engine.game.board import HAND_SIZE
from engine.game.cards import Card

Values = Mapping[int, int]  # units by card id; others are worth their level


class Trade(StrEnum):
    """The trade rules."""

    ONE = "one"
    DIFF = "diff"
    DIRECT = "direct"
    ALL = "all"


def power(card: Card) -> int:
    """Return how strong the computer player takes a card to be."""
    return sum(rank * rank for rank in card.ranks) // 2


def value_of(card: Card, values: Values) -> int:
    """Return what a card is worth to the asker."""
    return values.get(card.id, card.level)


def cards_due(rule: Trade, score: int) -> int:
    """Return how many cards the winner takes of the loser; `score` is the winner's margin."""
    if score <= 0 or rule is Trade.DIRECT:
        return 0
    if rule is Trade.ONE:
        return 1
    return HAND_SIZE if rule is Trade.ALL else min(score, HAND_SIZE)


def person_takes(hand: Sequence[Card], count: int, values: Values) -> list[Card]:
    """Return what a person takes of the loser's hand: what it values most, ties leftmost."""
    return sorted(hand, key=lambda card: -value_of(card, values))[:count]


def computer_takes(hand: Sequence[Card], count: int) -> list[Card]:
    """Return what the computer player takes: the most powerful, ties leftmost."""
    return sorted(hand, key=lambda card: -power(card))[:count]


def gain(
    rule: Trade,
    score: int,
    hands: tuple[Sequence[Card], Sequence[Card]],
    values: Values,
    *,
    computer: bool = False,
) -> int:
    """Return what a result brings under One, Diff or All, in units; negative is a loss.

    `score` is the asker's margin, `hands` the five cards dealt to it and to the opponent. A person
    who wins takes what the asker values most: zero-sum is an assumption.
    """
    if rule is Trade.DIRECT:
        raise ValueError("what Direct brings is told by the cards owned: direct_gain")
    own, other = hands
    if score >= 0:
        taken = person_takes(other, cards_due(rule, score), values)
        return sum(value_of(card, values) for card in taken)
    count = cards_due(rule, -score)
    lost = computer_takes(own, count) if computer else person_takes(own, count, values)
    return -sum(value_of(card, values) for card in lost)


def direct_gain(owned: Sequence[Card], brought: Sequence[Card], values: Values) -> int:
    """Return what Direct brings: the cards owned at the end less those that were brought."""
    return sum(value_of(card, values) for card in owned) - sum(
        value_of(card, values) for card in brought
    )
