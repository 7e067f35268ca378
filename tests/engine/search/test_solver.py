"""The solver against vectors, plain minimax, and its own contract."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from engine.errors import SearchStoppedError
from engine.game.cards import Catalogue, default_catalogue
from engine.game.dealing import Dealer, ElementSource
from engine.game.moves import Move
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.search.solver import Solution, Solver
from engine.search.transpositions import HIGHEST_TAG, TranspositionTable
from engine.search.workspace import Query
from engine.text.document import state_from_dict
from engine.text.notation import parse_state
from engine.text.wire import state_to_dict
from tests import naive, vectors
from tests.conftest import IS_JIT_OFF
from tests.strategies import free_states, states

VECTORS = vectors.load("eval") + vectors.load("eval_odd")
# With the JIT off an opening takes minutes; a few states of ply 4 and the late ones go the
# same ways.
LATE = [row for row in VECTORS if row["state"]["turn"] >= 6]
CHOSEN = LATE + [row for row in VECTORS if row["state"]["turn"] == 4][:3] if IS_JIT_OFF else VECTORS
EARLIEST = 6 if IS_JIT_OFF else 4


@pytest.fixture(scope="module")
def solver() -> Solver:
    return Solver()


def best_move_of(solution: Solution) -> dict[str, int] | None:
    return solution.best_move._asdict() if solution.best_move else None


@pytest.mark.parametrize("row", CHOSEN)
def test_vector(row: dict[str, Any], solver: Solver, catalogue: Catalogue) -> None:
    state = state_from_dict(row["state"], catalogue)
    solution = solver.solve(state)
    assert solution.margin == row["margin"]
    assert solution.value == row["value"]
    assert best_move_of(solution) == row.get("best_move")
    assert solution.depth == 9 - row["state"]["turn"]
    if "moves" in row:
        ranked = {(*entry.move, entry.margin) for entry in solver.rank(state)}
        assert ranked == {tuple(move) for move in row["moves"]}


def test_vectors_are_all_there() -> None:
    assert len(VECTORS) == 638


@settings(max_examples=20 if IS_JIT_OFF else 100)
@given(free_states(min_ply=EARLIEST, catalogue=default_catalogue()))
def test_solution_equals_plain_minimax(state: State) -> None:
    document = state_to_dict(state)
    solution = Solver().solve(state)
    assert solution.margin == naive.minimax(document)
    assert solution.line == tuple(naive.best_line(document))


@settings(max_examples=20 if IS_JIT_OFF else 100)
@given(free_states(min_ply=EARLIEST, catalogue=default_catalogue()))
def test_ranking_equals_plain_minimax(state: State) -> None:
    document = state_to_dict(state)
    margins = {
        move: naive.minimax(naive.play(document, *move)) for move in naive.legal_moves(document)
    }
    sign = 1 if state.to_move.name == "A" else -1
    expected = sorted(margins, key=lambda move: -sign * margins[move])
    ranked = Solver().rank(state)
    assert [tuple(entry.move) for entry in ranked] == expected
    for entry in ranked:
        assert entry.margin == margins[entry.move.card_id, entry.move.cell]
        score = sign * entry.margin
        assert entry.value == (score > 0) - (score < 0)


@given(free_states(min_ply=EARLIEST))
def test_line_leads_to_the_promised_margin(state: State) -> None:
    solver = Solver()
    solution = solver.solve(state)
    for move in solution.line:
        assert solver.solve(state).margin == solution.margin
        assert solver.solve(state).best_move == move
        state = state.play(move)
    assert state.is_over
    assert state.margin == solution.margin


@given(free_states(min_ply=EARLIEST, max_ply=8), st.data())
def test_no_move_beats_the_best_one(state: State, data: st.DataObject) -> None:
    solver = Solver()
    solution = solver.solve(state)
    assert solution.best_move is not None
    sign = 1 if state.to_move.name == "A" else -1
    move = data.draw(st.sampled_from(state.legal_moves()))
    other = sign * solver.solve(state.play(move)).margin
    assert other <= sign * solution.margin
    moves = state.legal_moves()
    if moves.index(move) < moves.index(solution.best_move):
        assert other < sign * solution.margin


@given(free_states(min_ply=EARLIEST, catalogue=default_catalogue()))
def test_exchanged_players_mirror_the_answer(state: State) -> None:
    solution = Solver().solve(state)
    other = {"A": "B", "B": "A", None: None}
    document = state_to_dict(state)
    document["hands"] = {"A": document["hands"]["B"], "B": document["hands"]["A"]}
    document["to_move"] = other[document["to_move"]]
    for entry in document["board"]:
        entry["owner"] = other[entry["owner"]]
    mirrored = Solver().solve(state_from_dict(document, default_catalogue()))
    assert mirrored.margin == -solution.margin
    assert mirrored.value == solution.value
    assert mirrored.line == solution.line


@given(st.lists(free_states(min_ply=EARLIEST), min_size=2, max_size=4))
def test_answers_do_not_depend_on_what_was_asked_before(asked: list[State]) -> None:
    """The table of another program lives on between queries, and gave wrong answers."""
    shared = Solver(TranspositionTable(1))
    keeping = Solver(keeps_table=True)
    for state in asked + asked[::-1]:
        fresh = Solver()
        assert shared.solve(state) == fresh.solve(state)
        assert shared.rank(state) == keeping.rank(state) == fresh.rank(state)
        kept = keeping.solve(state)
        assert (kept.margin, kept.line) == (fresh.solve(state).margin, fresh.solve(state).line)


@pytest.mark.skipif(IS_JIT_OFF, reason="too slow uncompiled")
@pytest.mark.parametrize("variant", Variant)
def test_table_size_changes_nothing_but_nodes(variant: Variant, catalogue: Catalogue) -> None:
    rules = Rules.of(SWITCHES, variant)
    dealer = Dealer(catalogue, 5, rules, elements=ElementSource.FF8)
    for number in range(3):
        state = State.start(dealer.deal(number))
        answers = [Solver(TranspositionTable(size)).solve(state) for size in (0, 1, 64)]
        assert len({(answer.margin, answer.line) for answer in answers}) == 1
        ranked = {Solver(TranspositionTable(size)).rank(state) for size in (0, 64)}
        assert len(ranked) == 1
        assert answers[1] == Solver(TranspositionTable(1)).solve(state)


@pytest.mark.skipif(IS_JIT_OFF, reason="too slow uncompiled")
def test_equal_codes_of_different_deals_are_kept_apart(catalogue: Catalogue) -> None:
    """Openings of all deals have the same code; elements and rules are not in it."""
    solver = Solver()
    texts = [
        "tc_9_1.23.45.67.89_12.34.56.78.100_A",
        "tc-e_F.I.T.W.E.P.H.L.F_1.23.45.67.89_12.34.56.78.100_A",
        "tc-sp_9_1.23.45.67.89_12.34.56.78.100_A",
        "ff8-sp_9_1.23.45.67.89_12.34.56.78.100_B",
    ]
    openings = [parse_state(text, catalogue) for text in texts]
    expected = [Solver().solve(state) for state in openings]
    for order in (openings, openings[::-1]):
        for state in order:
            assert solver.solve(state) == expected[openings.index(state)]


def test_tags_start_again_when_they_are_used_up(catalogue: Catalogue) -> None:
    table = TranspositionTable(0)
    table.entries[0] = HIGHEST_TAG - 1
    state = late_state(catalogue)
    expected = Solver().solve(state)
    solver = Solver(table)
    assert [solver.solve(state) for _ in range(4)] == [expected] * 4
    assert table.entries[0] == 3


@pytest.mark.parametrize("ask", [Solver.solve, Solver.rank])
def test_stop_before_the_search_begins_is_not_lost(
    ask: Callable[[Solver, State, Query], object], catalogue: Catalogue
) -> None:
    solver, query = Solver(), Query()
    query.stop()
    for state in (late_state(catalogue), State.start(Dealer(catalogue, 1).deal(0))):
        with pytest.raises(SearchStoppedError, match=r"stopped after \d{1,3} nodes"):
            ask(solver, state, query)
    assert solver.solve(late_state(catalogue), Query()).depth == 3  # a stop is its query's alone


@pytest.mark.skipif(IS_JIT_OFF, reason="too slow uncompiled")
def test_search_can_be_stopped_from_another_thread(catalogue: Catalogue) -> None:
    """The kernel runs without the GIL, so that another thread gets to say stop."""
    solver, query = Solver(), Query()
    solver.rank(late_state(catalogue))  # compiles
    state = State.start(Dealer(catalogue, 1).deal(0))
    whole = Query()
    solver.rank(state, whole)

    def stop_when_under_way() -> None:
        while not query.nodes:
            pass
        query.stop()

    stopper = threading.Thread(target=stop_when_under_way)
    stopper.start()
    with pytest.raises(SearchStoppedError):
        solver.rank(state, query)
    stopper.join()
    assert 0 < query.nodes < whole.nodes


@pytest.mark.skipif(IS_JIT_OFF, reason="too slow uncompiled")
def test_threads_answer_alike(catalogue: Catalogue) -> None:
    rules = Rules.of(SWITCHES, Variant.FF8)
    dealer = Dealer(catalogue, 8, rules, elements=ElementSource.FF8)
    openings = [State.start(dealer.deal(number)) for number in range(6)]
    expected = [Solver().solve(state) for state in openings]
    answers: dict[int, list[Solution]] = {}

    def solve_all(name: int) -> None:
        solver = Solver()
        answers[name] = [solver.solve(state) for state in openings]

    threads = [threading.Thread(target=solve_all, args=(name,)) for name in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(answers.values()) == [expected] * 3


@given(states(min_ply=9))
def test_finished_game_has_its_margin_and_no_move(state: State) -> None:
    solution = Solver().solve(state)
    assert solution == Solution(state.margin, solution.value, (), 0, 0)
    assert solution.best_move is None
    assert Solver().rank(state) == ()


def late_state(catalogue: Catalogue) -> State:
    state = State.start(Dealer(catalogue, 1).deal(0))
    while state.ply < 6:
        state = state.play(state.legal_moves()[0])
    return state


@pytest.mark.parametrize("variant", ["tc", "ff8"])
def test_mover_may_end_with_no_card_at_all(variant: str, catalogue: Catalogue) -> None:
    """Then every move is best, and the first in order is the answer."""
    text = f"{variant}_2.101A.102A.103A.104A.105A.106A.107A_110_2.4_B"
    state = parse_state(text, catalogue)
    solution = Solver().solve(state)
    assert solution.line == (Move(2, 0), Move(110, 1))
    assert solution.margin == (9 if variant == "tc" else 8) == naive.minimax(state_to_dict(state))
    assert solution.value == -1


def test_equal_cards_are_one_move(catalogue: Catalogue) -> None:
    state = parse_state("ff8_1A.5B.3A.4B.5_2.2.2_6.6.7_A", catalogue)
    moves = [entry.move for entry in Solver().rank(state)]
    assert sorted(moves) == [Move(2, cell) for cell in (4, 5, 6, 7, 8)]
