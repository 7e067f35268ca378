"""Requests about opponents, read and checked: every message names field, found and allowed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from numpy.random import Generator, Philox, SeedSequence

from advise.computer import ComputerModel
from advise.opponents import KINDS, Mixture, parse_opponent
from advise.table import TablePlayer
from app.errors import Kind, ServiceError
from app.opponent_kinds import ALLOWED, COMPUTER, MIXTURE, MODELS_ALLOWED
from app.opponent_schemas import MODELS_AT_MOST
from engine.errors import (
    MISSING,
    InputError,
    NotJsonError,
    OpponentError,
    Problem,
    field_name,
    first_problems,
)
from engine.game.cards import Catalogue
from engine.game.deal import Player
from engine.game.dealing import HIGHEST_SEED
from engine.game.state import State
from engine.players.computer import ComputerPlayer
from engine.players.situation import Situation
from engine.players.stream import HIGHEST_STATE
from engine.text.document import load_json

Json = Mapping[str, Any]


def read_body(body: bytes, fields: tuple[str, ...], required: tuple[str, ...]) -> Json:
    """Return the object of a body, or raise an error that says what is wrong with it."""
    try:
        found = load_json(body)
    except NotJsonError as error:
        raise ServiceError(Kind.NOT_JSON, str(error), error.problems) from error
    if not isinstance(found, dict):
        raise OpponentError.of("body", found, f"an object with {', '.join(fields)}")
    check_fields(found, fields, required)
    return found


def check_fields(
    found: Json, fields: tuple[str, ...], required: tuple[str, ...], prefix: str = ""
) -> None:
    """Raise `OpponentError` for fields that an object does not have, or lacks."""
    problems = first_problems(
        Problem(prefix + field_name(name), found[name], f"only the fields {', '.join(fields)}")
        for name in found
        if name not in fields
    )
    problems += [
        Problem(prefix + name, MISSING, "this field is required")
        for name in required
        if name not in found
    ]
    if problems:
        raise OpponentError(problems)


def opponent_from(
    found: object, catalogue: Catalogue, field: str = "opponent", *, may_mix: bool = True
) -> TablePlayer:
    """Return the opponent that a text or an object describes, or raise `OpponentError`."""
    if isinstance(found, str):
        return parse_opponent(found, field, catalogue)
    if not isinstance(found, dict):
        raise OpponentError.of(field, found, 'an object {"kind": ...}, or a text')
    kinds = [*KINDS, *([MIXTURE] if may_mix else [])]
    kind = found.get("kind", MISSING)
    if not isinstance(kind, str) or kind not in kinds:
        raise OpponentError.of(f"{field}.kind", kind, f"one of {', '.join(kinds)}")
    if kind == MIXTURE:
        return _mixture(found, catalogue, field)
    options = KINDS[kind].options
    check_fields(found, ("kind", *options), KINDS[kind].required, f"{field}.")
    given = {name: value for name, value in found.items() if name != "kind"}
    if kind == COMPUTER:
        return _computer(given, catalogue, field)
    problems = [
        Problem(f"{field}.{name}", value, options[name].allowed)
        for name, value in given.items()
        if not _is_allowed(kind, name, value)
    ]
    if problems:
        raise OpponentError(problems)
    return KINDS[kind].make(**given)


def _is_allowed(kind: str, name: str, value: object) -> bool:
    """Tell whether a number may be given for a parameter."""
    if type(value) not in (int, float):
        return False
    try:
        KINDS[kind].options[name].read(repr(value))
    except ValueError:
        return False
    return True


def _computer(given: Json, catalogue: Catalogue, field: str) -> ComputerModel:
    lists = {name: given[name] for name in ("levels", "rares") if name in given}
    problems = [
        Problem(f"{field}.{name}", value, ALLOWED[name])
        for name, value in lists.items()
        if not isinstance(value, list)
    ]
    if "sees_hand" in given and type(given["sees_hand"]) is not bool:
        problems.append(Problem(f"{field}.sees_hand", given["sees_hand"], "true or false"))
    if problems:
        raise OpponentError(problems)
    try:
        tuples = {name: tuple(value) for name, value in lists.items()}
        player = ComputerPlayer(**{**given, **tuples})
    except OpponentError as error:
        raise _below(field, error) from None
    return ComputerModel(player, brings_hand="levels" in given, catalogue=catalogue)


def _below(field: str, error: InputError) -> OpponentError:
    """Return an error whose fields are those of an object."""
    return OpponentError([each._replace(field=f"{field}.{each.field}") for each in error.problems])


def _mixture(found: Json, catalogue: Catalogue, field: str) -> Mixture:
    check_fields(found, ("kind", "models"), ("models",), f"{field}.")
    parts = found["models"]
    if not isinstance(parts, list) or not 0 < len(parts) <= MODELS_AT_MOST:
        raise OpponentError.of(f"{field}.models", parts, MODELS_ALLOWED)
    models, weights = [], []
    for number, part in enumerate(parts):
        name = f"{field}.models[{number}]"
        if not isinstance(part, dict):
            raise OpponentError.of(name, part, MODELS_ALLOWED)
        check_fields(part, ("opponent", "weight"), ("opponent", "weight"), f"{name}.")
        if type(part["weight"]) not in (int, float):
            raise OpponentError.of(f"{name}.weight", part["weight"], "a number from 0 on")
        models.append(opponent_from(part["opponent"], catalogue, f"{name}.opponent", may_mix=False))
        weights.append(float(part["weight"]))
    try:
        return Mixture(tuple(models), tuple(weights))
    except OpponentError as error:
        raise _below(field, error) from None


def _whole(found: Json, name: str, highest: int) -> int | None:
    """Return a number of a body, None when it is left out; or raise `OpponentError`."""
    value = found.get(name)
    if name not in found:
        return None
    if type(value) is not int or not 0 <= value <= highest:
        raise OpponentError.of(name, value, f"a whole number from 0 to {highest}")
    return value


def random_state(found: Json) -> int:
    """Return the state of the game's random numbers that a body gives, or one by its seed."""
    rng, seed = _whole(found, "rng", HIGHEST_STATE), _whole(found, "seed", HIGHEST_SEED)
    if rng is None:
        return int(generator(seed or 0).integers(HIGHEST_STATE + 1))
    if seed is not None:
        raise OpponentError.of("seed", seed, "rng or seed, not both")
    return rng


