"""Every route of the real server, with a real database that covers some of what is asked."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec import UNSET, structs, to_builtins

from app.client import Answer, AsyncClient, Client, ClientError, ItemError
from app.examples import APPLY_EXAMPLE, NOTATION_EXAMPLE, STATE_EXAMPLE
from app.schemas import CaptureObject, Score
from engine.game.cards import CARD_FILE, default_catalogue
from engine.game.deal import Player
from engine.game.dealing import Dealer, ElementSource
from engine.game.rules import Rules, Variant
from engine.game.state import State
from engine.game.strategy import Strategy
from engine.text.document import state_from_dict
from engine.text.notation import format_state
from engine.text.objects import AnswerObject, encode
from engine.text.wire import state_to_dict
from store.oracle import Oracle
from tests import vectors
from tests.conftest import IS_JIT_OFF
from tests.databases import build, copied_root, small_roots, states_below
from tests.servers import Server, given, running

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

COVERED = range(4, 9)  # plies of the vectors from which some databases are built
VECTORS = vectors.load("eval") + vectors.load("eval_odd")


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    known = [state_from_dict(vector["state"], default_catalogue()) for vector in VECTORS]
    roots = [state for state in known if state.ply in COVERED][::3]
    build(folder / "db", [*small_roots(2), copied_root(), *roots])
    arguments = ("--db", str(folder / "db"), "--time-limit", "60")
    with running(folder, *arguments) as server:
        yield server


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[Client]:
    with Client(server.url) as client:
        yield client


def check_answer(answer: AnswerObject, vector: dict[str, Any]) -> None:
    assert (answer.margin, answer.value) == (vector["margin"], vector["value"])
    assert (to_builtins(answer.best_move) if answer.best_move else None) == vector.get("best_move")
    if "moves" in vector and answer.moves is not UNSET:
        told = sorted([move.card_id, move.cell, move.margin] for move in answer.moves)
        assert told == sorted(vector["moves"])


def test_vectors_through_eval(client: Client) -> None:
    sources = set()
    for vector in VECTORS:
        answer = client.evaluate(vector["state"], moves="moves" in vector)
        check_answer(answer, vector)
        sources.add(answer.source)
    assert sources == {"database", "search"}


def check_batch(client: Client, moves: bool) -> set[str]:
    """Ask for all vectors at once; return where the answers came from."""
    sources: set[str] = set()
    results = client.evaluate_batch([vector["state"] for vector in VECTORS], moves=moves)
    for vector, answer in zip(VECTORS, results, strict=True):
        assert isinstance(answer, Answer)
        check_answer(answer, vector)
        sources.add(answer.source)
    return sources


@pytest.mark.parametrize("moves", [False, True])
def test_vectors_through_batch(client: Client, moves: bool) -> None:
    assert check_batch(client, moves) == {"database", "search"}


def test_vectors_without_a_database(tmp_path: Path) -> None:
    with (
        running(tmp_path, "--db", str(tmp_path / "none"), "--time-limit", "60") as bare,
        Client(bare.url) as client,
    ):
        assert check_batch(client, moves=False) == {"search"}


def test_vectors_through_position(client: Client) -> None:
    for vector in VECTORS:
        state = state_from_dict(vector["state"], default_catalogue())
        answer = client.position(format_state(state))
        check_answer(answer, vector)
        assert to_builtins(answer.state) == state_to_dict(state)


@pytest.mark.parametrize("name", ["apply", "captures"])
def test_vectors_through_apply(client: Client, name: str) -> None:
    for vector in vectors.load(name):
        move = vector["move"]
        answer = client.apply(vector["state"], move["card_id"], move["cell"])
        if "captures" in vector:
            assert to_builtins(answer.captures) == vector["captures"]
        if "next" in vector:
            expected = state_from_dict(vector["next"], default_catalogue())
            assert answer.notation == format_state(expected)
            assert to_builtins(answer.state) == state_to_dict(expected)


def test_database_and_search_answer_alike_over_http(client: Client) -> None:
    for root in (*small_roots(2), copied_root()):
        for state in list(states_below(root))[::400]:
            answer = client.evaluate(state_to_dict(state), moves=True)
            assert (answer.source, answer.nodes) == ("database", 0)
            searched = Oracle(None).search(state, moves=True).as_object()
            stored = structs.replace(searched, source="database", nodes=0)
            assert encode(answer) == encode(stored)


def test_same_request_gives_the_same_bytes(server: Server) -> None:
    opening = state_to_dict(State.start(Dealer(default_catalogue(), 4).deal(0)))
    answers = {httpx.post(f"{server.url}/eval", json=opening).content for _ in range(3)}
    assert len(answers) == 1


def test_batch_answers_item_by_item(client: Client) -> None:
    items: list[Any] = [STATE_EXAMPLE, {}, 7, STATE_EXAMPLE]
    results = client.evaluate_batch(items, moves=True)
    assert results[0] == results[3]
    assert isinstance(results[0], Answer)
    assert len(given(results[0].moves)) == 12
    for number in (1, 2):
        result = results[number]
        assert isinstance(result, ItemError)
        assert result.error.status == 422
        assert result.error.instance == f"/eval/batch#/states/{number}"
        assert result.error.errors


def test_bad_items_leave_the_others_of_a_batch_alone(server: Server) -> None:
    good = json.dumps(STATE_EXAMPLE)
    bad = [
        good.replace('"turn": 5', '"turn": 5, "turn": 5'),
        good.replace('"cell": 0', '"cell": 0, "cell": 0'),
        good.replace('"turn": 5', '"turn": ' + "5" * 5000),
        good.replace('"turn": 5', '"turn": ' + "[" * 5000 + "]" * 5000),
    ]
    body = f'{{"states": [{good}, {", ".join(bad)}, {good}]}}'
    headers = {"content-type": "application/json"}
    results = httpx.post(f"{server.url}/eval/batch", content=body, headers=headers).json()[
        "results"
    ]
    assert results[0] == results[-1]
    assert results[0]["margin"] == -4
    told = [result["error"]["errors"][0] for result in results[1:-1]]
    assert [(error["field"], error["found"]) for error in told] == [
        ("state", "the field turn twice"),
        ("board[0]", "the field cell twice"),
        ("turn", "5,000 digits"),
        ("state", told[3]["found"]),
    ]
    assert "nested too deep" in told[3]["allowed"]


def test_position_can_be_cached(server: Server) -> None:
    url = f"{server.url}/position/{NOTATION_EXAMPLE}"
    first = httpx.get(url)
    assert first.headers["cache-control"].startswith("public")
    tag = first.headers["etag"]
    for asked in (tag, f'"other", {tag}', "*", f"W/{tag}"):
        again = httpx.get(url, headers={"If-None-Match": asked})
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["etag"] == tag
    assert httpx.get(url, headers={"If-None-Match": '"other"'}).status_code == 200
    assert httpx.get(f"{url}?moves=true").headers["etag"] != tag


def test_apply_tells_what_happens(client: Client) -> None:
    move = APPLY_EXAMPLE["move"]
    answer = client.apply(APPLY_EXAMPLE["state"], move["card_id"], move["cell"])
    assert answer.captures == [CaptureObject(cell=0, card_id=31, rule="basic", by_cell=1)]
    assert (answer.done, answer.score) == (False, Score(3, 7))


def test_deal_is_the_samplers(client: Client) -> None:
    asked = {"seed": 3, "number": 5, "strategy": "stratified", "first": "B", "variant": "ff8"}
    answer = client.get("/deal", **asked, elemental=True, plus=True)
    rules = Rules(elemental=True, plus=True, variant=Variant.FF8)
    dealer = Dealer(
        default_catalogue(), 3, rules, Strategy.STRATIFIED, ElementSource.FF8, first=Player.B
    )
    state = State.start(dealer.deal(5))
    assert answer == {"state": state_to_dict(state), "notation": format_state(state)}


def test_cards_are_the_card_file(client: Client) -> None:
    cards = json.loads(CARD_FILE.read_text(encoding="utf-8"))
    assert client.get("/cards")["cards"] == cards
    assert client.get("/cards/110") == cards[109]


def test_database_says_what_it_covers(client: Client) -> None:
    facts = client.get("/database")
    assert facts["generation"] == "gen-000001"
    assert facts["deals"] > 3
    assert facts["total"]["states"] == sum(layer["states"] for layer in facts["layers"])


def test_health_and_metrics(server: Server, client: Client) -> None:
    assert client.get("/healthz") == {"status": "ok"}
    assert client.get("/readyz") == {"status": "ready", "database": "gen-000001"}
    client.evaluate(STATE_EXAMPLE)
    text = httpx.get(f"{server.url}/metrics").text
    assert 'triad_requests_total{route="/eval",status="200"}' in text
    assert "triad_database_hits_total" in text


def test_documentation_needs_nobody_else(server: Server) -> None:
    page = httpx.get(f"{server.url}/docs")
    assert page.status_code == 200
    assert "http://" not in page.text
    assert "https://" not in page.text
    for path in ("swagger-ui-bundle.js", "swagger-ui.css", "LICENSE"):
        assert httpx.get(f"{server.url}/static/swagger/{path}").status_code == 200


def test_async_client_asks_the_same(server: Server, client: Client) -> None:
    async def ask() -> tuple[Any, ...]:
        async with AsyncClient(server.url) as asked:
            return (
                await asked.evaluate(STATE_EXAMPLE, moves=True),
                await asked.evaluate_batch([STATE_EXAMPLE]),
                await asked.apply(STATE_EXAMPLE, 34, 1),
                await asked.position(NOTATION_EXAMPLE),
                await asked.get("/cards/1"),
            )

    assert asyncio.run(ask()) == (
        client.evaluate(STATE_EXAMPLE, moves=True),
        client.evaluate_batch([STATE_EXAMPLE]),
        client.apply(STATE_EXAMPLE, 34, 1),
        client.position(NOTATION_EXAMPLE),
        client.get("/cards/1"),
    )


def test_answers_can_still_be_subscripted_as_in_an_earlier_version(client: Client) -> None:
    answer = client.evaluate(STATE_EXAMPLE)
    with pytest.warns(DeprecationWarning, match="use .best_move"):
        best = answer["best_move"]
    with pytest.warns(DeprecationWarning, match="use .state"):
        after = client.apply(STATE_EXAMPLE, **best)["state"]
    assert after == to_builtins(client.apply(STATE_EXAMPLE, **best).state)
    assert ("moves" in answer, "pv" in answer) == (False, True)
    with pytest.warns(DeprecationWarning, match="moves"), pytest.raises(KeyError):
        answer["moves"]


def test_client_raises_the_problem(client: Client) -> None:
    with pytest.raises(ClientError, match="to_move") as caught:
        client.evaluate({**STATE_EXAMPLE, "to_move": "C"})
    assert caught.value.problem["errors"][0]["allowed"] == "A or B"


PROBLEMS = [
    ("POST", "/eval", b"{", {}, 400, "not-json"),
    ("POST", "/eval", b"", {}, 400, "not-json"),
    ("POST", "/eval", b"[" * 100_000, {}, 400, "not-json"),
    ("POST", "/eval", b"NaN", {}, 400, "not-json"),
    ("POST", "/eval", b'{"margin": NaN}', {}, 400, "not-json"),
    ("POST", "/eval", b'{"board": 1, "board": 2}', {}, 422, "invalid"),
    ("POST", "/eval", b'{"turn": 1e999}', {}, 422, "invalid"),
    ("POST", "/eval", b'{"turn": ' + b"9" * 5000 + b"}", {}, 422, "invalid"),
    ("POST", "/eval", b"\xff\xfe", {}, 400, "not-json"),
    ("POST", "/eval", b"{}", {}, 422, "invalid"),
    ("POST", "/eval", b"{}", {"content-type": "text/plain"}, 415, "unsupported-media-type"),
    ("POST", "/eval?moves=maybe", b"{}", {}, 422, "invalid"),
    ("POST", "/eval?move=true", b"{}", {}, 422, "invalid"),
    ("POST", "/eval/batch?limit=5", b"{}", {}, 422, "invalid"),
    ("POST", "/apply?moves=true", b"{}", {}, 422, "invalid"),
    ("GET", "/position/x?move=true", b"", {}, 422, "invalid"),
    ("GET", "/deal?seeed=1", b"", {}, 422, "invalid"),
    ("GET", "/cards?level=1", b"", {}, 422, "invalid"),
    ("GET", "/cards/1?x=1", b"", {}, 422, "invalid"),
    ("GET", "/database?x=1", b"", {}, 422, "invalid"),
    ("GET", "/database/deals?x=1", b"", {}, 422, "invalid"),
    ("GET", "/database/deals?after=7", b"", {}, 422, "invalid"),
    ("GET", "/database/deals?limit=1001", b"", {}, 422, "invalid"),
    ("GET", "/database/deals?card=nobody", b"", {}, 422, "invalid"),
    ("GET", "/healthz?x=1", b"", {}, 422, "invalid"),
    ("GET", "/readyz?x=1", b"", {}, 422, "invalid"),
    ("GET", "/metrics?x=1", b"", {}, 422, "invalid"),
    ("POST", "/eval", b"x" * 3_000_000, {}, 413, "too-large"),
    ("POST", "/eval/batch", b"[]", {}, 422, "invalid"),
    ("POST", "/eval/batch", b'{"states": 5}', {}, 422, "invalid"),
    ("POST", "/eval/batch", b'{"states": [' + b"1," * 1000 + b"1]}", {}, 413, "too-large"),
    ("POST", "/apply", b'{"state": {}}', {}, 422, "invalid"),
    ("GET", "/position/nothing", b"", {}, 422, "invalid"),
    ("GET", "/position/" + "x" * 3000, b"", {}, 422, "invalid"),
    ("GET", "/deal?seed=-1", b"", {}, 422, "invalid"),
    ("GET", "/deal?elements=Q", b"", {}, 422, "invalid"),
    ("GET", "/deal?strategy=best", b"", {}, 422, "invalid"),
    ("GET", "/cards/0", b"", {}, 404, "not-found"),
    ("GET", "/cards/-1", b"", {}, 404, "not-found"),
    ("GET", "/cards/1.0", b"", {}, 404, "not-found"),
    ("GET", "/cards/one", b"", {}, 404, "not-found"),
    ("GET", "/cards/" + "x" * 3000, b"", {}, 404, "not-found"),
    ("GET", "/nowhere", b"", {}, 404, "not-found"),
    ("GET", "/static/../main.py", b"", {}, 404, "not-found"),
    ("GET", "/static/..%2fmain.py", b"", {}, 404, "not-found"),
    ("GET", "/eval", b"", {}, 405, "method-not-allowed"),
    ("DELETE", "/cards", b"", {}, 405, "method-not-allowed"),
]


@pytest.mark.parametrize("case", PROBLEMS, ids=lambda case: f"{case[0]} {case[1][:30]} {case[5]}")
def test_every_error_is_a_problem(
    server: Server, case: tuple[str, str, bytes, dict[str, str], int, str]
) -> None:
    method, path, content, headers, status, kind = case
    headers = {"content-type": "application/json", "Origin": "http://elsewhere", **headers}
    response = httpx.request(method, server.url + path, content=content, headers=headers)
    assert (response.status_code, response.headers["content-type"]) == (
        status,
        "application/problem+json",
    )
    problem = response.json()
    assert problem["type"] == f"urn:triadbase:problem:{kind}"
    assert problem["status"] == status
    assert problem["request_id"] == response.headers["x-request-id"]
    assert response.headers["access-control-allow-origin"] == "*"
    assert "Traceback" not in response.text


def test_unknown_parameter_is_named_with_those_there_are(server: Server) -> None:
    for path in ("/position/x?move=true&pv=false", "/deal?move=true&seed=1"):
        (error,) = httpx.get(server.url + path).json()["errors"]
        assert error["field"] == "move"
        known = "moves, pv" if "position" in path else "seed, number, strategy"
        assert error["allowed"].startswith(f"only the parameters {known}")


def test_pages_and_files_ignore_parameters(server: Server) -> None:
    for path in ("/?from=mail", "/docs?x=1", "/browse/cards?x=1", "/static/js/main.js?v=2"):
        assert httpx.get(server.url + path).status_code == 200


def test_line_is_left_out_when_it_is_not_wanted(server: Server, client: Client) -> None:
    whole = json.loads(encode(client.evaluate(STATE_EXAMPLE, moves=True)))
    asked = {"moves": "true", "pv": "false"}
    short = httpx.post(f"{server.url}/eval", params=asked, json=STATE_EXAMPLE).json()
    assert short == {name: value for name, value in whole.items() if name != "pv"}
    position = httpx.get(f"{server.url}/position/{NOTATION_EXAMPLE}", params=asked).json()
    assert {name: position[name] for name in short} == short


def test_illegal_move_is_a_problem(server: Server) -> None:
    body = {"state": STATE_EXAMPLE, "move": {"card_id": 34, "cell": 0}}
    response = httpx.post(f"{server.url}/apply", json=body)
    assert response.status_code == 422
    assert response.json()["type"].endswith("illegal-move")
    assert response.json()["errors"][0]["field"] == "move.cell"


def test_every_answer_has_the_headers(server: Server) -> None:
    for path in ("/", "/docs", "/cards", "/nowhere", "/static/swagger/swagger-ui.css"):
        headers = httpx.get(server.url + path).headers
        assert headers["x-content-type-options"] == "nosniff"
        assert "default-src 'self'" in headers["content-security-policy"]
        assert "server" not in headers
        assert headers["server-timing"].startswith("total;dur=")


def test_browser_may_ask_from_elsewhere(server: Server) -> None:
    headers = {"Origin": "http://elsewhere", "Access-Control-Request-Method": "POST"}
    response = httpx.options(f"{server.url}/eval", headers=headers)
    assert response.status_code == 204
    assert "POST" in response.headers["access-control-allow-methods"]
    assert response.headers["access-control-allow-origin"] == "*"


def test_request_id_is_kept(server: Server) -> None:
    given = {"X-Request-ID": "mine-7"}
    for path in ("/healthz", "/cards/1", "/nowhere"):
        assert httpx.get(server.url + path, headers=given).headers["x-request-id"] == "mine-7"
    assert [line["path"] for line in server.logged("mine-7")] == ["/nowhere"]  # what failed


def test_nothing_was_internal(server: Server) -> None:
    assert 'kind="internal"' not in httpx.get(f"{server.url}/metrics").text
    assert "Traceback" not in server.log.read_text()


ROOT = Path(__file__).parent.parent.parent
HERE = "http://127.0.0.1:8000"


def readme_requests() -> list[tuple[list[str], str]]:
    """Return the curl commands that the documentation shows, as words, with what is below each."""
    pages = "\n".join((ROOT / name).read_text("utf-8") for name in ("README.md", "docs/api.md"))
    blocks = re.findall(r"^\$ (curl .*)\n((?:.+\n)*?)```$", pages, re.MULTILINE)
    return [(shlex.split(command), shown) for command, shown in blocks]


def test_documentation_asks_every_route_but_pages() -> None:
    asked = {
        words[-1].removeprefix(HERE).split("?")[0].split("/")[1] for words, _ in readme_requests()
    }
    told = {"advise", "eval", "apply", "position", "deal", "cards", "database", "opponents"}
    told |= {"healthz", "readyz"}
    assert asked == told


def check_shown_problem(shown: str, problem: dict[str, Any]) -> None:
    """Check detail, as far as it is shown, and every error that is shown in full."""
    for text in re.findall(r'"detail": ("(?:[^"\\\\]|\\\\.)*")', shown):
        assert problem["detail"].startswith(json.loads(text).removesuffix("..."))
    for text in re.findall(r'{"field": [^{}]*"allowed": "[^"]*"}', shown):
        assert json.loads(text) in problem["errors"]


@pytest.mark.parametrize(("words", "shown"), readme_requests(), ids=lambda value: str(value)[-60:])
def test_documentation_shows_what_the_service_answers(
    server: Server, words: list[str], shown: str
) -> None:
    url = words[-1].replace(HERE, server.url)
    if "-d" in words:
        given = words[words.index("-d") + 1]
        path = ROOT / given.removeprefix("@")
        content = path.read_text() if given.startswith("@") else given
        response = httpx.post(url, content=content, headers={"content-type": "application/json"})
    else:
        response = httpx.get(url)
    problem = re.match(r'{"type": "(.+?)", "title": "(.+?)", "status": (\d+)', shown)
    assert response.status_code == (int(problem[3]) if problem else 200)
    if problem:
        assert problem.groups()[:2] == (response.json()["type"], response.json()["title"])
        check_shown_problem(shown, response.json())
    for name in re.findall(r'"(\w+)": ?', shown):
        assert f'"{name}":' in response.text
