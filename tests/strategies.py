"""Hypothesis strategies. They make the rare case common: low ranks tie and add up often."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from engine.game.cards import ELEMENTS, Card, Catalogue, Element, default_catalogue
from engine.game.deal import Deal, Player
from engine.game.rules import Rules, Variant
from engine.game.state import State

rules: st.SearchStrategy[Rules] = st.builds(
    Rules,
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.booleans(),
    st.sampled_from(Variant),
    st.just(False),  # Sudden Death and Open have tests of their own
    st.just(False),
)
# Two elements only, so that cards often lie on a cell of their own.
few_elements: st.SearchStrategy[Element | None] = st.sampled_from([None, *ELEMENTS[:2]])
layouts = st.tuples(*[few_elements] * 9)
ranks = st.one_of(st.integers(1, 3), st.integers(1, 10), st.integers(8, 10))


@st.composite
def small_catalogues(draw: st.DrawFn) -> Catalogue:
    """Draw ten cards whose ranks meet, tie and add up far more often than real ones."""
    rank = draw(st.sampled_from([st.integers(1, 3), st.integers(9, 10), ranks]))
    return Catalogue(
        tuple(
            Card(
                number,
                f"Card {number}",
                1,
                "Monster",
                draw(st.tuples(rank, rank, rank, rank)),
                draw(few_elements),
            )
            for number in range(1, 11)
        )
    )


@st.composite
def deals(draw: st.DrawFn, catalogue: Catalogue | None = None) -> Deal:
    """Draw a deal: real or low-ranked cards, shared and repeated where that is allowed."""
    cards = list(catalogue or draw(st.just(default_catalogue()) | small_catalogues()))
    in_force = draw(rules)
    if in_force.variant is Variant.FF8:
        common = [card for card in cards if not card.is_unique]
        pool = draw(st.sampled_from([common[:4], common]))
        hand = st.lists(st.sampled_from(pool), min_size=5, max_size=5)
    else:
        hand = st.permutations(cards).map(lambda shuffled: shuffled[:5])
    return Deal.of(
        draw(hand),
        draw(hand),
        rules=in_force,
        elements=draw(layouts),
        first=draw(st.sampled_from(Player)),
    )


@st.composite
def states(
    draw: st.DrawFn, min_ply: int = 0, max_ply: int = 9, catalogue: Catalogue | None = None
) -> State:
    """Draw a state reached by legal moves."""
    state = State.start(draw(deals(catalogue)))
    for _ in range(draw(st.integers(min_ply, max_ply))):
        state = state.play(draw(st.sampled_from(state.legal_moves())))
    return state


@st.composite
def free_states(
    draw: st.DrawFn, min_ply: int = 0, max_ply: int = 9, catalogue: Catalogue | None = None
) -> State:
    """Draw a state whose owners are free, as boards set up by hand are."""
    state = draw(states(min_ply, max_ply, catalogue))
    board: list[Any] = [
        placed and placed._replace(owner=draw(st.sampled_from(Player))) for placed in state.board
    ]
    return State.of(board, state.hands, state.to_move, rules=state.rules, elements=state.elements)
