"""The JSON about states, as declared types: it is read, written, documented and typed from them.

Nothing here needs a kernel, so that a client of the service starts at once.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from engine.game.shape import CELLS, HAND_SIZE, Value

PlayerName = Literal["A", "B"]
Letter = Literal["F", "I", "T", "W", "E", "P", "H", "L"]
VariantName = Literal["triplecargo", "ff8"]
Cell = Annotated[int, Meta(ge=0, le=CELLS - 1)]
CardId = Annotated[int, Meta(ge=1)]
Margin = Annotated[int, Meta(ge=-10, le=10)]
Switch = Annotated[bool, Meta(extra_json_schema={"default": False})]
Hand = Annotated[list[CardId], Meta(max_length=HAND_SIZE)]


class BoardCell(Struct, forbid_unknown_fields=True, gc=False):
    """One cell of the board."""

    cell: Cell
    card_id: CardId | None
    owner: PlayerName | None
    element: Letter | None | UnsetType = UNSET


class Hands(Struct, forbid_unknown_fields=True, gc=False):
    """The unplayed cards; their order means nothing."""

    A: Hand
    B: Hand


class RulesObject(Struct, forbid_unknown_fields=True, frozen=True, gc=False):
    """Four switches, whose reading of them is in force; what is off beyond them is not written."""

    elemental: Switch | UnsetType = UNSET
    same: Switch | UnsetType = UNSET
    plus: Switch | UnsetType = UNSET
    same_wall: Switch | UnsetType = UNSET
    variant: (
        Annotated[VariantName, Meta(extra_json_schema={"default": "triplecargo"})] | UnsetType
    ) = UNSET
    sudden_death: (
        Annotated[Switch, Meta(description="A drawn round is followed by another")] | UnsetType
    ) = UNSET
    open: (
        Annotated[Switch, Meta(description="Both hands are seen; concerns advice alone")]
        | UnsetType
    ) = UNSET


NO_RULES = RulesObject()


class StateObject(Struct, forbid_unknown_fields=True, gc=False):
    """All that is needed to go on. Fields of exported lines are accepted and ignored."""

    board: Annotated[list[BoardCell], Meta(min_length=CELLS, max_length=CELLS)]
    hands: Hands
    to_move: PlayerName
    turn: Annotated[int, Meta(ge=0, le=CELLS)] | UnsetType = UNSET
    rules: RulesObject | UnsetType = UNSET
    board_elements: (
        Annotated[list[Letter | None], Meta(min_length=CELLS, max_length=CELLS)] | UnsetType
    ) = UNSET


class MoveObject(Struct, frozen=True, gc=False):
    """A card of the mover's hand on an empty cell."""

    card_id: CardId
    cell: Cell


class RankedMoveObject(MoveObject, frozen=True, gc=False):
    """A legal move and what it is worth: value for the side to move, margin A's view."""

    value: Value
    margin: Margin
    captures: tuple[Cell, ...]
    fallible: (
        Annotated[
            float | None,
            Meta(description="Points against one who errs; with fallible=true, null before ply 3"),
        ]
        | UnsetType
    ) = UNSET


class AnswerObject(Struct, kw_only=True, gc=False):
    """What perfect play makes of a state."""

    best_move: (
        Annotated[MoveObject, Meta(description="Left out at the end of the game")] | UnsetType
    ) = UNSET
    value: Annotated[Value, Meta(description="Won, drawn, lost for the side to move: 1, 0, -1")]
    margin: Annotated[Margin, Meta(description="A's cards less B's at the end")]
    pv: (
        Annotated[
            list[MoveObject],
            Meta(description="Best moves to the end of the game; left out with pv=false"),
        ]
        | UnsetType
    ) = UNSET
    nodes: Annotated[int, Meta(ge=0, description="States searched; 0 from the database")]
    depth: Annotated[int, Meta(ge=0, le=CELLS, description="Plies left")]
    state_hash: Annotated[str, Meta(pattern="^[0-9a-f]{32}$")]
    notation: str
    variant: VariantName
    source: Literal["database", "search"]
    moves: (
        Annotated[list[RankedMoveObject], Meta(description="With moves=true, best first")]
        | UnsetType
    ) = UNSET


class StoredDeal(Struct, kw_only=True, gc=False):
    """A deal of a database: the root below which everything is stored."""

    notation: str
    hands: Annotated[Hands, Meta(description="The cards not played yet")]
    board: (
        Annotated[
            list[BoardCell],
            Meta(description="As in states; left out of an opening, where nothing lies on it"),
        ]
        | UnsetType
    ) = UNSET
    rules: RulesObject
    elements: Annotated[
        list[Letter | None] | None, Meta(description="Of the nine cells; null when none has any")
    ]
    first: Annotated[Literal["A"], Meta(description="Who starts is always called A")]
    ply: Annotated[int, Meta(ge=0, le=CELLS, description="0 of an opening")]
    plies: Annotated[int, Meta(ge=0, le=CELLS, description="The deepest that is stored")]
    states: Annotated[int, Meta(ge=0, description="That are stored")]
    margin: Annotated[
        Margin | None, Meta(description="A's cards less B's at the end; null where it is damaged")
    ]


encode = msgspec.json.encode
