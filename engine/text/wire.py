"""States as JSON, read and written by the types that `engine.text.objects` declares.

Reading is quick for a document in which nothing is wrong: its declared type says so, and a few
checks of the whole. Where anything is wrong or odd (a label of an exported line, a field written
twice) `engine.text.document` reads it instead, and says what is wrong.

    bytes → StateObject → Facts                     nothing wrong
      └──→ document: plain dicts → State → Facts    odd, or an error that names every field
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import Any

import msgspec
from msgspec import UNSET

from engine.game.board import ALL_CELLS, CELLS, HAND_SIZE
from engine.game.cards import ELEMENT_BY_LETTER, Catalogue, Element
from engine.game.deal import NO_ELEMENTS, Elements, Player
from engine.game.facts import NO_CARD, Facts
from engine.game.rules import RULE_SWITCHES, VARIANT_BY_NAME, Rules, Variant
from engine.game.state import State
from engine.text.document import load_json, state_from_dict
from engine.text.objects import (
    NO_RULES,
    BoardCell,
    Hands,
    Letter,
    PlayerName,
    RulesObject,
    StateObject,
    VariantName,
)

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
    """Return rules as they are written: all four switches and the variant, and what else is on."""
    return RulesObject(
        *rules.switches,
        variant_name(rules),
        rules.sudden_death or UNSET,
        rules.open or UNSET,
    )


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
    on = {name: True for name in RULE_SWITCHES if getattr(given, name) is True}
    variant = "triplecargo" if given.variant is UNSET else given.variant
    return Rules(**on, variant=VARIANT_BY_NAME[variant])


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
