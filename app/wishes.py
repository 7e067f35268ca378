"""What may be asked for besides the answer: the parameters of /eval, /eval/batch, /position."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from engine.errors import InputError, Problem, Words, field_name, first_problems

TRUTHS = {"true": True, "1": True, "false": False, "0": False}


class Wish(NamedTuple):
    """One parameter."""

    name: str
    default: bool
    description: str

    def parameter(self) -> dict[str, Any]:
        """Return it as the OpenAPI document has it."""
        return {
            "name": self.name,
            "in": "query",
            "required": False,
            "description": self.description,
            "schema": {"type": "boolean", "default": self.default},
        }


WISHES = (
    Wish("moves", False, "Also every legal move, best first"),
    Wish("pv", True, "The best moves to the end of the game; false leaves them out"),
    Wish("fallible", False, "With moves=true, of each what it is worth against one who errs"),
)
BATCH_WISHES = WISHES[:2]  # what takes long for one state takes too long for many


class Wishes(NamedTuple):
    """What is asked for."""

    moves: bool = False
    pv: bool = True
    fallible: bool = False


@lru_cache(maxsize=256)
def wishes_of(query: bytes, allowed: Collection[str] = Wishes._fields) -> Wishes:
    """Return what a query string asks for, or raise `InputError` for what nobody knows."""
    given = parse_qsl(query.decode("latin-1"), keep_blank_values=True)
    problems = unknown_parameters(given, allowed)
    problems += first_problems(
        Problem(field_name(name), Words("the parameter twice"), "it once")
        for name, count in Counter(name for name, _ in given).items()
        if count > 1
    )
    problems += first_problems(
        Problem(name, value, "true or false")
        for name, value in given
        if name in allowed and value.lower() not in TRUTHS
    )
    if problems:
        raise InputError(problems)
    return Wishes(**{name: TRUTHS[value.lower()] for name, value in given})


def unknown_parameters(given: Iterable[tuple[str, str]], allowed: Collection[str]) -> list[Problem]:
    """Return what is wrong with the names of a query's parameters."""
    known = f"only the parameters {', '.join(allowed)}" if allowed else "no parameters"
    return first_problems(
        Problem(field_name(name), value, known) for name, value in given if name not in allowed
    )