def generator(seed: int) -> Generator:
    """Return the random numbers of a seed."""
    return Generator(Philox(SeedSequence(seed)))


def _card_list(value: object, field: str, allowed: str, *, has_null: bool) -> list[Any]:
    """Return a list of card ids, perhaps with nulls, or raise `OpponentError`."""
    if not isinstance(value, list):
        raise OpponentError.of(field, value, allowed)
    problems = [
        Problem(f"{field}[{place}]", card, allowed)
        for place, card in enumerate(value)
        if not ((has_null and card is None) or (type(card) is int and card > 0))
    ]
    if problems:
        raise OpponentError(first_problems(problems))
    return value


def situation_from(found: Json, state: State) -> Situation:
    """Return a state with slots and dealt cards as a body has them, or raise `OpponentError`."""
    slots = found.get("slots", {})
    players = tuple(player.name for player in Player)
    if not isinstance(slots, dict):
        raise OpponentError.of("slots", slots, 'an object {"A": [...], "B": [...]}')
    check_fields(slots, players, (), "slots.")
    five = {
        name: _card_list(given, f"slots.{name}", "five card ids or nulls", has_null=True)
        for name, given in slots.items()
    }
    dealt = None
    if "dealt" in found:
        allowed = "5 card ids, in dealt order"
        dealt = _card_list(found["dealt"], "dealt", allowed, has_null=False)
    mover = state.to_move
    own, other = five.get(mover.name), five.get(mover.opponent.name)
    return Situation.of(state, own=own, other=other, dealt=dealt)
