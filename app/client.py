"""A client of the service: sync and async, typed, patient with a busy server.

with Client("http://127.0.0.1:8000") as client:
    answer = client.evaluate(state, moves=True)
    answer.best_move, answer.margin

Answers are the types that the service writes them by. What may be left out is `msgspec.UNSET`
where it is.
"""

from __future__ import annotations

import asyncio
import time
import warnings
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Generic, NamedTuple, TypedDict, TypeVar, Unpack

import httpx
import msgspec
from msgspec import UNSET

from app.advice_objects import AdviceObject
from app.opponent_schemas import (
    OpponentDealResponse,
    OpponentMoveResponse,
    OpponentObject,
    OpponentsResponse,
)
from app.schemas import ApplyResponse, BatchError, DealsResponse, PositionObject
from engine.errors import TriadError
from engine.text.objects import AnswerObject, StateObject, StoredDeal, VariantName, encode

__all__ = [
    "Advice",
    "Answer",
    "Applied",
    "AsyncClient",
    "Client",
    "ClientError",
    "DealWishes",
    "HandWishes",
    "ItemError",
    "OpponentWishes",
    "Position",
]

BUSY = 503
TRIES = 5
LONGEST_WAIT = 30.0  # seconds
TIMEOUT = 60.0

Json = dict[str, Any]
StateLike = Json | StateObject
OpponentLike = Json | OpponentObject | str
T = TypeVar("T")


class _Subscripted:
    """Answers were plain dicts in 0.1.0: `answer["margin"]` works for this release."""

    __slots__ = ()

    def __getitem__(self, name: str) -> Any:
        """Return a field as plain values."""
        warnings.warn(f'use .{name} instead of ["{name}"]', DeprecationWarning, stacklevel=2)
        value = getattr(self, name, UNSET)
        if value is UNSET:
            raise KeyError(name)
        return msgspec.json.decode(encode(value))

    def __contains__(self, name: str) -> bool:
        """Tell whether a field is there."""
        return getattr(self, name, UNSET) is not UNSET


class Answer(_Subscripted, AnswerObject, kw_only=True):
    """What perfect play makes of a state."""


class Position(_Subscripted, PositionObject, kw_only=True):
    """The answer, the state it is about, and its score now."""


class Applied(_Subscripted, ApplyResponse):
    """What a move makes of a state."""


class Advice(_Subscripted, AdviceObject):
    """What to play when the opponent's hand is hidden."""


class ItemError(_Subscripted, BatchError):
    """An item of a batch that could not be answered."""


class DealWishes(TypedDict, total=False):
    """Which deals of the database are wanted, and how many at a time; what is left out is any."""

    variant: VariantName
    elemental: bool
    same: bool
    plus: bool
    same_wall: bool
    card: int | str  # id or name of one of the ten
    limit: int


class OpponentWishes(TypedDict, total=False):
    """What an opponent goes by, where slots or chance matter to it."""

    dealt: Sequence[int]  # its five cards in dealt order
    slots: Mapping[str, Sequence[int | None]]  # of A and B
    rng: int
    seed: int


class HandWishes(TypedDict, total=False):
    """What a computer player is dealt from."""

    levels: Sequence[int]
    rares: Sequence[int]
    rare_chance: int
    rng: int
    seed: int


class ClientError(TriadError):
    """The service answered with a problem."""

    def __init__(self, problem: Json) -> None:
        """Keep the problem object."""
        super().__init__(f"{problem.get('status')} {problem.get('title')}: {problem.get('detail')}")
        self.problem = problem


class _Results(msgspec.Struct):
    """The results of a batch, not read yet."""

    results: list[msgspec.Raw]


class _Request(NamedTuple, Generic[T]):
    """A request, and the type of what is answered."""

    kind: type[T]
    method: str
    url: str
    params: Json = {}  # noqa: RUF012  never changed
    content: bytes | None = None
    accept: str | None = None

    def sent_by(self, send: Any) -> Any:
        """Send it by a method of httpx; return what that returns."""
        headers = {} if self.content is None else {"Content-Type": "application/json"}
        headers |= {} if self.accept is None else {"Accept": self.accept}
        return send(
            self.method, self.url, params=self.params, content=self.content, headers=headers
        )

    def answer(self, response: httpx.Response) -> T:
        """Return what the service answered, or raise `ClientError`."""
        if response.is_error:
            raise ClientError(_problem(response))
        return msgspec.json.decode(response.content, type=self.kind)


def _problem(response: httpx.Response) -> Json:
    """Return the problem object; where something before the service answered, one like it."""
    plain = {"status": response.status_code, "title": response.reason_phrase, "detail": ""}
    try:
        body = response.json()
    except ValueError:
        return plain
    return body if isinstance(body, dict) else plain


def _evaluate(state: StateLike, moves: bool, pv: bool) -> _Request[Answer]:
    return _Request(Answer, "POST", "/eval", _wishes(moves, pv), encode(state))


