"""The other routes: each reads a request, asks the service, and returns ready bytes."""

from __future__ import annotations

import asyncio
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Query, Request
from fastapi.routing import APIRoute
from msgspec import Struct
from starlette.responses import Response

from app import schemas
from app.errors import Kind, ServiceError
from app.exchange import JSON
from app.hot import content, problem, score_of
from app.metrics import CONTENT_TYPE, exposition
from app.service import Service, ServicePhase
from app.wishes import unknown_parameters
from engine.errors import InputError, NotJsonError, StateError, UnknownCardError
from engine.game.deal import Player
from engine.game.dealing import Dealer, ElementSource, Strategy
from engine.game.rules import Rules, Variant
from engine.game.state import State
from engine.text.document import load_json, move_from_dict, state_from_dict
from engine.text.notation import format_state, parse_layout
from engine.text.wire import encode, state_object


async def known_parameters(request: Request) -> None:
    """Refuse parameters that the route does not have."""
    route: APIRoute = request.scope["route"]
    known = [str(field.alias) for field in route.dependant.query_params]
    if problems := unknown_parameters(request.query_params.multi_items(), known):
        raise InputError(problems)


router = APIRouter(dependencies=[Depends(known_parameters)])


def service_of(request: Request) -> Service:
    """Return the service behind this app."""
    service: Service = request.app.state.service
    return service


def json_response(value: object) -> Response:
    """Return a value as JSON."""
    return Response(encode(value), media_type=JSON)


def answers(kind: type[Struct], *statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the description of what a route answers, and of its problems."""
    described: dict[int | str, dict[str, Any]] = {status: problem(status) for status in statuses}
    return {200: content("Successful Response", JSON, kind)} | described


@router.post(
    "/apply",
    summary="What does a move make of a state?",
    responses=answers(schemas.ApplyResponse, 400, 413, 415, 422, 503),
    openapi_extra={"requestBody": {"content": content("", JSON, schemas.ApplyRequest)["content"]}},
)
async def apply(request: Request) -> Response:
    """Play a move: the next state, what was captured and by which rule."""
    service = service_of(request)
    service.check_ready()
    body = await request.scope["exchange"].read_json(request.receive)
    return json_response(await asyncio.to_thread(applied, body, service))


def applied(body: bytes, service: Service) -> schemas.ApplyResponse:
    """Return what a move makes of a state."""
    try:
        found = load_json(body)
    except NotJsonError as error:
        raise ServiceError(Kind.NOT_JSON, str(error), error.problems) from error
    if not isinstance(found, dict) or set(found) != {"state", "move"}:
        raise StateError.of("body", found, '{"state": {...}, "move": {...}}')
    state = state_from_dict(found["state"], service.catalogue)
    move = move_from_dict(found["move"])
    captures = [schemas.CaptureObject(*capture) for capture in state.captures(move)]
    after = state.play(move)
    return schemas.ApplyResponse(
        state_object(after.facts), format_state(after), captures, after.is_over, score_of(after)
    )


@router.get("/deal", summary="A sampled opening", responses=answers(schemas.DealResponse, 422, 503))
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
    return json_response(schemas.DealResponse(state_object(state.facts), format_state(state)))


@router.get("/cards", summary="The catalogue", responses=answers(schemas.CardsResponse))
async def cards(request: Request) -> Response:
    """Return all cards."""
    catalogue = service_of(request).catalogue
    listed = [schemas.CardObject(**card.as_dict()) for card in catalogue]
    return json_response(schemas.CardsResponse(listed, catalogue.digest))


@router.get("/cards/{card_id}", summary="One card", responses=answers(schemas.CardObject, 404, 422))
async def card(request: Request, card_id: int) -> Response:
    """Return one card."""
    try:
        found = service_of(request).catalogue.find(str(card_id))
    except UnknownCardError as error:
        raise ServiceError(Kind.NOT_FOUND, str(error), error.problems) from error
    return json_response(schemas.CardObject(**found.as_dict()))


@router.get(
    "/database", summary="What the database covers", responses=answers(schemas.DatabaseResponse)
)
async def database(request: Request) -> Response:
    """Return deals, rules, plies, states, bytes, versions and digest."""
    return json_response(await service_of(request).describe())


@router.get("/readyz", summary="Ready to answer?", responses=answers(schemas.HealthResponse, 503))
async def readyz(request: Request) -> Response:
    """Answer 200 when kernels are compiled and the database, if there is one, is open."""
    service = service_of(request)
    if service.phase is not ServicePhase.READY:
        raise ServiceError(Kind.STARTING, f"the service is {service.phase.value}")
    return json_response(schemas.HealthResponse(service.phase.value, service.generation))


@router.get("/metrics", summary="Counts for Prometheus", response_class=Response)
async def metrics() -> Response:
    """Return the counts of all workers."""
    return Response(await asyncio.to_thread(exposition), media_type=CONTENT_TYPE)
