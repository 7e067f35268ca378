"""States and moves read from plain dicts: every check, and every message.

    {"board": [{"cell": 0, "card_id": 12, "owner": "A", "element": "F"}, ... nine ...],
     "hands": {"A": [34, 56], "B": [22, 33, 44]}, "to_move": "B", "turn": 5,
     "rules": {"elemental": true, "variant": "ff8"},
     "board_elements": ["F", null, ... nine ...]}

Everything that is wrong with the form of a document is told at once; what is wrong
with the whole (hand sizes, turn, copies) is told when the form is right.
"""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping

from engine.errors import (
    MISSING,
    SHOWN_CHARACTERS,
    Missing,
    MoveError,
    NotJsonError,
    Problem,
    StateError,
    Words,
    field_name,
    first_problems,
    why_no_json,
)
from engine.game.board import CELLS, HAND_SIZE
from engine.game.cards import ELEMENT_BY_LETTER, Card, Catalogue, Element
from engine.game.deal import NO_ELEMENTS, Elements, Player
from engine.game.moves import Move
from engine.game.rules import RULE_SWITCHES, VARIANT_BY_NAME, Rules, Variant
from engine.game.state import Board, Placed, State

REQUIRED = ("board", "hands", "to_move")
OPTIONAL = ("turn", "rules", "board_elements")
# What an exported line says besides its state: it can be fed back as it is.
LABELS = (
    "game_id",
    "state_idx",
    "policy_target",
    "value_target",
    "value_mode",
    "off_pv",
    "state_hash",
    "margin",
    "schema",
)
STATE_FIELDS = frozenset((*REQUIRED, *OPTIONAL, *LABELS))
CELL_FIELDS = frozenset(("cell", "card_id", "owner", "element"))
CELL_REQUIRED = ("cell", "card_id", "owner")
RULE_FIELDS = frozenset((*RULE_SWITCHES, "variant"))
MOVE_FIELDS = frozenset(Move._fields)

_CELL_REQUIRED = frozenset(CELL_REQUIRED)
_PLAYERS = {player.name: player for player in Player}
_ELEMENT_ALLOWED = f"null or one of {', '.join(ELEMENT_BY_LETTER)}"
_VARIANT_ALLOWED = " or ".join(VARIANT_BY_NAME)
_MOVE_ALLOWED = {"card_id": "a card's id, a whole number", "cell": "a whole number from 0 to 8"}

Problems = list[Problem]
Written = list[Element | Missing | None]  # the element each cell has written in it, if any


LONGEST_NUMBER = 18  # digits; more fit no field there is


class Unusable(Words):
    """A JSON value that no field can have: an object with a field twice, a number without end.

    Whoever reads the field where it stands says what is wrong with it.
    """


def load_json(data: bytes, field: str = "state") -> object:
    """Return the one JSON value of a text, or raise `NotJsonError`, which names `field`."""
    try:
        return json.loads(
            data,
            object_pairs_hook=_once_each,
            parse_int=_whole_number,
            parse_float=_fraction,
            parse_constant=_no_constant,
        )
    except (ValueError, RecursionError) as error:
        found = data[:SHOWN_CHARACTERS].decode("utf-8", "replace")
        raise NotJsonError.of(field, found, f"one JSON value ({why_no_json(error)})") from error


_WHITE = b" \t\n\r"  # between the signs of JSON
# A string that nobody ends goes to the end of the text. Were it no token, each quote in it would
# begin a search of its own for an end that is not there.
_TOKEN = re.compile(rb'"(?:[^"\\]++|\\.?)*+"?|[\[\]{},]', re.DOTALL)


def split_list(data: bytes, field: str) -> list[bytes] | None:
    """Return the texts of the items of {field: [...]}, whatever is in them; None if it is not that.

    For texts that readers give up as a whole, because one item is nested too deep: each item is
    then read, and fails, by itself.
    """
    opening = re.match(rb'[W]*\{[W]*"%s"[W]*:[W]*\['.replace(b"W", _WHITE) % field.encode(), data)
    closing = re.search(rb"\][W]*\}[W]*\Z".replace(b"W", _WHITE), data)
    if not opening or not closing:
        return None
    items, depth, start = [], 0, opening.end()
    for token in _TOKEN.finditer(data, opening.end(), closing.start()):
        sign = token[0]
        depth += (sign in b"[{") - (sign in b"]}")
        if sign == b"," and depth == 0:
            items.append(data[start : token.start()].strip(_WHITE))
            start = token.end()
        if depth < 0:
            return None
    last = data[start : closing.start()].strip(_WHITE)
    if depth or not all(items) or (items and not last):
        return None
    return [*items, last] if last else items