def _evaluate_batch(states: Sequence[StateLike], moves: bool, pv: bool) -> _Request[_Results]:
    body = encode({"states": states})
    return _Request(_Results, "POST", "/eval/batch", _wishes(moves, pv), body)


def _apply(state: StateLike, card_id: int, cell: int) -> _Request[Applied]:
    body = {"state": state, "move": {"card_id": card_id, "cell": cell}}
    return _Request(Applied, "POST", "/apply", {}, encode(body))


def _advise(state: Json, wishes: Json) -> _Request[Advice]:
    return _Request(Advice, "POST", "/advise", {}, encode({"state": state, **wishes}))


def _position(notation: str, moves: bool, pv: bool) -> _Request[Position]:
    return _Request(Position, "GET", f"/position/{notation}", _wishes(moves, pv))


def _deals(after: str | None, wishes: DealWishes) -> _Request[DealsResponse]:
    params = {**wishes} if after is None else {**wishes, "after": after}
    return _Request(DealsResponse, "GET", "/database/deals", params)


def _opponent_move(
    state: StateLike, opponent: OpponentLike, given: OpponentWishes
) -> _Request[OpponentMoveResponse]:
    body = {"state": state, "opponent": opponent, **given}
    return _Request(OpponentMoveResponse, "POST", "/opponents/move", {}, encode(body))


def _opponent_deal(given: HandWishes) -> _Request[OpponentDealResponse]:
    return _Request(OpponentDealResponse, "POST", "/opponents/deal", {}, encode(given))


_OPPONENTS = _Request(OpponentsResponse, "GET", "/opponents")


def _wishes(moves: bool, pv: bool) -> Json:
    return ({"moves": "true"} if moves else {}) | ({} if pv else {"pv": "false"})


NDJSON = "application/x-ndjson"
_read_advice = msgspec.json.Decoder(Advice).decode
_read_answer = msgspec.json.Decoder(Answer).decode
_read_error = msgspec.json.Decoder(ItemError).decode


def _results(found: _Results) -> list[Answer | ItemError]:
    """Return the results of a batch; one that could not be answered begins with its error."""
    return [
        _read_error(item) if item.startswith(b'{"error":') else _read_answer(item)
        for item in map(bytes, found.results)
    ]


def _wait_seconds(response: httpx.Response, attempt: int) -> float:
    """Return how long to wait before asking again: as told, else twice as long each time."""
    told = response.headers.get("Retry-After", "")
    wait = float(told) if told.isdecimal() else 0.5 * 2**attempt
    return min(wait, LONGEST_WAIT)


class Client:
    """Asks the service, and waits for the answer."""

    def __init__(self, url: str, *, tries: int = TRIES, timeout: float = TIMEOUT) -> None:
        """Ask the service at `url`; ask again, politely, while it is busy."""
        self._http = httpx.Client(base_url=url, timeout=timeout)
        self._tries = tries

    def __enter__(self) -> Client:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connections."""
        self._http.close()

    def evaluate(self, state: StateLike, *, moves: bool = False, pv: bool = True) -> Answer:
        """Return the answer to a state."""
        return self._ask(_evaluate(state, moves, pv))

    def evaluate_batch(
        self, states: Sequence[StateLike], *, moves: bool = False, pv: bool = True
    ) -> list[Answer | ItemError]:
        """Return the results for many states, in their order."""
        return _results(self._ask(_evaluate_batch(states, moves, pv)))

    def apply(self, state: StateLike, card_id: int, cell: int) -> Applied:
        """Return what a move makes of a state."""
        return self._ask(_apply(state, card_id, cell))

    def advise(self, state: Json, **wishes: Any) -> Advice:
        """Return what to play in a state with a hidden hand: style, worlds, seed, ... as wished."""
        return self._ask(_advise(state, wishes))

    def advise_stream(self, state: Json, **wishes: Any) -> Iterator[Advice]:
        """Return improving answers as they come; who stops reading ends the work."""
        request = _advise(state, wishes)._replace(accept=NDJSON)
        with request.sent_by(self._http.stream) as response:
            if response.is_error:
                response.read()
                request.answer(response)
            for line in response.iter_lines():
                yield _read_advice(line)

    def position(self, notation: str, *, moves: bool = False, pv: bool = True) -> Position:
        """Return the answer to a state in notation."""
        return self._ask(_position(notation, moves, pv))

    def deals(self, after: str | None = None, **wishes: Unpack[DealWishes]) -> DealsResponse:
        """Return a page of the database's deals; `next` is the `after` of the one that follows."""
        return self._ask(_deals(after, wishes))

    def all_deals(self, **wishes: Unpack[DealWishes]) -> Iterator[StoredDeal]:
        """Return the database's deals one by one, asking for page after page."""
        after: str | None = None
        while True:
            page = self.deals(after, **wishes)
            yield from page.deals
            after = page.next
            if after is None:
                return

    def opponents(self) -> OpponentsResponse:
        """Return the models of players, and what is known of computer players."""
        return self._ask(_OPPONENTS)

    def opponent_move(
        self, state: StateLike, opponent: OpponentLike, **given: Unpack[OpponentWishes]
    ) -> OpponentMoveResponse:
        """Return what an opponent plays, who is to move in a state."""
        return self._ask(_opponent_move(state, opponent, given))

    def opponent_deal(self, **given: Unpack[HandWishes]) -> OpponentDealResponse:
        """Return five cards as the game deals them to a computer player."""
        return self._ask(_opponent_deal(given))

    def get(self, path: str, **params: Any) -> Json:
        """Return what any other route answers: /deal, /cards, /database, ..."""
        return self._ask(_Request(Json, "GET", path, params))

    def _ask(self, request: _Request[T]) -> T:
        for attempt in range(self._tries):
            response = request.sent_by(self._http.request)
            if response.status_code != BUSY or attempt == self._tries - 1:
                break
            time.sleep(_wait_seconds(response, attempt))
        return request.answer(response)


