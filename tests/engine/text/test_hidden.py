"""Notation of what one player sees."""

from __future__ import annotations

import pytest

from engine.errors import NotationError
from engine.game.cards import default_catalogue
from engine.text.hidden import parse_view
from engine.text.notation import format_state, parse_state
from engine.text.wire import state_to_dict

CATALOGUE = default_catalogue()


def test_hidden_hand_is_known_cards_and_a_number() -> None:
    hands = parse_view("ff8_12A.8_1.2.3.4_22.x4_B", CATALOGUE)["hands"]
    assert hands == {"A": [1, 2, 3, 4], "B": {"unseen": 4, "known": [22]}}
    hands = parse_view("ff8_9_x5_1.2.3.4.5_B", CATALOGUE)["hands"]
    assert hands["A"] == {"unseen": 5, "known": []}


def test_seen_hands_are_read_as_a_state_is() -> None:
    text = "ff8-es_12AF.1.L.2.34B.3_1.2.3.4_6.7.8.9_A"
    state = parse_state(text, CATALOGUE)
    assert format_state(state) == text
    view, told = parse_view(text, CATALOGUE), state_to_dict(state)
    assert view["hands"] == told["hands"]
    assert view["rules"] == told["rules"]
    assert view["to_move"] == told["to_move"]
    assert [cell["card_id"] for cell in view["board"]] == [
        cell["card_id"] for cell in told["board"]
    ]
    assert view["board_elements"] == [cell["element"] for cell in told["board"]]


@pytest.mark.parametrize(
    ("text", "field"),
    [
        ("ff8_9_1.2.3.4.5_x5", "notation"),
        ("ff8_9_1.2.3.4.5_x6_A", "notation.handB"),
        ("ff8_9_1.2.3.4.5_x5.1_A", "notation.handB"),
        ("ff8_9_1.a.3.4.5_x5_A", "notation.handA"),
        ("ff8_8_1.2.3.4.5_x5_A", "notation.cells"),
        ("ff9_9_1.2.3.4.5_x5_A", "notation.rules"),
    ],
)
def test_wrong_text_names_its_part(text: str, field: str) -> None:
    with pytest.raises(NotationError) as caught:
        parse_view(text, CATALOGUE)
    assert caught.value.problems[0].field == field


def test_state_with_a_hidden_hand_is_refused_with_a_hint() -> None:
    with pytest.raises(NotationError, match="/advise"):
        parse_state("ff8_9_1.2.3.4.5_22.x4_A", CATALOGUE)
