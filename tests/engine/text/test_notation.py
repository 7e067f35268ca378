from __future__ import annotations

import re
from urllib.parse import quote

import pytest
from hypothesis import given, strategies as st

from engine.errors import InputError, NotationError, RulesError, StateError, UnknownCardError
from engine.game.cards import Catalogue, Element, default_catalogue
from engine.game.rules import Rules, Variant
from engine.game.state import State
from engine.text.document import state_from_dict
from engine.text.notation import (
    card_ids_of,
    format_state,
    parse_hands,
    parse_layout,
    parse_rules,
    parse_state,
    rules_of,
)
from engine.text.picture import draw_state
from tests import vectors
from tests.strategies import free_states

OPENING = "ff8-espw_F.8_1.2.3.4.5_6.7.8.9.10_A"


@given(free_states())
def test_notation_round_trips_and_is_safe_in_urls(state: State) -> None:
    catalogue = Catalogue(tuple({card.id: card for card in state.deal.slots}.values()))
    text = format_state(state)
    assert parse_state(text, catalogue) == state
    assert quote(text, safe="") == text


@given(free_states())
def test_rules_and_cards_can_be_told_without_reading_all(state: State) -> None:
    text = format_state(state)
    assert rules_of(text) == state.rules
    assert card_ids_of(text) == set(state.deal.ids)


def test_distinct_states_have_distinct_notations(catalogue: Catalogue) -> None:
    states = {
        state_from_dict(vector["state"], catalogue)
        for name in ("eval", "eval_odd", "apply")
        for vector in vectors.load(name)
    }
    assert len({format_state(state) for state in states}) == len(states)


def test_notation_of_an_opening(catalogue: Catalogue) -> None:
    state = parse_state(OPENING, catalogue)
    assert format_state(state) == OPENING
    assert state.rules == Rules(True, True, True, True, Variant.FF8)
    assert state.elements == (Element.FIRE, *[None] * 8)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", 'notation: found ""; allowed: five parts joined by _'),
        ("x" * 5000, 'notation: found "xxx'),
        ("tc_9_1.2.3.4.5_6.7.8.9.10", "notation: found"),
        ("tcc_9_1.2.3.4.5_6.7.8.9.10_A", 'notation.rules: found "tcc"'),
        ("tc-_9_1.2.3.4.5_6.7.8.9.10_A", 'notation.rules: found "tc-"'),
        ("tc-se_9_1.2.3.4.5_6.7.8.9.10_A", 'notation.rules: found "tc-se"'),
        (
            "tc_8_1.2.3.4.5_6.7.8.9.10_A",
            'notation.cells: found "8"; allowed: nine cells in all; these are 8',
        ),
        ("tc__1.2.3.4.5_6.7.8.9.10_A", r'notation.cells\[0\]: found ""'),
        (
            "tc_4.5_1.2.3.4.5_6.7.8.9.10_A",
            r'cells\[4\]: found "5"; allowed: empty cells in a row as one number',
        ),
        ("tc_9.9_1.2.3.4.5_6.7.8.9.10_A", r'notation.cells\[9\]: found "9"'),
        ("tc_5..4_1.2.3.4.5_6.7.8.9.10_A", r'notation.cells\[5\]: found ""'),
        ("tc_x.8_1.2.3.4.5_6.7.8.9.10_A", r'notation.cells\[0\]: found "x"'),
        (
            "tc_1.F.7_1.2.3.4.5_6.7.8.9.10_A",
            r'notation.cells\[1\]: found "F"; .* Elemental is off',
        ),
        ("tc_01A.8_2.3.4.5_6.7.8.9.10_B", r'notation.cells\[0\]: found "01A"'),
        ("tc_1C.8_2.3.4.5_6.7.8.9.10_B", r'notation.cells\[0\]: found "1C"'),
        ("tc_9_2.1.3.4.5_6.7.8.9.10_A", 'notation.handA: found "2.1.3.4.5"; .*ascending'),
        ("tc_9_1.2.3.4.5_06.7.8.9.10_A", 'notation.handB: found "06.7.8.9.10"'),
        ("tc_9_1.2.3.4.5_6.7.8.9.10._A", "notation.handB"),
        ("tc_9_1.2.3.4.5_6.7.8.9.10_C", 'notation.mover: found "C"; allowed: A or B'),
        ("tc_9_1.2.3.4.5_6.7.8.9.10_A ", 'notation.mover: found "A "'),
        ("tc_9_1.2.3.4.٥_6.7.8.9.10_A", "notation.handA"),
    ],
)
def test_other_spelling_is_refused(text: str, message: str, catalogue: Catalogue) -> None:
    with pytest.raises(NotationError, match=message):
        parse_state(text, catalogue)


