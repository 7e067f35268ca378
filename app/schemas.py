"""What goes in and out over HTTP besides states and answers (see `engine.text.objects`)."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from app import opponent_schemas
from app.advice_objects import ADVICE_SHOWN
from engine.game.shape import RuleName
from engine.text.document import LABELS
from engine.text.objects import (
    AnswerObject,
    CardId,
    Cell,
    MoveObject,
    StateObject,
    StoredDeal,
)

Rank = Annotated[int, Meta(ge=1, le=10)]
CURSOR = "^[0-9a-f]{32}$"  # the key of a deal


class Score(Struct):
    """The cards that count for each player."""

    A: int
    B: int


class PositionObject(AnswerObject, kw_only=True):
    """The answer, the state it is about, and its score now."""

    state: StateObject
    score: Score


class BatchRequest(Struct, forbid_unknown_fields=True):
    """States to be answered together."""

    states: list[StateObject]


class FieldError(Struct):
    """One wrong value."""

    field: str
    found: str
    allowed: str


class ProblemObject(Struct, omit_defaults=True):
    """What went wrong, as RFC 9457 has it."""

    type: str
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: list[FieldError] | UnsetType = UNSET


class BatchError(Struct):
    """An item of a batch that could not be answered."""

    error: ProblemObject


class BatchResponse(Struct):
    """Answers, or errors, in the order of the states."""

    results: list[dict[str, Any]]


class ApplyRequest(Struct, forbid_unknown_fields=True):
    """A state and a move in it."""

    state: StateObject
    move: MoveObject


class CaptureObject(Struct):
    """A card that changes owner."""

    cell: Cell
    card_id: CardId
    rule: RuleName
    by_cell: Cell


class ApplyResponse(Struct):
    """What a move makes of a state."""

    state: StateObject
    notation: str
    captures: list[CaptureObject]
    done: bool
    score: Score


class DealResponse(Struct):
    """A sampled opening."""

    state: StateObject
    notation: str


class CardObject(Struct):
    """A card."""

    id: CardId
    name: str
    level: Rank
    type: str
    top: Rank
    right: Rank
    bottom: Rank
    left: Rank
    element: str | None


class CardsResponse(Struct):
    """The catalogue."""

    cards: list[CardObject]
    digest: str


class LayerTotal(Struct):
    """What is stored, and what it takes."""

    states: int
    blocks: int
    bytes: int
    bits_per_state: float


class LayerObject(LayerTotal):
    """The same for one ply."""

    ply: int


class PartObject(Struct):
    """A part of the database: an immutable file with some of its deals."""

    name: str
    kind: str
    bytes: int


class LeftOutObject(Struct):
    """A part, or a folder, that cannot be read."""

    name: str
    reason: str


class DatabaseResponse(Struct):
    """What the database covers; `generation` is null when there is none."""

    generation: str | None
    format: int | UnsetType = UNSET
    revision: int | UnsetType = UNSET
    cards: str | UnsetType = UNSET
    digest: str | UnsetType = UNSET
    file_bytes: int | UnsetType = UNSET
    deals: int | UnsetType = UNSET
    kinds: (
        Annotated[dict[str, int], Meta(description="Rules and depth, and how many deals")]
        | UnsetType
    ) = UNSET
    layers: list[LayerObject] | UnsetType = UNSET
    total: LayerTotal | UnsetType = UNSET
    parts: list[PartObject] | UnsetType = UNSET
    left_out: (
        Annotated[list[LeftOutObject], Meta(description="Damaged parts, which are not served")]
        | UnsetType
    ) = UNSET
    damage: (
        Annotated[str, Meta(description="What cannot be read; then there is no more")] | UnsetType
    ) = UNSET
    refused: (
        Annotated[str, Meta(description="Why what is there now is not what is served")] | UnsetType
    ) = UNSET


class DealsResponse(Struct):
    """Deals of the database; fewer than asked for need not be the last."""

    deals: list[StoredDeal]
    next: Annotated[
        Annotated[str, Meta(pattern=CURSOR)] | None,
        Meta(description="What `after` takes for the next page; null when there is no more"),
    ]


class HealthResponse(Struct, omit_defaults=True):
    """How the service is."""

    status: Literal["ok", "starting", "ready", "draining"]
    database: str | None | UnsetType = UNSET
    refused: (
        Annotated[str, Meta(description="Why what is there now is not what is served")] | UnsetType
    ) = UNSET


SHOWN = (
    *ADVICE_SHOWN,
    AnswerObject,
    ApplyRequest,
    ApplyResponse,
    BatchError,
    BatchRequest,
    BatchResponse,
    CardObject,
    CardsResponse,
    DatabaseResponse,
    DealResponse,
    DealsResponse,
    HealthResponse,
    PositionObject,
    ProblemObject,
    StateObject,
    opponent_schemas.OpponentDealRequest,
    opponent_schemas.OpponentDealResponse,
    opponent_schemas.OpponentMoveRequest,
    opponent_schemas.OpponentMoveResponse,
    opponent_schemas.OpponentsResponse,
)
_REFERENCE = "#/components/schemas/{name}"


def reference(kind: type[Struct]) -> dict[str, Any]:
    """Return what refers to a type in the OpenAPI document."""
    return {"$ref": _REFERENCE.format(name=kind.__name__)}


def components() -> dict[str, Any]:
    """Return the schemas of all types, by name."""
    _, schemas = msgspec.json.schema_components(SHOWN, ref_template=_REFERENCE)
    either = {"anyOf": [reference(AnswerObject), reference(BatchError)]}
    schemas["BatchResponse"]["properties"]["results"]["items"] = either
    ignored = {"description": "Of an exported line: accepted and ignored", "writeOnly": True}
    schemas["StateObject"]["properties"] |= {label: dict(ignored) for label in LABELS}
    schemas["MoveObject"]["additionalProperties"] = False  # as `engine.text.document` has it
    return schemas
