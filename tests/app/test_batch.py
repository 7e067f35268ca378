"""Batches below HTTP: each item its answer or its error, in order, whatever the others are."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message

from app.batch import PART, Batch, batch_items
from app.errors import Kind, ServiceError
from app.exchange import Exchange, Policy
from app.service import Service, ServicePhase
from app.settings import load_settings
from app.wishes import Wishes
from engine.errors import StateError
from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.text.objects import encode
from engine.text.wire import state_to_dict
from store.answer import DATABASE, SEARCH
from store.oracle import Oracle
from store.reader import Reader
from tests.conftest import IS_JIT_OFF
from tests.databases import build, later, small_roots

needs_compiler = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

PATIENCE = 180  # seconds; a fresh machine compiles
DEEP = 100_000
PATH, REQUEST_ID = "/eval/batch", "mine-7"
PLAIN = Wishes()
DEEP_ITEM = pytest.param("[" * DEEP + "]" * DEEP, id="deep")
FIRST_PLY = 2  # from which lines and rankings are read, not searched
ROOTS = small_roots(2, FIRST_PLY)
STORED = [later(root, ply, choice) for root in ROOTS for ply in range(2, 9) for choice in (1, 4)]
MISSES = [later(root, 6) for root in small_roots(6, 4)[2:]]
LABELLED = {**state_to_dict(STORED[0]), "game_id": 3, "policy_target": {"card_id": 1}, "margin": 4}
COPIES = {
    "board": [{"cell": cell, "card_id": None, "owner": None} for cell in range(9)],
    "hands": {"A": [1, 1, 3, 4, 5], "B": [6, 7, 8, 9, 10]},
    "to_move": "A",
}
# What is wrong with an item, and what its problem says.
WRONG: list[tuple[str, int, str]] = [
    ("1", 422, "an object"),
    ("null", 422, "an object"),
    ("[]", 422, "an object"),
    (json.dumps({**state_to_dict(STORED[0]), "to_move": "C"}), 422, 'to_move: found "C"'),
    (json.dumps(state_to_dict(STORED[0]))[:-1] + ', "turn": 2}', 422, "the field turn twice"),
    (json.dumps(COPIES), 422, "each card once"),
]


def batch_of(*items: str) -> bytes:
    return ('{"states": [' + ", ".join(items) + "]}").encode()


def written(state: State) -> str:
    return json.dumps(state_to_dict(state))


def test_items_are_split() -> None:
    items = [written(state) for state in STORED[:3]]
    assert batch_items(batch_of(*items), 3) == [item.encode() for item in items]


@pytest.mark.parametrize("text", ['{"states":[]}', ' {\n"states" : [ ] } '])
def test_empty_batch_has_no_items(text: str) -> None:
    assert batch_items(text.encode(), 1) == []


@pytest.mark.parametrize("item", ["1", '"states"', DEEP_ITEM])
def test_batch_beyond_the_limit_is_too_large(item: str) -> None:
    assert len(batch_items(batch_of(item, item), 2)) == 2
    with pytest.raises(ServiceError, match="3 states; allowed: at most 2") as refused:
        batch_items(batch_of(item, item, item), 2)
    assert refused.value.kind is Kind.TOO_LARGE


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[]", "body: found .*states"),
        ("1", "body: found 1"),
        ("{}", "body: found {}"),
        ('{"others": []}', 'body: found {"others"'),
        ('{"states": [], "more": 1}', "body: found .*more"),
        ('{"states": 1}', "states: found 1; allowed: a list of states"),
        ('{"states": null}', "states: found null; allowed: a list of states"),
        ('{"states": {"a": 1}}', "a list of states"),
        ('{"states": [1], "states": [2]}', "body: found the field states twice"),
        ('{"states": [], "states": []}', "body: found the field states twice"),
        ('{"states": [1], "st\\u0061tes": [2]}', "body: found the field states twice"),
    ],
)
def test_text_that_is_no_batch_is_told(text: str, message: str) -> None:
    with pytest.raises(StateError, match=message):
        batch_items(text.encode(), 10)


@pytest.mark.parametrize(
    "text",
    [
        b"",
        b"{",
        b'{"states": [1',
        b'{"states": [1]',
        b'{"states": [1,]}',
        b'{"states": [1]} x',
        b'{"states": [1]} {"states": [1]}',
        b'{"states": \xff}',
        pytest.param(b"[" * DEEP, id="deep"),
    ],
)
def test_text_that_is_no_json_is_told(text: bytes) -> None:
    with pytest.raises(ServiceError, match="one JSON value") as refused:
        batch_items(text, 10)
    assert refused.value.kind is Kind.NOT_JSON
    assert [problem.field for problem in refused.value.problems] == ["state"]


def test_item_that_has_the_batch_s_field_in_it_is_one_item() -> None:
    item = '{"states": [1, {"states": 2}]}'
    assert batch_items(batch_of(item, '"states"'), 5) == [item.encode(), b'"states"']


def test_item_nested_deep_is_one_item() -> None:
    deep = "[" * DEEP + "]" * DEEP
    assert batch_items(batch_of("1", deep, "2"), 3) == [b"1", deep.encode(), b"2"]


@asynccontextmanager
async def serving(path: Path, **settings: object) -> AsyncIterator[Service]:
    service = Service(load_settings({"db": path, **settings}))
    await service.start()
    try:
        until = time.monotonic() + PATIENCE
        while service.phase is not ServicePhase.READY:
            assert time.monotonic() < until
            await asyncio.sleep(0.005)
        yield service
    finally:
        await service.stop()


async def never_send(message: Message) -> None:
    raise AssertionError(message)


def exchange() -> Exchange:
    """Return a request for a batch, as the server would have it."""
    policy = Policy(1_000_000, frozenset(), False, 1.0)
    headers = [(b"x-request-id", REQUEST_ID.encode())]
    scope = {"type": "http", "method": "POST", "path": PATH, "headers": headers}
    return Exchange(policy, scope, never_send)


def answer_batch(
    path: Path, data: bytes, wishes: Wishes = PLAIN, **settings: object
) -> list[bytes]:
    async def ask() -> list[bytes]:
        async with serving(path, **settings) as service:
            return await Batch(service, wishes, exchange()).results(data)

    return asyncio.run(ask())


def answered(path: Path, states: list[State], wishes: Wishes = PLAIN) -> list[bytes]:
    """Return what an oracle over the same database answers, one state at a time."""
    reader = Reader(path, default_catalogue())
    oracle = Oracle(reader)
    answers = [oracle.answer(state, moves=wishes.moves, pv=wishes.pv) for state in states]
    reader.close()
    return [encode(answer.as_object()) for answer in answers]


def check_problem(result: bytes, number: int, status: int, message: str) -> None:
    problem = json.loads(result)["error"]
    assert problem["status"] == status
    assert problem["instance"] == f"{PATH}#/states/{number}"
    assert problem["request_id"] == REQUEST_ID
    assert message in problem["detail"]


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("db")
    build(path, ROOTS)
    return path


@needs_compiler
def test_empty_batch_has_no_results(path: Path) -> None:
    assert answer_batch(path, batch_of()) == []


@needs_compiler
@pytest.mark.parametrize("pv", [True, False])
@pytest.mark.parametrize("moves", [True, False])
def test_results_are_the_bytes_of_single_answers(path: Path, moves: bool, pv: bool) -> None:
    wishes = Wishes(moves, pv)
    states = [*STORED, *MISSES]
    results = answer_batch(path, batch_of(*map(written, states)), wishes)
    assert results == answered(path, states, wishes)
    plain: list[dict[str, Any]] = [json.loads(result) for result in results]
    sources = [DATABASE] * len(STORED) + [SEARCH] * len(MISSES)
    assert [answer["source"] for answer in plain] == sources
    assert {"moves" in answer for answer in plain} == {moves}
    assert {"pv" in answer for answer in plain} == {pv}


@needs_compiler
def test_batch_without_a_database_is_searched(tmp_path: Path) -> None:
    states = MISSES[:3]
    expected = [encode(Oracle(None).search(state).as_object()) for state in states]
    assert answer_batch(tmp_path / "none", batch_of(*map(written, states))) == expected


@needs_compiler
def test_results_of_many_parts_are_in_order(path: Path) -> None:
    kinds = [*STORED, *MISSES]
    states = [kinds[number * 7 % len(kinds)] for number in range(2 * PART + 1)]
    texts = [written(state) for state in states]
    wrong = {0: 0, PART - 1: 1, PART: 2, 2 * PART: 3}  # which of WRONG, by number of item
    for number, kind in wrong.items():
        texts[number] = WRONG[kind][0]
    results = answer_batch(path, batch_of(*texts))
    expected = answered(path, states)
    assert len(results) == len(states)
    for number, result in enumerate(results):
        if number in wrong:
            check_problem(result, number, *WRONG[wrong[number]][1:])
        else:
            assert result == expected[number]


@needs_compiler
def test_labels_of_an_exported_line_are_accepted(path: Path) -> None:
    results = answer_batch(path, batch_of(json.dumps(LABELLED), written(STORED[1])))
    assert results == answered(path, STORED[:2])


@needs_compiler
@pytest.mark.parametrize("has_database", [True, False])
def test_wrong_items_are_problems_of_their_own(
    path: Path, tmp_path: Path, has_database: bool
) -> None:
    folder = path if has_database else tmp_path / "none"
    texts = [text for text, _, _ in WRONG]
    results = answer_batch(folder, batch_of(*texts, written(MISSES[0])))
    for number, (_, status, message) in enumerate(WRONG):
        check_problem(results[number], number, status, message)
    assert json.loads(results[-1])["source"] == SEARCH


@needs_compiler
def test_item_nested_deep_fails_alone(path: Path) -> None:
    deep = "[" * DEEP + "]" * DEEP
    results = answer_batch(path, batch_of(written(STORED[0]), deep, written(STORED[1])))
    assert [results[0], results[2]] == answered(path, STORED[:2])
    check_problem(results[1], 1, 422, "one JSON value")


@needs_compiler
def test_equal_items_have_equal_results(path: Path) -> None:
    states = [STORED[0], MISSES[0]] * 3
    results = answer_batch(path, batch_of(*map(written, states)))
    assert len(set(results)) == 2
    assert results == results[:2] * 3


@needs_compiler
def test_batch_beyond_the_limit_is_refused_as_a_whole(path: Path) -> None:
    with pytest.raises(ServiceError) as refused:
        answer_batch(path, batch_of("1", "1", "1"), batch_limit=2)
    assert refused.value.kind is Kind.TOO_LARGE


@needs_compiler
def test_searches_of_a_batch_share_its_time_limit(tmp_path: Path) -> None:
    """Those that would begin too late never do; what needs no search is answered."""
    dealer = Dealer(default_catalogue(), 9, Rules.of(SWITCHES, Variant.FF8))
    openings = [written(State.start(dealer.deal(number))) for number in range(4)]
    results = answer_batch(
        tmp_path / "none", batch_of(*openings, "1"), Wishes(moves=True), time_limit=0.01
    )
    for number in range(4):
        check_problem(results[number], number, 503, "0.01 s")
    check_problem(results[4], 4, 422, "an object")


@needs_compiler
def test_batch_waits_for_its_own_searches_and_never_fills_the_queue(tmp_path: Path) -> None:
    results = answer_batch(
        tmp_path / "none", batch_of(*map(written, MISSES)), queue=0, solver_threads=1
    )
    assert [json.loads(result)["source"] for result in results] == [SEARCH] * len(MISSES)


@pytest.mark.parametrize(
    "text",
    ['{"states":\x0b[1]}', '{"states":[1\x0c,2]}', '{"states":["a, 1, 2]}', '{"states":[1,]}'],
)
def test_text_that_only_looks_like_a_batch_is_not_json(text: str) -> None:
    with pytest.raises(ServiceError) as refused:
        batch_items(text.encode(), 9)
    assert refused.value.kind is Kind.NOT_JSON


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_batch_in_another_encoding_is_read(encoding: str) -> None:
    assert batch_items('{"states": [1, {"a": "é"}]}'.encode(encoding), 9) == [
        b"1",
        '{"a": "é"}'.encode(),
    ]
