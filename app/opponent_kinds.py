"""Which opponents there are, and what is told of each: GET /opponents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple

from advise.opponents import KINDS
from app import opponent_schemas as schemas

COMPUTER: Final = "ff8"
MIXTURE: Final = "mixture"


class Told(NamedTuple):
    """What is told of a kind of opponents."""

    plays: str
    sees: str
    assumes: str
    defaults: Mapping[str, Any] = {}  # of the parameters that may be left out


_BOTH, _OWN = "both hands", "the board and its own hand"
TOLD: Mapping[schemas.KindName, Told] = {
    "perfect": Told("the first of the best moves", _BOTH, "nothing: it never errs"),
    "random": Told("any legal move, each as likely", _OWN, "nothing"),
    "greedy": Told("the move that captures most at once", _OWN, "that the next move is the last"),
    "tremble": Told("as perfect, but with probability `error` any legal move", _BOTH, "nothing"),
    "softmax": Told(
        "a move by softmax over its exact points at `temperature`", _BOTH, "that both see all"
    ),
    "humanlike": Told(
        "a move by softmax over what it sees `plies` ahead; `strength` 0 is random, 100 perfect",
        _BOTH,
        "a style: it was fitted to nobody's games",
        {"plies": 2},
    ),
    COMPUTER: Told(
        "as the computer player of the game: a few plies, by its own scores",
        "its own hand; the other only under the rule Open or with `sees_hand`, else a guess",
        "placements without Combo, by the rules of ff8; your hand to be of its own levels",
        {
            "search": 0,
            "strategy": 0,
            "sees_hand": False,
            "levels": [],
            "rares": [],
            "rare_chance": 0,
        },
    ),
}
ALLOWED = {  # where JSON differs from text
    "levels": "a list of levels from 1 to 7, each once; none means level 1",
    "rares": "a list of ids of cards of level 8 to 10, each once",
    "search": "a whole number from 0 to 7, or from 16 to 23 with `sees_hand`",
}
MODELS_ALLOWED = (
    f'1 to {schemas.MODELS_AT_MOST} of {{"opponent": {{...}}, "weight": a number from 0 on}}'
)
KNOWN = [
    schemas.KnownOpponent(
        "a schoolmate in the first hall",
        schemas.OpponentObject(
            COMPUTER, search=0, strategy=0, sees_hand=False, levels=[1, 2], rare_chance=80
        ),
    )
]
INFERRED = [
    "ff8: the depth of search 7 with nine empty cells, 3, is printed nowhere",
    "ff8: the scale of the weights of its strategies",
]


def listed() -> schemas.OpponentsResponse:
    """Return all models, and what is known of computer players."""
    return schemas.OpponentsResponse(
        [*map(_described, TOLD), _mixture_described()], KNOWN, INFERRED
    )


def _described(kind: schemas.KindName) -> schemas.OpponentKind:
    told = TOLD[kind]
    parameters = [
        schemas.OpponentParameter(name, ALLOWED.get(name, option.allowed), told.defaults.get(name))
        for name, option in KINDS[kind].options.items()
    ]
    return schemas.OpponentKind(kind, told.plays, told.sees, told.assumes, parameters)


def _mixture_described() -> schemas.OpponentKind:
    models = schemas.OpponentParameter("models", MODELS_ALLOWED, None)
    plays = "as one of `models`, nobody knows which, each with its weight"
    return schemas.OpponentKind(MIXTURE, plays, "what its models see", "its weights", [models])