def _once_each(pairs: list[tuple[str, object]]) -> dict[str, object] | Unusable:
    fields = dict(pairs)
    if len(fields) == len(pairs):
        return fields
    times = Counter(name for name, _ in pairs)
    twice = next(name for name, count in times.items() if count > 1)
    return Unusable(f"the field {field_name(twice)} twice")


def _whole_number(text: str) -> int | Unusable:
    return int(text) if len(text) <= LONGEST_NUMBER else Unusable(f"{len(text):,} digits")


def _fraction(text: str) -> float | Unusable:
    number = float(text)
    return number if math.isfinite(number) else Unusable(text)


def _no_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")


def state_from_dict(data: object, catalogue: Catalogue) -> State:
    """Return the state that a document describes, or raise `StateError`."""
    problems: Problems = []
    if not isinstance(data, dict):
        raise StateError.of("state", data, "an object")
    check_fields(data, STATE_FIELDS, REQUIRED, "", problems)
    rules = read_rules(data.get("rules", {}), problems)
    board, written = read_board(data.get("board", MISSING), catalogue, problems)
    hands = _hands(data.get("hands", MISSING), catalogue, problems)
    to_move = read_player(data.get("to_move", MISSING), "to_move", problems)
    elements = read_elements(data.get("board_elements", MISSING), written, rules, problems)
    ply = sum(placed is not None for placed in board)
    turn = data.get("turn", ply)
    if not problems and (type(turn) is not int or turn != ply):
        problems.append(Problem("turn", turn, f"{ply}, the number of occupied cells"))
    if problems:
        raise StateError(problems)
    assert to_move is not None
    return State.of(board, hands, to_move, rules=rules, elements=elements)


def move_from_dict(data: object) -> Move:
    """Return the move that an object describes, or raise `MoveError`.

    Whether it is legal is for `State.play` to say.
    """
    if not isinstance(data, dict):
        raise MoveError.of("move", data, "an object with card_id and cell")
    problems: Problems = []
    check_fields(data, MOVE_FIELDS, Move._fields, "move.", problems)
    problems += [
        Problem(f"move.{field}", data[field], allowed)
        for field, allowed in _MOVE_ALLOWED.items()
        if field in data and type(data[field]) is not int
    ]
    if problems:
        raise MoveError(problems)
    return Move(data["card_id"], data["cell"])


def check_fields(
    data: Mapping[str, object],
    allowed: frozenset[str],
    required: Iterable[str],
    prefix: str,
    problems: Problems,
) -> None:
    """Add fields that are not allowed, and those that are missing, to the problems."""
    if not allowed.issuperset(data):
        names = ", ".join(sorted(allowed - set(LABELS)))
        problems += first_problems(
            Problem(prefix + field_name(field), data[field], f"only the fields {names}")
            for field in data
            if field not in allowed
        )
    problems += [
        Problem(f"{prefix}{field}", MISSING, "this field is required")
        for field in required
        if field not in data
    ]


def read_rules(data: object, problems: Problems) -> Rules:
    """Return the rules that an object says."""
    if not isinstance(data, dict):
        problems.append(Problem("rules", data, "an object"))
        return Rules()
    check_fields(data, RULE_FIELDS, (), "rules.", problems)
    switches = {name: data.get(name, False) for name in RULE_SWITCHES}
    variant = data.get("variant", Variant.TRIPLECARGO)
    for name, value in switches.items():
        if not isinstance(value, bool):
            problems.append(Problem(f"rules.{name}", value, "true or false"))
            switches[name] = False
    if not isinstance(variant, str) or variant not in VARIANT_BY_NAME:
        problems.append(Problem("rules.variant", variant, _VARIANT_ALLOWED))
        return Rules()
    return Rules(**switches, variant=VARIANT_BY_NAME[variant])


