from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from engine.game.cards import Card, Catalogue
from engine.game.trades import (
    Trade,
    cards_due,
    computer_takes,
    direct_gain,
    gain,
    person_takes,
    power,
)


def card(number: int, level: int, ranks: tuple[int, int, int, int]) -> Card:
    return Card(number, f"Card {number}", level, "Monster", ranks, None)


OWN = [card(n, n, (1, 1, 1, n)) for n in range(1, 6)]
OTHER = [card(10 + n, 6 - n, (n, n, n, n)) for n in range(1, 6)]
HANDS = OWN, OTHER


def test_power_is_half_the_sum_of_squares_rounded_down(catalogue: Catalogue) -> None:
    geezard = catalogue.find("Geezard")
    assert geezard.ranks == (1, 4, 1, 5)
    assert power(geezard) == (1 + 16 + 1 + 25) // 2
    assert power(card(1, 1, (1, 1, 1, 2))) == 3


@pytest.mark.parametrize(
    ("rule", "dues"),
    [
        (Trade.ONE, [0, 1, 1, 1, 1, 1]),
        (Trade.DIFF, [0, 2, 4, 5, 5, 5]),
        (Trade.DIRECT, [0] * 6),
        (Trade.ALL, [0, 5, 5, 5, 5, 5]),
    ],
)
def test_cards_due_by_score(rule: Trade, dues: list[int]) -> None:
    assert [cards_due(rule, score) for score in range(0, 12, 2)] == dues
    assert cards_due(rule, -2) == 0


def test_the_computer_takes_by_power_and_a_person_by_value() -> None:
    assert [one.id for one in computer_takes(OTHER, 2)] == [15, 14]
    assert [one.id for one in person_takes(OTHER, 2, {})] == [11, 12]
    assert [one.id for one in person_takes(OTHER, 2, {13: 50})] == [13, 11]


def test_ties_go_to_the_leftmost_slot() -> None:
    equal = [card(n, 1, (2, 2, 2, 2)) for n in (5, 3, 9, 1, 7)]
    assert [one.id for one in computer_takes(equal, 2)] == [5, 3]
    assert [one.id for one in person_takes(equal, 2, {})] == [5, 3]


@pytest.mark.parametrize(
    ("rule", "score", "person", "computer"),
    [
        (Trade.ONE, 4, 5, 5),
        (Trade.ONE, 0, 0, 0),
        (Trade.ONE, -2, -5, -5),
        (Trade.DIFF, 2, 9, 9),
        (Trade.DIFF, -4, -14, -14),
        (Trade.ALL, 2, 15, 15),
        (Trade.ALL, -8, -15, -15),
    ],
)
def test_gain_of_a_result(rule: Trade, score: int, person: int, computer: int) -> None:
    assert gain(rule, score, HANDS, {}) == person
    assert gain(rule, score, HANDS, {}, computer=True) == computer


def test_what_the_computer_takes_may_be_worth_little_to_the_asker() -> None:
    values = {1: 50, 5: 1}
    assert gain(Trade.ONE, -2, HANDS, values) == -50
    assert gain(Trade.ONE, -2, HANDS, values, computer=True) == -1


@given(st.lists(st.integers(0, 100), min_size=10, max_size=10), st.booleans())
def test_gain_never_falls_with_the_score(weights: list[int], computer: bool) -> None:
    values = dict(zip([one.id for one in OWN + OTHER], weights, strict=True))
    for rule in (Trade.ONE, Trade.DIFF, Trade.ALL):
        gains = [gain(rule, score, HANDS, values, computer=computer) for score in range(-10, 12, 2)]
        assert gains == sorted(gains)


def test_direct_counts_cards_owned_less_cards_brought() -> None:
    assert direct_gain(OWN[:4] + OTHER[:1], OWN, {}) == 0
    assert direct_gain(OWN + OTHER, OWN, {15: 20}) == 5 + 4 + 3 + 2 + 20
    with pytest.raises(ValueError, match="direct_gain"):
        gain(Trade.DIRECT, 2, HANDS, {})
