"""Advice over HTTP: vectors, streams, limits, and what those are told who ask wrongly."""

from __future__ import annotations

import asyncio
import copy
import json
import re
import time
from collections.abc import Iterator
from typing import Any

import httpx
import msgspec
import pytest

from app.client import AsyncClient, Client, ClientError
from app.examples import ADVISE_EXAMPLE, STATE_EXAMPLE
from tests.conftest import IS_JIT_OFF
from tests.hostile import HOSTILE
from tests.servers import Server, assert_well, running
from tests.vectors import load

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

NDJSON = {"Accept": "application/x-ndjson"}
PATIENCE = 60
EMPTY: list[dict[str, Any]] = [{"cell": n, "card_id": None, "owner": None} for n in range(9)]
Json = dict[str, Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with running(folder, db=str(folder / "none")) as server:
        yield server


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[Client]:
    with Client(server.url) as client:
        yield client


def opening(**more: Any) -> Json:
    """Return a request at ply 0."""
    hands = {"A": [1, 2, 3, 4, 5], "B": {"unseen": 5, "from": {"levels": [1, 2]}}}
    state = {"board": EMPTY, "hands": hands, "to_move": "A", "rules": {"variant": "ff8"}}
    return {"state": state, **more}


def request_of(row: Json) -> Json:
    """Return a row of closed.jsonl as a request."""
    state = dict(row["state"])
    hidden = state.pop("hidden")
    pool = sorted({*row["pool"], *row["played"]})
    hand = {"unseen": row["unseen"], "played": row["played"], "from": {"pool": pool}}
    state["hands"] = {**state["hands"], hidden: hand}
    return {"state": state}


def post(server: Server, body: object, **headers: str) -> httpx.Response:
    """Ask for advice."""
    return httpx.post(f"{server.url}/advise", json=body, timeout=PATIENCE, headers=headers)


def test_vectors_of_closed_views(server: Server) -> None:
    rows = load("hidden/closed")
    assert len(rows) == 60
    for row in rows:
        found = post(server, request_of(row)).json()
        assert found["worlds"] == {
            "total": row["worlds"],
            "evaluated": row["worlds"],
            "effective": row["worlds"],
            "exact": True,
        }
        told = {(move["card_id"], move["cell"]): move for move in found["moves"]}
        assert len(told) == len(row["moves"])
        for move in row["moves"]:
            ours = told[move["card_id"], move["cell"]]
            for name in ("win", "draw", "loss"):
                assert ours[name] == round(move[name] / row["worlds"], 6)
            (low, high), (least, most) = ours["guaranteed"], move["guaranteed"]
            assert low <= most
            assert high >= least
            assert high - low <= 0.001001


def test_stream_ends_with_the_answer_and_is_the_same_again(server: Server) -> None:
    for body in (ADVISE_EXAMPLE, opening(worlds=4, seed=3)):
        alone = post(server, body).text
        streams = [post(server, body, **NDJSON) for _ in range(2)]
        assert streams[0].headers["content-type"] == "application/x-ndjson"
        assert streams[0].text == streams[1].text
        lines = streams[0].text.splitlines()
        assert lines[-1] == alone
        seen = [json.loads(line) for line in lines]
        assert [each["complete"] for each in seen] == [False] * (len(seen) - 1) + [True]
        evaluated = [each["worlds"]["evaluated"] for each in seen]
        assert evaluated[:3] == [1, 2, 4]


def test_numbers_have_six_decimals(server: Server) -> None:
    numbers = written_numbers(post(server, ADVISE_EXAMPLE).text)
    assert len(numbers) > 50
    for number in numbers:
        assert len(number.partition(".")[2]) <= 6


def written_numbers(text: str) -> list[str]:
    """Return the fractions of a JSON text as they are written."""
    return re.findall(r"(?<=[\[,:])-?\d+\.\d+(?:e-?\d+)?", text)


def test_open_hands_are_one_world(server: Server) -> None:
    for variant in ("ff8", "triplecargo"):
        rules = {**STATE_EXAMPLE["rules"], "variant": variant}
        state = {**STATE_EXAMPLE, "rules": rules}
        body = {"state": state, "objective": {"kind": "margin"}}
        found = post(server, body).json()
        told = httpx.post(f"{server.url}/eval", json=state).json()
        assert found["worlds"]["total"] == 1
        assert found["best_move"] == told["best_move"]
        assert found["value"]["points"] == (told["value"] + 1) / 2
        assert found["view_hash"] == told["state_hash"]
        assert found["value"]["margin"] == -told["margin"]  # B is to move


def test_hash_depends_on_the_prior(server: Server) -> None:
    other = copy.deepcopy(ADVISE_EXAMPLE)
    other["state"]["hands"]["A"]["from"] = {"levels": [1, 2, 3]}
    hashes = {post(server, body).json()["view_hash"] for body in (ADVISE_EXAMPLE, other)}
    assert len(hashes) == 2


def test_client_advises_at_once_and_as_a_stream(server: Server, client: Client) -> None:
    state = ADVISE_EXAMPLE["state"]
    advice = client.advise(state, style="robust")
    assert advice.style == "robust"
    assert list(client.advise_stream(state, style="robust"))[-1] == advice
    with pytest.raises(ClientError):
        next(iter(client.advise_stream({})))

    async def ask() -> None:
        async with AsyncClient(server.url) as other:
            assert await other.advise(state, style="robust") == advice
            assert [each async for each in other.advise_stream(state, style="robust")][-1] == advice

    asyncio.run(ask())


def history_game(client: Client) -> tuple[Json, list[Json]]:
    """Return the state after five moves, and the moves."""
    state: Json = {
        "board": EMPTY,
        "hands": {"A": [34, 56, 70, 8, 9], "B": [1, 2, 3, 4, 5]},
        "to_move": "B",
        "rules": {"variant": "ff8", "same": True, "plus": True},
    }
    moves = [(1, 4), (34, 0), (2, 2), (56, 6), (3, 8), (70, 1), (4, 3)]
    for card, cell in moves:
        applied = client.apply(state, card, cell)
        state = msgspec.to_builtins(applied.state)
    return state, [{"card_id": card, "cell": cell} for card, cell in moves]


def hidden(state: Json, **more: Any) -> Json:
    """Return a state with B's hand hidden."""
    hand = {"unseen": len(state["hands"]["B"]), "from": {"levels": [1]}, **more}
    return {**state, "hands": {"A": state["hands"]["A"], "B": hand}}


def test_history_tells_what_was_played_and_a_plan_is_kept(server: Server, client: Client) -> None:
    state, history = history_game(client)
    played = [1, 2, 3, 4]
    by_history = post(server, {"state": hidden(state), "history": history})
    by_played = post(server, {"state": hidden(state, played=played)})
    assert by_history.json() == by_played.json()
    kept = post(server, {"state": hidden(state), "history": history, "keep": True}).json()
    assert kept["method"] == "guaranteed"
    assert sum(move["chance"] for move in kept["kept"]) == pytest.approx(1, abs=1e-5)
    assert kept["best_move"] in [
        {"card_id": move["card_id"], "cell": move["cell"]} for move in kept["kept"]
    ]


def test_plan_comes_when_asked_for(server: Server) -> None:
    assert "plan" not in post(server, ADVISE_EXAMPLE).json()
    plan = post(server, {**ADVISE_EXAMPLE, "plan": True}).json()["plan"]
    assert {each["reply"]["card_id"] for each in plan} <= set(range(1, 23))
    assert all(
        sum(move["chance"] for move in each["moves"]) == pytest.approx(1, abs=1e-5) for each in plan
    )


def test_hang_up_gives_the_place_back(server: Server) -> None:
    body = opening(worlds=34)
    with httpx.stream(
        "POST", f"{server.url}/advise", json=body, headers=NDJSON, timeout=PATIENCE
    ) as stream:
        lines = stream.iter_lines()
        next(lines)
        assert gauge(server, "triad_advice_streams") == 1
    until = time.monotonic() + PATIENCE
    while gauge(server, "triad_advice") and time.monotonic() < until:
        time.sleep(0.05)
    assert gauge(server, "triad_advice") == gauge(server, "triad_advice_streams") == 0
    assert post(server, ADVISE_EXAMPLE).status_code == 200


def gauge(server: Server, name: str) -> float:
    """Return a metric."""
    lines = httpx.get(f"{server.url}/metrics").text.splitlines()
    return sum(float(line.split()[-1]) for line in lines if line.split("{")[0].split()[0] == name)


def test_too_much_work_is_refused_with_what_fits(server: Server) -> None:
    response = post(server, opening(worlds=1000))
    assert response.status_code == 413
    assert response.json()["type"].endswith(":too-large")
    assert "at most 34 worlds" in response.json()["detail"]


def test_crowd_is_turned_away(tmp_path_factory: pytest.TempPathFactory) -> None:
    folder = tmp_path_factory.mktemp("busy")
    with running(folder, db=str(folder / "none"), advice_queue="0") as server:

        async def crowd() -> list[int]:
            async with httpx.AsyncClient(timeout=PATIENCE) as http:
                asked = [http.post(f"{server.url}/advise", json=opening(seed=n)) for n in range(4)]
                return [response.status_code for response in await asyncio.gather(*asked)]

        statuses = asyncio.run(crowd())
        assert set(statuses) == {200, 503}
        assert_well(server)


def test_fallible_is_told_with_moves_from_ply_3_on(server: Server) -> None:
    url = f"{server.url}/eval"
    moves = httpx.post(f"{url}?moves=true&fallible=true", json=STATE_EXAMPLE).json()["moves"]
    for move in moves:
        assert (move["value"] + 1) / 2 <= move["fallible"] + 1e-6
    assert "fallible" not in httpx.post(f"{url}?moves=true", json=STATE_EXAMPLE).json()["moves"][0]
    early = opening()["state"]
    early["hands"]["B"] = [6, 7, 8, 9, 10]
    found = httpx.post(f"{url}?moves=true&fallible=true", json=early, timeout=PATIENCE).json()
    assert {move["fallible"] for move in found["moves"]} == {None}


def test_position_names_the_route_for_hidden_hands(server: Server) -> None:
    found = httpx.get(f"{server.url}/position/ff8_9_1.2.3.4.5_22.x4_A").json()
    assert "/advise" in found["errors"][0]["allowed"]


def change(path: str, value: object) -> Json:
    """Return the example with one field set, or, by None, taken away."""
    body = copy.deepcopy(ADVISE_EXAMPLE)
    body["state"].pop("turn")
    *parents, last = path.split(".")
    place: Any = body
    for name in parents:
        place = place[int(name)] if name.isdigit() else place[name]
    if value is None:
        place.pop(last)
    else:
        place[last] = value
    return body


PRIOR = "state.hands.A.from"
HANDS = [{"cards": [6, 10, 14, 1, 2]}]
WRONG: list[tuple[str, object, str, str]] = [
    ("state.hands.A.unseen", 3, "hands.A.unseen", "2, as hands.A has 2 cards at ply 5"),
    ("state.hands.A.unseen", "x", "hands.A.unseen", "a whole number from 0 to 5"),
    ("state.hands.A.known", [1], "hands.A.unseen", "1, as hands.A has 2 cards"),
    ("state.hands.A.known", [1, 2, 3], "hands.A.known", "at most 2 cards at ply 5"),
    ("state.hands.A.played", None, "hands.A.played", "the cards that it has played, or a history"),
    ("state.hands.A.played", [6, 10, 15], "hands.A.played", "cards that lie on the board"),
    ("state.hands.A.played", [6, 10, 14, 31], "hands.A.played", "3 cards at ply 5"),
    (PRIOR, None, "hands.A.from", "an object with one of pool, levels, hands, worlds"),
    (PRIOR, {"pool": [1], "levels": [1]}, "hands.A.from", "an object with one of"),
    (PRIOR, {"pool": [6, 10, 14, 1]}, "hands.A.from.pool", "at least 2, besides those played"),
    (PRIOR, {"pool": [6, 10, 1, 2]}, "hands.A.played[2]", "cards of hands.A.from.pool"),
    (PRIOR, {"pool": [6, 10, 14, 1, 1]}, "hands.A.from.pool[4]", "each card once"),
    (PRIOR, {"pool": [6, 10, 14, 111]}, "hands.A.from.pool[3]", "1 to 110"),
    (PRIOR, {"pool": [1], "copies": 1}, "hands.A.from.copies", "true or false"),
    (PRIOR, {"levels": [8]}, "hands.A.from.levels[0]", "levels, each once, from 1 to 7"),
    (PRIOR, {"levels": []}, "hands.A.from.levels", "at least one"),
    (PRIOR, {"levels": [3]}, "hands.A.played[0]", "cards of hands.A.from.levels"),
    (PRIOR, {"levels": [1, 2], "rares": [5]}, "hands.A.from.rare_chance", "percent, with rares"),
    (
        PRIOR,
        {"levels": [1, 2], "rares": [5], "rare_chance": 3},
        "hands.A.from.rares[0]",
        "ids of cards of level 8 to 10",
    ),
    (
        PRIOR,
        {"levels": [1, 2], "rares": [80], "rare_chance": 101},
        "hands.A.from.rare_chance",
        "from 0 to 100",
    ),
    (PRIOR, {"hands": []}, "hands.A.from.hands", "1 to 10,000 hands"),
    (PRIOR, {"hands": [{"cards": [1]}]}, "hands.A.from.hands[0].cards", "five card ids"),
    (PRIOR, {"hands": [{**HANDS[0], "weight": -1}]}, "hands.A.from.hands[0].weight", "0 or more"),
    (PRIOR, {"hands": [{**HANDS[0], "weight": 0}]}, "hands.A.from.hands", "one weight above 0"),
    (PRIOR, {"worlds": [{"dealt": [1, 2]}]}, "hands.A.from.worlds[0].dealt", "five card ids"),
    ("state.hands.B", {"unseen": 3, "from": {"levels": [1]}}, "hands", "your own hand as a list"),
    ("state.to_move", "A", "to_move", "apply the opponent's move first"),
    ("state.hands.B", [34, 73, 96], "hands", "cards of level 8 to 10 at most once"),
    ("style", "best", "style", "one of optimal, robust, humanlike"),
    ("objective", {"kind": "fun"}, "objective.kind", "one of points, win, not_lose, margin"),
    ("worlds", 0, "worlds", "a whole number from 1 to 1,000,000"),
    ("worlds", 1_000_001, "worlds", "a whole number from 1 to 1,000,000"),
    ("seed", -1, "seed", "a whole number from 0"),
    ("strength", 101, "strength", "a number from 0 to 100"),
    ("draw", 1.5, "draw", "a number from 0 to 1"),
    ("plies", 9, "plies", "a whole number from 0 to 4"),
    ("plan", 1, "plan", "true or false"),
    ("keep", True, "keep", "plies 6 and 7 alone"),
    ("belief", "magic", "belief", "one of cards"),
    ("history", [{"card_id": 1, "cell": 0}] * 10, "history", "a list of at most 9 moves"),
    ("history", [], "history", "5 moves, one for each card on the board"),
    ("history", [{"cell": 0}] * 5, "history[0].card_id", "this field is required"),
    ("history", [{"card_id": 1, "cell": 0}] * 5, "history[0]", "card 31 lies on it"),
    ("opinion", 1, "opinion", "only the fields"),
]


@pytest.mark.parametrize("case", WRONG, ids=lambda case: f"{case[0]}={case[1]}"[:60])
def test_wrong_request_is_told_in_plain_words(
    server: Server, case: tuple[str, object, str, str]
) -> None:
    path, value, field, allowed = case
    response = post(server, change(path, value))
    assert response.status_code == 422, response.text
    errors = response.json()["errors"]
    assert any(error["field"] == field and allowed in error["allowed"] for error in errors), errors


def test_history_that_leads_elsewhere_names_the_move(server: Server, client: Client) -> None:
    state, history = history_game(client)
    swapped = [history[2], history[1], history[0], *history[3:]]
    board = copy.deepcopy(state["board"])
    taken = next(cell for cell in board if cell["owner"] == "B")
    taken["owner"] = "A"
    for body in (
        {"state": {**hidden(state), "board": board}, "history": history},
        {"state": hidden(state), "history": [history[1], history[0], *history[2:]]},
    ):
        problem = post(server, body).json()
        assert problem["errors"][0]["field"].startswith("history["), problem
    assert post(server, {"state": hidden(state), "history": swapped}).status_code in (200, 422)


@pytest.mark.parametrize("name", HOSTILE)
def test_garbage_is_refused(server: Server, name: str) -> None:
    headers = {"Content-Type": "application/json"}
    data = HOSTILE[name](100_000)
    for body in (data, b'{"state": ' + data + b"}"):
        response = httpx.post(f"{server.url}/advise", content=body, headers=headers, timeout=20)
        assert response.status_code in (400, 413, 422), response.text
    assert_well(server)
