"""However much a document has of anything, reading it is work in proportion, and telling is none.

Work is counted, not timed: calls of functions, comparisons of names, bytes of memory.
"""

from __future__ import annotations

import sys
import tracemalloc
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from engine.errors import InputError, shown
from engine.game.cards import Catalogue
from engine.text.document import Unusable, _once_each, load_json, split_list, state_from_dict
from tests.hostile import HOSTILE

SMALL, LARGE = 40_000, 400_000  # bytes
CALLS_PER_BYTE = 3  # a number of two bytes, with its comma, takes four calls to read
CALLS_TO_TELL = 3_000
BYTES_TO_TELL = 100_000


def outcome(read: Callable[..., object], *arguments: object) -> object:
    """Return what is read, or what is told instead."""
    try:
        return read(*arguments)
    except InputError as error:
        return error


def calls_of(read: Callable[..., object], *arguments: object) -> int:
    """Return how many functions a reader calls, compiled ones included."""
    calls = 0

    def count(_frame: object, event: str, _argument: object) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    sys.setprofile(count)
    try:
        outcome(read, *arguments)
    finally:
        sys.setprofile(None)
    return calls


@contextmanager
def little_memory() -> Iterator[None]:
    """Fail when what is done within takes much memory for a moment."""
    tracemalloc.start()
    try:
        yield
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < BYTES_TO_TELL


@pytest.mark.parametrize("name", HOSTILE)
def test_reading_takes_calls_in_proportion(name: str) -> None:
    for size in (SMALL, LARGE):
        data = HOSTILE[name](size)
        assert calls_of(load_json, data) <= CALLS_PER_BYTE * len(data)


@pytest.mark.parametrize("name", HOSTILE)
def test_telling_what_is_wrong_takes_the_same_for_any_size(name: str, catalogue: Catalogue) -> None:
    found = outcome(load_json, HOSTILE[name](LARGE))
    if isinstance(found, InputError):
        assert len(str(found)) < 500
        return
    assert calls_of(state_from_dict, found, catalogue) <= CALLS_TO_TELL
    with little_memory():
        error = outcome(state_from_dict, found, catalogue)
    assert isinstance(error, InputError)
    assert len(str(error)) < 10_000


@pytest.mark.parametrize("name", HOSTILE)
def test_value_is_shown_in_little_memory(name: str) -> None:
    found = outcome(load_json, HOSTILE[name](LARGE))
    with little_memory():
        assert len(shown(found)) <= 120


class Name(str):
    """A field's name that counts how often it is compared."""

    __slots__ = ()
    compared = 0

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str.__eq__(self, other)

    __hash__ = str.__hash__


@pytest.mark.parametrize(
    ("name_of", "is_twice"),
    [
        (lambda number: number, False),
        (lambda number: number // 2, True),
        (lambda number: min(number, 4_998), True),
        (lambda _: 0, True),
    ],
    ids=["all different", "pairs", "the last two", "all equal"],
)
def test_field_written_twice_is_found_by_few_comparisons(
    name_of: Callable[[int], int], is_twice: bool
) -> None:
    pairs: list[tuple[str, object]] = [(Name(name_of(number)), 1) for number in range(5_000)]
    Name.compared = 0
    found = _once_each(pairs)
    assert Name.compared <= 4 * len(pairs)
    assert isinstance(found, Unusable) == is_twice


@pytest.mark.parametrize("name", HOSTILE)
def test_splitting_takes_calls_in_proportion(name: str) -> None:
    data = HOSTILE[name](SMALL)
    assert calls_of(split_list, data, "states") <= CALLS_PER_BYTE * len(data)


def test_string_that_nobody_ends_is_one_token() -> None:
    """Else every quote in it is tried as the beginning of another, each to the end of the text."""
    text = rb'{"states": [{}, "a\"],[\"b, {}]}'
    assert split_list(text, "states") == [b"{}", rb'"a\"],[\"b, {}']
    assert split_list(b'{"states": [{}, "a\\\n\\]}', "states") == [b"{}", b'"a\\\n\\']
