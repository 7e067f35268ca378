"""Worlds as hands that were dealt: five cards each, in slot order.

The game's computer player tries its slots in order and guesses by the levels of its dealt cards,
so its worlds are ordered hands. To other models the order means nothing, and a world has one.
What was played leaves the slots:  dealt 7 19 3 12 5, played 19 → held 7 - 3 12 5
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from advise.view import View
from advise.worlds import Combinations, Shuffle, Weights, Worlds
from engine.game.board import HAND_SIZE
from engine.game.facts import NO_CARD
from engine.kernel import Numbers

ORDERS = np.array(list(permutations(range(HAND_SIZE))), dtype=np.int64)  # [120, 5]


class DealtWorlds(NamedTuple):
    """Some worlds, as arrays. Weights need not add up to 1."""

    dealt: Numbers  # [worlds, 5]: card ids by slot; NO_CARD for cards that nobody told
    weights: Weights  # [worlds]

    @classmethod
    def of(cls, dealt: npt.ArrayLike, weights: npt.ArrayLike | None = None) -> DealtWorlds:
        """Return these worlds, equally likely unless weights say otherwise."""
        rows = np.asarray(dealt, dtype=np.int64).reshape(-1, HAND_SIZE)
        given = np.ones(len(rows)) if weights is None else np.asarray(weights, dtype=np.float64)
        return cls(rows, given)

    @classmethod
    def of_sets(cls, view: View, worlds: Worlds) -> DealtWorlds:
        """Return sets of unseen cards as dealt hands: known, played, unseen; any order will do."""
        seen = [card.id for card in (*view.known, *(view.played or ()))]
        missing = HAND_SIZE - len(seen) - worlds.members.shape[1]
        columns = np.array(seen + [NO_CARD] * missing, dtype=np.int64)
        unseen = np.array([card.id for card in worlds.pool], dtype=np.int64)[worlds.members]
        rows = [np.broadcast_to(columns, (len(unseen), len(columns))), unseen]
        return cls(np.concatenate(rows, axis=1), worlds.weights)

    @property
    def shares(self) -> Weights:
        """Return the weights as probabilities."""
        shares: Weights = self.weights / self.weights.sum()
        return shares

    def held(self, played: Sequence[int]) -> Numbers:
        """Return what is left in the slots [worlds, 5], NO_CARD where a card was played.

        Of equal cards the first are gone. A world that did not hold them all holds nothing.
        """
        left = self.dealt.copy()
        rows = np.arange(len(left))
        is_possible = np.ones(len(left), dtype=np.bool_)
        for card in played:
            is_there = left == card
            is_possible &= is_there.any(axis=1)
            left[rows, is_there.argmax(axis=1)] = NO_CARD
        left[~is_possible] = NO_CARD
        return left


class Orders:
    """All orders of all sets, numbered: what a computer player may have been dealt.

    Rares come first, ascending; the orders that differ only by where these would lie are one
    hand, which is then there as often as it has such orders.
    """

    def __init__(self, view: View, sets: Combinations, rares: Sequence[int] = ()) -> None:
        """Number the orders of what a view shows and each set has besides."""
        self._view, self._sets = view, sets
        self._rares = np.array(sorted(rares), dtype=np.int64)
        self.total = sets.total * len(ORDERS)

    def hands(self, numbers: npt.ArrayLike) -> DealtWorlds:
        """Return the hands of these numbers."""
        several, order = np.divmod(np.asarray(numbers, dtype=np.int64), len(ORDERS))
        chosen = Worlds.of(self._sets.pool, self._sets.members(several))
        dealt = DealtWorlds.of_sets(self._view, chosen).dealt
        dealt = np.take_along_axis(dealt, ORDERS[order], axis=1)
        if len(self._rares):
            others = np.iinfo(np.int64).max
            keys = np.where(np.isin(dealt, self._rares), dealt, others)
            dealt = np.take_along_axis(dealt, np.argsort(keys, axis=1, kind="stable"), axis=1)
        return DealtWorlds.of(dealt)

    def everything(self) -> DealtWorlds:
        """Return all hands, equally likely."""
        return self.hands(np.arange(self.total))

    def sample(self, first: int, last: int, shuffle: Shuffle) -> DealtWorlds:
        """Return the hands that come at these places of a random order."""
        return self.hands(shuffle.numbers(first, last))
