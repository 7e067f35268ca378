"""The routes: each reads a request, asks the service, and returns ready bytes."""

from __future__ import annotations

import asyncio
import hashlib
from typing import Annotated

import orjson
from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from app import schemas
from app.batch import Batch, Where, parse_body
from app.errors import Kind, ServiceError
from app.metrics import CONTENT_TYPE, exposition
from app.openapi import MOVES, body, problems
from app.service import Phase, Service
from engine.errors import StateError, UnknownCardError
from engine.game.deal import Player
from engine.game.dealing import Dealer, ElementSource, Strategy
from engine.game.rules import Rules, Variant
from engine.game.state import State
from engine.text.document import (
    capture_to_dict,
    move_from_dict,
    state_from_dict,
    state_to_dict,
)
from engine.text.notation import format_state, parse_layout, parse_state

router = APIRouter()

JSON = "application/json"
CACHED = "public, max-age=300"

TRUTHS = {"true": True, "1": True, "false": False, "0": False}


def service_of(request: Request) -> Service:
    """Return the service behind this app."""
    service: Service = request.app.state.service
    return service


async def read_body(request: Request) -> bytes:
    """Return the body of a request that is JSON, or raise `ServiceError`."""
    media_type = request.headers.get("content-type", JSON).split(";")[0].strip().lower()
    if media_type != JSON and not media_type.endswith("+json"):
        raise ServiceError(Kind.MEDIA_TYPE, f"found {media_type!r}; allowed: {JSON}")
    return await request.body()


def wants_moves(request: Request) -> bool:
    """Tell whether `?moves=true` was asked for.

    Read here and not by FastAPI, which takes as long for a parameter as the database for a state.
    """
    if not request.scope["query_string"]:
        return False
    given = request.query_params.get("moves", "false")
    if given.lower() not in TRUTHS:
        raise StateError.of("moves", given, "true or false")
    return TRUTHS[given.lower()]


def score_to_dict(state: State) -> dict[str, int]:
    """Return the cards that count for each player now."""
    return {player.name: cards for player, cards in zip(Player, state.score, strict=True)}


def json_response(content: object, status: int = 200) -> Response:
    """Return plain values as JSON."""
    return Response(orjson.dumps(content), status, media_type=JSON)


@router.post(
    "/eval",
    summary="What is a state worth, and what is the best move?",
    responses={200: {"model": schemas.AnswerObject}, **problems(400, 413, 415, 422, 503)},
    openapi_extra=body(schemas.StateObject) | MOVES,
)
async def evaluate(request: Request) -> Response:
    """Answer a state, from the database or by search."""
    service = service_of(request)
    service.check_ready()
    moves = wants_moves(request)
    data = await read_body(request)
    ready = None if moves else service.quick_answer(data)
    if ready is None:
        state = state_from_dict(parse_body(data), service.catalogue)
        ready = orjson.dumps((await service.answer(state, moves=moves)).as_dict())
    return Response(ready, media_type=JSON)


@router.post(
    "/eval/batch",
    summary="Many states at once, each with its answer or its error",
    responses={200: {"model": schemas.BatchResponse}, **problems(400, 413, 415, 422, 503)},
    openapi_extra=body(schemas.BatchRequest) | MOVES,
)
async def evaluate_batch(request: Request) -> Response:
    """Answer up to 1,000 states in one request, in their order; never all-or-nothing."""
    service = service_of(request)
    service.check_ready()
    data = await read_body(request)
    where = Where(request.url.path, request.state.request_id)
    results = await Batch(service, where, moves=wants_moves(request)).results(data)
    return Response(b'{"results":[' + b",".join(results) + b"]}", media_type=JSON)


@router.post(
    "/apply",
    summary="What does a move make of a state?",
    responses={200: {"model": schemas.ApplyResponse}, **problems(400, 413, 415, 422, 503)},
    openapi_extra=body(schemas.ApplyRequest),
)
async def apply(request: Request) -> Response:
    """Play a move: the next state, what was captured and by which rule."""
    service = service_of(request)
    service.check_ready()
    found = parse_body(await read_body(request))
    if not isinstance(found, dict) or set(found) != {"state", "move"}:
        raise StateError.of("body", found, '{"state": {...}, "move": {...}}')
    state = state_from_dict(found["state"], service.catalogue)
    move = move_from_dict(found["move"])
    captures = state.captures(move)
    after = state.play(move)
    return json_response(
        {
            "state": state_to_dict(after),
            "notation": format_state(after),
            "captures": [capture_to_dict(capture) for capture in captures],
            "done": after.is_over,
            "score": score_to_dict(after),
        }
    )


