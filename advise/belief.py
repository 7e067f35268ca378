"""A belief: how likely each world is, by the cards alone; its worlds in a seeded random order.

What was played leaves the hand, and the choice itself says nothing: `kind` is "cards". A belief by
behaviour is one of listed worlds, with the weights that the opponent's moves give them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from typing import NamedTuple, Protocol

import numpy as np

from advise.prior import Group, Prior
from advise.view import View
from advise.worlds import Combinations, Members, Shuffle, Weights, Worlds
from engine.errors import StateError
from engine.game.cards import Card, Catalogue, default_catalogue
from engine.kernel import Numbers

CARDS, BEHAVIOUR, REFUTED = "cards", "behaviour", "refuted"


class CardChance(NamedTuple):
    """How likely the opponent holds a card."""

    card: Card
    chance: float


class WorldSource(Protocol):
    """Worlds that are numbered from 0 on."""

    @property
    def total(self) -> int:
        """Return how many there are."""

    def at(self, numbers: Numbers) -> Worlds:
        """Return the worlds of these numbers; weights mean the same in every answer."""

    def weights(self) -> tuple[float, float]:
        """Return the sum of all weights, and of their squares."""

    def card_weights(self) -> dict[Card, float]:
        """Return for each card the weight of the worlds with it."""


class Listed:
    """Worlds that are written down."""

    def __init__(self, worlds: Worlds) -> None:
        """Number them as they come."""
        self.worlds = worlds
        self.total = len(worlds.members)

    def at(self, numbers: Numbers) -> Worlds:
        """Return the worlds of these numbers."""
        pool, members, weights = self.worlds
        return Worlds(pool, members[numbers], weights[numbers])

    def weights(self) -> tuple[float, float]:
        """Return the sum of all weights, and of their squares."""
        return float(self.worlds.weights.sum()), float((self.worlds.weights**2).sum())

    def card_weights(self) -> dict[Card, float]:
        """Return for each card the weight of the worlds with it."""
        found: dict[Card, float] = defaultdict(float)
        pool = self.worlds.pool
        for row, weight in zip(self.worlds.members.tolist(), self.worlds.weights, strict=True):
            for card in {pool[place] for place in row}:
                found[card] += float(weight)
        return found


class Grouped:
    """Worlds of groups, which are numbered and not written down."""

    def __init__(self, groups: Sequence[Group]) -> None:
        """Number the worlds of one group after those of another."""
        self._groups = groups
        cards = {card for group in groups for card in group.fixed}
        for sets in {id(group.sets): group.sets for group in groups}.values():
            cards |= set(sets.pool)
        self._pool = tuple(sorted(cards))
        self._places = {card: place for place, card in enumerate(self._pool)}
        self._starts = np.cumsum([0, *(group.sets.total for group in groups)])
        self.total = int(self._starts[-1])
        self._unseen = len(groups[0].fixed) + groups[0].sets.size

    def at(self, numbers: Numbers) -> Worlds:
        """Return the worlds of these numbers."""
        wanted = np.asarray(numbers, dtype=np.int64)
        of_group = np.searchsorted(self._starts, wanted, side="right") - 1
        members: Members = np.empty((len(wanted), self._unseen), dtype=np.int64)
        weights: Weights = np.empty(len(wanted))
        for number in np.unique(of_group).tolist():
            rows, group = of_group == number, self._groups[number]
            fixed = [self._places[card] for card in group.fixed]
            places = np.array([self._places[card] for card in group.sets.pool], dtype=np.int64)
            members[rows, : len(fixed)] = fixed
            drawn = group.sets.members(wanted[rows] - self._starts[number])
            members[rows, len(fixed) :] = places[drawn]
            weights[rows] = group.weight
        return Worlds(self._pool, members, weights)

    def weights(self) -> tuple[float, float]:
        """Return the sum of all weights, and of their squares."""
        sums = [(group.sets.total * group.weight, group.weight) for group in self._groups]
        return sum(share for share, _ in sums), sum(share * weight for share, weight in sums)

    def card_weights(self) -> dict[Card, float]:
        """Return for each card the weight of the worlds with it."""
        found: dict[Card, float] = defaultdict(float)
        of_sets: dict[int, float] = defaultdict(float)
        for group in self._groups:
            for card in set(group.fixed):
                found[card] += group.weight * group.sets.total
            of_sets[id(group.sets)] += group.weight
        for sets in {id(group.sets): group.sets for group in self._groups}.values():
            for card, count in sets.counts().items():
                if count:
                    found[card] += of_sets[id(sets)] * count
        return found


def source_of(groups: Sequence[Group]) -> WorldSource:
    """Return the worlds of groups, written down where each is of one world."""
    if any(group.sets.size for group in groups):
        return Grouped(groups)
    pool = tuple(sorted({card for group in groups for card in group.fixed}))
    places = {card: place for place, card in enumerate(pool)}
    members = [[places[card] for card in group.fixed] for group in groups]
    weights = [group.weight for group in groups]
    return Listed(Worlds.of(pool, np.array(members, dtype=np.int64), weights))


class Belief:
    """How likely each world of a view is."""

    def __init__(
        self, view: View, source: WorldSource, assumes: Sequence[str], *, kind: str = CARDS
    ) -> None:
        """Believe in these worlds; `assumes` says what it stands on."""
        self.view, self.source, self.kind = view, source, kind
        self.assumes = (*assumes, f"belief: {kind}") if view.unseen else ()
        self.prior: Prior | None = None

    @classmethod
    def of(
        cls, view: View, prior: Prior | None = None, catalogue: Catalogue | None = None
    ) -> Belief:
        """Return what a prior leaves of a view, by the cards alone; or raise `StateError`."""
        if not view.unseen:
            return cls(view, source_of([Group((), Combinations([], 0), 1.0)]), ())
        where = f"hands.{view.opponent.name}"
        if prior is None:
            raise StateError.of(f"{where}.from", None, "what the opponent may hold")
        if view.played is None and view.ply and prior.needs_played:
            allowed = "the cards that it has played, or a history: a board does not tell"
            raise StateError.of(f"{where}.played", None, allowed)
        groups = prior.groups(view, catalogue or default_catalogue())
        belief = cls(view, source_of(groups), [f"prior: {prior}"])
        belief.prior = prior
        return belief

    @property
    def total(self) -> int:
        """Return the number of worlds."""
        return self.source.total

    @cached_property
    def effective(self) -> float:
        """Return how many equally likely worlds would be as many."""
        total, squares = self.source.weights()
        return total * total / squares

    def everything(self) -> Worlds:
        """Return all worlds, in the order of their numbers."""
        return self.source.at(np.arange(self.total))

    def numbers(self, first: int, last: int, seed: int) -> Numbers:
        """Return which worlds come at these places of a seed's random order."""
        return Shuffle(self.total, [seed]).numbers(first, last)

    def worlds(self, numbers: Numbers) -> Worlds:
        """Return the worlds of these numbers."""
        return self.source.at(numbers)

    @cached_property
    def cards(self) -> tuple[CardChance, ...]:
        """Return what the opponent may hold, most likely first; known cards are certain."""
        total, _ = self.source.weights()
        chances = {card: min(weight / total, 1.0) for card, weight in self._weights().items()}
        chances |= dict.fromkeys(self.view.known, 1.0)
        ordered = sorted(chances.items(), key=lambda item: (-round(item[1], 9), item[0].id))
        return tuple(CardChance(card, chance) for card, chance in ordered)

    def _weights(self) -> dict[Card, float]:
        return self.source.card_weights() if self.view.unseen else {}
