"""Worlds are numbered without gaps, and visited in a random order that leaves none out."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, combinations_with_replacement
from math import comb

import numpy as np
import pytest
from hypothesis import given, strategies as st

from advise.worlds import Combinations, Shuffle, Worlds
from engine.game.cards import default_catalogue

CARDS = list(default_catalogue())
POOL = CARDS[10:32]


@pytest.mark.parametrize(
    ("unseen", "total"), [(5, 26_334), (4, 7_315), (3, 1_540), (1, 22), (0, 1)]
)
def test_sets_are_all_there_once(unseen: int, total: int) -> None:
    numbered = Combinations(POOL, unseen)
    members = numbered.members(np.arange(numbered.total))
    assert numbered.total == total
    found = [tuple(POOL[place] for place in row) for row in members.tolist()]
    assert sorted(found) == sorted(combinations(POOL, unseen))


@given(st.integers(0, 4), st.integers(0, 5), st.integers(0, 4))
def test_multisets_repeat_only_what_may_repeat(singles: int, repeats: int, unseen: int) -> None:
    numbered = Combinations(CARDS[:singles], unseen, repeats=CARDS[singles : singles + repeats])
    rows = numbered.members(np.arange(numbered.total)).tolist()
    cards = range(singles + repeats)
    expected = [
        bag
        for bag in combinations_with_replacement(cards, unseen)
        if all(bag.count(card) <= 1 for card in range(singles))
    ]
    assert sorted(tuple(row) for row in rows) == sorted(expected)


def test_the_last_of_all_hands_is_found_without_listing_them() -> None:
    numbered = Combinations(CARDS, 5)
    assert numbered.total == comb(110, 5) == 122_391_522
    first, last = numbered.members([0, numbered.total - 1]).tolist()
    assert (first, last) == ([0, 1, 2, 3, 4], [105, 106, 107, 108, 109])


@given(st.integers(1, 3_000), st.lists(st.integers(0, 2**32), min_size=1, max_size=3))
def test_an_order_leaves_nothing_out(total: int, seed: list[int]) -> None:
    numbers = Shuffle(total, seed).numbers(0, total)
    assert sorted(numbers.tolist()) == list(range(total))


def test_an_order_can_be_taken_in_parts() -> None:
    whole = Shuffle(1_140, [7]).numbers(0, 1_140)
    parts = [Shuffle(1_140, [7]).numbers(first, first + 100) for first in range(0, 1_140, 100)]
    assert np.concatenate(parts).tolist() == whole.tolist()


def test_an_order_of_many_worlds_repeats_none() -> None:
    numbers = Shuffle(122_391_522, [1]).numbers(0, 100_000)
    assert len(set(numbers.tolist())) == 100_000
    assert 0 <= numbers.min()
    assert numbers.max() < 122_391_522
    assert abs(numbers.mean() / 122_391_522 - 0.5) < 0.005


def test_seeds_make_every_pair_of_first_worlds_equally_often() -> None:
    seeds = 9_000
    pairs = Counter(tuple(Shuffle(10, [seed]).numbers(0, 2).tolist()) for seed in range(seeds))
    assert len(pairs) == 90
    chi_square = sum((count - 100) ** 2 / 100 for count in pairs.values())
    assert chi_square < 150  # 89 degrees of freedom: beyond it once in ten thousand


def test_compact_worlds_know_equal_cards_as_one() -> None:
    five, seven, nine = CARDS[4], CARDS[6], CARDS[8]
    some = Worlds.of([five, nine, seven], [[0, 1], [1, 2], [0, 2]], [1.0, 0.0, 2.0])
    worlds = some.with_known([nine])
    compact = worlds.compact()
    assert compact.pool == (five, seven, nine)
    assert compact.members.tolist() == [[0, 2, 2], [0, 1, 2]]
    assert compact.shares.tolist() == [1 / 3, 2 / 3]
