"""Priors: which five cards the opponent may have been dealt, and how likely they are.

    Pool      every set of different cards of a pool equally likely; with copies, every multiset
    Levels    as the game deals: cards of some levels, and rares with their chance
    Decks     a list of hands with weights; those of the computer player in slot order

A prior is conditioned on what was played and on what is known, never guessed beyond that. What is
left of it are groups of worlds, each of them equally likely within its group.
"""

from __future__ import annotations

import hashlib
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from math import fsum, isfinite
from typing import NamedTuple

from advise.view import View
from advise.worlds import Combinations
from engine.errors import Problem, StateError, Words, counted
from engine.game.cards import Card, Catalogue
from engine.game.rules import Variant
from engine.players.dealing import Dealing

_DIGEST_BYTES = 16


class Group(NamedTuple):
    """Worlds that are equally likely: these cards, and any set of those numbered."""

    fixed: tuple[Card, ...]
    sets: Combinations
    weight: float  # of each world


class Prior(ABC):
    """What the opponent may have been dealt."""

    needs_played = True  # whether it must be told what the opponent has played

    @abstractmethod
    def groups(self, view: View, catalogue: Catalogue) -> list[Group]:
        """Return the worlds that a view leaves, or raise `StateError`. There is at least one."""

    @abstractmethod
    def plain(self) -> dict[str, object]:
        """Return it as a request writes it, always in the same way."""

    @abstractmethod
    def __str__(self) -> str:
        """Return it in a few words."""

    @property
    def digest(self) -> str:
        """Return what tells it from others, as 32 hex digits."""
        text = json.dumps(self.plain(), sort_keys=True, separators=(",", ":"))
        return hashlib.blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()


@dataclass(frozen=True)
class Pool(Prior):
    """Different cards of a pool, or, with copies, cards of which there may be several."""

    cards: tuple[int, ...]  # ids, ascending
    copies: bool = False

    @classmethod
    def of(cls, cards: Iterable[int], *, copies: bool = False) -> Pool:
        """Return the prior of these cards, whatever their order."""
        return cls(tuple(sorted(set(cards))), copies)

    @property
    def needs_played(self) -> bool:  # type: ignore[override]
        """Tell whether what was played says what is left: not where there are copies."""
        return not self.copies

    def groups(self, view: View, catalogue: Catalogue) -> list[Group]:
        """Return the worlds that a view leaves: one group."""
        cards = [catalogue[card] for card in self.cards]
        if self.copies and view.rules.variant is not Variant.FF8:
            field = f"{_where(view)}.from.copies"
            raise StateError.of(field, True, "false: triplecargo has each card once in a hand")
        _check_held(view, set(self.cards), f"cards of {_where(view)}.from.pool", self.copies)
        gone = _seen_uniques(view)
        if self.copies:
            gone |= {card for card in _dealt(view) if card.is_unique}
            left = [card for card in cards if card not in gone]
            singles = [card for card in left if card.is_unique]
            repeats = [card for card in left if not card.is_unique]
            sets = Combinations(singles, view.unseen, repeats)
        else:
            gone |= set(_dealt(view))
            left = [card for card in cards if card not in gone]
            sets = Combinations(left, view.unseen)
        if not sets.total:
            raise _too_few(view, "pool", len(left))
        return [Group((), sets, 1.0)]

    def plain(self) -> dict[str, object]:
        """Return it as a request writes it."""
        return {"pool": list(self.cards)} | ({"copies": True} if self.copies else {})

    def __str__(self) -> str:
        """Return it in a few words."""
        return f"pool of {counted(len(self.cards), 'card')}" + (", copies" if self.copies else "")


@dataclass(frozen=True)
class Levels(Prior):
    """As the game deals its computer players."""

    dealing: Dealing

    @classmethod
    def of(cls, levels: Iterable[int], rares: Iterable[int] = (), rare_chance: int = 0) -> Levels:
        """Return the prior of these levels and rares, or raise `OpponentError`."""
        return cls(Dealing.of(levels, rares, rare_chance))

    def groups(self, view: View, catalogue: Catalogue) -> list[Group]:
        """Return the worlds that a view leaves: a group for each set of rares.

        A rare that lies elsewhere is not in its deck, so it was not drawn for.
        """
        gone = {card.id for card in _seen_uniques(view)}
        dealing = self.dealing
        rares = [card for card in dealing.rares if card not in gone]
        left = Dealing(dealing.levels, tuple(rares), dealing.rare_chance)
        allowed = f"cards of {_where(view)}.from.levels"
        _check_held(view, {*left.pool, *left.rares}, allowed + (" or .rares" if rares else ""))
        dealt = {card.id for card in _dealt(view)}
        others = [catalogue[card] for card in left.pool if card not in dealt]
        sets: dict[int, Combinations] = {}
        groups = []
        for rare, chance in left.rare_sets_given(dealt).items():
            fixed = tuple(catalogue[card] for card in rare if card not in dealt)
            size = view.unseen - len(fixed)
            numbered = sets.setdefault(size, Combinations(others, size))
            if numbered.total:
                groups.append(Group(fixed, numbered, chance / numbered.total))
        if not groups:
            found = [card.id for card in _dealt(view)]
            raise StateError.of(f"{_where(view)}.from", found, "a prior that deals these cards")
        return groups

    def plain(self) -> dict[str, object]:
        """Return it as a request writes it."""
        dealing = self.dealing
        plain: dict[str, object] = {"levels": list(dealing.levels)}
        if dealing.rares:
            plain |= {"rares": list(dealing.rares), "rare_chance": dealing.rare_chance}
        return plain

    def __str__(self) -> str:
        """Return it in a few words."""
        dealing = self.dealing
        words = f"levels {', '.join(map(str, dealing.levels))}"
        if not dealing.rares:
            return words
        rares = counted(len(dealing.rares), "rare card")
        return f"{words}, {rares} at {dealing.rare_chance} %"


