"""Reading and searching are two ways to the same line and the same ranking."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from engine.game.board import CELLS
from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer
from engine.game.state import State
from store.answer import DATABASE, SEARCH
from store.oracle import Oracle
from store.reader import Reader
from store.warm_up import warm_up
from tests.databases import build, copied_root, exchanged, small_roots, states_below

ROOTS = [*small_roots(), copied_root()]
EVERY = 40  # of the states below a root


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    path = tmp_path_factory.mktemp("oracle")
    build(path, ROOTS)
    reader = Reader(path, default_catalogue())
    yield reader
    reader.close()


@pytest.mark.parametrize("root", ROOTS)
def test_lines_and_rankings_are_the_same_read_or_searched(
    reader: Reader, root: State, monkeypatch: pytest.MonkeyPatch
) -> None:
    states = [state for state in states_below(root) if not state.is_over][::EVERY]
    asked = [state.facts for state in (*states, *map(exchanged, states))]
    searched = Oracle(reader).look_up(asked, moves=True)
    for name in ("SEARCHED_PLY", "RANKED_PLY"):
        monkeypatch.setattr(f"store.oracle.{name}", CELLS)
    read = Oracle(reader).look_up(asked, moves=True)
    assert read == searched
    assert None not in read


def test_states_of_all_roots_keep_their_order(reader: Reader) -> None:
    foreign = State.start(Dealer(default_catalogue(), 77).deal(0))
    asked = [ROOTS[1], foreign, ROOTS[0], ROOTS[4], ROOTS[1], ROOTS[3], ROOTS[2]]
    answers = Oracle(reader).look_up([state.facts for state in asked])
    assert [answer and answer.facts for answer in answers] == [
        None if state is foreign else state.facts for state in asked
    ]


def test_best_move_alone_is_that_of_the_line(reader: Reader) -> None:
    oracle = Oracle(reader)
    for root in ROOTS:
        whole, short = oracle.answer(root), oracle.answer(root, pv=False)
        assert short.solution.line == whole.solution.line[:1]
        assert short.solution.best_move == whole.solution.best_move


def test_without_a_database_everything_is_searched() -> None:
    oracle = Oracle(None)
    assert oracle.look_up([ROOTS[0].facts] * 2) == [None, None]
    assert oracle.answer(ROOTS[0]).source == SEARCH


def test_warming_up_leaves_answers_as_they_are(reader: Reader) -> None:
    warm_up(State.start(ROOTS[0].deal))
    answer = Oracle(reader).answer(ROOTS[0])
    assert (answer.source, answer.solution) == (
        DATABASE,
        Oracle(None).answer(ROOTS[0]).solution._replace(nodes=0),
    )
