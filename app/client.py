"""A client of the service: sync and async, typed, patient with a busy server.

with Client("http://127.0.0.1:8000") as client:
    answer = client.evaluate(state, moves=True)
    answer["best_move"], answer["margin"]
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from types import TracebackType
from typing import Any, Literal, NotRequired, TypedDict

import httpx

from engine.errors import TriadError

BUSY = 503
TRIES = 5
LONGEST_WAIT = 30.0  # seconds
TIMEOUT = 60.0

Json = dict[str, Any]


class MoveObject(TypedDict):
    """A card of the mover's hand on an empty cell."""

    card_id: int
    cell: int


class RankedMove(MoveObject):
    """A legal move and what it is worth."""

    value: Literal[-1, 0, 1]
    margin: int
    captures: list[int]


class Answer(TypedDict):
    """What perfect play makes of a state."""

    best_move: NotRequired[MoveObject]  # left out at the end of the game
    value: Literal[-1, 0, 1]
    margin: int
    pv: NotRequired[list[MoveObject]]  # left out with pv=False
    nodes: int
    depth: int
    state_hash: str
    notation: str
    variant: Literal["triplecargo", "ff8"]
    source: Literal["database", "search"]
    moves: NotRequired[list[RankedMove]]  # when asked for
    error: NotRequired[Json]  # the problem of an item of a batch, which then has nothing else


class Score(TypedDict):
    """The cards that count for each player."""

    A: int
    B: int


class Position(Answer):
    """The answer, the state it is about, and its score now."""

    state: Json
    score: Score


class CaptureObject(TypedDict):
    """A card that changes owner."""

    cell: int
    card_id: int
    rule: Literal["same", "plus", "basic", "combo"]
    by_cell: int


class Applied(TypedDict):
    """What a move makes of a state."""

    state: Json
    notation: str
    captures: list[CaptureObject]
    done: bool
    score: Score


class ClientError(TriadError):
    """The service answered with a problem."""

    def __init__(self, problem: Json) -> None:
        """Keep the problem object."""
        super().__init__(f"{problem.get('status')} {problem.get('title')}: {problem.get('detail')}")
        self.problem = problem


def wait_seconds(response: httpx.Response, attempt: int) -> float:
    """Return how long to wait before asking again: as told, else twice as long each time."""
    told = response.headers.get("Retry-After", "")
    wait = float(told) if told.isdecimal() else 0.5 * 2**attempt
    return min(wait, LONGEST_WAIT)


def read(response: httpx.Response) -> Any:
    """Return what the service answered, or raise `ClientError`."""
    try:
        body = response.json()
    except ValueError:
        body = {"status": response.status_code, "title": response.reason_phrase, "detail": ""}
    if response.is_error:
        raise ClientError(body)
    return body


class Requests:
    """The requests there are, the same for both clients."""

    @staticmethod
    def evaluate(state: Json, moves: bool, pv: bool) -> Json:
        """Return the request for one state."""
        return {"method": "POST", "url": "/eval", "json": state, "params": _wishes(moves, pv)}

    @staticmethod
    def evaluate_batch(states: Sequence[Json], moves: bool, pv: bool) -> Json:
        """Return the request for many."""
        body = {"states": list(states)}
        return {"method": "POST", "url": "/eval/batch", "json": body, "params": _wishes(moves, pv)}

    @staticmethod
    def apply(state: Json, card_id: int, cell: int) -> Json:
        """Return the request for a move."""
        body = {"state": state, "move": {"card_id": card_id, "cell": cell}}
        return {"method": "POST", "url": "/apply", "json": body}

    @staticmethod
    def position(notation: str, moves: bool, pv: bool) -> Json:
        """Return the request for a notation."""
        return {"method": "GET", "url": f"/position/{notation}", "params": _wishes(moves, pv)}

    @staticmethod
    def get(path: str, **params: Any) -> Json:
        """Return any other request."""
        return {"method": "GET", "url": path, "params": params}


def _wishes(moves: bool, pv: bool) -> Json:
    return ({"moves": "true"} if moves else {}) | ({} if pv else {"pv": "false"})


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

    def evaluate(self, state: Json, *, moves: bool = False, pv: bool = True) -> Answer:
        """Return the answer to a state."""
        answer: Answer = self._ask(Requests.evaluate(state, moves, pv))
        return answer

    def evaluate_batch(
        self, states: Sequence[Json], *, moves: bool = False, pv: bool = True
    ) -> list[Answer]:
        """Return the results for many states, in their order."""
        results: list[Answer] = self._ask(Requests.evaluate_batch(states, moves, pv))["results"]
        return results

    def apply(self, state: Json, card_id: int, cell: int) -> Applied:
        """Return what a move makes of a state."""
        answer: Applied = self._ask(Requests.apply(state, card_id, cell))
        return answer

    def position(self, notation: str, *, moves: bool = False, pv: bool = True) -> Position:
        """Return the answer to a state in notation."""
        answer: Position = self._ask(Requests.position(notation, moves, pv))
        return answer

    def get(self, path: str, **params: Any) -> Json:
        """Return what any other route answers: /deal, /cards, /database, ..."""
        answer: Json = self._ask(Requests.get(path, **params))
        return answer

    def _ask(self, request: Json) -> Any:
        for attempt in range(self._tries):
            response = self._http.request(**request)
            if response.status_code != BUSY or attempt == self._tries - 1:
                break
            time.sleep(wait_seconds(response, attempt))
        return read(response)


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

    async def evaluate(self, state: Json, *, moves: bool = False, pv: bool = True) -> Answer:
        """Return the answer to a state."""
        answer: Answer = await self._ask(Requests.evaluate(state, moves, pv))
        return answer

    async def evaluate_batch(
        self, states: Sequence[Json], *, moves: bool = False, pv: bool = True
    ) -> list[Answer]:
        """Return the results for many states, in their order."""
        answer = await self._ask(Requests.evaluate_batch(states, moves, pv))
        results: list[Answer] = answer["results"]
        return results

    async def apply(self, state: Json, card_id: int, cell: int) -> Applied:
        """Return what a move makes of a state."""
        answer: Applied = await self._ask(Requests.apply(state, card_id, cell))
        return answer

    async def position(self, notation: str, *, moves: bool = False, pv: bool = True) -> Position:
        """Return the answer to a state in notation."""
        answer: Position = await self._ask(Requests.position(notation, moves, pv))
        return answer

    async def get(self, path: str, **params: Any) -> Json:
        """Return what any other route answers: /deal, /cards, /database, ..."""
        answer: Json = await self._ask(Requests.get(path, **params))
        return answer

    async def _ask(self, request: Json) -> Any:
        for attempt in range(self._tries):
            response = await self._http.request(**request)
            if response.status_code != BUSY or attempt == self._tries - 1:
                break
            await asyncio.sleep(wait_seconds(response, attempt))
        return read(response)