@router.get(
    "/position/{notation}",
    summary="The answer to a state in notation; can be cached",
    responses={
        200: {"model": schemas.PositionObject},
        304: {"description": "Nothing has changed since the ETag given"},
        **problems(422, 503),
    },
    openapi_extra=MOVES,
)
async def position(request: Request, notation: str) -> Response:
    """Answer the state that a notation describes."""
    service = service_of(request)
    service.check_ready()
    state = parse_state(notation, service.catalogue)
    answer = await service.answer(state, moves=wants_moves(request))
    content = orjson.dumps(
        {**answer.as_dict(), "state": state_to_dict(state), "score": score_to_dict(state)}
    )
    tag = f'"{hashlib.blake2b(content, digest_size=16).hexdigest()}"'
    headers = {"ETag": tag, "Cache-Control": CACHED}
    asked = request.headers.get("if-none-match", "")
    tags = {item.strip().removeprefix("W/") for item in asked.split(",")}
    if tag in tags or "*" in tags:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=JSON)


@router.get(
    "/deal",
    summary="A sampled opening",
    responses={200: {"model": schemas.DealResponse}, **problems(422, 503)},
)
async def deal(  # noqa: PLR0913  one parameter for each wish
    request: Request,
    seed: Annotated[int, Query(ge=0, le=2**64 - 1)] = 0,
    number: Annotated[int, Query(ge=0, le=2**64 - 1)] = 0,
    strategy: Strategy = Strategy.RANDOM,
    elements: Annotated[str, Query(description="none, random, ff8, or F,-,-,I,-,-,-,-,-")] = "ff8",
    first: Annotated[str, Query(pattern="^(A|B|random)$")] = "random",
    variant: Variant = Variant.TRIPLECARGO,
    elemental: bool = False,
    same: bool = False,
    plus: bool = False,
    same_wall: bool = False,
) -> Response:
    """Deal number `number` of a seed: the same for everybody who asks for it."""
    service = service_of(request)
    service.check_ready()
    rules = Rules(elemental, same, plus, same_wall, variant)
    sources = {source.value: source for source in ElementSource}
    layout = sources[elements] if elements in sources else parse_layout(elements)
    starter = None if first == "random" else Player[first]
    dealer = Dealer(service.catalogue, seed, rules, strategy, layout, starter)
    state = State.start(dealer.deal(number))
    return json_response({"state": state_to_dict(state), "notation": format_state(state)})


@router.get(
    "/cards",
    summary="The catalogue",
    responses={200: {"model": schemas.CardsResponse}},
)
async def cards(request: Request) -> Response:
    """Return all cards."""
    catalogue = service_of(request).catalogue
    return json_response(
        {"cards": [card.as_dict() for card in catalogue], "digest": catalogue.digest}
    )


@router.get(
    "/cards/{card_id}",
    summary="One card",
    responses={200: {"model": schemas.CardObject}, **problems(404, 422)},
)
async def card(request: Request, card_id: int) -> Response:
    """Return one card."""
    try:
        return json_response(service_of(request).catalogue.find(str(card_id)).as_dict())
    except UnknownCardError as error:
        raise ServiceError(Kind.NOT_FOUND, str(error), error.problems) from error


@router.get(
    "/database",
    summary="What the database covers",
    responses={200: {"model": schemas.DatabaseResponse}},
)
async def database(request: Request) -> Response:
    """Return deals, rules, plies, states, bytes, versions and digest."""
    return json_response(await service_of(request).describe())


@router.get("/healthz", summary="Alive?", responses={200: {"model": schemas.HealthResponse}})
async def healthz() -> Response:
    """Answer as long as the process lives."""
    return json_response({"status": "ok"})


@router.get(
    "/readyz",
    summary="Ready to answer?",
    responses={200: {"model": schemas.HealthResponse}, **problems(503)},
)
async def readyz(request: Request) -> Response:
    """Answer 200 when kernels are compiled and the database, if there is one, is open."""
    service = service_of(request)
    if service.phase is not Phase.READY:
        raise ServiceError(Kind.STARTING, f"the service is {service.phase.value}")
    return json_response({"status": service.phase.value, "database": service.generation})


@router.get("/metrics", summary="Counts for Prometheus", response_class=Response)
async def metrics() -> Response:
    """Return the counts of all workers."""
    return Response(await asyncio.to_thread(exposition), media_type=CONTENT_TYPE)