def read_board(data: object, catalogue: Catalogue, problems: Problems) -> tuple[Board, Written]:
    """Return the nine cells and the element written in each."""
    cells: list[Placed | None] = [None] * CELLS
    written: Written = [MISSING] * CELLS
    if data is MISSING:
        return cells, written
    if not isinstance(data, list) or len(data) != CELLS:
        found = Words(f"a list of {len(data):,}") if isinstance(data, list) else data
        problems.append(Problem("board", found, "a list of nine entries, one for each cell"))
        return cells, written
    seen = 0
    for number, entry in enumerate(data):
        where = f"board[{number}]"
        if not isinstance(entry, dict):
            problems.append(Problem(where, entry, "an object"))
            continue
        if not _CELL_REQUIRED <= entry.keys() <= CELL_FIELDS:
            check_fields(entry, CELL_FIELDS, CELL_REQUIRED, f"{where}.", problems)
        cell = entry.get("cell")
        if type(cell) is not int or not 0 <= cell < CELLS or (seen >> cell) & 1:
            if "cell" in entry:
                problems.append(Problem(f"{where}.cell", cell, "0 to 8, each cell once"))
            continue
        seen |= 1 << cell
        cells[cell] = _placed(entry, where, catalogue, problems)
        if "element" in entry:
            written[cell] = _element(entry["element"], f"{where}.element", problems)
    return cells, written


def _placed(
    entry: Mapping[str, object], where: str, catalogue: Catalogue, problems: Problems
) -> Placed | None:
    card_id, owner = entry.get("card_id"), entry.get("owner")
    if card_id is None and owner is None:
        return None
    if card_id is None:
        problems.append(Problem(f"{where}.owner", owner, "null, as the cell has no card"))
        return None
    card = read_card(card_id, f"{where}.card_id", catalogue, problems)
    if owner is None:
        problems.append(Problem(f"{where}.owner", None, "A or B, as the cell has a card"))
        return None
    player = read_player(owner, f"{where}.owner", problems)
    return Placed(card, player) if card and player is not None else None


def read_card(data: object, where: str, catalogue: Catalogue, problems: Problems) -> Card | None:
    """Return the card of an id; None, with a problem, when there is none."""
    card = catalogue.get(data) if type(data) is int else None
    if card is None:
        problems.append(Problem(where, data, catalogue.allowed_ids))
    return card


def read_player(data: object, where: str, problems: Problems) -> Player | None:
    """Return the player of a name; None, with a problem, when there is none."""
    if data is MISSING:
        return None
    player = _PLAYERS.get(data) if isinstance(data, str) else None
    if player is None:
        problems.append(Problem(where, data, "A or B"))
    return player


def _hands(data: object, catalogue: Catalogue, problems: Problems) -> tuple[list[Card], list[Card]]:
    hands: tuple[list[Card], list[Card]] = ([], [])
    if data is MISSING:
        return hands
    if not isinstance(data, dict):
        problems.append(Problem("hands", data, "an object with A and B"))
        return hands
    if len(data) != len(_PLAYERS) or not data.keys() <= _PLAYERS.keys():
        check_fields(data, frozenset(_PLAYERS), _PLAYERS, "hands.", problems)
    for name, player in _PLAYERS.items():
        ids = data.get(name, [])
        if not isinstance(ids, list) or len(ids) > HAND_SIZE:
            problems.append(Problem(f"hands.{name}", ids, "a list of at most five card ids"))
            continue
        for number, card_id in enumerate(ids):
            card = read_card(card_id, f"hands.{name}[{number}]", catalogue, problems)
            if card:
                hands[player].append(card)
    return hands


def _element(data: object, where: str, problems: Problems) -> Element | None:
    element = ELEMENT_BY_LETTER.get(data) if isinstance(data, str) else None
    if element is None and data is not None:
        problems.append(Problem(where, data, _ELEMENT_ALLOWED))
    return element


def read_elements(data: object, written: Written, rules: Rules, problems: Problems) -> Elements:
    """Return the layout, from `board_elements`, the cells, or both where they agree."""
    if data is MISSING:
        return tuple(None if isinstance(element, Missing) else element for element in written)
    if not isinstance(data, list) or len(data) != CELLS:
        problems.append(Problem("board_elements", data, f"a list of nine, each {_ELEMENT_ALLOWED}"))
        return NO_ELEMENTS
    layout = tuple(
        _element(letter, f"board_elements[{cell}]", problems) for cell, letter in enumerate(data)
    )
    if rules.elemental and not problems:
        problems += [
            Problem(f"board_elements[{cell}]", data[cell], f"{_letter(element)}, as in the cell")
            for cell, element in enumerate(written)
            if not isinstance(element, Missing) and element is not layout[cell]
        ]
    return layout


def _letter(element: Element | None) -> str:
    return element if element else "null"
