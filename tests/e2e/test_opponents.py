"""Opponents over HTTP: every vector of the computer player, every other model, every refusal."""

from __future__ import annotations

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from msgspec import UNSET, to_builtins

from app.client import AsyncClient, Client, ClientError
from app.examples import OPPONENT_DEAL_EXAMPLE, OPPONENT_MOVE_EXAMPLE, STATE_EXAMPLE
from app.opponent_schemas import OpponentMoveResponse
from engine.game.cards import default_catalogue
from engine.text.document import state_from_dict
from engine.text.objects import encode
from engine.text.wire import state_to_dict
from tests import vectors
from tests.conftest import IS_JIT_OFF
from tests.servers import Server, assert_well, running
from tests.situations import state_of

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

Json = dict[str, Any]

MOVES, DEALS = vectors.load("hidden/ff8_ai"), vectors.load("hidden/ff8_deal")
STATE = state_from_dict(STATE_EXAMPLE, default_catalogue())
LEGAL = {tuple(move) for move in STATE.legal_moves()}
OTHERS: list[Json] = [
    {"kind": "perfect"},
    {"kind": "random"},
    {"kind": "greedy"},
    {"kind": "tremble", "error": 0.5},
    {"kind": "softmax", "temperature": 0.2},
    {"kind": "humanlike", "strength": 60},
    {"kind": "humanlike", "strength": 60, "plies": 1},
    {
        "kind": "mixture",
        "models": [
            {"opponent": {"kind": "greedy"}, "weight": 1},
            {"opponent": {"kind": "ff8", "search": 2}, "weight": 2.5},
        ],
    },
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with running(folder, db=str(folder / "none"), log_level="warning") as server:
        yield server


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[Client]:
    with Client(server.url) as client:
        yield client


def request_of(row: Json) -> Json:
    """Return a row of the vectors as a request; the computer player is A."""
    return {
        "state": state_to_dict(state_of(row, default_catalogue())),
        "opponent": {"kind": "ff8", "search": row["search"], "strategy": row["strategy"]},
        "dealt": row["computer_dealt"],
        "slots": {"A": row["computer_hand"], "B": row["human_hand"]},
        "rng": row["rng"],
    }


def mirrored(row: Json) -> Json:
    """Return the same request with the players' names exchanged."""
    request = request_of(row)
    text = json.dumps(request).translate({ord("A"): "B", ord("B"): "A"})
    result: Json = json.loads(text)
    return result


def as_row(answer: OpponentMoveResponse) -> Json:
    found: Json = json.loads(encode(answer))
    return found


@pytest.mark.parametrize("form", [request_of, mirrored])
def test_moves_are_those_of_the_vectors(client: Client, form: Any) -> None:
    for row in MOVES:
        answer = as_row(client.opponent_move(**form(row)))
        expected = {name: row[name] for name in answer if name != "rng"}
        assert answer == {**expected, "rng": row["rng_after"]}, row["n"]
        assert len(answer) == 8


def test_hands_are_those_of_the_vectors(client: Client) -> None:
    for row in DEALS:
        levels = [level for level in range(1, 8) if row["level_mask"] >> (level - 1) & 1]
        given = {"rares": row["rares"], "rare_chance": row["rare_chance"], "rng": row["rng"]}
        dealt = client.opponent_deal(levels=levels, **given)
        assert (dealt.hand, dealt.rng) == (row["hand"], row["rng_after"])


@pytest.mark.parametrize("opponent", OTHERS, ids=lambda opponent: opponent["kind"])
def test_other_models_play_legal_moves(client: Client, opponent: Json) -> None:
    given: Json = {"dealt": [10, 34, 6, 73, 86]} if opponent["kind"] == "mixture" else {}
    answers = [client.opponent_move(STATE_EXAMPLE, opponent, seed=seed, **given) for seed in (5, 5)]
    assert answers[0] == answers[1]
    assert (answers[0].move.card_id, answers[0].move.cell) in LEGAL
    assert answers[0].rng is UNSET


def test_perfect_opponent_plays_the_best_move(client: Client) -> None:
    best = client.evaluate(STATE_EXAMPLE).best_move
    assert to_builtins(client.opponent_move(STATE_EXAMPLE, {"kind": "perfect"}).move) == (
        to_builtins(best)
    )


def test_seeds_draw_different_moves(client: Client) -> None:
    moves = Counter(
        client.opponent_move(STATE_EXAMPLE, "random", seed=seed).move for seed in range(40)
    )
    assert len(moves) > 5


def test_opponent_may_be_given_as_text(client: Client) -> None:
    text = client.opponent_move(STATE_EXAMPLE, "ff8:search=18,strategy=0", rng=7)
    given = {"kind": "ff8", "search": 2, "sees_hand": True}
    assert text == client.opponent_move(STATE_EXAMPLE, given, rng=7)


def test_slots_that_are_left_out_ascend(client: Client) -> None:
    opponent = {"kind": "ff8", "search": 17}
    plain = client.opponent_move(STATE_EXAMPLE, opponent)
    slots = {"B": [34, 73, 86, None, None], "A": [7, 99, None, None, None]}
    assert plain == client.opponent_move(STATE_EXAMPLE, opponent, slots=slots)


def test_seed_stands_for_a_random_state(client: Client) -> None:
    first, again, other = (client.opponent_deal(levels=[1], seed=seed) for seed in (1, 1, 2))
    assert first == again != other
    assert client.opponent_deal() == client.opponent_deal(seed=0)


def test_list_names_every_kind_and_what_is_inferred(client: Client) -> None:
    listed = client.opponents()
    assert {model.kind for model in listed.models} == {"ff8", *(each["kind"] for each in OTHERS)}
    assert len(listed.inferred) == 2
    for known in listed.known:
        assert client.opponent_move(STATE_EXAMPLE, known.opponent, dealt=[10, 34, 6, 73, 86]).root
    for model in listed.models:
        assert model.plays
        assert model.sees
        assert model.assumes


def test_async_client_asks_alike(server: Server, client: Client) -> None:
    async def ask() -> list[Any]:
        async with AsyncClient(server.url) as other:
            return [
                await other.opponents(),
                await other.opponent_move(**OPPONENT_MOVE_EXAMPLE),
                await other.opponent_deal(**OPPONENT_DEAL_EXAMPLE),
            ]

    assert asyncio.run(ask()) == [
        client.opponents(),
        client.opponent_move(**OPPONENT_MOVE_EXAMPLE),
        client.opponent_deal(**OPPONENT_DEAL_EXAMPLE),
    ]


LEFT_OUT = "left out"
WRONG_MOVES: list[tuple[Json, str, str]] = [
    ({"opponent": LEFT_OUT}, "opponent", "this field is required"),
    ({"opponent": 7}, "opponent", "an object"),
    ({"opponent": {}}, "opponent.kind", "one of perfect, random"),
    ({"opponent": {"kind": "wizard"}}, "opponent.kind", "one of perfect, random"),
    ({"opponent": "wizard"}, "opponent", "one of perfect, random"),
    ({"opponent": "ff8:search=9"}, "opponent.search", "a whole number from 0 to 7"),
    ({"opponent": {"kind": "ff8", "search": 8}}, "opponent.search", "a whole number from 0 to 7"),
    ({"opponent": {"kind": "ff8", "search": "2"}}, "opponent.search", "a whole number"),
    (
        {"opponent": {"kind": "ff8", "search": 18, "sees_hand": False}},
        "opponent.sees_hand",
        "true with search 18",
    ),
    ({"opponent": {"kind": "ff8", "sees_hand": 1}}, "opponent.sees_hand", "true or false"),
    ({"opponent": {"kind": "ff8", "strategy": 8}}, "opponent.strategy", "from 0 to 7"),
    ({"opponent": {"kind": "ff8", "levels": [8]}}, "opponent.levels[0]", "from 1 to 7"),
    ({"opponent": {"kind": "ff8", "levels": 3}}, "opponent.levels", "a list of levels"),
    ({"opponent": {"kind": "ff8", "rare_chance": 101}}, "opponent.rare_chance", "from 0 to 100"),
    ({"opponent": {"kind": "ff8", "error": 1}}, "opponent.error", "only the fields kind, search"),
    ({"opponent": {"kind": "perfect", "x": 1}}, "opponent.x", "only the fields kind"),
    ({"opponent": {"kind": "tremble"}}, "opponent.error", "this field is required"),
    ({"opponent": {"kind": "tremble", "error": 2}}, "opponent.error", "a number from 0 to 1"),
    ({"opponent": {"kind": "tremble", "error": True}}, "opponent.error", "a number from 0 to 1"),
    ({"opponent": {"kind": "softmax", "temperature": 0}}, "opponent.temperature", "above 0"),
    ({"opponent": {"kind": "humanlike", "strength": 101}}, "opponent.strength", "from 0 to 100"),
    (
        {"opponent": {"kind": "humanlike", "strength": 1, "plies": 1.5}},
        "opponent.plies",
        "a whole number",
    ),
    ({"opponent": {"kind": "mixture", "models": []}}, "opponent.models", "1 to 100 of"),
    ({"opponent": {"kind": "mixture", "models": [1]}}, "opponent.models[0]", "1 to 100 of"),
    (
        {"opponent": {"kind": "mixture", "models": [{"opponent": "random", "weight": "1"}]}},
        "opponent.models[0].weight",
        "a number from 0 on",
    ),
    (
        {"opponent": {"kind": "mixture", "models": [{"opponent": "random", "weight": 0}]}},
        "opponent.weights",
        "not all of them 0",
    ),
    (
        {
            "opponent": {
                "kind": "mixture",
                "models": [{"opponent": {"kind": "mixture"}, "weight": 1}],
            }
        },
        "opponent.models[0].opponent.kind",
        "one of perfect, random",
    ),
    ({"dealt": LEFT_OUT}, "dealt", "the five cards it was dealt"),
    ({"dealt": 5}, "dealt", "5 card ids"),
    ({"dealt": [1, 2]}, "dealt", "5 card ids"),
    ({"dealt": [1, 2, 3, 4, "5"]}, "dealt[4]", "5 card ids"),
    ({"dealt": [1, 2, 3, 4, 111]}, "dealt[4]", "a card id from 1 to 110"),
    ({"slots": []}, "slots", "an object"),
    ({"slots": {"C": []}}, "slots.C", "only the fields A, B"),
    ({"slots": {"B": [1, 2, 3, 4, 5]}}, "slots.B", "5 places with B's hand (34, 73, 86)"),
    ({"slots": {"A": [7, 99, 0, None, None]}}, "slots.A[2]", "five card ids or nulls"),
    ({"slots": {"A": [7, 99]}}, "slots.A", "5 places with A's hand (7, 99)"),
    ({"rng": 2**32}, "rng", "a whole number from 0 to 4294967295"),
    ({"rng": 1.0}, "rng", "a whole number from 0 to 4294967295"),
    ({"seed": 1}, "seed", "rng or seed, not both"),
    ({"rng": LEFT_OUT, "seed": -1}, "seed", "a whole number from 0"),
    ({"opponent": "random"}, "rng", "seed, as random is not the computer player"),
    ({"state": {**STATE_EXAMPLE, "to_move": "C"}}, "to_move", "A or B"),
    ({"extra": 1}, "extra", "only the fields state, opponent"),
]


def problem_of(server: Server, path: str, body: Any) -> Json:
    response = httpx.post(server.url + path, json=body)
    assert response.status_code == 422, response.text
    problem: Json = response.json()
    assert problem["type"] == "urn:triadbase:problem:invalid"
    return problem


@pytest.mark.parametrize(("change", "field", "allowed"), WRONG_MOVES)
def test_wrong_request_for_a_move_is_told(
    server: Server, change: Json, field: str, allowed: str
) -> None:
    body = {**OPPONENT_MOVE_EXAMPLE, **change}
    body = {name: value for name, value in body.items() if value != LEFT_OUT}
    errors = problem_of(server, "/opponents/move", body)["errors"]
    assert errors[0]["field"] == field
    assert allowed in errors[0]["allowed"]


@pytest.mark.parametrize(
    ("change", "field", "allowed"),
    [
        ({"levels": [0]}, "levels[0]", "levels, each once, from 1 to 7"),
        ({"levels": "1"}, "levels", "a list of levels from 1 to 7"),
        ({"rares": [77]}, "rares[0]", "ids of cards of level 8 to 10"),
        ({"rare_chance": -1}, "rare_chance", "a whole number from 0 to 100"),
        ({"rng": -1}, "rng", "a whole number from 0 to 4294967295"),
        ({"seed": 1}, "seed", "rng or seed, not both"),
        ({"cards": 1}, "cards", "only the fields levels, rares"),
    ],
)
def test_wrong_request_for_a_hand_is_told(
    server: Server, change: Json, field: str, allowed: str
) -> None:
    errors = problem_of(server, "/opponents/deal", {**OPPONENT_DEAL_EXAMPLE, **change})["errors"]
    assert errors[0]["field"] == field
    assert allowed in errors[0]["allowed"]


@pytest.mark.parametrize("path", ["/opponents/move", "/opponents/deal"])
def test_body_that_is_no_object_is_told(server: Server, path: str) -> None:
    assert problem_of(server, path, [1])["errors"][0]["field"] == "body"
    response = httpx.post(server.url + path, content=b"{", headers={"content-type": "text/json"})
    assert response.status_code == 415
    headers = {"content-type": "application/json"}
    response = httpx.post(server.url + path, content=b"{", headers=headers)
    assert response.json()["type"] == "urn:triadbase:problem:not-json"


def test_finished_game_has_no_move(client: Client) -> None:
    state = STATE
    while not state.is_over:
        state = state.play(state.legal_moves()[0])
    with pytest.raises(ClientError, match=r"state\.turn: found 9; allowed: a game that is"):
        client.opponent_move(state_to_dict(state), "perfect")


def test_server_is_well_after_all_that(server: Server) -> None:
    assert_well(server)
