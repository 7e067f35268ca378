"""What those are told who ask wrongly: field, what was found, what is allowed, in plain words."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from app.client import Client
from app.examples import NOTATION_EXAMPLE, STATE_EXAMPLE
from tests.conftest import IS_JIT_OFF
from tests.hostile import HOSTILE
from tests.servers import Server, running

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

LARGEST_BODY = 1_900_000  # bytes; little less than the service takes
PATIENCE = 60  # seconds; all of it is answered at once on a free machine


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with running(folder, db=str(folder / "none")) as server:
        yield server


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[Client]:
    with Client(server.url) as client:
        yield client


SEEDS = "a whole number from 0 to 18446744073709551615"
WRONG_PARAMETERS = [
    ("/deal?first=a", "first", '"a"', "A, B or random"),
    ("/deal?first=", "first", '""', "A, B or random"),
    ("/deal?seed=abc", "seed", '"abc"', SEEDS),
    ("/deal?seed=-1", "seed", '"-1"', SEEDS),
    ("/deal?seed=1.0", "seed", '"1.0"', SEEDS),
    ("/deal?seed=1_000", "seed", '"1_000"', SEEDS),
    ("/deal?seed=%20", "seed", '" "', SEEDS),
    ("/deal?number=18446744073709551616", "number", '"18446744073709551616"', SEEDS),
    ("/deal?number=", "number", '""', SEEDS),
    ("/deal?strategy=best", "strategy", '"best"', "random or stratified"),
    ("/deal?variant=ff9", "variant", '"ff9"', "triplecargo or ff8"),
    ("/deal?elements=Q", "elements", '"Q"', "none, random, ff8, or nine of -, F, I, T, W"),
    *(
        (f"/deal?{name}=maybe", name, '"maybe"', "true or false")
        for name in ("elemental", "same", "plus", "same_wall")
    ),
    *(
        (f"/position/{NOTATION_EXAMPLE}?{name}=maybe", name, '"maybe"', "true or false")
        for name in ("moves", "pv")
    ),
    (f"/position/{NOTATION_EXAMPLE}?pv=1&pv=0", "pv", "the parameter twice", "it once"),
    ("/deal?seed=1&seed=2", "seed", "the parameter twice", "it once"),
    ("/deal?same=true&same=true", "same", "the parameter twice", "it once"),
    ("/database/deals?limit=1&limit=2", "limit", "the parameter twice", "it once"),
    ("/database/deals?card=1&card=2", "card", "the parameter twice", "it once"),
    ("/database/deals?limit=1.0", "limit", '"1.0"', "a whole number from 1 to 1000"),
    ("/database/deals?limit=%2B1", "limit", '"+1"', "a whole number from 1 to 1000"),
    ("/database/deals?limit=1001", "limit", '"1001"', "a whole number from 1 to 1000"),
    ("/database/deals?limit=", "limit", '""', "a whole number from 1 to 1000"),
    ("/database/deals?after=7", "after", '"7"', "`next` of the page before, 32 of 0-9 and a-f"),
    ("/database/deals?after=", "after", '""', "`next` of the page before, 32 of 0-9 and a-f"),
    ("/deal?se%20ed=1", '"se ed"', '"1"', "only the parameters seed, number"),
    ("/healthz?x=1", "x", '"1"', "no parameters"),
    ("/position/x", "notation", '"x"', "five parts joined by _ (rules, cells, A's hand"),
    ("/cards/-1", "card", '"-1"', "a card id from 1 to 110, or a card's name"),
    (
        "/cards/sqall",
        "card",
        '"sqall"',
        "a card id from 1 to 110, or a card's name (did you mean \"",
    ),
]


@pytest.mark.parametrize("case", WRONG_PARAMETERS, ids=lambda case: str(case[0]))
def test_wrong_parameter_is_told_in_plain_words(
    server: Server, case: tuple[str, str, str, str]
) -> None:
    path, field, found, allowed = case
    problem = httpx.get(server.url + path).json()
    (error,) = problem["errors"]
    assert (error["field"], error["found"]) == (field, found)
    assert error["allowed"].startswith(allowed)
    assert problem["detail"] == f"{field}: found {found}; allowed: {error['allowed']}"


def test_wrong_parameters_are_told_at_once(server: Server) -> None:
    errors = httpx.get(f"{server.url}/deal?seed=x&first=x&same=x").json()["errors"]
    assert [error["field"] for error in errors] == ["seed", "first", "same"]


def test_flood_of_parameters_is_told_in_short(server: Server) -> None:
    query = "&".join(f"x{number}" for number in range(5_000))
    for path in ("/deal", "/healthz", f"/position/{NOTATION_EXAMPLE}"):
        problem = httpx.get(f"{server.url}{path}?{query}").json()
        assert len(problem["errors"]) == 20
        assert problem["detail"].endswith("; and more")


@pytest.mark.parametrize("path", ["/eval", "/apply", "/eval/batch"])
@pytest.mark.parametrize(
    ("content", "found", "allowed"),
    [
        (b"{", '"{"', "line 1, column 2: expecting property name enclosed in double quotes"),
        (b"", '""', "line 1, column 1: expecting value"),
        (b'{\n"a": 1,}', '"{\\n\\"a\\": 1,}"', "line 2, column "),
        (b"NaN", '"NaN"', "NaN is no JSON"),
        (b'"\xff"', '"\\"\ufffd\\""', "from byte 2 on this is no text in UTF-8"),
        (b"[" * 100_000, '"' + "[" * 118 + "…", "this is nested too deep"),
    ],
    ids=["cut", "empty", "comma", "constant", "bytes", "deep"],
)
def test_body_that_is_no_json_is_blamed_itself(
    server: Server, path: str, content: bytes, found: str, allowed: str
) -> None:
    headers = {"content-type": "application/json"}
    problem = httpx.post(server.url + path, content=content, headers=headers).json()
    (error,) = problem["errors"]
    assert (problem["status"], error["field"], error["found"]) == (400, "body", found)
    assert error["allowed"].startswith(f"one JSON value ({allowed}")
    assert problem["detail"].startswith(f"body: found {found}; allowed: one JSON value")


def test_wrong_values_are_shown_as_json(server: Server) -> None:
    wrong: dict[str, Any] = {
        "to_move": None,
        "turn": True,
        "rules": {"same": "C"},
        "hands": {"A": [1.5]},
        "x": [],
    }
    body = json.dumps({**STATE_EXAMPLE, **wrong})
    headers = {"content-type": "application/json"}
    errors = httpx.post(f"{server.url}/eval", content=body, headers=headers).json()["errors"]
    assert {error["field"]: error["found"] for error in errors} == {
        "x": "[]",
        "rules.same": '"C"',
        "hands.B": "nothing",
        "hands.A[0]": "1.5",
        "to_move": "null",
    }
    body = '{"state": {}, "move": {"card_id": 1e999, "cell": null}, "a": true}'
    (error,) = httpx.post(f"{server.url}/apply", content=body, headers=headers).json()["errors"]
    assert error["found"] == '{"state": {}, "move": {"card_id": 1e999, "cell": null}, "a": true}'


@pytest.mark.parametrize(
    ("path", "body", "field"),
    [
        ("/eval", '{"to_move": "A", "to_move": "A"}', "state"),
        ("/eval", json.dumps(STATE_EXAMPLE)[:-1] + ', "to_move": "B"}', "state"),
        ("/eval", '{"rules": {"to_move": 1, "to_move": 1}}', "rules"),
        ("/eval", '{"hands": {"to_move": [], "to_move": []}}', "hands"),
        ("/apply", '{"to_move": {}, "to_move": {}}', "body"),
        (
            "/apply",
            f'{{"state": {json.dumps(STATE_EXAMPLE)}, "move": {{"to_move": 1, "to_move": 1}}}}',
            "move",
        ),
        ("/eval/batch", '{"to_move": [], "to_move": []}', "body"),
    ],
)
def test_field_written_twice_is_told_as_that(
    server: Server, path: str, body: str, field: str
) -> None:
    headers = {"content-type": "application/json"}
    problem = httpx.post(server.url + path, content=body, headers=headers).json()
    told = {error["field"]: (error["found"], error["allowed"]) for error in problem["errors"]}
    assert told[field] == ("the field to_move twice", "each field once")
    assert f"{field}: found the field to_move twice; allowed: each field once" in problem["detail"]


@pytest.mark.parametrize("name", HOSTILE)
def test_hostile_body_freezes_nobody(server: Server, name: str) -> None:
    content = HOSTILE[name](LARGEST_BODY)
    headers = {"content-type": "application/json"}
    for path in ("/eval", "/apply", "/eval/batch"):
        response = httpx.post(server.url + path, content=content, headers=headers, timeout=PATIENCE)
        assert response.status_code in (200, 400, 413, 422)
        assert httpx.get(f"{server.url}/healthz", timeout=PATIENCE).status_code == 200


def test_card_is_found_by_its_name(client: Client) -> None:
    for text in ("Squall", "squall", "SQUALL", "%53quall", "110"):
        assert client.get(f"/cards/{text}")["id"] == 110
    assert client.get("/cards/fujin,%20raijin")["name"] == "Fujin, Raijin"


def test_path_and_method_that_are_not_there_are_told_in_plain_words(server: Server) -> None:
    nowhere = httpx.get(f"{server.url}/nowhere").json()
    assert nowhere["detail"] == "nothing is at this path; /docs lists the routes"
    for path, allowed in (
        ("/cards", "GET"),
        ("/apply", "POST"),
        ("/static/js/api.js", "GET, HEAD"),
    ):
        refused = httpx.delete(server.url + path)
        assert (refused.status_code, refused.json()["detail"]) == (405, f"allowed: {allowed}")
