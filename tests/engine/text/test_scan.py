"""The kernel that reads plain documents, against the one that reads all."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.errors import StateError
from engine.game.cards import Catalogue, default_catalogue
from engine.game.facts import Row, facts_of, make_rows, table_of
from engine.game.state import State
from engine.text.document import load_json, state_from_dict, state_to_dict
from engine.text.lexer import NOT_PLAIN
from engine.text.scan import known_cards, make_draft, scan_batch, scan_state
from tests import vectors
from tests.strategies import free_states, states

KNOWN = known_cards(default_catalogue())
COPIES = ("copies", "five different")  # what the scan leaves to others


def scanned(data: bytes) -> Row | None:
    """Return the facts of a text, None when it is not plain."""
    row = make_rows(1)[0]
    is_plain = scan_state(np.frombuffer(data, dtype=np.uint8), KNOWN, row, make_draft())
    return row if is_plain else None


def assert_same(row: Row | None, state: State) -> None:
    assert row is not None
    assert row.tolist() == facts_of(state).tolist()


@given(free_states(), st.sampled_from([None, 1, "\t"]), st.booleans(), st.booleans())
def test_plain_document_has_the_facts_of_its_state(
    state: State, indent: Any, is_reversed: bool, has_layout: bool
) -> None:
    document = state_to_dict(state)
    if has_layout:
        document["board_elements"] = [element and element.value for element in state.elements]
    if is_reversed:
        document["board"].reverse()
        document["hands"] = {name: document["hands"][name][::-1] for name in "BA"}
        document = dict(reversed(document.items()))
    assert_same(scanned(json.dumps(document, indent=indent).encode()), state)


@given(states())
def test_row_says_cards_rules_and_elements(state: State) -> None:
    cards = tuple(sorted(card.id for card in state.deal.slots))
    assert table_of(facts_of(state)) == (cards, state.rules, state.elements)


@given(states(), st.data())
def test_damaged_document_is_never_misread(state: State, data: st.DataObject) -> None:
    """Whatever the scan takes for plain, the other reader takes too, with the same facts."""
    text = bytearray(json.dumps(state_to_dict(state)).encode())
    for _ in range(data.draw(st.integers(1, 3))):
        place = data.draw(st.integers(0, len(text) - 1))
        length = data.draw(st.integers(0, 3))
        piece = data.draw(st.sampled_from(PIECES) | st.binary(max_size=2))
        text[place : place + length] = piece
    row = scanned(bytes(text))
    expected = None if row is None else state_or_copies(bytes(text))
    if expected is not None:
        assert_same(row, expected)


def state_or_copies(text: bytes) -> State | None:
    """Return the state that the other reader reads; None when only its copies are wrong."""
    try:
        return state_from_dict(load_json(text), default_catalogue())
    except StateError as error:
        if any(word in str(error) for word in COPIES):
            return None
        raise


PIECES = [
    *(b"0 1 9 12 null true false -1 1.0 1e1 01 110 111".split()),
    *(b'{ } [ ] , : "A" "B" "F" "same" "turn" "cell" "element" "ff8" "variant"'.split()),
    b"",
    b'"turn": 0,',
    b'"rules": {},',
    b'"hands": {"A": [], "B": []},',
]


def test_all_vectors_are_plain(catalogue: Catalogue) -> None:
    for name in ("eval", "eval_odd"):
        for case in vectors.load(name):
            state = state_from_dict(case["state"], catalogue)
            assert_same(scanned(json.dumps(case["state"]).encode()), state)


OPENING: dict[str, Any] = {
    "board": [{"cell": cell, "card_id": None, "owner": None} for cell in range(9)],
    "hands": {"A": [1, 2, 3, 4, 5], "B": [6, 7, 8, 9, 10]},
    "to_move": "A",
}


@pytest.mark.parametrize(
    "change",
    [
        {"to_move": "C"},
        {"to_move": "\u0041\u0042"},
        {"turn": 1},
        {"turn": True},
        {"turn": 0.0},
        {"rules": {"same": 1}},
        {"rules": {"variant": "ff9"}},
        {"rules": None},
        {"board_elements": ["F"] * 8},
        {"board_elements": ["X"] * 9},
        {"hands": {"A": [1, 2, 3, 4], "B": [6, 7, 8, 9, 10]}},
        {"hands": {"A": [1, 2, 3, 4, 5, 6], "B": [6, 7, 8, 9, 10]}},
        {"hands": {"A": [1, 2, 3, 4, 0], "B": [6, 7, 8, 9, 10]}},
        {"hands": {"A": [1, 2, 3, 4, 111], "B": [6, 7, 8, 9, 10]}},
        {"hands": {"A": [1, 2, 3, 4, 5]}},
        {"board": []},
        {"board": [{"cell": 0, "card_id": None, "owner": None}] * 9},
        {"board": OPENING["board"][:8] + [{"cell": 9, "card_id": None, "owner": None}]},
        {"board": OPENING["board"][:8] + [{"cell": 8, "card_id": 11, "owner": None}]},
        {"board": OPENING["board"][:8] + [{"cell": 8, "card_id": None, "owner": "A"}]},
        {"board": OPENING["board"][:8] + [{"cell": 8, "card_id": None}]},
        {"unknown": 1},
        {"state_hash": ""},
    ],
)
def test_what_is_wrong_or_odd_is_not_plain(change: dict[str, Any]) -> None:
    assert scanned(json.dumps(OPENING).encode()) is not None
    assert scanned(json.dumps({**OPENING, **change}).encode()) is None


@pytest.mark.parametrize("tail", [b"x", b"{}", b",", b"\0"])
def test_anything_behind_a_state_is_not_plain(tail: bytes) -> None:
    assert scanned(json.dumps(OPENING).encode() + b" \n") is not None
    assert scanned(json.dumps(OPENING).encode() + tail) is None


def test_every_beginning_of_a_document_is_not_plain() -> None:
    text = json.dumps(OPENING).encode()
    assert all(scanned(text[:length]) is None for length in range(len(text)))


def test_field_given_twice_is_not_plain() -> None:
    text = json.dumps(OPENING)
    assert scanned(text.replace('"to_move"', '"to_move": "A", "to_move"').encode()) is None
    assert scanned(text.replace('"cell": 0', '"cell": 0, "cell": 0').encode()) is None
    rules = '"rules": {"same": true, "same": true}, "to_move"'
    assert scanned(text.replace('"to_move"', rules).encode()) is None


def scan_all(text: str, room: int) -> tuple[int, list[str]]:
    data = text.encode()
    spans = np.zeros((room, 2), dtype=np.int64)
    array = np.frombuffer(data, dtype=np.uint8)
    count = scan_batch(array, KNOWN, make_rows(room), spans, make_draft())
    return count, [data[begin:end].decode() for begin, end in spans[: max(count, 0)].tolist()]


def test_batch_says_where_its_states_stand() -> None:
    one = json.dumps(OPENING)
    assert scan_all(f' {{ "states" : [ {one} ,{one}\n] }} ', 2) == (2, [one, one])


@pytest.mark.parametrize(
    "text", ['{"states": []}', '{"states": [1]}', "[]", '{"states": [ONE, ONE, ONE]}', "{}"]
)
def test_batch_that_is_empty_wrong_or_too_long_is_not_plain(text: str) -> None:
    assert scan_all(text.replace("ONE", json.dumps(OPENING)), 2)[0] == NOT_PLAIN
