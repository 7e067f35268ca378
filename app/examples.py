"""Working examples for the documentation: the same deal in all of them."""

from __future__ import annotations

from typing import Any

STATE_EXAMPLE: dict[str, Any] = {
    "board": [
        {"cell": 0, "card_id": 31, "owner": "A"},
        {"cell": 1, "card_id": None, "owner": None},
        {"cell": 2, "card_id": 10, "owner": "B"},
        {"cell": 3, "card_id": 14, "owner": "A"},
        {"cell": 4, "card_id": 6, "owner": "B"},
        {"cell": 5, "card_id": 96, "owner": "B"},
        {"cell": 6, "card_id": None, "owner": None},
        {"cell": 7, "card_id": None, "owner": None},
        {"cell": 8, "card_id": None, "owner": None, "element": "L"},
    ],
    "hands": {"A": [7, 99], "B": [34, 73, 86]},
    "to_move": "B",
    "turn": 5,
    "rules": {"elemental": True, "same": True, "plus": True, "variant": "ff8"},
}
NOTATION_EXAMPLE = "ff8-esp_31A.1.10B.14A.6B.96B.2.L_7.99_34.73.86_B"
BATCH_EXAMPLE: dict[str, Any] = {"states": [STATE_EXAMPLE]}
APPLY_EXAMPLE: dict[str, Any] = {"state": STATE_EXAMPLE, "move": {"card_id": 34, "cell": 1}}
VIEW_EXAMPLE: dict[str, Any] = {
    **STATE_EXAMPLE,
    "hands": {
        "A": {"unseen": 2, "played": [6, 10, 14], "from": {"levels": [1, 2]}},
        "B": [34, 73, 86],
    },
}
ADVISE_EXAMPLE: dict[str, Any] = {"state": VIEW_EXAMPLE, "style": "optimal"}

OPPONENT_MOVE_EXAMPLE: dict[str, Any] = {
    "state": STATE_EXAMPLE,
    "opponent": {"kind": "ff8", "search": 2, "strategy": 0},
    "dealt": [10, 34, 6, 73, 86],
    "slots": {"B": [None, 34, None, 73, 86]},
    "rng": 2024,
}
OPPONENT_DEAL_EXAMPLE: dict[str, Any] = {
    "levels": [1, 2],
    "rares": [78, 110],
    "rare_chance": 80,
    "rng": 2024,
}

BODY_EXAMPLES = {
    "/advise": ADVISE_EXAMPLE,
    "/eval": STATE_EXAMPLE,
    "/eval/batch": BATCH_EXAMPLE,
    "/apply": APPLY_EXAMPLE,
    "/opponents/move": OPPONENT_MOVE_EXAMPLE,
    "/opponents/deal": OPPONENT_DEAL_EXAMPLE,
}
PARAMETER_EXAMPLES: dict[str, Any] = {
    "notation": NOTATION_EXAMPLE,
    "card_id": "Squall",
    "card": "Squall",
}
