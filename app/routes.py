"""The other routes: each reads a request, asks the service, and returns ready bytes."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Path, Query, Request
from fastapi.routing import APIRoute
from msgspec import UNSET, Struct
from pydantic import BeforeValidator
from pydantic_core import PydanticCustomError
from starlette.responses import Response

from app import opponent_kinds, opponent_schemas, opponents, schemas
from app.errors import Kind, ServiceError
from app.exchange import JSON, Reply
from app.hot import UNCHANGED, content, problem, score_of
from app.metrics import CONTENT_TYPE, exposition
from app.service import Service, ServicePhase
from app.wishes import unknown_parameters
from engine.errors import InputError, NotJsonError, StateError, UnknownCardError
from engine.game.deal import Player
from engine.game.dealing import HIGHEST_SEED, Dealer
from engine.game.rules import Rules, Variant
from engine.game.state import State
from engine.game.strategy import Strategy
from engine.text.document import load_json, move_from_dict, state_from_dict
from engine.text.notation import format_state, parse_elements
from engine.text.objects import encode
from engine.text.wire import state_object
from store.deals import MOST_DEALS, USUAL_DEALS, DealFilter

REVALIDATED = b"no-cache"  # a new database may be there at any moment


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


def required_body(kind: type[Struct]) -> dict[str, Any]:
    """Return the description of the body that a route needs."""
    return {"required": True, "content": content("", JSON, kind)["content"]}


def as_response(reply: Reply) -> Response:
    """Return a reply as these routes do."""
    headers = {name.decode(): value.decode() for name, value in reply.headers}
    return Response(reply.content, reply.status, headers, reply.media_type)


def answers(kind: type[Struct], *statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return the description of what a route answers, and of its problems."""
    described: dict[int | str, dict[str, Any]] = {status: problem(status) for status in statuses}
    return {200: content("Successful Response", JSON, kind)} | described


