"""What goes in and out over HTTP about opponents."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from engine.game.shape import HAND_SIZE
from engine.text.objects import CardId, Cell, MoveObject, StateObject

MODELS_AT_MOST = 100  # of a mixture

KindName = Literal[
    "perfect", "random", "greedy", "tremble", "softmax", "humanlike", "ff8", "mixture"
]
SearchRow = Literal[0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23]
Slot = Annotated[int, Meta(ge=0, le=HAND_SIZE - 1)]
FiveSlots = Annotated[list[CardId | None], Meta(min_length=HAND_SIZE, max_length=HAND_SIZE)]
FiveCards = Annotated[list[CardId], Meta(min_length=HAND_SIZE, max_length=HAND_SIZE)]
Level = Annotated[int, Meta(ge=1, le=7)]
RareId = Annotated[int, Meta(ge=78, le=110)]
Levels = Annotated[list[Level], Meta(description="It is dealt from; none means level 1")]
Percent = Annotated[int, Meta(ge=0, le=100)]
Random = Annotated[int, Meta(ge=0, le=2**32 - 1, description="State of the game's random numbers")]

OpponentText = Annotated[
    str,
    Meta(
        pattern="^(perfect|random|greedy|tremble|softmax|humanlike|ff8)(:.+)?$",
        description="As commands take it: `ff8:search=2,strategy=0`",
    ),
]
# msgspec knows no bound beyond 63 bits.
Seed = Annotated[
    int,
    Meta(ge=0, description="Instead of rng", extra_json_schema={"maximum": 2**64 - 1}),
]


class WeightedOpponent(Struct, forbid_unknown_fields=True):
    """One model of a mixture."""

    opponent: OpponentObject
    weight: Annotated[float, Meta(ge=0)]


class OpponentObject(Struct, forbid_unknown_fields=True):
    """A model of a player: its kind, and the parameters of that kind (see GET /opponents)."""

    kind: KindName
    search: Annotated[SearchRow, Meta(description="ff8")] | UnsetType = UNSET
    strategy: Annotated[int, Meta(ge=0, le=7, description="ff8")] | UnsetType = UNSET
    sees_hand: Annotated[bool, Meta(description="ff8")] | UnsetType = UNSET
    levels: Levels | UnsetType = UNSET
    rares: list[RareId] | UnsetType = UNSET
    rare_chance: Percent | UnsetType = UNSET
    error: Annotated[float, Meta(ge=0, le=1, description="tremble")] | UnsetType = UNSET
    temperature: Annotated[float, Meta(gt=0, description="softmax")] | UnsetType = UNSET
    strength: Annotated[float, Meta(ge=0, le=100, description="humanlike")] | UnsetType = UNSET
    plies: Annotated[int, Meta(ge=0, le=4, description="humanlike")] | UnsetType = UNSET
    models: (
        Annotated[
            list[WeightedOpponent],
            Meta(min_length=1, max_length=MODELS_AT_MOST, description="mixture"),
        ]
        | UnsetType
    ) = UNSET


class SlotsObject(Struct, forbid_unknown_fields=True):
    """Both hands by slot, null where a card was played; ascending ids where left out."""

    A: FiveSlots | UnsetType = UNSET
    B: FiveSlots | UnsetType = UNSET


class OpponentMoveRequest(Struct, forbid_unknown_fields=True):
    """A state in which the model is to move; the rest where slots or chance matter."""

    state: StateObject
    opponent: OpponentObject | OpponentText
    dealt: Annotated[FiveCards, Meta(description="Its five cards in dealt order")] | UnsetType = (
        UNSET
    )
    slots: SlotsObject | UnsetType = UNSET
    rng: Random | UnsetType = UNSET
    seed: Seed | UnsetType = UNSET


class OpponentMoveObject(MoveObject, frozen=True):
    """A move, and for `ff8` the slot that it was played from."""

    slot: Slot | UnsetType = UNSET


class OpponentMoveResponse(Struct):
    """What a model plays; all but `move` for `ff8` only."""

    move: OpponentMoveObject
    depth: Annotated[int, Meta(description="Plies it looked ahead")] | UnsetType = UNSET
    guess: (
        Annotated[FiveCards | None, Meta(description="Null when it saw the other hand")] | UnsetType
    ) = UNSET
    weighted: int | UnsetType = UNSET
    raw: int | UnsetType = UNSET
    placements: (
        Annotated[int, Meta(ge=0, description="Cards it put down while thinking")] | UnsetType
    ) = UNSET
    rng: Annotated[Random, Meta(description="Afterwards")] | UnsetType = UNSET
    root: (
        Annotated[
            list[tuple[Slot, Cell, int, int]],
            Meta(description="Slot, cell, weighted, raw of every move, as they were tried"),
        ]
        | UnsetType
    ) = UNSET


class OpponentDealRequest(Struct, forbid_unknown_fields=True):
    """What the computer player is dealt from."""

    levels: Levels | UnsetType = UNSET
    rares: list[RareId] | UnsetType = UNSET
    rare_chance: Percent | UnsetType = UNSET
    rng: Random | UnsetType = UNSET
    seed: Seed | UnsetType = UNSET


class OpponentDealResponse(Struct):
    """Five cards in dealt order."""

    hand: FiveCards
    rng: Annotated[Random, Meta(description="Afterwards")]


class OpponentParameter(Struct):
    """A parameter of a model."""

    name: str
    allowed: str
    default: Annotated[Any, Meta(description="Null: it must be given")]


class OpponentKind(Struct):
    """A model of a player."""

    kind: KindName
    plays: str
    sees: str
    assumes: str
    parameters: list[OpponentParameter]


class KnownOpponent(Struct):
    """A computer player whose parameters are known."""

    who: str
    opponent: OpponentObject


class OpponentsResponse(Struct):
    """Models of players, computer players that are known, and what is not certain of them."""

    models: list[OpponentKind]
    known: list[KnownOpponent]
    inferred: list[str]
