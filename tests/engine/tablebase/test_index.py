from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from engine.errors import StateError
from engine.game.cards import Catalogue
from engine.game.deal import Deal, Player
from engine.game.dealing import Dealer
from engine.game.state import State
from engine.tablebase.index import code_at, placements_at
from engine.tablebase.root import is_arranged, make_root
from tests import strategies
from tests.databases import exchanged
from tests.indices import Index

PLACEMENTS = (1, 45, 1_800, 25_200, 302_400, 1_512_000, 6_048_000, 9_072_000, 9_072_000, 1_814_400)


def played(state: State, data: st.DataObject, moves: int) -> State:
    for _ in range(moves):
        state = state.play(data.draw(st.sampled_from(state.legal_moves())))
    return state


def test_placements_below_an_opening_are_as_many_as_counted_by_hand(catalogue: Catalogue) -> None:
    root = make_root(State.start(Dealer(catalogue).deal(0)))
    assert tuple(placements_at(root, ply) for ply in range(10)) == PLACEMENTS


@pytest.mark.parametrize("ply", [0, 1, 2, pytest.param(3, marks=pytest.mark.slow)])
def test_index_and_state_are_inverse_below_an_opening(catalogue: Catalogue, ply: int) -> None:
    index = Index(State.start(Dealer(catalogue).deal(0)))
    for number in range(index.size(ply)):
        assert index.index_of(index.state_at(ply, number)) == number


@given(strategies.states(min_ply=4), st.data())
def test_index_and_state_are_inverse_below_any_root(root: State, data: st.DataObject) -> None:
    index = Index(root)
    ply = data.draw(st.integers(root.ply, 9))
    number = data.draw(st.integers(0, index.size(ply) - 1))
    state = index.state_at(ply, number)
    assert state.ply == ply
    if is_arranged(index.root, state.code):
        assert index.index_of(state) == number
    else:
        assert index.index_of(state) != number


@given(strategies.deals(), st.data())
def test_state_has_one_index_however_it_is_written(deal: Deal, data: st.DataObject) -> None:
    start = State.start(deal)
    index = Index(start)
    state = played(start, data, data.draw(st.integers(0, 9)))
    rebuilt = State.of(
        state.board, state.hands, state.to_move, rules=state.rules, elements=state.elements
    )
    number = index.index_of(state)
    assert index.index_of(rebuilt) == number
    assert index.index_of(exchanged(state)) == number
    assert index.state_at(state.ply, number) == state


@given(strategies.deals(), st.data())
def test_every_way_to_a_state_has_its_index(deal: Deal, data: st.DataObject) -> None:
    start = State.start(deal)
    index = Index(start)
    one = played(start, data, 4)
    other = played(start, data, 4)
    assert (index.index_of(one) == index.index_of(other)) == (one == other)


@pytest.mark.parametrize("ply", range(5, 9))
def test_arranged_placements_are_all_different(catalogue: Catalogue, ply: int) -> None:
    state = State.start(Dealer(catalogue).deal(0))
    for _ in range(4):
        state = state.play(state.legal_moves()[0])
    index = Index(state)
    codes = {
        code_at(index.root, ply, placement, index._numbers)
        for placement in range(placements_at(index.root, ply))
    }
    assert len(codes) == placements_at(index.root, ply)


def test_state_of_another_deal_has_no_index(catalogue: Catalogue) -> None:
    dealer = Dealer(catalogue)
    index = Index(State.start(dealer.deal(0)))
    with pytest.raises(StateError, match="a state below the root"):
        index.index_of(State.start(dealer.deal(1)))


def test_state_before_the_root_has_no_index(catalogue: Catalogue) -> None:
    start = State.start(Dealer(catalogue).deal(0))
    index = Index(start.play(start.legal_moves()[0]))
    with pytest.raises(StateError, match="a state below the root"):
        index.index_of(start)


def test_state_with_another_card_on_the_roots_cell_has_no_index(catalogue: Catalogue) -> None:
    start = State.start(Dealer(catalogue, first=Player.A).deal(0))
    one, other = start.legal_moves()[:2]
    assert one.cell == other.cell
    index = Index(start.play(one))
    with pytest.raises(StateError, match="a state below the root"):
        index.index_of(start.play(other))


@pytest.mark.parametrize(("ply", "number"), [(-1, 0), (10, 0), (0, 1), (1, -1), (1, 90)])
def test_index_out_of_range_is_refused(catalogue: Catalogue, ply: int, number: int) -> None:
    index = Index(State.start(Dealer(catalogue).deal(0)))
    with pytest.raises(StateError, match="allowed"):
        index.state_at(ply, number)
