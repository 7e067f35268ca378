"""A real database, asked: everything in it comes back, and nothing else does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from engine.errors import (
    DamagedError,
    HalfBuiltError,
    MismatchError,
    NoDatabaseError,
    NotStoredError,
)
from engine.game.board import CELLS
from engine.game.cards import Catalogue, default_catalogue
from engine.game.dealing import Dealer
from engine.game.state import State
from engine.search.solver import Solver
from engine.text.document import state_from_dict
from engine.text.notation import format_state
from store import environment
from store.answer import DATABASE, SEARCH, Answer
from store.oracle import Oracle
from store.reader import Reader
from tests import vectors as vector_files
from tests.databases import (
    ROOT_PLY,
    build,
    change_manifest,
    copied_root,
    data_file,
    exchanged,
    publish_changed,
    small_roots,
    states_below,
)
from tests.indices import Index

ROOTS = [*small_roots(), copied_root()]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("db")
    build(path, ROOTS)
    return path


@pytest.fixture(scope="module")
def reader(path: Path) -> Reader:
    return Reader(path, default_catalogue())


@pytest.mark.parametrize("root", ROOTS)
def test_every_stored_state_reads_back(reader: Reader, root: State) -> None:
    solver = Solver()
    for number, state in enumerate(states_below(root)):
        found = reader.probe(state)
        if number % 10 == 0:
            assert found.margin(state) == solver.solve(state).margin


def plain(answer: Answer) -> dict[str, Any]:
    return dict(msgspec.to_builtins(answer.as_object()))


@pytest.mark.parametrize("root", ROOTS)
def test_database_and_search_answer_alike(reader: Reader, root: State) -> None:
    oracle = Oracle(reader)
    for number, state in enumerate(states_below(root)):
        if number % 50 == 0:
            found, searched = oracle.answer(state, moves=True), oracle.search(state, moves=True)
            assert (found.source, searched.source) == (DATABASE, SEARCH)
            assert found.solution.nodes == 0
            expected = plain(searched) | {"source": DATABASE, "nodes": 0}
            assert plain(found) == expected
            for asked in (True, False):
                assert plain(oracle.answer(state, pv=asked)) == {
                    name: value
                    for name, value in expected.items()
                    if name != "moves" and (asked or name != "pv")
                }


@pytest.mark.parametrize("root", ROOTS)
def test_state_is_found_however_it_is_written(reader: Reader, root: State) -> None:
    for number, state in enumerate(states_below(root)):
        if number % 100 == 0:
            hands = [list(reversed(hand)) for hand in state.hands]
            shuffled = State.of(
                state.board, hands, state.to_move, rules=state.rules, elements=state.elements
            )
            found, turned = reader.probe(state), reader.probe(exchanged(state))
            assert (
                reader.probe(shuffled).starter_cards == found.starter_cards == turned.starter_cards
            )
            assert turned.margin(exchanged(state)) == -found.margin(state)


@pytest.mark.parametrize("root", ROOTS)
def test_unreachable_state_is_a_miss(reader: Reader, root: State) -> None:
    reachable = set(states_below(root))
    index = Index(root)
    unreachable = 0
    for ply in range(root.ply, CELLS):
        for number in range(0, index.size(ply), 1 + index.size(ply) // 200):
            state = index.state_at(ply, number)
            found = reader.get(state)
            assert (found is not None) == (state in reachable)
            unreachable += found is None
    assert unreachable > 100


def test_refused_database_is_not_left_open(tmp_path: Path, catalogue: Catalogue) -> None:
    build(tmp_path, ROOTS[:1])
    other = Catalogue(tuple(card._replace(level=1) for card in catalogue))
    for _ in range(3):
        with pytest.raises(MismatchError):
            Reader(tmp_path, other)
    assert environment.file_id(data_file(tmp_path).parent) not in environment._shared


def test_state_of_no_deal_is_a_miss(reader: Reader, catalogue: Catalogue) -> None:
    state = State.start(Dealer(catalogue, seed=77).deal(0))
    assert reader.get(state) is None
    with pytest.raises(NotStoredError):
        reader.probe(state)
    assert Oracle(reader).answer(state).source == SEARCH


def test_state_before_its_root_is_a_miss(reader: Reader) -> None:
    root = ROOTS[0]
    assert reader.get(State.start(root.deal)) is None


def test_finished_game_is_answered(reader: Reader) -> None:
    state = ROOTS[0]
    while not state.is_over:
        state = state.play(state.legal_moves()[0])
    answer = Oracle(reader).answer(state, moves=True)
    assert answer.solution.margin == state.margin
    assert answer.ranking == []


def test_shallow_database_answers_to_the_end(tmp_path: Path) -> None:
    build(tmp_path, [ROOTS[0]], plies=ROOT_PLY + 1)
    oracle = Oracle(Reader(tmp_path, default_catalogue()))
    for state in list(states_below(ROOTS[0], ROOT_PLY + 2))[:: 5 if ROOT_PLY == 4 else 1]:
        found, searched = oracle.answer(state, moves=True), oracle.search(state, moves=True)
        assert found.source == (DATABASE if state.ply <= ROOT_PLY + 1 else SEARCH)
        assert (found.solution.line, found.ranking) == (searched.solution.line, searched.ranking)


def test_odd_states_are_answered_right_from_a_database_of_their_deals(tmp_path: Path) -> None:
    """Equal cards, and owners drawn at random, which mostly cannot be reached."""
    vectors = [
        (state_from_dict(vector["state"], default_catalogue()), vector)
        for vector in vector_files.load("eval_odd")
    ]
    deep = [(state, vector) for state, vector in vectors if state.ply >= ROOT_PLY]
    parents = [parent for state, _ in deep for parent in [parent_of(state)] if parent]
    build(tmp_path, [*(state for state, _ in deep[::2] if not state.is_over), *parents])
    oracle = Oracle(Reader(tmp_path, default_catalogue()))
    sources = []
    for state, vector in vectors:
        answer = oracle.answer(state)
        assert (answer.solution.margin, answer.solution.value) == (
            vector["margin"],
            vector["value"],
        )
        sources.append(answer.source)
    assert sources.count(DATABASE) >= 20
    assert sources.count(SEARCH) >= 20


def parent_of(state: State) -> State | None:
    """Return a state with the last mover's card of the highest cell back in the hand.

    The deal and the cells fit, so the database looks for the state below it; most often it
    cannot be reached from there.
    """
    mover = state.to_move.opponent
    for cell in reversed(range(CELLS)):
        placed = state.board[cell]
        if placed and placed.owner == mover:
            board = [*state.board[:cell], None, *state.board[cell + 1 :]]
            hands = [list(hand) for hand in state.hands]
            hands[mover].append(placed.card)
            return State.of(board, hands, mover, rules=state.rules, elements=state.elements)
    return None


def test_reading_nothing_says_so(tmp_path: Path, catalogue: Catalogue) -> None:
    with pytest.raises(NoDatabaseError, match="there is no database"):
        Reader(tmp_path, catalogue)


@pytest.mark.parametrize(
    ("field", "value", "error"),
    [
        ("format", 99, MismatchError),
        ("revision", 99, MismatchError),
        ("cards", "other", MismatchError),
        ("complete", False, HalfBuiltError),
    ],
)
def test_other_database_is_refused(
    tmp_path: Path, catalogue: Catalogue, field: str, value: object, error: type[Exception]
) -> None:
    build(tmp_path, [ROOTS[0]], plies=ROOT_PLY)
    publish_changed(tmp_path, change_manifest(**{field: value}))
    with pytest.raises(error, match=str(value) if error is MismatchError else "half-built"):
        Reader(tmp_path, catalogue)


def test_published_database_can_be_read_from_a_read_only_folder(path: Path) -> None:
    part = data_file(path).parent
    before = sorted(item.name for item in part.iterdir())
    Reader(path, default_catalogue()).close()
    assert sorted(item.name for item in part.iterdir()) == before == ["data.mdb"]


def test_open_reader_goes_on_while_the_database_grows(tmp_path: Path, catalogue: Catalogue) -> None:
    build(tmp_path, [ROOTS[0]])
    old = Reader(tmp_path, catalogue)
    for root in ROOTS[1:3]:
        build(tmp_path, [root])
    assert old.probe(ROOTS[0]).margin(ROOTS[0]) == Solver().solve(ROOTS[0]).margin
    assert old.get(ROOTS[1]) is None
    new = Reader(tmp_path, catalogue)
    assert [new.get(root) is not None for root in ROOTS[:4]] == [True, True, True, False]


def test_reader_that_is_closed_is_open_until_the_last_user_has_left(tmp_path: Path) -> None:
    build(tmp_path, ROOTS[:1])
    reader = Reader(tmp_path, default_catalogue())
    assert reader.users.join()
    assert reader.users.join()
    for _ in range(2):
        reader.close()
        assert not reader.users.join()
    for _ in range(2):
        assert reader.get(ROOTS[0])
        reader.users.leave()
    with pytest.raises(DamagedError, match="closed"):
        list(reader.parts.roots())


def test_record_counts_what_is_there(reader: Reader) -> None:
    records = [record for _, record in reader.parts.roots()]
    (opened,) = reader.parts.opened
    assert len(records) == len(ROOTS) == opened.manifest.entries["roots"]
    by_root = {record.root: record for record in records}
    for root in ROOTS:
        record = by_root[format_state(root.seated)]
        assert record.states == sum(1 for _ in states_below(root))
