"""What a query string may ask for, and what is said about the rest."""

from __future__ import annotations

import pytest

from app.wishes import WISHES, Wishes, wishes_of
from engine.errors import InputError, Problem

ONLY = "only the parameters moves, pv, fallible"


def problems_of(query: bytes) -> tuple[Problem, ...]:
    with pytest.raises(InputError) as refused:
        wishes_of(query)
    return refused.value.problems


def test_defaults_hold_when_nothing_is_asked() -> None:
    assert wishes_of(b"") == Wishes(moves=False, pv=True)


def test_documented_defaults_are_those_that_hold() -> None:
    assert {wish.name: wish.default for wish in WISHES} == Wishes()._asdict()


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        (b"moves=true", Wishes(moves=True)),
        (b"moves=1", Wishes(moves=True)),
        (b"moves=TRUE", Wishes(moves=True)),
        (b"moves=false", Wishes()),
        (b"pv=false", Wishes(pv=False)),
        (b"pv=0", Wishes(pv=False)),
        (b"pv=true", Wishes()),
        (b"pv=false&moves=true", Wishes(moves=True, pv=False)),
        (b"%6doves=tr%75e", Wishes(moves=True)),
        (b"moves=true&", Wishes(moves=True)),
    ],
)
def test_parameter_is_read(query: bytes, expected: Wishes) -> None:
    assert wishes_of(query) == expected


@pytest.mark.parametrize("value", ["yes", "2", "", "tru", " true"])
@pytest.mark.parametrize("name", Wishes._fields)
def test_wrong_value_is_named(name: str, value: str) -> None:
    query = f"{name}={value}".encode()
    assert problems_of(query) == (Problem(name, value, "true or false"),)


def test_parameter_without_a_value_is_wrong() -> None:
    assert problems_of(b"moves") == (Problem("moves", "", "true or false"),)


def test_unknown_parameter_is_named_with_what_is_allowed() -> None:
    assert problems_of(b"deep=true") == (Problem("deep", "true", ONLY),)


def test_name_in_capitals_is_unknown() -> None:
    assert problems_of(b"Moves=true") == (Problem("Moves", "true", ONLY),)


def test_several_problems_are_told_at_once() -> None:
    assert problems_of(b"deep=1&moves=maybe&pv=false") == (
        Problem("deep", "1", ONLY),
        Problem("moves", "maybe", "true or false"),
    )


def test_bytes_that_are_no_text_are_told() -> None:
    (problem,) = problems_of(b"moves=\xff")
    assert problem.field == "moves"


def test_route_without_wishes_allows_none() -> None:
    with pytest.raises(InputError, match="moves: .* no parameters"):
        wishes_of(b"moves=true", ())
    assert wishes_of(b"", ()) == Wishes()
