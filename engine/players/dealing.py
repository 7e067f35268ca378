"""How the computer player is dealt, and how likely each of its hands is.

    rares    each in turn, ascending: with the chance, and after the first with half of it
    others   a level of those it is dealt from, and a row of that level; PuPu and what it
             holds are drawn again

So rares lie in the first slots, and the others are a uniform random set in uniform random order.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from functools import lru_cache
from math import comb

import numpy as np

from engine.errors import OpponentError, Problem
from engine.game.board import HAND_SIZE
from engine.game.cards import UNIQUE_LEVELS
from engine.kernel import Numbers, kernel, plain
from engine.players.stream import HIGHEST_STATE, drawn, step
from engine.players.tables import PER_LEVEL, id_of

PUPU = 48  # is never dealt
DEALT_LEVELS = range(1, 8)
CERTAIN = 100  # percent
_id_of = plain(id_of)
_RARES = range(_id_of(UNIQUE_LEVELS[0], 0), _id_of(UNIQUE_LEVELS[-1], PER_LEVEL - 1) + 1)


@kernel
def holds(hand: Numbers, count: int, card: int) -> bool:
    """Tell whether a card is among the first `count` of a hand."""
    for place in range(count):
        if hand[place] == card:
            return True
    return False


@kernel
def deal(levels: Numbers, rares: Numbers, chance: int, random: int, hand: Numbers) -> int:
    """Write five cards into `hand` [5]; return the state of the random numbers afterwards.

    `levels` and `rares` ascend; `chance` is that of the first rare, in percent.
    """
    count = 0
    for rare in rares:
        random = step(random)
        if drawn(random) % CERTAIN < (chance if count == 0 else chance >> 1):
            hand[count] = rare
            count += 1
            if count == HAND_SIZE:
                return random
    while count < HAND_SIZE:
        random = step(random)
        level = int(levels[drawn(random) % len(levels)])
        random = step(random)
        card = id_of(level, drawn(random) % PER_LEVEL)
        if card != PUPU and not holds(hand, count, card):
            hand[count] = card
            count += 1
    return random


@kernel
def deal_many(levels: Numbers, rares: Numbers, chance: int, random: int, hands: Numbers) -> int:
    """Deal one hand after the other into `hands` [n, 5]; return the random state afterwards."""
    for number in range(len(hands)):
        random = deal(levels, rares, chance, random, hands[number])
    return random


@dataclass(frozen=True)
class Dealing:
    """What a computer player is dealt from; `Dealing.of` checks and orders it."""

    levels: tuple[int, ...]  # ascending
    rares: tuple[int, ...]  # ids, ascending
    rare_chance: int  # percent

    @classmethod
    def of(
        cls, levels: Iterable[int] = (), rares: Iterable[int] = (), rare_chance: int = 0
    ) -> Dealing:
        """Return how a player is dealt, or raise `OpponentError`; no level at all means level 1."""
        given, unique = list(levels), list(rares)
        problems = [
            *_list_problems("levels", given, DEALT_LEVELS, "levels"),
            *_list_problems("rares", unique, _RARES, "ids of cards of level 8 to 10"),
        ]
        if type(rare_chance) is not int or not 0 <= rare_chance <= CERTAIN:
            allowed = f"a whole number from 0 to {CERTAIN}, percent"
            problems.append(Problem("rare_chance", rare_chance, allowed))
        if problems:
            raise OpponentError(problems)
        return cls(tuple(sorted(given)) or (DEALT_LEVELS[0],), tuple(sorted(unique)), rare_chance)

    @classmethod
    def of_mask(cls, mask: int, rares: Iterable[int] = (), rare_chance: int = 0) -> Dealing:
        """Return how a player with this mask of levels is dealt; other bits are ignored."""
        levels = [level for level in DEALT_LEVELS if (mask >> (level - 1)) & 1]
        return cls.of(levels, rares, rare_chance)

    @property
    def pool(self) -> tuple[int, ...]:
        """Return the cards, other than rares, that it may be dealt, ascending."""
        cards = [_id_of(level, row) for level in self.levels for row in range(PER_LEVEL)]
        return tuple(card for card in cards if card != PUPU)

    def rare_sets(self) -> dict[tuple[int, ...], float]:
        """Return every set of rares that it may be dealt, and how likely it is."""
        return dict(_rare_sets(self.rares, self.rare_chance))

    def chance_of(self, hand: Collection[int]) -> float:
        """Return how likely these five cards are, in whatever order."""
        cards = set(hand)
        rare = tuple(sorted(cards & set(self.rares)))
        if len(hand) != HAND_SIZE or len(cards) != HAND_SIZE or not cards <= {*self.pool, *rare}:
            return 0.0
        sets = _rare_sets(self.rares, self.rare_chance)
        return sets.get(rare, 0.0) / comb(len(self.pool), HAND_SIZE - len(rare))

    def rare_sets_given(self, played: Collection[int]) -> dict[tuple[int, ...], float]:
        """Return every set of rares and how likely it is, these cards having been dealt.

        The unseen others are then uniform over the sets of what is left of the pool. Nothing is
        returned when it cannot have been dealt these cards.
        """
        cards, size = set(played), len(self.pool)
        rare = cards & set(self.rares)
        others = len(cards - rare)
        if len(cards) != len(played) or not cards - rare <= set(self.pool):
            return {}
        weights = {}
        for dealt, chance in _rare_sets(self.rares, self.rare_chance).items():
            left = HAND_SIZE - len(dealt)
            if rare <= set(dealt) and left >= others and chance > 0:
                weights[dealt] = chance / comb(size, left) * comb(size - others, left - others)
        total = sum(weights.values())
        return {dealt: weight / total for dealt, weight in weights.items()}


def deal_hand(dealing: Dealing, random: int) -> tuple[tuple[int, ...], int]:
    """Return five card ids in dealt order, and the state of the random numbers afterwards."""
    check_random(random)
    hand = np.zeros(HAND_SIZE, dtype=np.int64)
    levels = np.array(dealing.levels, dtype=np.int64)
    rares = np.array(dealing.rares, dtype=np.int64)
    random = deal(levels, rares, dealing.rare_chance, random, hand)
    return tuple(hand.tolist()), random


def check_random(random: int) -> None:
    """Raise `OpponentError` for a state that the random numbers cannot have."""
    if type(random) is not int or not 0 <= random <= HIGHEST_STATE:
        raise OpponentError.of("rng", random, f"a whole number from 0 to {HIGHEST_STATE}")


@lru_cache(maxsize=64)
def _rare_sets(rares: tuple[int, ...], percent: int) -> dict[tuple[int, ...], float]:
    """Return every set of rares, and how likely it is."""
    sets: dict[tuple[int, ...], float] = {(): 1.0}
    for rare in rares:
        grown: dict[tuple[int, ...], float] = {}
        for dealt, chance in sets.items():
            share = (percent >> 1 if dealt else percent) / CERTAIN
            if len(dealt) == HAND_SIZE:
                share = 0.0
            grown[dealt] = chance * (1 - share)
            if share:
                grown[*dealt, rare] = chance * share
        sets = {dealt: chance for dealt, chance in grown.items() if chance > 0}
    return sets


def _list_problems(field: str, given: list[int], allowed: range, what: str) -> list[Problem]:
    """Return which numbers of a list are not allowed, or are there twice."""
    words = f"{what}, each once, from {allowed[0]} to {allowed[-1]}"
    return [
        Problem(f"{field}[{place}]", number, words)
        for place, number in enumerate(given)
        if type(number) is not int or number not in allowed or number in given[:place]
    ]
