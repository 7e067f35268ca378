"""The JSON form: what is accepted, and every refusal with its message."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, strategies as st

from engine.errors import MoveError, StateError
from engine.game.cards import Catalogue, default_catalogue
from engine.game.state import State
from engine.text.document import move_from_dict, state_from_dict
from engine.text.wire import state_to_dict
from tests import vectors
from tests.strategies import free_states

Document = dict[str, Any]

ELEMENTAL: Document = {
    "board": [
        {"cell": 0, "card_id": 12, "owner": "A", "element": "F"},
        {"cell": 1, "card_id": None, "owner": None, "element": None},
        {"cell": 2, "card_id": None, "owner": None, "element": "I"},
        *({"cell": cell, "card_id": None, "owner": None} for cell in range(3, 9)),
    ],
    "hands": {"A": [34, 56, 78, 90], "B": [22, 33, 44, 55, 66]},
    "to_move": "B",
    "turn": 1,
    "rules": {"elemental": True, "same": True, "plus": False, "same_wall": False},
    "board_elements": ["F", None, "I", None, None, None, None, None, None],
}


def changed(**changes: Any) -> Document:
    return {**copy.deepcopy(ELEMENTAL), **changes}


def without(*fields: str) -> Document:
    return {field: value for field, value in ELEMENTAL.items() if field not in fields}


def at(entry: int, **changes: Any) -> Document:
    document = copy.deepcopy(ELEMENTAL)
    document["board"][entry].update(changes)
    return document


def plain_opening(**changes: Any) -> Document:
    board = [{"cell": cell, "card_id": None, "owner": None} for cell in range(9)]
    hands = {"A": [1, 2, 3, 4, 5], "B": [6, 7, 8, 9, 10]}
    return {"board": board, "hands": hands, "to_move": "A", **changes}


def filled(cards: list[int], **changes: Any) -> Document:
    document = plain_opening(**changes)
    for cell, card in enumerate(cards):
        document["board"][cell].update(card_id=card, owner="A")
    return document


@given(free_states())
def test_state_round_trips(state: State) -> None:
    catalogue = Catalogue(tuple({card.id: card for card in state.deal.slots}.values()))
    document = json.loads(json.dumps(state_to_dict(state)))
    assert state_from_dict(document, catalogue) == state


@pytest.mark.parametrize("name", ["apply", "captures", "eval", "eval_odd", "hashes"])
def test_every_vector_is_accepted_and_round_trips(name: str, catalogue: Catalogue) -> None:
    for vector in vectors.load(name):
        document = vector["state"]
        written = state_to_dict(state_from_dict(document, catalogue))
        assert written["hands"] == {p: sorted(hand) for p, hand in document["hands"].items()}
        del written["hands"]
        assert written == {key: document[key] for key in written}


def test_cells_may_come_in_any_order(catalogue: Catalogue) -> None:
    shuffled = changed(board=ELEMENTAL["board"][::-1])
    assert state_from_dict(shuffled, catalogue) == state_from_dict(ELEMENTAL, catalogue)


@pytest.mark.parametrize(
    "document",
    [
        without("board_elements"),
        without("turn"),
        changed(
            board=[
                {k: v for k, v in entry.items() if k != "element"} for entry in ELEMENTAL["board"]
            ]
        ),
        changed(game_id=3, state_idx=1, policy_target={}, value_target=-1, value_mode="winloss"),
        changed(off_pv=False, state_hash="00", margin=1, schema=1),
    ],
    ids=["cells", "no turn", "board_elements", "labels", "more labels"],
)
def test_other_spellings_are_the_same_state(document: Document, catalogue: Catalogue) -> None:
    assert state_from_dict(document, catalogue) == state_from_dict(ELEMENTAL, catalogue)


def test_rules_left_out_are_all_off(catalogue: Catalogue) -> None:
    rules = state_to_dict(state_from_dict(plain_opening(), catalogue))["rules"]
    assert rules == {
        "elemental": False,
        "same": False,
        "plus": False,
        "same_wall": False,
        "variant": "triplecargo",
    }


def test_layout_is_ignored_when_elemental_is_off(catalogue: Catalogue) -> None:
    layout = ["F"] * 9
    with_layout = plain_opening(board_elements=layout)
    with_layout["board"][0]["element"] = "I"  # would contradict, were it looked at
    assert state_from_dict(with_layout, catalogue) == state_from_dict(plain_opening(), catalogue)


REFUSED: list[tuple[Document | object, str]] = [
    ([], r"state: found \[\]; allowed: an object"),
    (None, "state: found null"),
    ("x", 'state: found "x"'),
    (without("board"), "board: found nothing; allowed: this field is required"),
    (without("hands"), "hands: found nothing"),
    (without("to_move"), "to_move: found nothing"),
    (changed(depth=3), "depth: found 3; allowed: only the fields board, "),
    (changed(board={}), r"board: found {}; allowed: a list of nine entries"),
    (changed(board=ELEMENTAL["board"][:8]), "board: found a list of 8; allowed: a list of nine"),
    (changed(board=[5] * 9), r"board\[0\]: found 5; allowed: an object"),
    (at(3, cell=2), r"board\[3\].cell: found 2; allowed: 0 to 8, each cell once"),
    (at(3, cell=9), r"board\[3\].cell: found 9"),
    (at(3, cell=True), r"board\[3\].cell: found true"),
    (at(3, cell="3"), r'board\[3\].cell: found "3"'),
    (at(3, colour=1), r"board\[3\].colour: found 1; allowed: only the fields"),
    (at(3, owner="B"), r'board\[3\].owner: found "B"; allowed: null, as the cell has no card'),
    (at(0, owner=None), r"board\[0\].owner: found null; allowed: A or B, as the cell has a card"),
    (at(0, owner="C"), r'board\[0\].owner: found "C"; allowed: A or B'),
    (at(0, owner=["A"]), r'board\[0\].owner: found \["A"\]'),
    (at(0, card_id=111), r"board\[0\].card_id: found 111; allowed: a card id from 1 to 110"),
    (at(0, card_id="12"), r'board\[0\].card_id: found "12"'),
    (at(0, card_id=12.0), r"board\[0\].card_id: found 12.0"),
    (at(0, card_id=False), r"board\[0\].card_id: found false"),
    (at(0, element="X"), r'board\[0\].element: found "X"; allowed: null or one of F, I, T, W, E'),
    (at(0, element="Fire"), r'board\[0\].element: found "Fire"'),
    (at(0, element=[]), r"board\[0\].element: found \[\]"),
    (at(0, element="I"), r'board_elements\[0\]: found "F"; allowed: I, as in the cell'),
    (at(0, element=None), r'board_elements\[0\]: found "F"; allowed: null, as in the cell'),
    (changed(board_elements=["F"]), r'board_elements: found \["F"\]; allowed: a list of nine'),
    (changed(board_elements="F"), 'board_elements: found "F"'),
    (plain_opening(board_elements=["X"] * 9), r'board_elements\[0\]: found "X"'),
    (changed(hands=[1]), r"hands: found \[1\]; allowed: an object with A and B"),
    (changed(hands={"A": [1]}), "hands.B: found nothing; allowed: this field is required"),
    (
        changed(hands={**ELEMENTAL["hands"], "C": []}),
        r"hands.C: found \[\]; allowed: only the fields A, B",
    ),
    (
        changed(hands={"A": 5, "B": []}),
        "hands.A: found 5; allowed: a list of at most five card ids",
    ),
    (
        changed(hands={"A": [34, 56, 78, 0], "B": [22, 33, 44, 55, "x"]}),
        r'hands.A\[3\]: found 0; .*; hands.B\[4\]: found "x"',
    ),
    (
        changed(hands={"A": [34, 56, 78], "B": [22, 33, 44, 55, 66]}),
        "hands: found A 3, B 5; allowed: 5 and 4 cards, as 1 of the board's cells",
    ),
    (
        changed(hands={"A": [34, 56, 78, 90, 1], "B": [22, 33, 44, 55]}),
        'to_move: found "B"; allowed: A, who holds more cards',
    ),
    (changed(to_move="A"), 'to_move: found "A"; allowed: B, who holds more cards'),
    (changed(to_move="a"), 'to_move: found "a"; allowed: A or B'),
    (changed(to_move=0), "to_move: found 0"),
    (changed(turn=2), "turn: found 2; allowed: 1, the number of occupied cells"),
    (changed(turn=True), "turn: found true"),
    (changed(turn=None), "turn: found null"),
    (changed(rules=[]), r"rules: found \[\]; allowed: an object"),
    (changed(rules=None), "rules: found null"),
    (changed(rules={"combo": True}), "rules.combo: found true; allowed: only the fields"),
    (changed(rules={"same": 1}), "rules.same: found 1; allowed: true or false"),
    (changed(rules={"variant": "ff9"}), 'rules.variant: found "ff9"; allowed: triplecargo or ff8'),
    (changed(rules={"variant": None}), "rules.variant: found null"),
    (
        plain_opening(hands={"A": [1, 1, 3, 4, 5], "B": [6, 7, 8, 9, 10]}),
        "hands.A: found 1; allowed: each card once in a player's five cards under triplecargo",
    ),
    (
        filled([6, 3], hands={"A": [6, 1, 2, 3], "B": [3, 7, 8, 9]}),
        "board: found 3; allowed: at most two copies of a card under triplecargo",
    ),
    (
        filled([1, 1, 1], hands={"A": [2, 3, 4], "B": [7, 8, 9, 10]}, to_move="B"),
        "board: found 1; allowed: at most two copies",
    ),
    (
        filled([1], hands={"A": [1, 2, 3, 4], "B": [6, 7, 8, 9, 10]}, to_move="B"),
        r"board: found \[1\]; allowed: cards that leave each player five different ones",
    ),
    (
        filled(
            [78],
            hands={"A": [1, 2, 3, 4], "B": [6, 7, 8, 9, 78]},
            to_move="B",
            rules={"variant": "ff8"},
        ),
        "hands: found 78; allowed: cards of level 8 to 10 at most once in the game under ff8",
    ),
]


@pytest.mark.parametrize(("document", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_impossible_state_is_refused(document: object, message: str, catalogue: Catalogue) -> None:
    with pytest.raises(StateError, match=message):
        state_from_dict(document, catalogue)


def test_all_wrong_fields_are_told_at_once(catalogue: Catalogue) -> None:
    with pytest.raises(StateError) as caught:
        state_from_dict(changed(to_move="x", rules={"same": "yes"}, extra=1), catalogue)
    assert [problem.field for problem in caught.value.problems] == [
        "extra",
        "rules.same",
        "to_move",
    ]


def test_only_the_first_of_many_problems_are_told(catalogue: Catalogue) -> None:
    odd = {f"\x1b[31m{number}": 0 for number in range(1_000)}
    with pytest.raises(StateError) as caught:
        state_from_dict({**ELEMENTAL, **odd}, catalogue)
    assert len(caught.value.problems) == 20
    assert str(caught.value).endswith("; and more")
    assert "\x1b" not in str(caught.value)
    with pytest.raises(StateError, match=r"^hands.A: found \[0, 0, .*; allowed: a list of at most"):
        state_from_dict(changed(hands={"A": [0] * 300_000, "B": []}), catalogue)


def test_long_values_are_shortened_in_messages(catalogue: Catalogue) -> None:
    with pytest.raises(StateError) as caught:
        state_from_dict(changed(to_move="x" * 10_000), catalogue)
    assert len(str(caught.value)) < 200


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=9) | st.dictionaries(st.text(), inner, max_size=4),
)
paths: list[Callable[[Document, Any], None]] = [
    lambda d, v: d.update(board=v),
    lambda d, v: d.update(hands=v),
    lambda d, v: d.update(to_move=v),
    lambda d, v: d.update(turn=v),
    lambda d, v: d.update(rules=v),
    lambda d, v: d.update(board_elements=v),
    lambda d, v: d["board"].__setitem__(4, v),
    lambda d, v: d["board"][0].update(cell=v),
    lambda d, v: d["board"][0].update(card_id=v),
    lambda d, v: d["board"][0].update(owner=v),
    lambda d, v: d["board"][0].update(element=v),
    lambda d, v: d["hands"].update(A=v),
    lambda d, v: d["hands"]["B"].append(v),
    lambda d, v: d["rules"].update(same=v),
    lambda d, v: d["rules"].update(variant=v),
]


@given(st.sampled_from(paths), json_values)
def test_garbage_never_gets_past_the_checks(
    put: Callable[[Document, Any], None], value: object
) -> None:
    document = copy.deepcopy(ELEMENTAL)
    put(document, value)
    try:
        state = state_from_dict(document, default_catalogue())
    except StateError:
        return
    assert state_from_dict(state_to_dict(state), default_catalogue()) == state


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (5, "move: found 5; allowed: an object with card_id and cell"),
        ({}, "move.card_id: found nothing.*move.cell: found nothing"),
        ({"card_id": 1, "cell": "0"}, 'move.cell: found "0"; allowed: a whole number'),
        ({"card_id": True, "cell": 0}, "move.card_id: found true"),
        ({"card_id": 1, "cell": 0, "slot": 3}, "move.slot: found 3; allowed: only the fields"),
    ],
)
def test_wrong_move_is_refused(data: object, message: str) -> None:
    with pytest.raises(MoveError, match=message):
        move_from_dict(data)
