"""Many states in one request: each gets its answer or its error, in their order.

A batch is taken apart beside the event loop. Its states are read, looked up and written in short
stretches (see `app.pace`), between which others are answered. What the database does not have is
then searched, like any other state.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import msgspec

from app.errors import Kind, ServiceError, as_service_error, problem_object
from app.exchange import Exchange
from app.schemas import BatchError
from app.service import LONGEST_PLAIN, Service
from app.wishes import Wishes
from engine.errors import NotJsonError, StateError
from engine.game.facts import Facts
from engine.text.document import load_json, split_list
from engine.text.objects import encode
from engine.text.wire import read_facts
from store.answer import Answer

PART = 128  # states that are answered in a row, before those of another batch


class _Split(msgspec.Struct, forbid_unknown_fields=True):
    """A batch whose states are not read yet."""

    states: list[msgspec.Raw]


_split = msgspec.json.Decoder(_Split).decode


def batch_items(data: bytes, limit: int) -> list[bytes]:
    """Return the texts of a batch's states, or raise `ServiceError` or `StateError`."""
    try:
        items = [bytes(item) for item in _split(data).states]
        is_odd = data.count(b'"states"') != 1 or b"\\" in data  # the field twice, perhaps disguised
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        items, is_odd = [], True
    if is_odd:
        items = _odd_items(data)
    if len(items) > limit:
        raise ServiceError(Kind.TOO_LARGE, f"{len(items)} states; allowed: at most {limit}")
    return items


def _odd_items(data: bytes) -> list[bytes]:
    """Return the items of a batch that is oddly spelt or nested too deep, or say what is wrong."""
    try:
        found = load_json(data)
    except NotJsonError as error:
        is_deep = isinstance(error.__cause__, RecursionError)
        items = split_list(data, "states") if is_deep else None
        if items is None:
            raise ServiceError(Kind.NOT_JSON, str(error), error.problems) from error
        return items
    if not isinstance(found, dict) or set(found) != {"states"}:
        raise StateError.of("body", found, '{"states": [...]}')
    items = split_list(data.decode(json.detect_encoding(data)).encode(), "states")
    if items is None:
        raise StateError.of("states", found["states"], "a list of states")
    return items


class Miss(NamedTuple):
    """An item that must be searched."""

    facts: Facts


class Batch:
    """Answers the states of one batch."""

    def __init__(self, service: Service, wishes: Wishes, exchange: Exchange) -> None:
        """Search no more at a time than there are threads, so that others get through."""
        self.service, self.wishes = service, wishes
        self.path, self.request_id = exchange.scope["path"], exchange.id
        self.deadline = time.monotonic() + service.settings.time_limit
        self._searching = asyncio.Semaphore(service.settings.solver_threads)

    async def results(self, data: bytes) -> list[bytes]:
        """Return the results as JSON."""
        run = partial(asyncio.get_running_loop().run_in_executor, self.service.pool)
        items = await run(batch_items, data, self.service.settings.batch_limit)
        results: list[bytes | Miss] = []
        while len(results) < len(items):
            async with self.service.pace.turn:
                end = len(results) + PART
                while len(results) < min(end, len(items)):
                    results += await self._stretch_results(len(results), items[len(results) : end])
                    await asyncio.sleep(0)  # whoever asks for one state is answered now
        # Only these are waited for: a task for each state would hold everybody up.
        misses = {
            number: self._searched(number, result.facts)
            for number, result in enumerate(results)
            if isinstance(result, Miss)
        }
        found = dict(zip(misses, await asyncio.gather(*misses.values()), strict=True))
        return [
            found[number] if isinstance(result, Miss) else result
            for number, result in enumerate(results)
        ]

    async def _stretch_results(self, first: int, items: Sequence[bytes]) -> list[bytes | Miss]:
        """Return the results of as many items as are answered in one stretch."""
        stretch = self.service.pace.stretch(items)
        if len(stretch[0]) > LONGEST_PLAIN:  # no state; what is wrong with it takes long to find
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self.service.pool, self._part_results, first, stretch)
        began = time.perf_counter()
        results = self._part_results(first, stretch)
        self.service.pace.note(len(stretch), time.perf_counter() - began)
        return results

    def _part_results(self, first: int, items: Sequence[bytes]) -> list[bytes | Miss]:
        """Return what the database says of some items, their errors, and what it does not have."""
        results: list[bytes | Miss] = []
        asked: list[Facts] = []
        places: list[int] = []
        for number, item in enumerate(items, start=first):
            try:
                facts = read_facts(item, self.service.catalogue)
            except Exception as error:  # noqa: BLE001  one item's error is that item's result
                results.append(self._error(error, number))
            else:
                asked.append(facts)
                places.append(number - first)
                results.append(Miss(facts))
        for place, answer in zip(places, self.service.look_up(asked, self.wishes), strict=True):
            if answer is not None:
                results[place] = encode(answer.as_object())
        return results

    async def _searched(self, number: int, facts: Facts) -> bytes:
        """Return what the search says of an item."""
        try:
            async with self._searching:
                if time.monotonic() >= self.deadline:
                    limit = self.service.settings.time_limit
                    raise ServiceError(Kind.TIME_LIMIT, f"the batch took more than {limit:g} s")
                answer: Answer = await self.service.search(facts, self.wishes)
                return encode(answer.as_object())
        except Exception as error:  # noqa: BLE001  as above
            return self._error(error, number)

    def _error(self, error: Exception, number: int) -> bytes:
        told = as_service_error(error)
        if told.kind is Kind.INTERNAL:
            raise error
        instance = f"{self.path}#/states/{number}"
        return encode(BatchError(problem_object(told, instance, self.request_id)))
