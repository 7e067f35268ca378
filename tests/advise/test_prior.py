"""Priors: which worlds they leave, how likely, and what they refuse."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement

import numpy as np
import pytest

from advise import View
from advise.belief import Belief
from advise.prior import Deck, Decks, Levels, Pool, Prior
from engine.errors import InputError, StateError
from engine.game.deal import Deal, Player
from engine.game.rules import Rules, Variant
from engine.game.state import State
from engine.players.dealing import Dealing, deal_hand
from tests.advise.closed import CATALOGUE, PLAIN

SQUALL = 110


def view_at(ply: int, mine: list[int], theirs: list[int], rules: Rules = PLAIN) -> View:
    """Return A's view after the first legal moves; A is to move."""
    hands = [[CATALOGUE[card] for card in hand] for hand in (mine, theirs)]
    state = State.start(Deal.of(*hands, rules=rules, first=Player(ply % 2)))
    for _ in range(ply):
        state = state.play(state.legal_moves()[0])
    return View.seen_by(state, Player.A)


def chances(belief: Belief) -> dict[tuple[int, ...], float]:
    """Return every world and how likely it is."""
    worlds = belief.everything()
    ids = [card.id for card in worlds.pool]
    rows = [tuple(sorted(ids[place] for place in row)) for row in worlds.members.tolist()]
    assert len(set(rows)) == len(rows)
    return dict(zip(rows, worlds.shares.tolist(), strict=True))


def test_pool_is_every_set_of_what_is_left() -> None:
    view = view_at(3, [30, 31, 32, 33, 34], [1, 2, 3, 4, 5])
    played = {card.id for card in view.played or ()}
    belief = Belief.of(view, Pool.of(range(1, 8)))
    left = sorted(set(range(1, 8)) - played)
    assert set(chances(belief)) == set(combinations(left, 3))


def test_levels_are_the_pool_without_pupu() -> None:
    view = view_at(0, [30, 31, 32, 33, 34], [1, 2, 3, 4, 5])
    belief = Belief.of(view, Levels.of([5]))
    assert 48 not in {each.card.id for each in belief.cards}
    assert Belief.of(view, Levels.of([1, 2])).total == 26_334
    for each in Belief.of(view, Levels.of([1, 2])).cards:
        assert each.chance == pytest.approx(5 / 22)


def test_rares_are_as_likely_as_the_game_deals_them() -> None:
    """Dealt hands with what was played, counted, against the posterior."""
    dealing = Dealing.of([1], [78, 79, 80], 40)
    view = view_at(3, [30, 31, 32, 33, 34], [1, 2, 3, 4, 5])
    played = {card.id for card in view.played or ()}
    belief = chances(Belief.of(view, Levels(dealing)))
    assert sum(belief.values()) == pytest.approx(1)
    counts: Counter[tuple[int, ...]] = Counter()
    random = 1
    for _ in range(60_000):
        hand, random = deal_hand(dealing, random)
        if played <= set(hand):
            counts[tuple(sorted(set(hand) - played))] += 1
    total = counts.total()
    assert total > 1_000
    by_rares: dict[int, list[float]] = {}
    for world, chance in belief.items():
        of = by_rares.setdefault(sum(card > 77 for card in world), [0.0, 0.0])
        of[0] += chance
        of[1] += counts[world] / total
    for expected, found in by_rares.values():
        error = (expected * (1 - expected) / total) ** 0.5
        assert abs(expected - found) < 4 * error + 1e-9


def test_rare_that_you_hold_is_not_in_its_deck() -> None:
    view = view_at(0, [30, 31, 32, 33, SQUALL], [1, 2, 3, 4, 5])
    held = Belief.of(view, Levels.of([1, 2], [78, SQUALL], 30))
    without = Belief.of(view, Levels.of([1, 2], [78], 30))
    assert held.cards == without.cards


def test_unique_card_that_you_hold_leaves_the_pool() -> None:
    view = view_at(0, [30, 31, 32, 33, SQUALL], [1, 2, 3, 4, 5])
    assert Belief.of(view, Pool.of([*range(1, 7), SQUALL])).total == 6
    common = Belief.of(view, Pool.of([*range(1, 7), 30]))
    assert common.total == 21


def test_copies_are_every_multiset_with_uniques_once() -> None:
    view = view_at(5, [30, 31, 32, 33, 34], [1, 2, 3, 4, 5])
    belief = Belief.of(view, Pool.of([1, 2, 3, 78], copies=True))
    pairs = combinations_with_replacement((1, 2, 3, 78), 2)
    every = [pair for pair in pairs if pair != (78, 78)]
    assert set(chances(belief)) == set(every)


