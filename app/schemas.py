"""What goes in and out over HTTP, as pydantic models: the OpenAPI document is made of them.

States are checked by `engine.text.document`, which says more than a schema can; these models
describe the same JSON, and are not in the way of an answer.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.json_schema import models_json_schema

Player = Literal["A", "B"]
Letter = Literal["F", "I", "T", "W", "E", "P", "H", "L"]
Cell = Annotated[int, Field(ge=0, le=8)]
CardId = Annotated[int, Field(ge=1)]


class Model(BaseModel):
    """What all have in common."""

    model_config = ConfigDict(extra="forbid")


class BoardCell(Model):
    """One cell of the board."""

    cell: Cell
    card_id: CardId | None
    owner: Player | None
    element: Letter | None = None


class Hands(Model):
    """The unplayed cards; their order means nothing."""

    A: list[CardId] = Field(max_length=5)
    B: list[CardId] = Field(max_length=5)


class RulesObject(Model):
    """Four switches, and whose reading of them is in force."""

    elemental: bool = False
    same: bool = False
    plus: bool = False
    same_wall: bool = False
    variant: Literal["triplecargo", "ff8"] = "triplecargo"


class StateObject(BaseModel):
    """All that is needed to go on. Fields of exported lines are accepted and ignored."""

    board: list[BoardCell] = Field(min_length=9, max_length=9)
    hands: Hands
    to_move: Player
    turn: Annotated[int, Field(ge=0, le=9)] | None = None
    rules: RulesObject | None = None
    board_elements: list[Letter | None] | None = Field(None, min_length=9, max_length=9)


class MoveObject(Model):
    """A card of the mover's hand on an empty cell."""

    card_id: CardId
    cell: Cell


class RankedMoveObject(MoveObject):
    """A legal move and what it is worth."""

    value: Literal[-1, 0, 1]
    margin: Annotated[int, Field(ge=-10, le=10)]
    captures: list[Cell]


class AnswerObject(Model):
    """What perfect play makes of a state."""

    best_move: MoveObject | None = Field(None, description="Left out at the end of the game")
    value: Literal[-1, 0, 1] = Field(description="Won, drawn, lost for the side to move")
    margin: Annotated[int, Field(ge=-10, le=10)] = Field(description="A's cards less B's")
    pv: list[MoveObject] = Field(description="Best moves to the end of the game")
    nodes: Annotated[int, Field(ge=0)] = Field(description="States searched; 0 from the database")
    depth: Annotated[int, Field(ge=0, le=9)] = Field(description="Plies left")
    state_hash: Annotated[str, Field(pattern="^[0-9a-f]{32}$")]
    notation: str
    variant: Literal["triplecargo", "ff8"]
    source: Literal["database", "search"]
    moves: list[RankedMoveObject] | None = Field(None, description="With moves=true")


class Score(Model):
    """The cards that count for each player."""

    A: int
    B: int


class PositionObject(AnswerObject):
    """The answer, the state it is about, and its score now."""

    state: StateObject
    score: Score


class BatchRequest(Model):
    """States to be answered together."""

    states: list[StateObject]


class FieldError(Model):
    """One wrong value."""

    field: str
    found: str
    allowed: str


class ProblemObject(Model):
    """What went wrong, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: list[FieldError] | None = None


class BatchError(Model):
    """An item of a batch that could not be answered."""

    error: ProblemObject


class BatchResponse(Model):
    """Answers, or errors, in the order of the states."""

    results: list[AnswerObject | BatchError]


class ApplyRequest(Model):
    """A state and a move in it."""

    state: StateObject
    move: MoveObject


class CaptureObject(Model):
    """A card that changes owner."""

    cell: Cell
    card_id: CardId
    rule: Literal["same", "plus", "basic", "combo"]
    by_cell: Cell


class ApplyResponse(Model):
    """What a move makes of a state."""

    state: StateObject
    notation: str
    captures: list[CaptureObject]
    done: bool
    score: Score


class DealResponse(Model):
    """A sampled opening."""

    state: StateObject
    notation: str


class CardObject(Model):
    """A card."""

    id: CardId
    name: str
    level: Annotated[int, Field(ge=1, le=10)]
    type: str
    top: Annotated[int, Field(ge=1, le=10)]
    right: Annotated[int, Field(ge=1, le=10)]
    bottom: Annotated[int, Field(ge=1, le=10)]
    left: Annotated[int, Field(ge=1, le=10)]
    element: str | None


class CardsResponse(Model):
    """The catalogue."""

    cards: list[CardObject]
    digest: str


class LayerTotal(Model):
    """What is stored, and what it takes."""

    states: int
    blocks: int
    bytes: int
    bits_per_state: float


class LayerObject(LayerTotal):
    """The same for one ply."""

    ply: int


class DatabaseResponse(Model):
    """What the database covers; `generation` is null when there is none."""

    generation: str | None
    format: int | None = None
    revision: int | None = None
    cards: str | None = None
    digest: str | None = None
    file_bytes: int | None = None
    deals: int | None = None
    kinds: dict[str, int] | None = Field(None, description="Rules and depth, and how many deals")
    layers: list[LayerObject] | None = None
    total: LayerTotal | None = None
    damage: str | None = Field(None, description="What cannot be read; then there is no more")


class HealthResponse(Model):
    """How the service is."""

    status: Literal["ok", "starting", "ready", "draining"]
    database: str | None = None


NAMED = (StateObject, BatchRequest, ApplyRequest, ProblemObject)  # by routes, as references


def model_schemas() -> dict[str, Any]:
    """Return the schemas of what routes refer to by name, and of all that these refer to."""
    _, document = models_json_schema(
        [(model, "validation") for model in NAMED], ref_template="#/components/schemas/{model}"
    )
    schemas: dict[str, Any] = document["$defs"]
    return schemas
