"""Hypothesis strategies for views: states seen by either player, open or not."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import strategies as st

from advise.view import View
from engine.game.deal import Player
from engine.game.state import State
from tests.strategies import states

players = st.sampled_from(Player)


@st.composite
def seen_states(draw: st.DrawFn, min_ply: int = 0, max_ply: int = 9) -> tuple[State, View]:
    """Draw a state and what one of its players sees of it."""
    state = draw(states(min_ply, max_ply))
    rules = state.rules._replace(open=draw(st.booleans()))
    state = State(replace(state.deal, rules=rules), state.code)
    return state, View.seen_by(state, draw(players))
