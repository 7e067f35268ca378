"""Worlds: which cards the opponent may hold, numbered, and visited in a seeded random order.

    number 0..total-1 → Shuffle → number → Combinations → members: places in the pool, ascending

Nothing as long as `total` is kept, so that 122 million worlds cost no more than eighteen.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import comb
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.cards import Card
from engine.kernel import Numbers

Members: TypeAlias = npt.NDArray[np.int64]  # [worlds, unseen]: places in a pool of cards
Weights: TypeAlias = npt.NDArray[np.float64]  # [worlds]
_Words: TypeAlias = npt.NDArray[np.uint64]

ROUNDS = 8
_FIRST = np.uint64(0xBF58476D1CE4E5B9)
_SECOND = np.uint64(0x94D049BB133111EB)


class Worlds(NamedTuple):
    """Some worlds, as arrays. Weights need not add up to 1; equal ones by default."""

    pool: tuple[Card, ...]
    members: Members
    weights: Weights

    @classmethod
    def of(
        cls, pool: Sequence[Card], members: npt.ArrayLike, weights: npt.ArrayLike | None = None
    ) -> Worlds:
        """Return these worlds, equally likely unless weights say otherwise."""
        places = np.atleast_2d(np.asarray(members, dtype=np.int64))
        given = np.ones(len(places)) if weights is None else np.asarray(weights, dtype=np.float64)
        return cls(tuple(pool), places, given)

    @property
    def shares(self) -> Weights:
        """Return the weights as probabilities."""
        shares: Weights = self.weights / self.weights.sum()
        return shares

    def with_known(self, known: Sequence[Card]) -> Worlds:
        """Return the same worlds with cards that are there in each of them."""
        places = len(self.pool) + np.arange(len(known))
        columns = np.broadcast_to(places, (len(self.members), len(known)))
        members = np.concatenate([self.members, columns], axis=1)
        return Worlds((*self.pool, *known), members, self.weights)

    def compact(self) -> Worlds:
        """Return the worlds of positive weight, in a pool of the cards that they hold, each once.

        A card that stands in the pool twice is one card: who sees it cannot tell which it is.
        """
        is_possible = self.weights > 0
        cards = {card.id: card for card in self.pool}
        ids = np.array([card.id for card in self.pool], dtype=np.int64)[self.members[is_possible]]
        used, places = np.unique(ids, return_inverse=True)
        pool = tuple(cards[card] for card in used.tolist())
        members = places.reshape(ids.shape).astype(np.int64)
        return Worlds(pool, members, self.weights[is_possible])


class Combinations:
    """All sets of so many cards of a pool, numbered; some cards may be there more than once.

    Those of `singles` are there once at most, those of `repeats` any number of times; equal
    cards cannot be told apart, so that a set with two of them is one world.
    """

    def __init__(self, singles: Sequence[Card], unseen: int, repeats: Sequence[Card] = ()) -> None:
        """Number the sets of `unseen` cards: first those without singles, then those with one."""
        self.pool = (*singles, *repeats)
        self._singles, self.size = len(singles), unseen
        self._bags = [_count_bags(len(repeats), unseen - taken) for taken in range(unseen + 1)]
        sizes = [comb(len(singles), taken) * bags for taken, bags in enumerate(self._bags)]
        self._starts = np.cumsum([0, *sizes])
        self.total = int(self._starts[-1])

    def members(self, numbers: npt.ArrayLike) -> Members:
        """Return the sets of these numbers, as places in the pool."""
        wanted = np.asarray(numbers, dtype=np.int64)
        found = np.empty((len(wanted), self.size), dtype=np.int64)
        taken_by = np.searchsorted(self._starts, wanted, side="right") - 1
        for taken in set(taken_by.tolist()):
            rows = taken_by == taken
            several, bag = np.divmod(wanted[rows] - self._starts[taken], self._bags[taken])
            found[rows, :taken] = unrank(several, taken)
            bags = unrank(bag, self.size - taken) - np.arange(self.size - taken)
            found[rows, taken:] = self._singles + bags
        return found

    def counts(self) -> dict[Card, int]:
        """Return for each card how many of the sets have it."""
        singles, repeats = self._singles, len(self.pool) - self._singles
        with_single = self.total - _count_sets(singles - 1, repeats, self.size)
        with_repeat = self.total - _count_sets(singles, repeats - 1, self.size)
        return {
            card: with_single if place < singles else with_repeat
            for place, card in enumerate(self.pool)
        }

    def everything(self) -> Worlds:
        """Return all worlds, equally likely."""
        return Worlds.of(self.pool, self.members(np.arange(self.total)))

    def sample(self, first: int, last: int, shuffle: Shuffle) -> Worlds:
        """Return the worlds that come at these places of a random order."""
        return Worlds.of(self.pool, self.members(shuffle.numbers(first, last)))


def _count_bags(cards: int, size: int) -> int:
    """Return how many multisets there are of so many cards."""
    return comb(cards + size - 1, size) if size else 1


def _count_sets(singles: int, repeats: int, size: int) -> int:
    """Return how many sets there are of so many cards; none of a negative number."""
    if singles < 0 or repeats < 0:
        return 0
    return sum(
        comb(singles, taken) * _count_bags(repeats, size - taken) for taken in range(size + 1)
    )


def unrank(numbers: Numbers, size: int) -> Members:
    """Return combinations of `size` naturals, ascending: those below n have the first numbers."""
    left = numbers.copy()
    found = np.empty((len(left), size), dtype=np.int64)
    for place in range(size, 0, -1):
        highest = int(left.max(initial=0))
        counts = [comb(below, place) for below in range(place)]
        while counts[-1] <= highest:
            counts.append(comb(len(counts), place))
        table = np.array(counts, dtype=np.int64)
        member = np.searchsorted(table, left, side="right") - 1
        found[:, place - 1] = member
        left -= table[member]
    return found


class Shuffle:
    """A random order of 0..total-1 that is computed, not kept: a Feistel cipher, walked.

    A number is two halves, and each round stirs one with the other, which can be undone: so
    different numbers stay different. What leaves the range goes round again until it is back.
    """

    def __init__(self, total: int, seed: Sequence[int]) -> None:
        """Make the order that belongs to these numbers."""
        self.total = total
        self._half = np.uint64(max((max(total - 1, 1).bit_length() + 1) // 2, 1))
        self._mask = (np.uint64(1) << self._half) - np.uint64(1)
        self._keys = np.random.SeedSequence(list(seed)).generate_state(ROUNDS, np.uint64)

    def numbers(self, first: int, last: int) -> Numbers:
        """Return what stands at the places from `first` on, before `last`."""
        walking = self._stirred(np.arange(first, min(last, self.total), dtype=np.uint64))
        while (outside := walking >= self.total).any():
            walking[outside] = self._stirred(walking[outside])
        return walking.astype(np.int64)

    def _stirred(self, numbers: _Words) -> _Words:
        high, low = numbers >> self._half, numbers & self._mask
        for key in self._keys:
            mixed = low ^ key
            mixed = (mixed ^ (mixed >> np.uint64(30))) * _FIRST
            mixed = (mixed ^ (mixed >> np.uint64(27))) * _SECOND
            high, low = low, high ^ ((mixed >> np.uint64(31)) & self._mask)
        return (high << self._half) | low
