"""How messages show values: as JSON does, shortened, on one line, at no more cost than is shown."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given, strategies as st

from engine.errors import (
    MISSING,
    MOST_PROBLEMS,
    SHOWN_CHARACTERS,
    InputError,
    Problem,
    Words,
    field_name,
    first_problems,
    shown,
)
from engine.game.strategy import Strategy

json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters()),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=8,
)


@given(json_values)
def test_value_is_shown_as_json_on_one_line(value: Any) -> None:
    text = shown(value)
    assert text.isprintable()
    assert len(text) <= SHOWN_CHARACTERS
    if not text.endswith("…"):
        assert json.loads(text) == value


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        ("C", '"C"'),
        ("it's", '"it\'s"'),
        ('"', '"\\""'),
        ("Zoë", '"Zoë"'),
        ("a\nb\x1b\x7f", '"a\\nb\\u001b\\u007f"'),
        ("\ud800\u202e", '"\\ud800\\u202e"'),
        ({"A": [1, 2.5, None]}, '{"A": [1, 2.5, null]}'),
        ((), "[]"),
        (float("inf"), "Infinity"),
        (Strategy.RANDOM, '"random"'),
        (MISSING, "nothing"),
        ([Words("5,000 digits")], "[5,000 digits]"),
        (OSError("gone"), "OSError('gone')"),
    ],
)
def test_value_is_shown(value: object, text: str) -> None:
    assert shown(value) == text


def test_number_of_too_many_digits_is_told_by_its_type() -> None:
    assert shown([10**5000]) == "[a value of type int]"


def test_field_of_an_odd_name_is_quoted() -> None:
    assert field_name("to_move") == "to_move"
    assert field_name("to move") == '"to move"'
    assert len(field_name("x" * 10**6)) == SHOWN_CHARACTERS


class Endless(list[Any]):
    """A list that has one more item whenever it is asked."""

    asked = 0

    def __iter__(self) -> Iterator[int]:
        while True:
            self.asked += 1
            yield 7


def test_no_more_of_a_value_is_looked_at_than_is_shown() -> None:
    value = Endless()
    assert shown(value) == "[" + "7, " * 39 + "7…"
    assert value.asked <= SHOWN_CHARACTERS
    assert shown({"A": value}).startswith('{"A": [7, ')


def test_deep_value_is_shown_as_far_as_it_goes() -> None:
    value: Any = []
    for _ in range(100_000):
        value = [value]
    assert shown(value) == "[" * (SHOWN_CHARACTERS - 1) + "…"


def test_problems_beyond_those_that_are_told_are_not_looked_for() -> None:
    made = 0

    def endless() -> Iterator[Problem]:
        nonlocal made
        while True:
            made += 1
            yield Problem("x", made, "nothing")

    error = InputError(first_problems(endless()))
    assert made == MOST_PROBLEMS + 1
    assert len(error.problems) == MOST_PROBLEMS
    assert str(error).endswith("found 20; allowed: nothing; and more")
    assert "more" not in str(InputError(error.problems))
