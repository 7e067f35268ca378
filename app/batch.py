"""Many states in one request: each gets its answer or its error, in their order."""

from __future__ import annotations

import asyncio
import time
from typing import Any, NamedTuple

import orjson

from app.errors import Kind, ServiceError, as_service_error, problem_dict
from app.service import Service
from engine.errors import StateError
from engine.game.state import State
from engine.text.document import load_json, state_from_dict

PAUSE = 16  # states answered one by one in a row, before others get their turn


class Where(NamedTuple):
    """Which request an item belongs to."""

    path: str
    request_id: str


def parse_body(data: bytes) -> object:
    """Return a body as plain values, or raise `ServiceError`."""
    try:
        return load_json(data)
    except StateError as error:
        raise ServiceError(Kind.NOT_JSON, str(error), error.problems) from error


def batch_states(found: object, limit: int) -> list[Any]:
    """Return the documents of a batch, or raise `StateError`."""
    if not isinstance(found, dict) or set(found) != {"states"}:
        raise StateError.of("body", found, '{"states": [...]}')
    states = found["states"]
    if not isinstance(states, list):
        raise StateError.of("states", states, "a list of states")
    if len(states) > limit:
        raise ServiceError(Kind.TOO_LARGE, f"{len(states)} states; allowed: at most {limit}")
    return states


class Batch:
    """Answers the states of one batch."""

    def __init__(self, service: Service, where: Where, *, moves: bool) -> None:
        """Search no more at a time than there are threads, so that others get through."""
        self.service, self.where, self.moves = service, where, moves
        self.deadline = time.monotonic() + service.settings.time_limit
        self._searching = asyncio.Semaphore(service.settings.solver_threads)

    async def results(self, data: bytes) -> list[bytes]:
        """Return the results as JSON.

        Plain states that the database has are answered all together; then the others, one by
        one; then those that must be searched.
        """
        ready, documents = await self._quick_results(data)
        missed: list[tuple[int, State]] = []
        for number, document in documents.items():
            ready[number] = self._result(number, document, missed)
            if number % PAUSE == PAUSE - 1:
                await asyncio.sleep(0)
        searched = await asyncio.gather(*(self._search(*miss) for miss in missed))
        for (number, _), result in zip(missed, searched, strict=True):
            ready[number] = result
        return [result for result in ready if result is not None]

    async def _quick_results(self, data: bytes) -> tuple[list[bytes | None], dict[int, Any]]:
        """Return the results that are quick to have, and the documents of all others."""
        batch = None if self.moves else await self.service.quick_answers(data)
        if batch is None:
            states = batch_states(parse_body(data), self.service.settings.batch_limit)
            return [None] * len(states), dict(enumerate(states))
        answers, spans = batch
        return list(answers), {
            number: load_json(data[slice(*spans[number])])
            for number, answer in enumerate(answers)
            if answer is None
        }

    def _result(
        self, number: int, document: object, missed: list[tuple[int, State]]
    ) -> bytes | None:
        """Return the result of one document; None when its state must be searched."""
        try:
            state = state_from_dict(document, self.service.catalogue)
            answer = self.service.look_up(state, moves=self.moves)
        except Exception as error:  # noqa: BLE001  one item's error is that item's result
            return self._error(error, number)
        if answer is None:
            missed.append((number, state))
            return None
        return orjson.dumps(answer.as_dict())

    async def _search(self, number: int, state: State) -> bytes:
        try:
            async with self._searching:
                if time.monotonic() >= self.deadline:
                    limit = self.service.settings.time_limit
                    raise ServiceError(Kind.TIME_LIMIT, f"the batch took more than {limit:g} s")
                answer = await self.service.live.answer(state, moves=self.moves)
                return orjson.dumps(answer.as_dict())
        except Exception as error:  # noqa: BLE001  as above
            return self._error(error, number)

    def _error(self, error: Exception, number: int) -> bytes:
        told = as_service_error(error)
        if told.kind is Kind.INTERNAL:
            raise error
        instance = f"{self.where.path}#/states/{number}"
        return orjson.dumps({"error": problem_dict(told, instance, self.where.request_id)})
