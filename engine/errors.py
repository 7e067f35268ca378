"""Everything that can be wrong, drawn once.

    TriadError
    ├── CardFileError       the card file cannot be used
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
        └── NotationError       this text is not a state, a hand, a layout, ...

An `InputError` carries one `Problem` per thing that is wrong, so that a caller
can show them in a form of its own: field, what was found, what is allowed.
"""

from __future__ import annotations

from collections.abc import Sequence
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


def shown(value: object) -> str:
    """Return `value` as text for a message, shortened, on one line."""
    if value is MISSING:
        return "nothing"
    try:
        text = repr(value)
    except (RecursionError, ValueError):  # nested too deep; more digits than may be printed
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= SHOWN_CHARACTERS else text[: SHOWN_CHARACTERS - 1] + "…"


def counted(number: int, noun: str) -> str:
    """Return a number of things in words: 1 deal, 2 deals."""
    return f"{number:,} {noun}" + ("" if number == 1 else "s")


def field_name(name: str) -> str:
    """Return the name of a field as it was given, or as a safe literal when it is odd."""
    return name if name.isidentifier() and len(name) <= LONGEST_NAME else shown(name)


class Missing:
    """The type of `MISSING`, which stands for a value that was not given at all."""

    def __repr__(self) -> str:
        """Return the name."""
        return "MISSING"


MISSING = Missing()


class TriadError(Exception):
    """Anything this project raises on purpose."""


class CardFileError(TriadError):
    """The card file is missing, not JSON, or has a wrong row."""


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
        """Keep the first problems; the message says how many more there are."""
        self.problems = tuple(problems[:MOST_PROBLEMS])
        more = len(problems) - len(self.problems)
        texts = [*map(str, self.problems), *([f"and {more} more"] if more else [])]
        super().__init__("; ".join(texts))

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


class NotationError(InputError):
    """The text does not say what it should."""
