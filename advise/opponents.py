"""Opponents, and how they are named as text: `humanlike:60`, `ff8:search=2,levels=1-3`.

    kind
    kind:VALUE                  the value of its first option
    kind:NAME=VALUE,NAME=VALUE  numbers; lists are joined by "." and may have ranges, 1-3.5

`human` is a person, whom nobody can ask for replies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, nextafter
from typing import Any, NamedTuple

from advise.computer import ComputerModel
from advise.humanlike import MOST_PLIES, STRONGEST, WEAKEST, Humanlike
from advise.mixture import Mixture
from advise.models import Greedy, Perfect, Random, Softmax, Tremble
from advise.objective import Style
from advise.styles import StylePlayer
from advise.table import TablePlayer
from engine.errors import OpponentError, Problem
from engine.game.cards import Catalogue
from engine.players.computer import ComputerPlayer
from engine.players.dealing import Dealing

__all__ = [
    "HUMAN",
    "KINDS",
    "PLAYERS",
    "STYLES",
    "ComputerModel",
    "ComputerPlayer",
    "Greedy",
    "Humanlike",
    "Mixture",
    "Perfect",
    "Random",
    "Softmax",
    "Tremble",
    "parse_opponent",
    "parse_player",
    "parse_seat",
]

HUMAN = "human"
_LONGEST_LIST = 200  # numbers of a list, ranges counted out

_ABOVE_ZERO = nextafter(0, 1)


class Option(NamedTuple):
    """One option of a kind: how it is read, and what is allowed."""

    read: Callable[[str], Any]  # raises ValueError
    allowed: str


class Kind(NamedTuple):
    """A kind of opponents: what it is made by, and its options, the first of them first."""

    make: Callable[..., TablePlayer]
    options: Mapping[str, Option] = {}
    required: tuple[str, ...] = ()


def _number(low: float, high: float, allowed: str) -> Option:
    def read(text: str) -> float:
        number = float(text)
        if not low <= number <= high:
            raise ValueError
        return number

    return Option(read, allowed)


def _whole(low: int, high: int) -> Option:
    def read(text: str) -> int:
        if not text.isascii() or not text.isdigit() or not low <= int(text) <= high:
            raise ValueError
        return int(text)

    return Option(read, f"a whole number from {low} to {high}")


def _read_list(text: str) -> tuple[int, ...]:
    """Return a list of numbers: 1-3.5 is 1, 2, 3, 5."""
    numbers: list[int] = []
    for part in text.split("."):
        first, _, last = part.partition("-")
        span = range(int(first), int(last or first) + 1)
        if not span or len(span) + len(numbers) > _LONGEST_LIST:
            raise ValueError
        numbers += span
    return tuple(numbers)


def _read_truth(text: str) -> bool:
    return {"true": True, "false": False}[text]


def _make_computer(catalogue: Catalogue | None = None, **given: Any) -> ComputerModel:
    player = ComputerPlayer(**given)
    return ComputerModel(player, brings_hand="levels" in given, catalogue=catalogue)


_LIST = Option(_read_list, "whole numbers joined by '.', with ranges: 1-3.5")

KINDS: Mapping[str, Kind] = {
    "perfect": Kind(Perfect),
    "random": Kind(Random),
    "greedy": Kind(Greedy),
    "tremble": Kind(Tremble, {"error": _number(0, 1, "a number from 0 to 1")}, ("error",)),
    "softmax": Kind(
        Softmax,
        {"temperature": _number(_ABOVE_ZERO, inf, "a number above 0")},
        ("temperature",),
    ),
    "humanlike": Kind(
        Humanlike,
        {
            "strength": _number(WEAKEST, STRONGEST, f"a number from {WEAKEST} to {STRONGEST}"),
            "plies": _whole(0, MOST_PLIES),
        },
        ("strength",),
    ),
    "ff8": Kind(
        _make_computer,
        {
            "search": _whole(0, 23),
            "strategy": _whole(0, 7),
            "sees_hand": Option(_read_truth, "true or false"),
            "levels": _LIST,
            "rares": _LIST,
            "rare_chance": _whole(0, 100),
        },
    ),
}


def _make_style(style: Style) -> Callable[..., StylePlayer]:
    def make(catalogue: Catalogue | None = None, **given: Any) -> StylePlayer:
        Dealing.of(given.get("levels", ()))  # raises for levels that are not dealt from
        return StylePlayer(style, catalogue=catalogue, **given)

    return make


# Styles play at the table, and are no models: nobody is believed to play so.
_STYLE_OPTIONS = {"levels": _LIST, "worlds": _whole(1, 1_000_000)}
STYLES: Mapping[str, Kind] = {
    style.value: Kind(_make_style(style), _STYLE_OPTIONS) for style in (Style.OPTIMAL, Style.ROBUST)
}
PLAYERS: Mapping[str, Kind] = {**KINDS, **STYLES}


def parse_player(
    text: str, field: str = "player", catalogue: Catalogue | None = None
) -> TablePlayer:
    """Return who plays: a model or a style; or raise `OpponentError`."""
    return _parse(PLAYERS, text, field, catalogue)


def parse_seat(
    text: str, field: str = "player", catalogue: Catalogue | None = None
) -> TablePlayer | None:
    """Return who takes a seat; None for a person. Raise `OpponentError` for nobody."""
    if text == HUMAN:
        return None
    if text.partition(":")[0] not in PLAYERS:
        raise OpponentError.of(field, text, f"{HUMAN}, or one of {', '.join(PLAYERS)}")
    return parse_player(text, field, catalogue)


def parse_opponent(
    text: str, field: str = "opponent", catalogue: Catalogue | None = None
) -> TablePlayer:
    """Return the opponent that a text names, or raise `OpponentError`."""
    return _parse(KINDS, text, field, catalogue)


def _parse(
    kinds: Mapping[str, Kind], text: str, field: str, catalogue: Catalogue | None
) -> TablePlayer:
    name, colon, rest = text.partition(":")
    kind = kinds.get(name)
    if kind is None:
        raise OpponentError.of(field, text, f"one of {', '.join(kinds)}")
    given = _read_options(kind, name, rest, field) if colon else {}
    for option in kind.required:
        if option not in given:
            allowed = f"{option} as well: {name}:{option}=..., {kind.options[option].allowed}"
            raise OpponentError.of(field, text, allowed)
    if kind.make is _make_computer or name in STYLES:
        given["catalogue"] = catalogue
    try:
        return kind.make(**given)
    except OpponentError as error:  # its field names say nothing of where the text stood
        problems = [each._replace(field=f"{field}.{each.field}") for each in error.problems]
        raise OpponentError(problems) from None


def _read_options(kind: Kind, name: str, text: str, field: str) -> dict[str, Any]:
    """Return the options of a text by name, or raise `OpponentError`."""
    known = ", ".join(kind.options)
    if not kind.options:
        raise OpponentError.of(field, f"{name}:{text}", f"{name} alone: it has no options")
    if "=" not in text:
        text = f"{next(iter(kind.options))}={text}"
    given: dict[str, Any] = {}
    problems = []
    for part in text.split(","):
        option, equals, value = part.partition("=")
        if option not in kind.options or not equals or option in given:
            allowed = f"some of {known}, each once, as NAME=VALUE joined by commas"
            raise OpponentError.of(field, part, allowed)
        try:
            given[option] = kind.options[option].read(value)
        except (ValueError, KeyError):
            problems.append(Problem(f"{field}.{option}", value, kind.options[option].allowed))
    if problems:
        raise OpponentError(problems)
    return given
