"""A deal: two hands of five, rules, elements, who starts. The unit we precompute."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from functools import cache, cached_property, lru_cache

import numpy as np

from engine.errors import DealError, Problem
from engine.game.board import CELLS, HAND_SIZE
from engine.game.cards import Card, Element, element_number
from engine.game.duels import (
    DUELS_LENGTH,
    FF8,
    PLUS,
    SAME,
    SAME_WALL,
    Duels,
    make_room,
    write_duels,
)
from engine.game.rules import Rules, Variant

Elements = tuple[Element | None, ...]  # nine, one per cell
NO_ELEMENTS: Elements = (None,) * CELLS


class Player(IntEnum):
    """The two players, by the names they have in states."""

    A = 0
    B = 1

    @property
    def opponent(self) -> Player:
        """Return the other player."""
        return Player.B if self is Player.A else Player.A


@dataclass(frozen=True)
class Deal:
    """Two hands, rules, elements and who starts; `Deal.of` checks and orders them.

    Hands ascend by card id, so that a slot's order is its card's order. Elements are
    all None when Elemental is off, so that equal games are equal deals.
    """

    hands: tuple[tuple[Card, ...], tuple[Card, ...]]  # A's five, B's five
    rules: Rules
    elements: Elements
    first: Player

    @classmethod
    def of(
        cls,
        hand_a: Sequence[Card],
        hand_b: Sequence[Card],
        *,
        rules: Rules | None = None,
        elements: Elements = NO_ELEMENTS,
        first: Player = Player.A,
    ) -> Deal:
        """Return the deal of these two hands, or raise `DealError`."""
        rules = rules or Rules()
        if len(elements) != CELLS:
            raise DealError.of("elements", len(elements), f"{CELLS} cells")
        problems = [
            Problem(f"hands.{player.name}", [card.id for card in hand], f"{HAND_SIZE} cards")
            for player, hand in zip(Player, (hand_a, hand_b), strict=True)
            if len(hand) != HAND_SIZE
        ]
        problems = problems or copy_problems(hand_a, hand_b, rules.variant)
        if problems:
            raise DealError(problems)
        return cls(
            hands=(tuple(sorted(hand_a)), tuple(sorted(hand_b))),
            rules=rules,
            elements=tuple(elements) if rules.elemental else NO_ELEMENTS,
            first=first,
        )

    def __reduce__(self) -> tuple[type[Deal], tuple[object, ...]]:
        """Pickle what it is, without what was worked out of it."""
        return Deal, (self.hands, self.rules, self.elements, self.first)

    @cached_property
    def slots(self) -> tuple[Card, ...]:
        """Return the ten cards by slot: the starter's five, then the other's."""
        return self.hands[self.first] + self.hands[self.first.opponent]

    @cached_property
    def ids(self) -> tuple[int, ...]:
        """Return the ten cards' ids by slot."""
        return tuple(card.id for card in self.slots)

    @cached_property
    def players(self) -> tuple[Player, Player]:
        """Return the players by seat."""
        return self.first, self.first.opponent

    @property
    def seated(self) -> Deal:
        """Return the same deal with the starter called A."""
        if self.first is Player.A:
            return self
        return Deal((self.hands[1], self.hands[0]), self.rules, self.elements, Player.A)

    @cached_property
    def duels(self) -> Duels:
        """Return who wins which contact, the form the kernels work with."""
        duels = np.empty(DUELS_LENGTH, dtype=np.int64)
        cards = np.array([card_numbers(card) for card in self.slots], dtype=np.int64)
        elements = np.array(element_numbers(self.elements), dtype=np.int64)
        ids = np.array(self.ids, dtype=np.int64)
        write_duels(duels, make_room(), ids, cards, elements, options_in(self.rules))
        return duels


def card_numbers(card: Card) -> tuple[int, ...]:
    """Return a card as kernels see it: four ranks and its element."""
    return (*card.ranks, element_number(card.element))


@lru_cache(maxsize=1 << 12)
def element_numbers(elements: Elements) -> tuple[int, ...]:
    """Return a layout as kernels see it."""
    return tuple([element_number(element) for element in elements])


@cache
def options_in(rules: Rules) -> int:
    """Return the rules in force as kernels see them."""
    return (
        SAME * rules.same
        | PLUS * rules.plus
        | SAME_WALL * rules.same_wall
        | FF8 * (rules.variant is Variant.FF8)
    )


def copy_problems(
    hand_a: Sequence[Card], hand_b: Sequence[Card], variant: Variant
) -> list[Problem]:
    """Return what is wrong with the number of copies in two players' cards."""
    if len({card.id for card in (*hand_a, *hand_b)}) == len(hand_a) + len(hand_b):
        return []
    if variant is Variant.TRIPLECARGO:
        allowed = "each card once in a player's five cards under triplecargo"
        return [
            Problem(f"hands.{player.name}", card.id, allowed)
            for player, hand in zip(Player, (hand_a, hand_b), strict=True)
            for card, copies in Counter(hand).items()
            if copies > 1
        ]
    allowed = "cards of level 8 to 10 at most once in the game under ff8"
    return [
        Problem("hands", card.id, allowed)
        for card, copies in Counter([*hand_a, *hand_b]).items()
        if copies > 1 and card.is_unique
    ]
