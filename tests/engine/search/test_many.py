"""Many states in one call are solved as each is alone: answers, moves, nodes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings, strategies as st

from engine.errors import SearchStoppedError
from engine.game.cards import default_catalogue
from engine.game.state import State
from engine.search.many import ManySolver, Solved
from engine.search.solver import Solver
from engine.search.transpositions import HIGHEST_TAG, TranspositionTable
from engine.search.workspace import Query
from tests.conftest import IS_JIT_OFF
from tests.databases import copied_root, later, small_roots
from tests.strategies import free_states

EARLIEST = 6 if IS_JIT_OFF else 3
ONE_MEBIBYTE = 1
STATES = [later(root, ply) for root in small_roots(4, EARLIEST) for ply in range(EARLIEST, 10)]


def expected_of(state: State) -> Solved:
    """Return what a solver for one state makes of it."""
    solver = Solver(TranspositionTable(ONE_MEBIBYTE))
    captured = state.captured_cells()
    ranking = [(ranked, captured[ranked.move]) for ranked in solver.rank(state)]
    return Solved(solver.solve(state), ranking)


@pytest.fixture(scope="module")
def solver() -> ManySolver:
    return ManySolver(default_catalogue(), TranspositionTable(ONE_MEBIBYTE))


@settings(max_examples=10 if IS_JIT_OFF else 100)
@given(st.lists(free_states(min_ply=EARLIEST, catalogue=default_catalogue()), max_size=5))
def test_states_of_any_deals_are_solved_as_each_alone(states: list[State]) -> None:
    solver = ManySolver(default_catalogue(), TranspositionTable(ONE_MEBIBYTE))
    expected = [expected_of(state) for state in states]
    assert solver.solve(states, moves=True) == expected
    assert solver.solve(states) == [Solved(solution, []) for solution, _ in expected]


def test_states_do_not_depend_on_those_before_them(solver: ManySolver) -> None:
    expected = [expected_of(state).solution for state in STATES]
    assert [found.solution for found in solver.solve(STATES)] == expected
    turned = [found.solution for found in solver.solve(STATES[::-1])]
    assert turned[::-1] == expected
    assert len({solution.nodes for solution in expected}) > 5


def test_equal_cards_are_told_apart_by_nobody(solver: ManySolver) -> None:
    root = copied_root(EARLIEST)
    assert solver.solve([root, root], moves=True) == [expected_of(root)] * 2


def test_tags_begin_again_in_the_middle_of_a_call(solver: ManySolver) -> None:
    solver.table.entries[0] = HIGHEST_TAG - 2
    expected = [expected_of(state).solution for state in STATES]
    assert [found.solution for found in solver.solve(STATES)] == expected
    assert 0 < solver.table.entries[0] < len(STATES)


def test_no_states_have_no_solutions(solver: ManySolver) -> None:
    assert solver.solve([]) == []


def test_stopped_query_has_no_solutions(solver: ManySolver) -> None:
    query = Query()
    query.stop()
    with pytest.raises(SearchStoppedError):
        solver.solve(STATES, query=query)
