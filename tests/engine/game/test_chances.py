"""Chances in millionths: their sum, their rounding, what is drawn by them."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from math import exp

import numpy as np
from hypothesis import given, strategies as st

from engine.game.chances import chances_of, draw, millionths, score_weights, without
from engine.game.dealing import game_random
from tests.chi_square import agrees

weights = st.lists(st.one_of(st.just(0.0), st.floats(1e-9, 1e3)), min_size=1, max_size=45)


@given(weights.filter(any))
def test_chances_add_up_and_are_within_a_millionth(given_weights: list[float]) -> None:
    chances = chances_of(given_weights)
    assert sum(chances) == 1_000_000
    total = sum(map(Fraction, given_weights))
    for chance, weight in zip(chances, given_weights, strict=True):
        assert abs(chance - Fraction(weight) / total * 1_000_000) < 1 + Fraction(1, 1000)
        assert weight > 0 or chance == 0


def test_what_is_missing_goes_to_the_largest_remainders_the_first_first() -> None:
    assert chances_of([1, 1, 1]) == [333_334, 333_333, 333_333]
    assert chances_of([1, 1, 1, 1, 1, 1]) == [166_667] * 4 + [166_666] * 2
    assert chances_of([2, 0, 1]) == [666_667, 0, 333_333]
    assert chances_of([1.0]) == [1_000_000]


def test_rows_are_rounded_each_by_itself_and_nothing_stays_nothing() -> None:
    rows = np.array([[1.0, 3.0], [0.0, 0.0], [5.0, 0.0]])
    assert millionths(rows).tolist() == [[250_000, 750_000], [0, 0], [1_000_000, 0]]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=45), st.floats(0.05, 10))
def test_score_weights_are_a_softmax_of_margins(cards: list[int], temperature: float) -> None:
    padded = np.full((1, 45), -1)
    padded[0, : len(cards)] = cards
    found = score_weights(padded, temperature)[0]
    scores = [(2 * number - 9) / temperature for number in cards]
    expected = [exp(score - max(scores)) for score in scores]
    assert np.allclose(found[: len(cards)], expected)
    assert not found[len(cards) :].any()


def test_without_the_best_move() -> None:
    assert without([5, 3, 2], 0) == [0, 3, 2]
    assert without([0, 7, 0], 1) == [1, 0, 0]  # nothing is left: the first other move
    assert without([7, 0, 0], 0) == [0, 1, 0]
    assert without([7], 0) == [1]  # there is no other move


@given(weights.filter(any), st.floats(0, 1, exclude_max=True))
def test_no_move_without_a_chance_is_drawn(given_weights: list[float], number: float) -> None:
    chances = chances_of(given_weights)
    assert chances[draw(chances, number)] > 0


def test_draws_are_as_frequent_as_their_chances() -> None:
    chances = chances_of([0.5, 0.0, 0.2, 0.1, 0.1, 0.07, 0.03])
    random = game_random(1, 0, 0)
    counts = Counter(draw(chances, random.random()) for _ in range(5_000))
    assert agrees(counts, dict(enumerate(chances)))
    assert not agrees(counts, dict.fromkeys((0, 2, 3, 4, 5, 6), 1.0))
