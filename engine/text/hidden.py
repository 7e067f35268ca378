"""Notation of what one player sees: unseen cards are a number behind an x.

    ff8_12A.8_1.2.3.4_22.x3_B     B, who is to move, sees its hand ...

The hidden hand has the known cards, then x and how many are unseen: x3, 22.x2. What the opponent
may hold is no part of a notation.
"""

from __future__ import annotations

from typing import Any

from engine.errors import NotationError
from engine.game.cards import Catalogue
from engine.text.notation import FIELD, HIDDEN_HAND, ITEM, LONGEST_NOTATION, parse_cells, rules_of
from engine.text.wire import PLAYERS, rules_to_dict

_FIELDS = 5
_ALLOWED = (
    "five parts joined by _ (rules, cells, A's hand, B's hand, who is to move), with one hand "
    "hidden at most, such as ff8_9_1.2.3.4.5_x5_A"
)


def parse_view(text: str, catalogue: Catalogue) -> dict[str, Any]:
    """Return what is seen as plain values, as /advise takes it; or raise `NotationError`."""
    fields = text.split(FIELD) if len(text) <= LONGEST_NOTATION else []
    if len(fields) != _FIELDS:
        raise NotationError.of("notation", text, _ALLOWED)
    rules = rules_of(text)
    board, elements = parse_cells(fields[1], rules, catalogue)
    cells = [
        {
            "cell": cell,
            "card_id": placed.card.id if placed else None,
            "owner": placed.owner.name if placed else None,
        }
        for cell, placed in enumerate(board)
    ]
    return {
        "board": cells,
        "board_elements": [element.value if element else None for element in elements],
        "hands": {name: _hand(hand, name) for name, hand in zip(PLAYERS, fields[2:4], strict=True)},
        "to_move": fields[4],
        "rules": rules_to_dict(rules),
    }


def _hand(text: str, name: str) -> list[int] | dict[str, Any]:
    """Return a hand, hidden or not; whether its cards can be is for others to say."""
    hidden = HIDDEN_HAND.fullmatch(text)
    listed = (hidden[1] or "") if hidden else text
    pieces = listed.split(ITEM) if listed else []
    if not all(piece.isascii() and piece.isdigit() for piece in pieces):
        allowed = 'card ids joined by ".", and x with the number of unseen cards: 22.x2'
        raise NotationError.of(f"notation.hand{name}", text, allowed)
    ids = [int(piece) for piece in pieces]
    return {"unseen": int(hidden[2]), "known": ids} if hidden else ids
