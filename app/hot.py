"""The hot routes: answered as plain ASGI, described for the OpenAPI document by the same table."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, NamedTuple

import msgspec
from msgspec import UNSET, Struct
from starlette.types import Receive

from app import schemas
from app.batch import Batch
from app.errors import PROBLEM_JSON, Kind
from app.exchange import Exchange, Reply
from app.service import Service
from app.wishes import BATCH_WISHES, WISHES, Wish, Wishes, wishes_of
from engine.game.facts import Facts
from engine.game.state import State
from engine.text.notation import parse_state
from engine.text.objects import AnswerObject, StateObject, encode
from engine.text.wire import state_object

CACHED = b"public, max-age=300"
UNCHANGED = {"description": "Nothing has changed since the ETag given"}
POSITION = "/position/"

Answer = Callable[[Exchange, Receive], Awaitable[Reply]]


class HotRoute(NamedTuple):
    """A route: how it is answered, and what its documentation says."""

    method: str
    path: str  # as the document has it
    answer: Answer
    summary: str
    description: str
    body: type[Struct] | None
    result: type[Struct]
    statuses: tuple[int, ...]
    wishes: tuple[Wish, ...] = WISHES


class HotRoutes:
    """All hot routes of one service."""

    def __init__(self, service: Service) -> None:
        """Answer from `service`."""
        self._service = service
        body = (400, 413, 415, 422, 503)
        self.all = (
            HotRoute(
                "POST",
                "/eval",
                self.evaluate,
                "What is a state worth, and what is the best move?",
                "Answer a state, from the database or by search.",
                StateObject,
                AnswerObject,
                body,
            ),
            HotRoute(
                "POST",
                "/eval/batch",
                self.evaluate_batch,
                "Many states at once, each with its answer or its error",
                "Answer up to 1,000 states in one request, in their order; never all-or-nothing.",
                schemas.BatchRequest,
                schemas.BatchResponse,
                body,
                wishes=BATCH_WISHES,
            ),
            HotRoute(
                "GET",
                "/position/{notation}",
                self.position,
                "The answer to a state in notation; can be cached",
                "Answer the state that a notation describes.",
                None,
                schemas.PositionObject,
                (422, 503),
            ),
            HotRoute(
                "GET",
                "/healthz",
                self.healthz,
                "Alive?",
                "Answer as long as the process lives.",
                None,
                schemas.HealthResponse,
                (),
                wishes=(),
            ),
        )
        self._by_path = {route.path: route for route in self.all}
        self._position = self._by_path["/position/{notation}"]

    def find(self, path: str) -> HotRoute | None:
        """Return the route of a path, if it is a hot one."""
        return self._by_path.get(path) or (self._position if path.startswith(POSITION) else None)

    async def evaluate(self, exchange: Exchange, receive: Receive) -> Reply:
        """Answer one state."""
        self._service.check_ready()
        wishes = wishes_of(exchange.scope["query_string"])
        facts = await self._service.read(await exchange.read_json(receive))
        return Reply(encode(await self._answered(facts, wishes)))

    async def evaluate_batch(self, exchange: Exchange, receive: Receive) -> Reply:
        """Answer many states."""
        self._service.check_ready()
        allowed = tuple(wish.name for wish in BATCH_WISHES)
        wishes = wishes_of(exchange.scope["query_string"], allowed)
        data = await exchange.read_json(receive)
        results = await Batch(self._service, wishes, exchange).results(data)
        return Reply(b'{"results":[' + b",".join(results) + b"]}")

    async def position(self, exchange: Exchange, _receive: Receive) -> Reply:
        """Answer a state in notation, or say that nothing has changed."""
        self._service.check_ready()
        wishes = wishes_of(exchange.scope["query_string"])
        notation = exchange.scope["path"].removeprefix(POSITION)
        state = parse_state(notation, self._service.catalogue)
        content = encode(position_object(state, await self._answered(state.facts, wishes)))
        return exchange.tagged(content, CACHED)

    async def _answered(self, facts: Facts, wishes: Wishes) -> AnswerObject:
        answer = await self._service.answer(facts, wishes._replace(fallible=False))
        written = answer.as_object()
        if wishes.fallible and written.moves is not UNSET:
            worth = await self._service.fallible(facts)
            written.moves = [
                msgspec.structs.replace(move, fallible=worth.get((move.card_id, move.cell)))
                for move in written.moves
            ]
        return written

    async def healthz(self, exchange: Exchange, _receive: Receive) -> Reply:
        """Say that the process lives."""
        if exchange.scope["query_string"]:
            wishes_of(exchange.scope["query_string"], allowed=())
        return HEALTHY


HEALTHY = Reply(encode(schemas.HealthResponse("ok")))


def score_of(state: State) -> schemas.Score:
    """Return the cards that count for each player now."""
    return schemas.Score(*state.score)


def position_object(state: State, answer: AnswerObject) -> schemas.PositionObject:
    """Return an answer with the state that it is about."""
    return schemas.PositionObject(
        **msgspec.structs.asdict(answer),
        state=state_object(state.facts),
        score=score_of(state),
    )


def paths(routes: HotRoutes) -> dict[str, Any]:
    """Return the hot routes as the OpenAPI document has them."""
    return {route.path: {route.method.lower(): operation(route)} for route in routes.all}


def operation(route: HotRoute) -> dict[str, Any]:
    """Return one route's description."""
    parameters = [wish.parameter() for wish in route.wishes]
    if "{notation}" in route.path:
        notation = {"name": "notation", "in": "path", "required": True}
        parameters.insert(0, notation | {"schema": {"type": "string"}})
    described: dict[str, Any] = {
        "summary": route.summary,
        "description": route.description,
        "operationId": route.answer.__name__,
        "parameters": parameters,
        "responses": {"200": content("Successful Response", "application/json", route.result)},
    }
    if "{notation}" in route.path:
        described["responses"]["304"] = UNCHANGED
    described["responses"] |= {str(status): problem(status) for status in route.statuses}
    if route.body:
        described["requestBody"] = {"required": True} | content("", "application/json", route.body)
        del described["requestBody"]["description"]
    return described


def content(description: str, media_type: str, kind: type[Struct]) -> dict[str, Any]:
    """Return the description of a body."""
    return {
        "description": description,
        "content": {media_type: {"schema": schemas.reference(kind)}},
    }


def problem(status: int) -> dict[str, Any]:
    """Return the description of the problems of a status."""
    titles = "; ".join(kind.title for kind in Kind if kind.status == status)
    return content(titles, PROBLEM_JSON, schemas.ProblemObject)
