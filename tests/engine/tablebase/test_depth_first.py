"""Every state below a root: walked, and listed from solved layers, against plain play."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine.game.moves import NO_MOVE
from engine.game.state import State
from engine.search.solver import Solver
from engine.tablebase.depth_first import bytes_met, walk
from engine.tablebase.index import placements_at
from engine.tablebase.retrograde import LAST_PLY, Retrograde
from engine.tablebase.root import make_root
from engine.tablebase.solved_states import all_moves_of, best_moves_of, states_of
from engine.tablebase.transition import Layer, make_below
from tests.conftest import IS_JIT_OFF
from tests.databases import copied_root, small_roots, states_below
from tests.strategies import states

ROOTS = [*small_roots(2 if IS_JIT_OFF else 4), copied_root()]
OVER = 9


def walked(root: State, deepest: int, size: int = 1_000) -> list[State]:
    return [State(root.deal, int(code)) for codes in walk(root, deepest, size) for code in codes]


def twin_walk(state: State, deepest: int, met: set[State]) -> list[State]:
    """Return the states of a depth-first walk, by recursion over public objects."""
    met.add(state)
    found = [state]
    for move in state.legal_moves() if state.ply < deepest else []:
        after = state.play(move)
        if after not in met:
            found += twin_walk(after, deepest, met)
    return found


@settings(max_examples=5 if IS_JIT_OFF else 30)
@given(states(min_ply=6, max_ply=8), st.integers(6, 9), st.integers(1, 50))
def test_walk_is_the_slow_twins(root: State, deepest: int, size: int) -> None:
    deepest = max(deepest, root.ply)
    assert walked(root, deepest, size) == twin_walk(root, deepest, set())


@pytest.mark.parametrize("root", ROOTS, ids=range(len(ROOTS)))
@pytest.mark.parametrize("deepest", [LAST_PLY - 1, OVER])
def test_walk_meets_every_state_once(root: State, deepest: int) -> None:
    found = walked(root, deepest)
    expected = list(states_below(root, deepest))
    assert found[0] == root
    assert len(found) == len(expected)
    assert set(found) == set(expected)


def test_memory_of_a_walk_is_a_bit_for_each_index() -> None:
    root = make_root(ROOTS[0])
    sets = sum(placements_at(root, ply) * max(1, 2**ply // 64) for ply in range(root.ply, 9))
    assert bytes_met(root, LAST_PLY) == 8 * sets


def layers_of(retrograde: Retrograde, root: State) -> list[Layer]:
    """Return all layers, from the root to the finished games."""
    layers = list(retrograde.solve(root, keeps_layers=True))[::-1]
    return [*layers, retrograde.finish(root, layers[-1])]


@pytest.mark.parametrize("root", ROOTS, ids=range(len(ROOTS)))
def test_listed_layers_are_the_walk_with_the_searchs_labels(root: State) -> None:
    below, solver = make_below(root), Solver(keeps_table=True)
    listed: list[State] = []
    with Retrograde(2) as retrograde:
        layers = layers_of(retrograde, root)
        for layer, after in zip(layers, [*layers[1:], layers[-1]], strict=True):
            codes, cards = states_of(below, layer, 0, placements_at(below.root, layer.ply))
            listed += [State(root.deal, int(code)) for code in codes]
            best, expected = solver.label(root.deal, codes)
            assert np.array_equal(cards, expected)
            if layer.ply <= LAST_PLY:
                assert np.array_equal(best_moves_of(below, after, codes, cards), best)
                by_move = solver.label_moves(root.deal, codes)
                assert np.array_equal(all_moves_of(below, after, codes), by_move)
            else:
                assert set(best.tolist()) == {NO_MOVE}
    assert len(listed) == len(set(listed))
    assert set(listed) == set(walked(root, OVER))


@settings(max_examples=5 if IS_JIT_OFF else 50)
@given(states(min_ply=6 if IS_JIT_OFF else 4))
def test_labels_are_the_solvers_answers(state: State) -> None:
    solver = Solver()
    best, cards = solver.label(state.deal, np.array([state.code]))
    solution = solver.solve(state)
    on_board = 2 * int(cards[0]) - 9 - int(state.rules.variant.counts_hands)
    assert solution.margin == (on_board if state.deal.first == 0 else -on_board)
    if solution.best_move is None:
        assert best[0] == NO_MOVE
    else:
        slot, cell = divmod(int(best[0]), 9)
        assert solution.best_move == (state.deal.slots[slot].id, cell)
    by_move = solver.label_moves(state.deal, np.array([state.code]))[0]
    moves = state.legal_moves()
    assert set(by_move[len(moves) :].tolist()) <= {NO_MOVE}
    ranked = sorted(range(len(moves)), key=lambda number: -by_move[number])
    assert [moves[number] for number in ranked] == [entry.move for entry in solver.rank(state)]