def test_impossible_state_in_notation_is_refused(catalogue: Catalogue) -> None:
    with pytest.raises(StateError, match="hands: found A 4, B 5; allowed: 5 and 5 cards"):
        parse_state("tc_9_2.3.4.5_6.7.8.9.10_A", catalogue)
    with pytest.raises(UnknownCardError, match="found 999"):
        parse_state("tc_9_2.3.4.5.999_6.7.8.9.10_A", catalogue)


def canonical_text(text: str) -> str | None:
    """Return the text of the state that `text` describes; None when it is refused."""
    try:
        return format_state(parse_state(text, default_catalogue()))
    except InputError:
        return None


@given(st.text(alphabet="tcf8-espw_.ABFI0123456789", max_size=60) | st.text(max_size=60))
def test_garbage_is_refused_or_canonical(text: str) -> None:
    assert canonical_text(text) in (None, text)


@given(st.data())
def test_damaged_notation_is_refused_or_canonical(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(OPENING) - 1))
    text = OPENING[:place] + data.draw(st.characters()) + OPENING[place + 1 :]
    assert canonical_text(text) in (None, text)


def test_hands_take_ids_and_names(catalogue: Catalogue) -> None:
    text = "1, geezard , Fujin, Raijin,4,5:Squall,7,8,9,Wedge, Biggs"
    hand_a, hand_b = parse_hands(text, catalogue)
    names = [catalogue.named(name).id for name in ("Fujin, Raijin", "Wedge, Biggs")]
    assert [card.id for card in hand_a] == [1, 1, names[0], 4, 5]
    assert [card.id for card in hand_b] == [110, 7, 8, 9, names[1]]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,2,3,4,5", 'hands: found "1,2,3,4,5"; allowed: two hands'),
        ("1:2:3", 'hands: found "1:2:3"'),
        ("1,2,3,4,Sqall:1,2,3,4,5", 'did you mean "Squall"'),
        ("1,2,3,4,111:1,2,3,4,5", "card: found 111"),
        (",:,", 'card: found ""'),
    ],
)
def test_wrong_hands_are_refused(text: str, message: str, catalogue: Catalogue) -> None:
    with pytest.raises(InputError, match=re.escape(message)):
        parse_hands(text, catalogue)


def test_rules_and_layouts_from_text() -> None:
    assert parse_rules("none") == Rules()
    assert parse_rules("same_wall, same", Variant.FF8) == Rules(
        same=True, same_wall=True, variant=Variant.FF8
    )
    assert parse_layout("F,-,-,I,-,-,-,-,L")[0] is Element.FIRE
    assert parse_layout("F,-,-,I,-,-,-,-,L")[8] is Element.WIND
    with pytest.raises(RulesError, match='rules: found "combo"; allowed: none, or some of'):
        parse_rules("same,combo")
    for wrong in ("F,-", "f,-,-,-,-,-,-,-,-", ""):
        with pytest.raises(NotationError, match="elements: found .*; allowed: nine of -, F, I"):
            parse_layout(wrong)


def test_rules_print_as_they_are_given() -> None:
    assert str(parse_rules("plus,elemental")) == "elemental,plus"
    assert str(Rules()) == "none"


def test_picture_shows_board_hands_and_turn(catalogue: Catalogue) -> None:
    text = draw_state(parse_state("tc-e_110BF.3.I.4_1.2.3.4.6_5.7.8.9_A", catalogue))
    assert text.splitlines()[:9] == [
        "┌───────┬───────┬───────┐",
        "│   A  F│       │       │",
        "│9 (B) 4│   1   │   2   │",
        "│   6   │       │       │",
        "├───────┼───────┼───────┤",
        "│       │      I│       │",
        "│   3   │   4   │   5   │",
        "│       │       │       │",
        "├───────┼───────┼───────┤",
    ]
    assert "A 0 : 1 B, A to move" in text
    assert "    6 Gayla            2 1 4 4 Thunder" in text
