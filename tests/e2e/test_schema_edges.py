"""The OpenAPI document against the service, at every edge of every field and parameter."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import httpx
import jsonschema_rs
import pytest

from app.examples import (
    APPLY_EXAMPLE,
    BATCH_EXAMPLE,
    NOTATION_EXAMPLE,
    OPPONENT_DEAL_EXAMPLE,
    OPPONENT_MOVE_EXAMPLE,
    STATE_EXAMPLE,
)
from tests.conftest import IS_JIT_OFF
from tests.servers import Server, running

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

Json = dict[str, Any]
Path = tuple[str | int, ...]

LEFT_OUT = object()
ANY_KIND: tuple[object, ...] = (None, True, 0, -1, 1.5, "", "x", [], {}, LEFT_OUT)
# What no schema can say: how the values of a document go together, and which cards there are.
OF_THE_GAME = re.compile(
    r"number of occupied cells|each cell once|a card id from|\d cards, as|who holds more cards|"
    r"as the cell has|as in the cell|an empty cell|a card in .'s hand|a card's id|"
    r"in the game under ff8|under triplecargo|"
    r"places with .'s hand|not both|the five cards it was dealt|only the fields kind|"
    r"each once|card ids"
)
LAYOUT = [None, None, None, None, None, None, None, None, "L"]
# A document with every field that there is.
STATE: Json = {**STATE_EXAMPLE, "board_elements": LAYOUT}
STATE["rules"] = {**STATE["rules"], "same_wall": False}
BODIES = {
    "/eval": STATE,
    "/eval/batch": {**BATCH_EXAMPLE, "states": [STATE]},
    "/apply": {**APPLY_EXAMPLE, "state": STATE},
    "/opponents/move": {**OPPONENT_MOVE_EXAMPLE, "state": STATE},
    "/opponents/deal": OPPONENT_DEAL_EXAMPLE,
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with running(folder, db=str(folder / "none"), log_level="warning") as server:
        yield server


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=server.url) as client:
        yield client


@pytest.fixture(scope="module")
def document(client: httpx.Client) -> Json:
    found: Json = client.get("/openapi.json").json()
    return found


def schema_of(document: Json, path: str) -> Json:
    """Return the schema of a route's body, with all that it refers to."""
    content = document["paths"][path]["post"]["requestBody"]["content"]
    return {**content["application/json"]["schema"], "components": document["components"]}


def paths_of(value: Any, path: Path = ()) -> Iterator[Path]:
    """Return where everything in a JSON value stands, the value itself included."""
    yield path
    if isinstance(value, dict):
        for name, item in value.items():
            yield from paths_of(item, (*path, name))
    elif isinstance(value, list):
        for number, item in enumerate(value):
            yield from paths_of(item, (*path, number))


def changed(value: Any, path: Path, put: object) -> Any:
    """Return a JSON value with something else, or nothing, at one place."""
    if not path:
        return put
    result = copy.deepcopy(value)
    inner = result
    for step in path[:-1]:
        inner = inner[step]
    if put is LEFT_OUT:
        del inner[path[-1]]
    else:
        inner[path[-1]] = put
    return result


def edges_of(value: Any) -> Iterator[object]:
    """Return what may be tried instead of a value: all kinds, and what is just beside it."""
    yield from ANY_KIND
    if isinstance(value, bool) or value is None:
        yield from (False, "F", "A", 7)
    elif isinstance(value, int):
        yield from (1, 8, 9, 10, 110, 111, 10**30, str(value))
    elif isinstance(value, str):
        yield from (value.lower(), value + " ", "A", "B", "F", "ff8", "triplecargo")
    elif isinstance(value, list):
        yield from (value[:-1], value + value[-1:], [*value, 7, 7, 7, 7, 7])
    else:
        yield {**value, "unknown": 1}
        yield {**value, "game_id": 1}  # of an exported line: a state takes it, nobody else does


def edges(body: Json, deepest: int) -> Iterator[tuple[Path, Any]]:
    """Return bodies with one thing changed each, and where; what lies deeper is left alone."""
    for path in (path for path in paths_of(body) if len(path) <= deepest):
        value: Any = body
        for step in path:
            value = value[step]
        for put in edges_of(value):
            if path or put is not LEFT_OUT:
                yield path, changed(body, path, put)