def test_cards_of_copies_are_counted_by_hand() -> None:
    view = view_at(5, [30, 31, 32, 33, 34], [1, 2, 3, 4, 5])
    found = {each.card.id: each.chance for each in Belief.of(view, _copies()).cards}
    worlds = chances(Belief.of(view, _copies()))
    for card, chance in found.items():
        assert chance == pytest.approx(sum(p for world, p in worlds.items() if card in world))


def _copies() -> Pool:
    return Pool.of([1, 2, 3, 78, 79], copies=True)


def test_listed_hands_lose_what_was_played_and_add_their_weights() -> None:
    view = view_at(3, [30, 31, 32, 33, 34], [1, 2, 3, 4, 5])
    played = [card.id for card in view.played or ()]
    (first,) = played[:1]
    prior = Decks(
        (
            Deck((*played, 10, 11, 12)[:5], 3),
            Deck((*played, 12, 11, 10)[:5], 1),
            Deck((*played, 7, 8, 9)[:5], 0),
            Deck((20, 21, 22, 19, 18), 5),
        )
    )
    belief = Belief.of(view, prior)
    assert sum(chances(belief).values()) == pytest.approx(1)
    assert all(first not in world for world in chances(belief))
    assert not any({7, 8, 9} & set(world) for world in chances(belief))


def test_weight_of_nothing_changes_nothing() -> None:
    view = view_at(0, [30, 31, 32, 33, 34], [1, 2, 3, 4, 5])
    decks = (Deck((1, 2, 3, 4, 5)), Deck((6, 7, 8, 9, 10), 2))
    more = (*decks, Deck((11, 12, 13, 14, 15), 0.0))
    assert chances(Belief.of(view, Decks(decks))) == chances(Belief.of(view, Decks(more)))


def test_known_card_is_certain_and_in_no_world() -> None:
    state = view_at(0, [30, 31, 32, 33, 34], [1, 2, 3, 4, 5])
    view = View.of(
        state.board, state.hand, state.to_move, PLAIN, unseen=4, known=[CATALOGUE[2]], played=[]
    )
    belief = Belief.of(view, Levels.of([1, 2]))
    assert belief.cards[0] == (CATALOGUE[2], 1.0)
    assert belief.total == 5_985
    assert all(2 not in world for world in chances(Belief.of(view, Pool.of(range(1, 8)))))


def test_order_of_a_seed_visits_every_world_once() -> None:
    view = view_at(3, [30, 31, 32, 33, 34], [1, 2, 3, 4, 5])
    belief = Belief.of(view, Levels.of([1], [78, 79], 50))
    numbers = belief.numbers(0, belief.total, 7)
    assert sorted(numbers.tolist()) == list(range(belief.total))
    assert not np.array_equal(numbers, belief.numbers(0, belief.total, 8))


def test_effective_number_of_weighted_worlds() -> None:
    view = view_at(3, [30, 31, 32, 33, 34], [1, 2, 3, 4, 5])
    belief = Belief.of(view, Levels.of([1], [78, 79], 50))
    weights = belief.everything().weights
    assert belief.effective == pytest.approx(weights.sum() ** 2 / (weights**2).sum())


@pytest.mark.parametrize(
    ("prior", "field"),
    [
        (Pool.of([20, 21, 22]), "hands.B.played"),
        (Pool.of([1, 2]), "hands.B.from.pool"),
        (Levels.of([3]), "hands.B.played"),
        (Decks((Deck((20, 21, 22, 19, 18)),)), "hands.B.played"),
        (Decks((Deck((1, 2, 3, 4, 5), 0.0),)), "hands.B.from.hands"),
        (Decks((Deck((1, 2, 3, 4, 5), -1.0),)), "hands.B.from.hands[0].weight"),
        (Decks((Deck((1, 2, 3, 4, 5), float("nan")),)), "hands.B.from.hands[0].weight"),
    ],
)
def test_prior_that_cannot_be_names_its_field(prior: Prior, field: str) -> None:
    view = view_at(2, [30, 31, 32, 33, 34], [1, 2, 3, 4, 5])
    with pytest.raises(InputError) as caught:
        Belief.of(view, prior)
    assert caught.value.problems[0].field == field


def test_copies_are_refused_where_a_hand_has_none() -> None:
    view = view_at(2, [30, 31, 32, 33, 34], [1, 2, 3, 4, 5], Rules(variant=Variant.TRIPLECARGO))
    with pytest.raises(StateError, match="copies"):
        Belief.of(view, Pool.of(range(1, 9), copies=True))


def test_digest_tells_priors_apart_and_not_their_order() -> None:
    assert Pool.of([3, 1, 2]).digest == Pool.of([1, 2, 3]).digest
    assert len({Pool.of([1]).digest, Pool.of([1], copies=True).digest, Levels.of([1]).digest}) == 3
