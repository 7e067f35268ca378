"""A request of /advise, read from JSON: a view, what is believed of it, and what is wished."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from advise.adviser import DEFAULT_STRENGTH, Wish, check_mover, check_turn
from advise.belief import Belief
from advise.history import played_in, replay
from advise.humanlike import DEFAULT_PLIES, MOST_PLIES
from advise.objective import HALF, Kind, Objective, Style
from advise.view import View
from app.advice_objects import HIGHEST_SEED, MOST_WORLDS, OBJECTIVES, STYLES
from app.advice_prior import Hidden, read_cards, read_hidden
from engine.errors import MISSING, InputError, MoveError, Problem, StateError, Words
from engine.game.board import CELLS
from engine.game.cards import Card, Catalogue
from engine.game.deal import Player
from engine.game.moves import Move
from engine.game.state import State
from engine.text.document import (
    OPTIONAL,
    REQUIRED,
    Problems,
    check_fields,
    load_json,
    move_from_dict,
    read_board,
    read_elements,
    read_player,
    read_rules,
)

FIELDS = frozenset(
    (
        "state",
        "history",
        "style",
        "objective",
        "draw",
        "belief",
        "worlds",
        "seed",
        "strength",
        "plies",
        "plan",
        "keep",
    )
)
VIEW_FIELDS = frozenset((*REQUIRED, *OPTIONAL))
KEEPING_PLIES = (6, 7)


class Asked(NamedTuple):
    """What is asked."""

    view: View
    belief: Belief
    wish: Wish
    states: Sequence[State] | None  # by ply, as far as known cards go, when there is a history
    history: tuple[Move, ...] | None
    keeps: bool  # go on with the plan of the turn before


def read_request(data: bytes, catalogue: Catalogue) -> Asked:
    """Return what a JSON text asks, or raise an error that names every wrong field."""
    return asked_in(load_json(data, "body"), catalogue)


def asked_in(found: object, catalogue: Catalogue) -> Asked:
    """Return what a document asks, or raise `StateError`."""
    if not isinstance(found, dict):
        raise StateError.of("body", found, 'an object: {"state": {...}, ...}')
    problems: Problems = []
    check_fields(found, FIELDS, ("state",), "", problems)
    wish = _read_wish(found, problems)
    keeps = _truth(found, "keep", problems)
    history = _read_history(found, problems)
    seen = _read_view(found.get("state", {}), catalogue, problems)
    if problems or seen is None:
        raise StateError(problems)
    view, states = _with_history(seen, history, catalogue)
    check_turn(view)
    try:
        belief = Belief.of(view, seen.hidden.prior, catalogue)
    except InputError as error:
        raise StateError([_placed(each, seen, history) for each in error.problems]) from None
    if keeps:
        _check_keeping(view, history)
    return Asked(view, belief, wish, states, history, keeps)


class Seen(NamedTuple):
    """A view as the request has it, and the hidden hand as it was given."""

    view: View
    hidden: Hidden


def _read_view(data: object, catalogue: Catalogue, problems: Problems) -> Seen | None:
    """Return the view that a state with a hidden hand describes."""
    if not isinstance(data, dict):
        problems.append(Problem("state", data, "an object"))
        return None
    check_fields(data, VIEW_FIELDS, REQUIRED, "", problems)
    rules = read_rules(data.get("rules", {}), problems)
    board, written = read_board(data.get("board", MISSING), catalogue, problems)
    to_move = read_player(data.get("to_move", MISSING), "to_move", problems)
    elements = read_elements(data.get("board_elements", MISSING), written, rules, problems)
    hands = _read_hands(data.get("hands", MISSING), catalogue, problems)
    ply = CELLS - list(board).count(None)
    turn = data.get("turn", ply)
    if not problems and (type(turn) is not int or turn != ply):
        problems.append(Problem("turn", turn, f"{ply}, the number of occupied cells"))
    if problems or to_move is None or hands is None:
        return None
    own, viewer, hidden = _viewed(hands, to_move)
    check_mover(viewer, to_move)
    view = View.of(
        board,
        own,
        to_move,
        rules,
        elements,
        unseen=hidden.unseen,
        known=hidden.known,
        played=hidden.played,
        viewer=viewer,
    )
    return Seen(view, hidden)


Hands = dict[Player, list[Card] | Hidden]


def _read_hands(data: object, catalogue: Catalogue, problems: Problems) -> Hands | None:
    if not isinstance(data, dict):
        if data is not MISSING:
            problems.append(Problem("hands", data, "an object with A and B"))
        return None
    names = [player.name for player in Player]
    check_fields(data, frozenset(names), names, "hands.", problems)
    hands: Hands = {}
    for player in Player:
        given, where = data.get(player.name, []), f"hands.{player.name}"
        if isinstance(given, dict):
            hands[player] = read_hidden(given, where, catalogue, problems)
        else:
            hands[player] = read_cards(given, where, catalogue, problems)
    hidden = [player for player, hand in hands.items() if isinstance(hand, Hidden)]
    if len(hidden) > 1:
        problems.append(Problem("hands", Words("two hidden hands"), "your own hand as a list"))
    return hands


def _viewed(hands: Hands, to_move: Player) -> tuple[list[Card], Player, Hidden]:
    """Return the viewer's hand, the viewer, and the other's hand; who moves sees, if both do."""
    for player, hand in hands.items():
        own = hands[player.opponent]
        if isinstance(hand, Hidden) and isinstance(own, list):
            return own, player.opponent, hand
    own, theirs = hands[to_move], hands[to_move.opponent]
    assert isinstance(own, list)
    assert isinstance(theirs, list)
    return own, to_move, Hidden(0, theirs, None, None)


def _with_history(
    seen: Seen, history: tuple[Move, ...] | None, catalogue: Catalogue
) -> tuple[View, Sequence[State] | None]:
    """Return the view with what the history tells of it, and the states it went through."""
    view = seen.view
    if history is None:
        return view, None
    played = played_in(view, history, catalogue)
    if view.played is not None and tuple(sorted(played)) != view.played:
        field = f"hands.{view.opponent.name}.played"
        allowed = f"{[card.id for card in sorted(played)]}, as in the history"
        raise StateError.of(field, [card.id for card in view.played], allowed)
    view = View.of(
        view.board,
        view.hand,
        view.to_move,
        view.rules,
        view.elements,
        unseen=view.unseen,
        known=view.known,
        played=played,
        viewer=view.viewer,
    )
    return view, replay(view, history, catalogue)


def _placed(problem: Problem, seen: Seen, history: tuple[Move, ...] | None) -> Problem:
    """Return the problem of a card with its place in the request."""
    where = f"hands.{seen.view.opponent.name}"
    given = {f"{where}.played": seen.hidden.played, f"{where}.known": seen.hidden.known}
    cards = [card.id for card in given.get(problem.field) or ()]
    if problem.found in cards:
        return problem._replace(field=f"{problem.field}[{cards.index(problem.found)}]")
    moves = [move.card_id for move in history or ()]
    if problem.field == f"{where}.played" and problem.found in moves:
        return problem._replace(field=f"history[{moves.index(problem.found)}].card_id")
    return problem


def _read_history(data: Mapping[str, object], problems: Problems) -> tuple[Move, ...] | None:
    if "history" not in data:
        return None
    given = data["history"]
    if not isinstance(given, list) or len(given) > CELLS:
        found = Words(f"a list of {len(given):,}") if isinstance(given, list) else given
        problems.append(Problem("history", found, f"a list of at most {CELLS} moves"))
        return None
    moves = []
    for number, each in enumerate(given):
        try:
            moves.append(move_from_dict(each))
        except MoveError as error:
            problems += [
                problem._replace(field=problem.field.replace("move", f"history[{number}]", 1))
                for problem in error.problems
            ]
    return tuple(moves)


def _check_keeping(view: View, history: tuple[Move, ...] | None) -> None:
    if view.ply not in KEEPING_PLIES:
        allowed = "false: there is a plan to keep at plies 6 and 7 alone"
        raise StateError.of("keep", Words(f"true at ply {view.ply}"), allowed)
    if history is None:
        raise StateError.of("history", MISSING, "the moves so far, to keep a plan")


# Wishes


def _read_wish(data: Mapping[str, Any], problems: Problems) -> Wish:
    """Return how advice is wanted."""
    style = _one_of(data.get("style", "optimal"), "style", STYLES, problems)
    if "belief" in data:
        _one_of(data["belief"], "belief", ("cards",), problems)
    draw = _number(data, "draw", HALF, (0, 1), problems)
    worlds = _whole(data, "worlds", None, (1, MOST_WORLDS), problems)
    return Wish(
        style=Style(style),
        objective=Objective(Kind(_read_objective(data, problems)), draw),
        worlds=worlds,
        seed=_whole(data, "seed", 0, (0, HIGHEST_SEED), problems) or 0,
        strength=_number(data, "strength", DEFAULT_STRENGTH, (0, 100), problems),
        plies=_whole(data, "plies", DEFAULT_PLIES, (0, MOST_PLIES), problems) or 0,
        plan=_truth(data, "plan", problems),
    )


def _read_objective(data: Mapping[str, Any], problems: Problems) -> str:
    given = data.get("objective", {})
    if not isinstance(given, dict):
        problems.append(Problem("objective", given, 'an object: {"kind": "points"}'))
        return OBJECTIVES[0]
    check_fields(given, frozenset(("kind",)), (), "objective.", problems)
    return _one_of(given.get("kind", OBJECTIVES[0]), "objective.kind", OBJECTIVES, problems)


def _one_of(value: object, field: str, allowed: Sequence[str], problems: Problems) -> str:
    if isinstance(value, str) and value in allowed:
        return value
    problems.append(Problem(field, value, f"one of {', '.join(allowed)}"))
    return allowed[0]


def _truth(data: Mapping[str, Any], field: str, problems: Problems) -> bool:
    value = data.get(field, False)
    if not isinstance(value, bool):
        problems.append(Problem(field, value, "true or false"))
        return False
    return value


def _whole(
    data: Mapping[str, Any],
    field: str,
    default: int | None,
    limits: tuple[int, int],
    problems: Problems,
) -> int | None:
    value = data.get(field, MISSING)
    if value is MISSING:
        return default
    if type(value) is not int or not limits[0] <= value <= limits[1]:
        allowed = f"a whole number from {limits[0]} to {limits[1]:,}"
        problems.append(Problem(field, value, allowed))
        return default
    return value


def _number(
    data: Mapping[str, Any],
    field: str,
    default: float,
    limits: tuple[int, int],
    problems: Problems,
) -> float:
    value = data.get(field, default)
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    if not is_number or not math.isfinite(value) or not limits[0] <= value <= limits[1]:
        problems.append(Problem(field, value, f"a number from {limits[0]} to {limits[1]}"))
        return default
    return float(value)
