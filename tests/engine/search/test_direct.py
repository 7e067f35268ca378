from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from engine.game.cards import Catalogue
from engine.game.deal import Player
from engine.game.dealing import Dealer, ElementSource
from engine.game.moves import Move
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.search.bounds import HIGHEST_TAG, BoundsTable
from engine.search.direct import DirectSolver, WeightsError, solve_direct
from engine.search.solver import Solver
from engine.text.document import state_from_dict
from tests.conftest import IS_JIT_OFF
from tests.strategies import free_states
from tests.vectors import load

SOLVER = DirectSolver()
compiled = pytest.mark.skipif(IS_JIT_OFF, reason="takes minutes without the compiler")


def owned_by_slot(state: State, weights: dict[int, int], player: Player) -> int:
    """Return the weight of what a player has, on the board and in hand."""
    placed = [one.card.id for one in state.board if one and one.owner is player]
    return sum(weights[card] for card in placed + [one.id for one in state.hands[player]])


def minimax(state: State, weights: dict[int, int]) -> int:
    """Return what the mover keeps, by trying everything."""
    if state.is_over:
        return owned_by_slot(state, weights, state.to_move)
    total = sum(weights[card] for card in state.deal.ids)
    return max(total - minimax(state.play(move), weights) for move in state.legal_moves())


@compiled
def test_direct_vectors(catalogue: Catalogue) -> None:
    rows = load("hidden/direct")
    assert len(rows) == 40
    for row in rows:
        state = state_from_dict(row["state"], catalogue)
        weights = {int(card): weight for card, weight in row["weights"].items()}
        found = solve_direct(state, weights)
        assert (found.kept, found.total) == (row["mover_keeps"], row["total"])


@settings(deadline=None, max_examples=60)
@given(free_states(min_ply=5), st.data())
def test_late_states_equal_plain_minimax(state: State, data: st.DataObject) -> None:
    weight = data.draw(st.sampled_from([st.integers(0, 2), st.integers(0, 6000)]))
    weights = {card: data.draw(weight) for card in set(state.deal.ids)}
    found = SOLVER.solve(state, weights, moves=True)
    assert found.kept == minimax(state, weights)
    total = found.total
    expected = {move: total - minimax(state.play(move), weights) for move in state.legal_moves()}
    assert dict(found.moves) == expected
    best = [move for move in state.legal_moves() if expected[move] == found.kept]
    assert found.best_move == (best[0] if best else None)


@compiled
@pytest.mark.parametrize("number", range(4))
def test_weights_of_one_equal_the_margin_search(number: int, catalogue: Catalogue) -> None:
    dealer = Dealer(catalogue, 3, Rules.of(SWITCHES, Variant.FF8), elements=ElementSource.FF8)
    state = State.start(dealer.deal(number))
    found = SOLVER.solve(state, dict.fromkeys(state.deal.ids, 1))
    margin = 2 * found.kept - 10
    expected = Solver().solve(state)
    assert (margin if state.to_move is Player.A else -margin) == expected.margin
    assert found.line == expected.line


@compiled
def test_playing_the_line_keeps_what_was_said(catalogue: Catalogue) -> None:
    dealer = Dealer(catalogue, 4, Rules.of(SWITCHES, Variant.FF8))
    state = opening = State.start(dealer.deal(0))
    weights = {card.id: card.level for card in catalogue}
    found = SOLVER.solve(state, weights)
    for move in found.line:
        state = state.play(Move(*move))
    assert owned_by_slot(state, weights, opening.to_move) == found.kept


@pytest.mark.parametrize("weights", [{}, dict.fromkeys(range(1, 111), -1), {1: True}])
def test_wrong_weights_are_refused(weights: dict[int, int], catalogue: Catalogue) -> None:
    state = State.start(Dealer(catalogue).deal(0))
    with pytest.raises(WeightsError, match="whole number"):
        solve_direct(state, weights)
    with pytest.raises(WeightsError, match="65,535"):
        solve_direct(state, dict.fromkeys(state.deal.ids, 7000))


def test_table_forgets_when_its_tags_are_used_up(catalogue: Catalogue) -> None:
    table = BoundsTable(1)
    solver = DirectSolver(table)
    dealer = Dealer(catalogue, 5, Rules(variant=Variant.FF8))
    state = State.start(dealer.deal(0))
    while state.ply < 4:
        state = state.play(state.legal_moves()[0])
    weights = {card.id: card.level for card in catalogue}
    expected = solver.solve(state, weights)
    table.entries[0] = HIGHEST_TAG - 1
    assert [solver.solve(state, weights) for _ in range(3)] == [expected] * 3
    assert table.entries[0] == 2
