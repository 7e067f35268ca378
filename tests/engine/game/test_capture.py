"""Captures: the vectors, and the kernels against their slow twin."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from engine.game.board import EMPTY_BOARD, with_card
from engine.game.capture import captured
from engine.game.cards import Catalogue
from engine.game.deal import NO_ELEMENTS, Deal, Player
from engine.game.moves import Move
from engine.game.rules import Rules, Variant
from engine.game.state import State
from engine.text.document import move_from_dict, state_from_dict
from engine.text.notation import parse_layout
from engine.text.wire import state_to_dict
from tests import naive, vectors
from tests.strategies import free_states

CASES = [case for case in vectors.load("rule_cases") if case["kind"] == "flips"]
SCORES = [case for case in vectors.load("rule_cases") if case["kind"] == "score"]
LETTER = {name: letter for letter, name in naive.LETTERS.items()}


@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['id']} {case['title']}")
def test_rule_case(case: dict[str, Any], variant: Variant, catalogue: Catalogue) -> None:
    """A case has no hands: its cards are put into slots as they come."""
    rules = Rules(**case["rules"], variant=variant)
    layout = ",".join(LETTER.get(entry["cell_element"], "-") for entry in case["board"])
    placed = [entry for entry in case["board"] if entry["card_id"] is not None]
    slots = [catalogue[entry["card_id"]] for entry in placed]
    slots += [catalogue[case["move"]["card_id"]]] * (10 - len(slots))
    elements = parse_layout(layout) if rules.elemental else NO_ELEMENTS
    deal = Deal((tuple(slots[:5]), tuple(slots[5:])), rules, elements, Player.A)
    code = EMPTY_BOARD
    for slot, entry in enumerate(placed):
        code = with_card(code, slot, entry["cell"], Player[entry["owner"]])
    mover = Player[case["move"]["player"]]
    mask = captured(deal.duels, code, 9, case["move"]["cell"], mover)
    flips = [cell for cell in range(9) if (mask >> cell) & 1]
    assert flips == case["expected_flips"][variant.value]


def test_rule_cases_are_all_there() -> None:
    assert (len(CASES), len(SCORES)) == (41, 2)


@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("case", SCORES, ids=lambda case: f"{case['id']} {case['title']}")
def test_score_case(case: dict[str, Any], variant: Variant, catalogue: Catalogue) -> None:
    first = Player[case["first_player"]]
    cards = [catalogue[i] for i in range(1, 11)]
    deal = Deal.of(cards[:5], cards[5:], rules=Rules(variant=variant), first=first)
    owned = [Player.A] * case["board_owned"]["A"] + [Player.B] * case["board_owned"]["B"]
    code = EMPTY_BOARD
    for cell, owner in enumerate(owned):
        code = with_card(code, cell, cell, int(owner != first))
    state = State(deal, code)
    assert {p.name: len(state.hands[p]) for p in Player} == case["hands_left"]
    expected = case["expected"][variant.value]
    if variant is Variant.FF8:
        assert "{}-{}".format(*state.score) == expected["totals"]
    else:
        assert state.margin == expected["score_A_minus_B"]


@pytest.mark.parametrize("vector", vectors.load("apply"))
def test_apply_vector(vector: dict[str, Any], catalogue: Catalogue) -> None:
    state = state_from_dict(vector["state"], catalogue)
    move = move_from_dict(vector["move"])
    assert sorted(capture.cell for capture in state.captures(move)) == vector["flips"]
    assert state_to_dict(state.play(move)) == vector["next"]
    assert naive.play(vector["state"], *move) == vector["next"]


@pytest.mark.parametrize("vector", vectors.load("captures"))
def test_captures_vector(vector: dict[str, Any], catalogue: Catalogue) -> None:
    state = state_from_dict(vector["state"], catalogue)
    captures = state.captures(move_from_dict(vector["move"]))
    assert [capture._asdict() for capture in captures] == vector["captures"]


def naive_captures(state: State, move: Move) -> list[naive.Taken]:
    """Ask the slow twin, with whatever cards the state has."""
    board = {
        cell: (placed.card.as_dict(), placed.owner.name)
        for cell, placed in enumerate(state.board)
        if placed
    }
    card = next(card for card in state.hands[state.to_move] if card.id == move.card_id)
    board[move.cell] = (card.as_dict(), state.to_move.name)
    elements = {cell: e.label for cell, e in enumerate(state.elements) if e}
    rules = state_to_dict(state)["rules"]
    return naive.Placement(board, elements, rules, move.cell).captures()


@given(free_states(max_ply=8), st.data())
def test_captures_equal_slow_twin(state: State, data: st.DataObject) -> None:
    move = data.draw(st.sampled_from(state.legal_moves()))
    expected = naive_captures(state, move)
    told = [(capture.cell, capture.rule, capture.by_cell) for capture in state.captures(move)]
    assert told == expected
    after = state.play(move)
    changed = [
        cell
        for cell, (old, new) in enumerate(zip(state.board, after.board, strict=True))
        if old and new and old.owner != new.owner
    ]
    assert changed == sorted(cell for cell, _, _ in expected)
