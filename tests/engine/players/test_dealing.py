"""How the computer player is dealt: vectors, twin, and the formulas."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import combinations
from math import comb, isclose
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine.errors import OpponentError
from engine.players.computer import ComputerPlayer
from engine.players.dealing import PUPU, Dealing, deal_hand, deal_many
from tests import computer, vectors
from tests.chi_square import agrees

Row = dict[str, Any]

ROWS = vectors.load("hidden/ff8_deal")
HANDS = 100_000
RARES = (78, 90, 101, 110)
DEALINGS = [
    Dealing.of_mask(mask, rares, chance)
    for mask in (3, 22, 127)
    for rares, chance in (((), 0), (RARES, 30), (RARES, 81))
]


def dealing_of(row: Row) -> Dealing:
    return Dealing.of_mask(row["level_mask"], row["rares"], row["rare_chance"])


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["n"]))
def test_hand_is_that_of_the_vector(row: Row) -> None:
    assert deal_hand(dealing_of(row), row["rng"]) == (tuple(row["hand"]), row["rng_after"])
    assert computer.deal(row) == (row["hand"], row["rng_after"])


rows = st.fixed_dictionaries(
    {
        "level_mask": st.integers(0, 127),
        "rares": st.lists(st.integers(78, 110), unique=True),
        "rare_chance": st.sampled_from([0, 1, 30, 80, 100]) | st.integers(0, 100),
        "rng": st.integers(0, 2**32 - 1),
    }
)


@settings(deadline=None, max_examples=500)
@given(rows)
def test_hand_is_that_of_the_twin(row: Row) -> None:
    hand, rng = computer.deal(row)
    assert deal_hand(dealing_of(row), row["rng"]) == (tuple(hand), rng)


def hands_of(dealing: Dealing, seed: int = 7) -> list[tuple[int, ...]]:
    """Return many hands, dealt one after the other."""
    levels, rares = np.array(dealing.levels), np.array(dealing.rares, dtype=np.int64)
    hands = np.zeros((HANDS, 5), dtype=np.int64)
    deal_many(levels, rares, dealing.rare_chance, seed, hands)
    return [tuple(hand) for hand in hands.tolist()]


def pairs_of(cards: Iterable[int]) -> list[tuple[int, int]]:
    return list(combinations(sorted(cards), 2))


@pytest.mark.parametrize("dealing", DEALINGS, ids=str)
def test_dealt_hands_agree_with_the_formulas(dealing: Dealing) -> None:
    hands, pool = hands_of(dealing), dealing.pool
    rare = set(dealing.rares)
    counts = Counter(tuple(card for card in hand if card in rare) for hand in hands)
    assert agrees(counts, dealing.rare_sets())
    others = Counter(card for hand in hands for card in hand if card not in rare)
    assert agrees(others, dict.fromkeys(pool, 1.0))
    pairs = Counter(pair for hand in hands for pair in pairs_of(set(hand) - rare))
    assert agrees(pairs, dict.fromkeys(pairs_of(pool), 1.0))
    last = Counter(hand[4] for hand in hands if hand[4] not in rare)  # any order is as likely
    assert agrees(last, dict.fromkeys(pool, 1.0))


def test_sets_of_the_smallest_pool_agree_with_the_formula() -> None:
    dealing = Dealing.of([5], RARES[:2], 30)
    counts = Counter(tuple(sorted(hand)) for hand in hands_of(dealing))
    cards = [*dealing.pool, *dealing.rares]
    chances: dict[tuple[int, ...], float] = {
        hand: dealing.chance_of(hand) for hand in combinations(sorted(cards), 5)
    }
    assert isclose(sum(chances.values()), 1)
    assert agrees(counts, chances)


def test_wrong_formula_is_found_out() -> None:
    """As if the chance were not halved after the first rare."""
    dealing, wrong = Dealing.of([1], RARES, 80), Dealing.of([1], RARES, 81)
    counts = Counter(tuple(card for card in hand if card > 77) for hand in hands_of(dealing))
    assert agrees(counts, dealing.rare_sets())
    assert not agrees(counts, wrong.rare_sets())
    even = {
        rares: 0.8 ** len(rares) * 0.2 ** (4 - len(rares))
        for size in range(5)
        for rares in combinations(RARES, size)
    }
    assert not agrees(counts, even)


def test_chances_are_those_of_the_specification() -> None:
    dealing = Dealing.of([1, 2])
    assert len(dealing.pool) == 22
    assert dealing.chance_of([1, 2, 3, 4, 22]) == 1 / comb(22, 5)
    assert len(Dealing.of_mask(127).pool) == 76
    assert PUPU not in Dealing.of_mask(127).pool


@pytest.mark.parametrize(
    "hand", [[1, 2, 3, 4], [1, 1, 2, 3, 4], [1, 2, 3, 4, 48], [1, 2, 3, 4, 78]]
)
def test_hand_that_cannot_be_dealt_has_no_chance(hand: list[int]) -> None:
    assert Dealing.of([1, 5]).chance_of(hand) == 0


@pytest.mark.parametrize("played", [(), (1,), (78,), (1, 78), (5, 1, 90)])
def test_posterior_of_rares_is_that_of_all_hands(played: tuple[int, ...]) -> None:
    """Counted over every hand of a small pool."""
    dealing = Dealing.of([1], RARES[:3], 41)
    weights: Counter[tuple[int, ...]] = Counter()
    for hand in combinations(sorted((*dealing.pool, *dealing.rares)), 5):
        if set(played) <= set(hand):
            rare = tuple(card for card in hand if card in dealing.rares)
            weights[rare] += dealing.chance_of(hand)  # type: ignore[assignment]
    total = sum(weights.values())
    posterior = dealing.rare_sets_given(played)
    assert posterior.keys() == {rare for rare, weight in weights.items() if weight}
    assert all(isclose(posterior[rare], weights[rare] / total) for rare in posterior)


@pytest.mark.parametrize("played", [(1, 1), (23,), (48,), (110,)])
def test_cards_that_cannot_have_been_dealt_leave_no_posterior(played: tuple[int, ...]) -> None:
    assert Dealing.of([1, 5], [78], 50).rare_sets_given(played) == {}


def test_player_deals_itself() -> None:
    player = ComputerPlayer(levels=(2, 1), rares=(78,), rare_chance=100)
    hand, rng = player.deal_hand(5)
    assert (hand, rng) == deal_hand(Dealing.of([1, 2], [78], 100), 5)
    assert hand[0] == 78


def test_random_state_out_of_range_is_refused() -> None:
    with pytest.raises(OpponentError, match="rng: found 4294967296; allowed: a whole number"):
        deal_hand(Dealing.of(), 2**32)
