"""Quick answers against the oracle's, byte for byte."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence

import numpy as np
import orjson
import pytest

from engine.game.cards import default_catalogue
from engine.game.facts import facts_of
from engine.game.state import State
from engine.tablebase.retrograde import LAST_PLY
from engine.text.document import state_from_dict, state_to_dict
from store.oracle import Oracle
from store.quick import Quick, make_alphabet, read_batch, warm_up
from store.reader import Reader
from tests import vectors
from tests.databases import build, copied_root, exchanged, later, small_roots, states_below

ALPHABET = make_alphabet(default_catalogue())
ROOTS = [*small_roots(), copied_root()]


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Reader]:
    path = tmp_path_factory.mktemp("quick")
    build(path, ROOTS)
    reader = Reader(path, default_catalogue())
    yield reader
    reader.close()


def as_bytes(oracle: Oracle, state: State) -> bytes | None:
    answer = oracle.look_up(state)
    return None if answer is None else orjson.dumps(answer.as_dict())


def assert_equal_answers(reader: Reader, states: Sequence[State]) -> None:
    oracle = Oracle(reader)
    rows = np.array([facts_of(state) for state in states])
    answers = Quick(reader, ALPHABET).answers(rows)
    for state, answer in zip(states, answers, strict=True):
        assert answer == as_bytes(oracle, state), state


@pytest.mark.parametrize("root", ROOTS)
def test_every_stored_state_has_the_oracles_answer(reader: Reader, root: State) -> None:
    states = [state for state in states_below(root) if state.ply <= LAST_PLY][::7]
    assert_equal_answers(reader, states)
    assert_equal_answers(reader, [exchanged(state) for state in states[::5]])


def test_states_of_all_roots_in_one_batch_keep_their_order(reader: Reader) -> None:
    states = [later(root, root.ply + step) for step in range(3) for root in ROOTS]
    data = json.dumps({"states": [state_to_dict(state) for state in states]}).encode()
    batch = read_batch(data, len(states), ALPHABET)
    assert batch is not None
    oracle = Oracle(reader)
    answers = Quick(reader, ALPHABET).answers(batch.rows)
    assert answers == [as_bytes(oracle, state) for state in states]
    assert None not in answers
    assert read_batch(data, len(states) - 1, ALPHABET) is None


def test_hands_in_another_order_find_their_answer(reader: Reader) -> None:
    document = state_to_dict(ROOTS[0])
    document["hands"] = {name: hand[::-1] for name, hand in document["hands"].items()}
    answer = Quick(reader, ALPHABET).answer(json.dumps(document).encode())
    assert answer == as_bytes(Oracle(reader), ROOTS[0])


def test_states_that_are_not_stored_have_no_answer(reader: Reader) -> None:
    quick, oracle = Quick(reader, ALPHABET), Oracle(reader)
    finished = later(ROOTS[0], 9)
    assert quick.answer(json.dumps(state_to_dict(finished)).encode()) is None
    assert quick.answer(b'{"board": []}') is None
    for case in vectors.load("eval_odd"):
        assert quick.answer(json.dumps(case["state"]).encode()) is None
    unreachable = 0
    for state in list(states_below(ROOTS[1], ROOTS[1].ply + 1))[1:]:
        document = state_to_dict(state)
        cell = next(entry for entry in document["board"] if entry["owner"])
        cell["owner"] = "AB"[cell["owner"] == "A"]
        answer = quick.answer(json.dumps(document).encode())
        assert answer == as_bytes(oracle, state_from_dict(document, default_catalogue()))
        unreachable += answer is None
    assert unreachable


def test_warming_up_needs_no_database() -> None:
    warm_up(State.start(ROOTS[0].deal), ALPHABET)
