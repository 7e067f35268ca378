from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given

from engine.errors import RulesError
from engine.game.cards import Catalogue, default_catalogue
from engine.game.rules import Rules, Variant
from engine.game.state import State
from engine.game.zobrist import state_hash, token
from engine.search.solver import Solver
from engine.text.document import state_from_dict
from engine.text.notation import format_state, parse_rules, parse_state
from engine.text.objects import encode
from engine.text.wire import read_facts, state_object, state_to_dict
from tests.strategies import states

SUDDEN_DEATH = {"sudden_death": True}


def under(state: State, **rules: bool) -> State:
    """Return the same state with more rules in force."""
    return State(replace(state.deal, rules=Rules(**{**state.rules._asdict(), **rules})), state.code)


def test_rules_that_are_left_out_are_off() -> None:
    assert Rules() == Rules(sudden_death=False, open=False)
    assert str(Rules()) == "none"
    assert str(parse_rules("sudden_death,same", Variant.FF8)) == "same,sudden_death"


def test_open_is_no_rule_of_a_command() -> None:
    with pytest.raises(RulesError, match="sudden_death"):
        parse_rules("open")


@given(states())
def test_sudden_death_adds_one_token_to_the_hash(state: State) -> None:
    assert state_hash(under(state, **SUDDEN_DEATH)) == state_hash(state) ^ token("sudden-death")
    assert state_hash(under(state, open=True)) == state_hash(state)


@given(states(catalogue=default_catalogue()))
def test_sudden_death_adds_one_letter_to_the_notation(state: State) -> None:
    catalogue = default_catalogue()
    rules, rest = format_state(state).split("_", 1)
    sudden = under(state, **SUDDEN_DEATH)
    assert format_state(sudden) == f"{rules}{'' if '-' in rules else '-'}d_{rest}"
    assert parse_state(format_state(sudden), catalogue) == sudden
    assert format_state(under(state, open=True)) == format_state(state)


@given(states(catalogue=default_catalogue()))
def test_both_are_read_back_as_they_were_written(state: State) -> None:
    catalogue = default_catalogue()
    for more in (SUDDEN_DEATH, {"open": True}, {**SUDDEN_DEATH, "open": True}):
        given_state = under(state, **more)
        assert read_facts(encode(state_object(given_state.facts)), catalogue) == given_state.facts
        assert state_from_dict(state_to_dict(given_state), catalogue) == given_state


@given(states())
def test_neither_changes_what_a_placement_captures(state: State) -> None:
    other = under(state, sudden_death=True, open=True)
    assert np.array_equal(other.deal.duels, state.deal.duels)


@pytest.mark.parametrize(
    ("rules", "reason"),
    [
        (Rules(sudden_death=True), "no round is drawn"),
        (Rules(elemental=True, variant=Variant.FF8, sudden_death=True), "elements anew"),
    ],
)
def test_sudden_death_is_refused_when_a_draw_has_no_value(
    rules: Rules, reason: str, catalogue: Catalogue
) -> None:
    state = parse_state("ff8_9_1.2.3.4.5_6.7.8.9.10_A", catalogue)
    with pytest.raises(RulesError, match=rf"rules\.sudden_death.*{reason}"):
        Solver().solve(State(replace(state.deal, rules=rules), state.code))