def problem_of(client: httpx.Client, path: str, body: Any) -> Json | None:
    """Return what the service finds wrong with a body, or with the one state of a batch."""
    headers = {"content-type": "application/json"}
    response = client.post(path, content=json.dumps(body), headers=headers)
    assert response.status_code in (200, 422), response.text
    found: Json = response.json()
    if response.status_code == 200 and "results" in found:
        errors = [result["error"] for result in found["results"] if "error" in result]
        return errors[0] if errors else None
    return found if response.status_code == 422 else None


BODY_DEPTHS = [
    ("/eval", 9),
    ("/eval/batch", 2),
    ("/apply", 2),
    ("/opponents/move", 2),
    ("/opponents/deal", 9),
]


# States are tried in full by /eval alone; the others read them alike.
@pytest.mark.parametrize(("path", "deepest"), BODY_DEPTHS)
def test_schema_and_service_agree_at_every_edge(
    client: httpx.Client, document: Json, path: str, deepest: int
) -> None:
    validator = jsonschema_rs.Draft202012Validator(schema_of(document, path))
    assert problem_of(client, path, BODIES[path]) is None
    tried = {True: 0, False: 0}
    for where, body in edges(BODIES[path], deepest):
        fits = validator.is_valid(body)
        tried[fits] += 1
        problem = problem_of(client, path, body)
        told = f"{where}: {json.dumps(body)[:80]}: {problem and problem['detail']}"
        if fits:
            assert problem is None or OF_THE_GAME.search(problem["detail"]), told
        else:
            assert problem is not None, told
    assert all(tried.values())


@pytest.mark.parametrize("field", ["turn", "rules", "board_elements"])
def test_field_that_may_be_left_out_may_not_be_null(
    client: httpx.Client, document: Json, field: str
) -> None:
    validator = jsonschema_rs.Draft202012Validator(schema_of(document, "/eval"))
    without = {name: value for name, value in STATE.items() if name != field}
    assert validator.is_valid(without)
    assert problem_of(client, "/eval", without) is None
    null = {**STATE, field: None}
    assert not validator.is_valid(null)
    problem = problem_of(client, "/eval", null)
    assert problem
    assert (problem["errors"][0]["field"], problem["errors"][0]["found"]) == (field, "null")


def test_every_example_fits_its_schema(document: Json) -> None:
    for path in BODIES:
        body = document["paths"][path]["post"]["requestBody"]
        assert body["required"] is True
        example = body["content"]["application/json"]["example"]
        jsonschema_rs.validate(schema_of(document, path), example)


def test_everything_the_document_refers_to_is_in_it(document: Json) -> None:
    referred = set(re.findall(r'"#/components/schemas/(\w+)"', json.dumps(document)))
    assert referred == set(document["components"]["schemas"])


def values_of(schema: Json) -> tuple[list[str], list[str]]:
    """Return the values of a parameter at its edges: those within, those beyond."""
    if "enum" in schema:
        return schema["enum"], ["", "x", schema["enum"][0].swapcase()]
    if schema["type"] == "boolean":
        return ["true", "false"], ["", "maybe", "2", "null"]
    if schema["type"] == "integer":
        low, high = schema["minimum"], schema["maximum"]
        return [str(low), str(high)], [str(low - 1), str(high + 1), "", "1.0", "1e1", "x", "null"]
    return [schema["default"]], [""]


@pytest.mark.parametrize("path", ["/deal", "/position/{notation}"])
def test_parameters_and_service_agree_at_every_edge(
    client: httpx.Client, document: Json, path: str
) -> None:
    url = path.replace("{notation}", NOTATION_EXAMPLE)
    parameters = document["paths"][path]["get"]["parameters"]
    for parameter in (item for item in parameters if item["in"] == "query"):
        schema = parameter["schema"]
        if "$ref" in schema:
            schema = document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        within, beyond = values_of(schema)
        for value in within + beyond:
            status = client.get(url, params={parameter["name"]: value}).status_code
            assert status == (200 if value in within else 422), (parameter["name"], value)