@router.post(
    "/apply",
    summary="What does a move make of a state?",
    responses=answers(schemas.ApplyResponse, 400, 413, 415, 422, 503),
    openapi_extra={"requestBody": required_body(schemas.ApplyRequest)},
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


def read_whole_number(text: str) -> int:
    """Return the number that digits say; pydantic would take 1.0 and 1_000 as well."""
    is_short = len(text) <= len(str(HIGHEST_SEED))  # int() has a limit of digits of its own
    if not (text.isascii() and text.isdigit() and is_short and int(text) <= HIGHEST_SEED):
        raise PydanticCustomError("seed", f"a whole number from 0 to {HIGHEST_SEED}")
    return int(text)


SeedParameter = Annotated[int, Query(ge=0, le=HIGHEST_SEED), BeforeValidator(read_whole_number)]


@router.get("/deal", summary="A sampled opening", responses=answers(schemas.DealResponse, 422, 503))
async def deal(  # noqa: PLR0913  one parameter for each wish
    request: Request,
    seed: SeedParameter = 0,
    number: SeedParameter = 0,
    strategy: Strategy = Strategy.RANDOM,
    elements: Annotated[str, Query(description="none, random, ff8, or F,-,-,I,-,-,-,-,-")] = "ff8",
    first: Literal["A", "B", "random"] = "random",
    variant: Variant = Variant.TRIPLECARGO,
    elemental: bool = False,
    same: bool = False,
    plus: bool = False,
    same_wall: bool = False,
    sudden_death: bool = False,
    open: bool = False,
) -> Response:
    """Deal number `number` of a seed: the same for everybody who asks for it."""
    service = service_of(request)
    service.check_ready()
    rules = Rules(elemental, same, plus, same_wall, variant, sudden_death, open)
    starter = None if first == "random" else Player[first]
    layout = parse_elements(elements)
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
async def card(
    request: Request,
    card_id: Annotated[str, Path(description="Its id, or its name in upper or lower case")],
) -> Response:
    """Return one card, found by its id or by its name."""
    try:
        found = service_of(request).catalogue.find(card_id)
    except UnknownCardError as error:
        raise ServiceError(Kind.NOT_FOUND, str(error), error.problems) from error
    return json_response(schemas.CardObject(**found.as_dict()))


@router.get(
    "/database", summary="What the database covers", responses=answers(schemas.DatabaseResponse)
)
async def database(request: Request) -> Response:
    """Return deals, rules, plies, states, bytes, versions and digest."""
    return json_response(await service_of(request).describe())


@router.get(
    "/database/deals",
    summary="The deals of the database, page by page",
    responses=answers(schemas.DealsResponse, 422, 503) | {304: UNCHANGED},
)
async def deals(  # noqa: PLR0913  one parameter for each wish
    request: Request,
    after: Annotated[
        str | None, Query(pattern=schemas.CURSOR, description="`next` of the page before")
    ] = None,
    limit: Annotated[int, Query(ge=1, le=MOST_DEALS)] = USUAL_DEALS,
    variant: Variant | None = None,
    elemental: bool | None = None,
    same: bool | None = None,
    plus: bool | None = None,
    same_wall: bool | None = None,
    card: Annotated[str | None, Query(description="Id or name of one of the ten cards")] = None,
) -> Response:
    """Return deals in the order of their keys: all, or those with these rules and this card.

    A page ends, too, when enough deals were looked at: only `next` null is the end.
    """
    service = service_of(request)
    service.check_ready()
    card_id = None if card is None else service.catalogue.find(card).id
    wanted = DealFilter(elemental, same, plus, same_wall, variant, card_id)
    page = await service.deals(wanted, bytes.fromhex(after or ""), limit)
    found = schemas.DealsResponse(page.deals, page.cursor.hex() if page.cursor else None)
    return as_response(request.scope["exchange"].tagged(encode(found), REVALIDATED))


@router.get(
    "/opponents",
    summary="Who can be played against",
    responses=answers(opponent_schemas.OpponentsResponse),
)
async def list_opponents() -> Response:
    """Return the models of players, and what is known of computer players."""
    return json_response(opponent_kinds.listed())


@router.post(
    "/opponents/move",
    summary="What does an opponent play?",
    responses=answers(opponent_schemas.OpponentMoveResponse, 400, 413, 415, 422, 503),
    openapi_extra={"requestBody": required_body(opponent_schemas.OpponentMoveRequest)},
)
async def opponent_move(request: Request) -> Response:
    """Return the move of a model that is to move, and of the computer player all it went by."""
    service = service_of(request)
    service.check_ready()
    body = await request.scope["exchange"].read_json(request.receive)
    return json_response(await service.live.run(partial(opponents.moved, body, service.catalogue)))


@router.post(
    "/opponents/deal",
    summary="What is a computer player dealt?",
    responses=answers(opponent_schemas.OpponentDealResponse, 400, 413, 415, 422, 503),
    openapi_extra={"requestBody": required_body(opponent_schemas.OpponentDealRequest)},
)
async def opponent_deal(request: Request) -> Response:
    """Return five cards as the game deals them."""
    service = service_of(request)
    service.check_ready()
    body = await request.scope["exchange"].read_json(request.receive)
    return json_response(await service.live.run(partial(opponents.dealt, body)))


@router.get("/readyz", summary="Ready to answer?", responses=answers(schemas.HealthResponse, 503))
async def readyz(request: Request) -> Response:
    """Answer 200 when kernels are compiled and the database, if there is one, is open."""
    service = service_of(request)
    if service.phase is not ServicePhase.READY:
        raise ServiceError(Kind.STARTING, f"the service is {service.phase.value}")
    health = schemas.HealthResponse(
        service.phase.value, service.generation, service.refused or UNSET
    )
    return json_response(health)


@router.get("/metrics", summary="Counts for Prometheus", response_class=Response)
async def metrics() -> Response:
    """Return the counts of all workers."""
    return Response(await asyncio.to_thread(exposition), media_type=CONTENT_TYPE)
