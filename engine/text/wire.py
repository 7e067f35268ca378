"""The JSON about states, declared once: what is read, written, documented and typed from it.

Reading is quick for a document in which nothing is wrong: its declared type says so, and a few
checks of the whole. Where anything is wrong or odd (a label of an exported line, a field written
twice) `engine.text.document` reads it instead, and says what is wrong.

    bytes → StateObject → Facts                     nothing wrong
      └──→ document: plain dicts → State → Facts    odd, or an error that names every field
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, Meta, Struct, UnsetType

from engine.game.board import ALL_CELLS, CELLS, HAND_SIZE
from engine.game.cards import ELEMENT_BY_LETTER, Catalogue, Element
from engine.game.deal import NO_ELEMENTS, Elements, Player
from engine.game.facts import NO_CARD, Facts
from engine.game.rules import SWITCHES, VARIANT_BY_NAME, Rules, Variant
from engine.game.score import Value
from engine.game.state import State
from engine.text.document import load_json, state_from_dict

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
    """Four switches, and whose reading of them is in force."""

    elemental: Switch | UnsetType = UNSET
    same: Switch | UnsetType = UNSET
    plus: Switch | UnsetType = UNSET
    same_wall: Switch | UnsetType = UNSET
    variant: (
        Annotated[VariantName, Meta(extra_json_schema={"default": "triplecargo"})] | UnsetType
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


encode = msgspec.json.encode
_decode_state = msgspec.json.Decoder(StateObject).decode
PLAYERS: tuple[PlayerName, PlayerName] = ("A", "B")
_OWNED = {"A": 0, "B": 1}
_PLAYERS = {"A": Player.A, "B": Player.B}
_FIELDS = 5 + 3 * CELLS  # that every document has: board, hands, A, B, to_move; three in a cell


def state_object(facts: Facts) -> StateObject:
    """Return a state as it is written; cells have elements only when Elemental is on."""
    hand_a, hand_b = facts.hands
    return StateObject(
        [
            BoardCell(
                cell,
                card or None,
                PLAYERS[(facts.owners >> cell) & 1] if card else None,
                _letter_of(element) if facts.rules.elemental else UNSET,
            )
            for cell, (card, element) in enumerate(zip(facts.board, facts.elements, strict=True))
        ],
        Hands(list(hand_a), list(hand_b)),
        PLAYERS[facts.to_move],
        facts.ply,
        rules_object(facts.rules),
    )


def _letter_of(element: Element | None) -> Letter | None:
    return element.value if element else None


def variant_name(rules: Rules) -> VariantName:
    """Return the variant as it is written."""
    return "ff8" if rules.variant is Variant.FF8 else "triplecargo"


@cache
def rules_object(rules: Rules) -> RulesObject:
    """Return rules as they are written: all four switches and the variant."""
    return RulesObject(*rules.switches, variant_name(rules))


def state_to_dict(state: State) -> dict[str, Any]:
    """Return a state as plain values."""
    plain: dict[str, Any] = msgspec.to_builtins(state_object(state.facts))
    return plain


def rules_to_dict(rules: Rules) -> dict[str, Any]:
    """Return rules as plain values."""
    plain: dict[str, Any] = msgspec.to_builtins(rules_object(rules))
    return plain


def read_facts(data: bytes, catalogue: Catalogue) -> Facts:
    """Return the facts of the state that a JSON text describes, or raise `StateError`."""
    return _plain_facts(data, catalogue) or state_from_dict(load_json(data), catalogue).facts


def _plain_facts(data: bytes, catalogue: Catalogue) -> Facts | None:
    """Return the facts of a document in which nothing is wrong or odd, else None.

    How often a card may be in the game is not looked at: what is in a database may be there,
    and whoever puts the facts into a deal is told.
    """
    try:
        document = _decode_state(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None
    board, owners, seen, fields = [NO_CARD] * CELLS, 0, 0, _FIELDS
    for entry in document.board:
        seen |= 1 << entry.cell
        if entry.element is not UNSET:
            fields += 1
        if entry.card_id is not None and entry.owner is not None:
            board[entry.cell] = entry.card_id
            owners |= _OWNED[entry.owner] << entry.cell
        elif entry.card_id is not None or entry.owner is not None:
            return None
    given = NO_RULES if document.rules is UNSET else document.rules
    rules = _rules_of(given)
    fields += _fields_of(given) + (document.rules is not UNSET)
    fields += (document.turn is not UNSET) + (document.board_elements is not UNSET)
    ply = CELLS - board.count(NO_CARD)
    to_move = _PLAYERS[document.to_move]
    hands = tuple(sorted(document.hands.A)), tuple(sorted(document.hands.B))
    cards = tuple(sorted((*filter(None, board), *hands[0], *hands[1])))
    is_whole = (
        seen == ALL_CELLS
        and data.count(b":") == fields  # more when a field is written twice
        and len(hands[to_move]) == HAND_SIZE - ply // 2
        and len(hands[not to_move]) == HAND_SIZE - (ply + 1) // 2
        and (document.turn is UNSET or document.turn == ply)
        and catalogue.ids.issuperset(cards)
    )
    elements = _elements_of(document) if rules.elemental else NO_ELEMENTS
    if not is_whole or elements is None:
        return None
    return Facts(rules, elements, tuple(board), owners, hands, to_move, ply, cards)


@cache
def _rules_of(given: RulesObject) -> Rules:
    """Return the rules that an object says."""
    on = [name for name in SWITCHES if getattr(given, name) is True]
    variant = "triplecargo" if given.variant is UNSET else given.variant
    return Rules.of(on, VARIANT_BY_NAME[variant])


@cache
def _fields_of(given: RulesObject) -> int:
    """Return how many fields an object of rules has."""
    return sum(getattr(given, name) is not UNSET for name in RulesObject.__struct_fields__)


def _elements_of(document: StateObject) -> Elements | None:
    """Return the layout, from the cells, from `board_elements`, or both where they agree."""
    given = document.board_elements
    letters: list[str | None] = [None] * CELLS if given is UNSET else list(given)
    for entry in document.board:
        if entry.element is not UNSET:
            if given is not UNSET and letters[entry.cell] != entry.element:
                return None
            letters[entry.cell] = entry.element
    return _layout(tuple(letters))


@lru_cache(maxsize=1 << 12)
def _layout(letters: tuple[str | None, ...]) -> Elements:
    return tuple(ELEMENT_BY_LETTER[letter] if letter else None for letter in letters)
