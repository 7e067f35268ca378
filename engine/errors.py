"""Everything that can be wrong, drawn once.

    TriadError
    ├── CardFileError       the card file cannot be used
    ├── MissingExtraError   an extra that is needed is not installed
    ├── SearchStoppedError  a search was told to end before it had an answer
    ├── NotStoredError      the database does not have that state
    ├── StoreError          the database cannot be used as asked
    │   ├── NoDatabaseError     there is none
    │   ├── HalfBuiltError      a job has begun it and not finished
    │   ├── MismatchError       another format, engine revision or card file
    │   ├── DamagedError        its bytes are not what was written
    │   └── LockedError         another job is at work on it
    └── InputError          something given from outside is not allowed
        ├── UnknownCardError    no card of that id or name
        ├── RulesError          no such rule or variant
        ├── DealError           these cards, elements or sampling wishes make no deal
        ├── StateError          these facts make no state
        │   └── NotJsonError        this text is not JSON at all
        ├── MoveError           this move is not legal here
        ├── OpponentError       nobody plays so
        └── NotationError       this text is not a state, a hand, a layout, ...

An `InputError` carries one `Problem` per thing that is wrong, so that a caller
can show them in a form of its own: field, what was found, what is allowed.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from enum import Enum
from itertools import chain, islice
from typing import NamedTuple

MOST_PROBLEMS = 20  # told of one input; whoever has more of them has seen enough
LONGEST_NAME = 40
SHOWN_CHARACTERS = 120  # of a wrong value: enough to recognise it, never a whole request body


class Problem(NamedTuple):
    """One wrong value: where it stood, what it was, and what may stand there."""

    field: str
    found: object
    allowed: str

    def __str__(self) -> str:
        """Return the problem as one line of text."""
        return f"{self.field}: found {shown(self.found)}; allowed: {self.allowed}"


def first_problems(problems: Iterable[Problem]) -> list[Problem]:
    """Return the first problems, and one beyond those that are told, if there are so many.

    An input has as many problems as whoever wrote it likes: the others are not even looked for.
    """
    return list(islice(problems, MOST_PROBLEMS + 1))


class Words:
    """What was found, told rather than shown: nothing, a field twice, 5,000 digits."""

    def __init__(self, text: str) -> None:
        """Say what it is."""
        self.text = text

    def __repr__(self) -> str:
        """Return the words."""
        return self.text


class Missing(Words):
    """The type of `MISSING`, which stands for a value that was not given at all."""


MISSING = Missing("nothing")


def shown(value: object) -> str:
    """Return `value` as text for a message: as JSON writes it, shortened, on one line.

    It is written piece by piece, so that megabytes cost no more than what is shown of them.
    """
    text = ""
    for piece in _pieces(value):
        text += piece
        if len(text) > SHOWN_CHARACTERS:
            return text[: SHOWN_CHARACTERS - 1] + "…"
    return text


def _pieces(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield _quoted(value[:SHOWN_CHARACTERS])
    elif isinstance(value, dict):
        fields = (chain(_pieces(name), [": "], _pieces(item)) for name, item in value.items())
        yield from _enclosed("{}", fields)
    elif isinstance(value, list | tuple):
        yield from _enclosed("[]", map(_pieces, value))
    elif isinstance(value, Enum):
        yield from _pieces(value.value)
    else:
        yield _plain(value)


def _enclosed(brackets: str, items: Iterable[Iterable[str]]) -> Iterator[str]:
    yield brackets[0]
    for number, item in enumerate(items):
        if number:
            yield ", "
        yield from item
    yield brackets[1]


def _quoted(text: str) -> str:
    """Return a text as a JSON string; what has no picture of its own is escaped."""
    quoted = json.dumps(text, ensure_ascii=False)
    return "".join(sign if sign.isprintable() else json.dumps(sign)[1:-1] for sign in quoted)


def _plain(value: object) -> str:
    try:
        return json.dumps(value) if isinstance(value, float | int | None) else repr(value)
    except ValueError:  # more digits than may be printed
        return f"a value of type {type(value).__name__}"


def why_no_json(error: Exception) -> str:
    """Return in words why a text is no JSON value."""
    if isinstance(error, RecursionError):
        return "this is nested too deep"
    if isinstance(error, UnicodeDecodeError):
        return f"from byte {error.start + 1:,} on this is no text in {error.encoding.upper()}"
    if isinstance(error, json.JSONDecodeError):
        what = error.msg[0].lower() + error.msg[1:]
        return f"line {error.lineno:,}, column {error.colno:,}: {what}"
    return str(error)


def counted(number: int, noun: str) -> str:
    """Return a number of things in words: 1 deal, 2 deals."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def field_name(name: str) -> str:
    """Return the name of a field as it was given, or as a safe literal when it is odd."""
    return name if len(name) <= LONGEST_NAME and name.isidentifier() else shown(name)


class TriadError(Exception):
    """Anything this project raises on purpose."""


class CardFileError(TriadError):
    """The card file is missing, not JSON, or has a wrong row."""


class MissingExtraError(TriadError):
    """Something needs an extra that is not installed."""

    def __init__(self, what: str, extra: str, error: ImportError) -> None:
        """Say what needs it, and how to get it."""
        super().__init__(
            f"{what} needs the extra `{extra}`, which is not installed ({error}): "
            f".venv/bin/pip install -e '.[{extra}]'"
        )


class SearchStoppedError(TriadError):
    """The search was told to end before it had an answer."""


class NotStoredError(TriadError):
    """The database has nothing about the state."""


class StoreError(TriadError):
    """The database cannot be used as asked."""


class NoDatabaseError(StoreError):
    """There is no database at that path."""


class HalfBuiltError(StoreError):
    """A job has begun the database, or an extension of it, and has not finished."""


class MismatchError(StoreError):
    """The database is of another format, engine revision or card file."""


class DamagedError(StoreError):
    """The database's bytes are not what was written."""


class LockedError(StoreError):
    """Another job is at work on the database."""


class InputError(TriadError):
    """Something given from outside is not allowed."""

    def __init__(self, problems: Sequence[Problem]) -> None:
        """Keep the first problems; the message says whether there are more."""
        self.problems = tuple(problems[:MOST_PROBLEMS])
        more = ["and more"] if len(problems) > MOST_PROBLEMS else []
        super().__init__("; ".join([*map(str, self.problems), *more]))

    @classmethod
    def of(cls, field: str, found: object, allowed: str) -> InputError:
        """Return an error of this class with a single problem."""
        return cls([Problem(field, found, allowed)])


class UnknownCardError(InputError):
    """No card has that id or name."""


class RulesError(InputError):
    """No rule or variant has that name."""


class DealError(InputError):
    """The cards, elements or sampling wishes make no deal."""


class StateError(InputError):
    """The facts make no state."""


class NotJsonError(StateError):
    """The text is not JSON at all."""


class MoveError(InputError):
    """The move is not legal in the state."""


class OpponentError(InputError):
    """The parameters make no player, or the player cannot play what it is asked."""


class NotationError(InputError):
    """The text does not say what it should."""
