"""The JSON of /advise as declared types: it is written, documented and typed from them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import UNSET, Meta, Struct, UnsetType

from engine.game.shape import HAND_SIZE
from engine.text.objects import (
    BoardCell,
    CardId,
    Hand,
    Letter,
    MoveObject,
    PlayerName,
    RulesObject,
    VariantName,
)

MOST_WORLDS = 1_000_000
MOST_HANDS = 10_000
MOST_POOL = 110
HIGHEST_SEED = (1 << 53) - 1  # what every reader of JSON can hold
STYLES = ("optimal", "robust", "humanlike")
OBJECTIVES = ("points", "win", "not_lose", "margin")

Level = Annotated[int, Meta(ge=1, le=7)]
Share = Annotated[float, Meta(ge=0, le=1)]
Weight = Annotated[float, Meta(ge=0)]
Five = Annotated[list[CardId], Meta(min_length=HAND_SIZE, max_length=HAND_SIZE)]
Bounds = tuple[float, float]


class DeckObject(Struct, forbid_unknown_fields=True):
    """Five cards that the opponent may have been dealt."""

    cards: Five
    weight: Weight = 1.0


class DealtObject(Struct, forbid_unknown_fields=True):
    """The same in slot order."""

    dealt: Five
    weight: Weight = 1.0


class PriorObject(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What the opponent may have been dealt: one of pool, levels, hands, worlds."""

    pool: Annotated[list[CardId], Meta(max_length=MOST_POOL)] | UnsetType = UNSET
    copies: Annotated[bool, Meta(description="Of a pool: cards may repeat")] | UnsetType = UNSET
    levels: Annotated[list[Level], Meta(description="As the game deals")] | UnsetType = UNSET
    rares: list[CardId] | UnsetType = UNSET
    rare_chance: (
        Annotated[int, Meta(ge=0, le=100, description="Of the first rare, percent")] | UnsetType
    ) = UNSET
    hands: Annotated[list[DeckObject], Meta(max_length=MOST_HANDS)] | UnsetType = UNSET
    worlds: Annotated[list[DealtObject], Meta(max_length=MOST_HANDS)] | UnsetType = UNSET


class HiddenHand(Struct, forbid_unknown_fields=True, omit_defaults=True, rename={"prior": "from"}):
    """A hand that is not seen."""

    unseen: Annotated[int, Meta(ge=0, le=HAND_SIZE)]
    known: Hand | UnsetType = UNSET
    played: (
        Annotated[Hand, Meta(description="What its player brought to the board")] | UnsetType
    ) = UNSET
    prior: PriorObject | UnsetType = UNSET


class ViewHands(Struct, forbid_unknown_fields=True):
    """Both hands; at most one of them hidden."""

    A: Hand | HiddenHand
    B: Hand | HiddenHand


class ViewObject(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What one player sees; that player is to move."""

    board: Annotated[list[BoardCell], Meta(min_length=9, max_length=9)]
    hands: ViewHands
    to_move: PlayerName
    turn: Annotated[int, Meta(ge=0, le=8)] | UnsetType = UNSET
    rules: RulesObject | UnsetType = UNSET
    board_elements: Annotated[list[Letter | None], Meta(min_length=9, max_length=9)] | UnsetType = (
        UNSET
    )


class ObjectiveObject(Struct, forbid_unknown_fields=True):
    """What the game is played for."""

    kind: Literal["points", "win", "not_lose", "margin"] = "points"


class AdviseRequest(Struct, forbid_unknown_fields=True, omit_defaults=True):
    """What is asked: a view, and how advice is wanted."""

    state: ViewObject
    history: (
        Annotated[list[MoveObject], Meta(max_length=9, description="From the opening on")]
        | UnsetType
    ) = UNSET
    style: Literal["optimal", "robust", "humanlike"] = "optimal"
    objective: ObjectiveObject | UnsetType = UNSET
    draw: Annotated[Share, Meta(description="Worth of a draw")] | UnsetType = UNSET
    belief: Literal["cards"] | UnsetType = UNSET
    worlds: (
        Annotated[int, Meta(ge=1, le=MOST_WORLDS, description="By ply when left out")] | UnsetType
    ) = UNSET
    seed: Annotated[int, Meta(ge=0, le=HIGHEST_SEED)] = 0
    strength: Annotated[float, Meta(ge=0, le=100)] | UnsetType = UNSET
    plies: Annotated[int, Meta(ge=0, le=4)] | UnsetType = UNSET
    plan: Annotated[bool, Meta(description="What to do next; plies 4 and 5")] = False
    keep: Annotated[bool, Meta(description="Go on with the plan of the turn before")] = False


class WorldsObject(Struct):
    """How many worlds there are, and how many were looked at."""

    total: int
    evaluated: int
    effective: float
    exact: bool


class ValueObject(Struct):
    """What the recommended move is worth with open hands."""

    win: float
    draw: float
    loss: float
    points: float
    margin: float
    interval: Annotated[Bounds, Meta(description="Of the points, 95 %")]


class AdvisedMove(Struct):
    """A move, and what is told of it."""

    card_id: CardId
    cell: int
    win: float
    draw: float
    loss: float
    points: float
    margin: float
    interval: Bounds
    behind: float
    behind_interval: Bounds
    guaranteed: Bounds | None
    worst_quarter: float
    worst: Literal[-1, 0, 1]
    fallible: float | None
    captures: list[int]


class CardChanceObject(Struct):
    """A card that the opponent may hold."""

    card_id: CardId
    chance: float


class ChosenMove(Struct):
    """A move, and how likely it is to be made."""

    card_id: CardId
    cell: int
    chance: float


class PlannedObject(Struct):
    """What to do after a reply of the opponent's."""

    reply: MoveObject
    moves: list[ChosenMove]


class AdviceObject(Struct, omit_defaults=True):
    """Advice; with `complete` false a better one follows."""

    best_move: MoveObject
    style: str
    method: Literal["guaranteed", "open"]
    assumes: list[str]
    worlds: WorldsObject
    value: ValueObject
    guaranteed: Bounds | None
    separated: bool
    moves: list[AdvisedMove]
    cards: list[CardChanceObject]
    validated: bool
    complete: bool
    variant: VariantName
    view_hash: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    plan: list[PlannedObject] | None | UnsetType = UNSET
    kept: list[ChosenMove] | UnsetType = UNSET


ADVICE_SHOWN: tuple[Any, ...] = (AdviseRequest, AdviceObject)