@dataclass(frozen=True)
class Deck:
    """Five cards with a weight."""

    cards: tuple[int, ...]  # ids; in slot order where slots matter
    weight: float = 1.0


@dataclass(frozen=True)
class Decks(Prior):
    """A list of hands; `is_ordered` when they are dealt hands in slot order."""

    decks: tuple[Deck, ...]
    is_ordered: bool = False

    @property
    def name(self) -> str:
        """Return what a request calls it."""
        return "worlds" if self.is_ordered else "hands"

    def groups(self, view: View, catalogue: Catalogue) -> list[Group]:
        """Return the worlds that a view leaves; equal ones are one, with the sum of weights."""
        self._check_weights(view)
        possible = {card for deck in self.decks if deck.weight > 0 for card in deck.cards}
        _check_held(view, possible, f"cards of {_where(view)}.from.{self.name}", True)
        gone = Counter(card.id for card in _dealt(view))
        elsewhere = {card.id for card in _seen_uniques(view)}
        weights: dict[tuple[int, ...], list[float]] = {}
        for deck in self.decks:
            hand = Counter(deck.cards)
            if deck.weight > 0 and gone <= hand and not elsewhere & set(deck.cards):
                unseen = tuple(sorted((hand - gone).elements()))
                weights.setdefault(unseen, []).append(deck.weight)
        if not weights:
            allowed = "a hand with what was played and is known, and no rare that is elsewhere"
            raise StateError.of(f"{_where(view)}.from.{self.name}", Words("no such hand"), allowed)
        nothing = Combinations([], 0)
        return [
            Group(tuple(catalogue[card] for card in unseen), nothing, fsum(weights[unseen]))
            for unseen in sorted(weights)
        ]

    def _check_weights(self, view: View) -> None:
        where = f"{_where(view)}.from.{self.name}"
        problems = [
            Problem(f"{where}[{number}].weight", deck.weight, "a finite number, 0 or more")
            for number, deck in enumerate(self.decks)
            if not isfinite(deck.weight) or deck.weight < 0
        ]
        if not problems and not any(deck.weight for deck in self.decks):
            problems = [Problem(where, Words("weights that are all 0"), "one weight above 0")]
        if problems:
            raise StateError(problems)

    def plain(self) -> dict[str, object]:
        """Return it as a request writes it."""
        name = "dealt" if self.is_ordered else "cards"
        decks = [{name: list(deck.cards), "weight": deck.weight} for deck in self.decks]
        return {self.name: decks}

    def __str__(self) -> str:
        """Return it in a few words."""
        return f"{counted(len(self.decks), 'dealt hand' if self.is_ordered else 'hand')} listed"


def _where(view: View) -> str:
    return f"hands.{view.opponent.name}"


def _dealt(view: View) -> tuple[Card, ...]:
    """Return what is known to have been dealt to the opponent."""
    return (*(view.played or ()), *view.known)


def _seen_uniques(view: View) -> set[Card]:
    """Return the cards that exist once, and are not the opponent's: it cannot hold them."""
    if view.rules.variant is not Variant.FF8:
        return set()
    seen = {card for card in (*view.hand, *view.placed) if card.is_unique}
    return seen - set(view.played or ())


def _check_held(view: View, possible: Collection[int], allowed: str, copies: bool = False) -> None:
    """Raise `StateError` for what was played, or is known, and cannot have been dealt."""
    problems = []
    before: list[Card] = []
    given: Sequence[tuple[str, Sequence[Card]]] = (
        ("played", view.played or ()),
        ("known", view.known),
    )
    for name, cards in given:
        for card in cards:
            field = f"{_where(view)}.{name}"
            if card.id not in possible:
                problems.append(Problem(field, card.id, allowed))
            elif not copies and card in before:
                problems.append(Problem(field, card.id, "each card once, as in the prior"))
            before.append(card)
    if problems:
        raise StateError(problems)


def _too_few(view: View, name: str, left: int) -> StateError:
    """Return the error of a prior with fewer cards than are unseen."""
    found = Words(f"{counted(left, 'card')} that it may still hold")
    allowed = f"at least {view.unseen}, besides those played, known, or unique and elsewhere"
    return StateError([Problem(f"{_where(view)}.from.{name}", found, allowed)])