class AsyncClient:
    """The same for asyncio."""

    def __init__(self, url: str, *, tries: int = TRIES, timeout: float = TIMEOUT) -> None:
        """Ask the service at `url`; ask again, politely, while it is busy."""
        self._http = httpx.AsyncClient(base_url=url, timeout=timeout)
        self._tries = tries

    async def __aenter__(self) -> AsyncClient:
        """Return itself."""
        return self

    async def __aexit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _traceback: TracebackType | None,
    ) -> None:
        """Close the connections."""
        await self._http.aclose()

    async def evaluate(self, state: StateLike, *, moves: bool = False, pv: bool = True) -> Answer:
        """Return the answer to a state."""
        return await self._ask(_evaluate(state, moves, pv))

    async def evaluate_batch(
        self, states: Sequence[StateLike], *, moves: bool = False, pv: bool = True
    ) -> list[Answer | ItemError]:
        """Return the results for many states, in their order."""
        return _results(await self._ask(_evaluate_batch(states, moves, pv)))

    async def apply(self, state: StateLike, card_id: int, cell: int) -> Applied:
        """Return what a move makes of a state."""
        return await self._ask(_apply(state, card_id, cell))

    async def advise(self, state: Json, **wishes: Any) -> Advice:
        """Return what to play in a state with a hidden hand: style, worlds, seed, ... as wished."""
        return await self._ask(_advise(state, wishes))

    async def advise_stream(self, state: Json, **wishes: Any) -> AsyncIterator[Advice]:
        """Return improving answers as they come; who stops reading ends the work."""
        request = _advise(state, wishes)._replace(accept=NDJSON)
        async with request.sent_by(self._http.stream) as response:
            if response.is_error:
                await response.aread()
                request.answer(response)
            async for line in response.aiter_lines():
                yield _read_advice(line)

    async def position(self, notation: str, *, moves: bool = False, pv: bool = True) -> Position:
        """Return the answer to a state in notation."""
        return await self._ask(_position(notation, moves, pv))

    async def deals(self, after: str | None = None, **wishes: Unpack[DealWishes]) -> DealsResponse:
        """Return a page of the database's deals; `next` is the `after` of the one that follows."""
        return await self._ask(_deals(after, wishes))

    async def all_deals(self, **wishes: Unpack[DealWishes]) -> AsyncIterator[StoredDeal]:
        """Return the database's deals one by one, asking for page after page."""
        after: str | None = None
        while True:
            page = await self.deals(after, **wishes)
            for deal in page.deals:
                yield deal
            after = page.next
            if after is None:
                return

    async def opponents(self) -> OpponentsResponse:
        """Return the models of players, and what is known of computer players."""
        return await self._ask(_OPPONENTS)

    async def opponent_move(
        self, state: StateLike, opponent: OpponentLike, **given: Unpack[OpponentWishes]
    ) -> OpponentMoveResponse:
        """Return what an opponent plays, who is to move in a state."""
        return await self._ask(_opponent_move(state, opponent, given))

    async def opponent_deal(self, **given: Unpack[HandWishes]) -> OpponentDealResponse:
        """Return five cards as the game deals them to a computer player."""
        return await self._ask(_opponent_deal(given))

    async def get(self, path: str, **params: Any) -> Json:
        """Return what any other route answers: /deal, /cards, /database, ..."""
        return await self._ask(_Request(Json, "GET", path, params))

    async def _ask(self, request: _Request[T]) -> T:
        for attempt in range(self._tries):
            response = await request.sent_by(self._http.request)
            if response.status_code != BUSY or attempt == self._tries - 1:
                break
            await asyncio.sleep(_wait_seconds(response, attempt))
        return request.answer(response)
