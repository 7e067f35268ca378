"""Searches beside the event loop, below HTTP: shared, bounded, stopped, kept."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any

import pytest
from prometheus_client import REGISTRY

from app.errors import Kind, ServiceError
from app.live import Live
from app.wishes import Wishes
from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.search.solver import Solver
from store.answer import SEARCH, Answer
from tests.databases import later, small_roots

PATIENCE = 60
LATE_PLY = 6  # whose searches take no time, without the compiler too
PLAIN, ALL = Wishes(), Wishes(moves=True)


def opening(number: int) -> State:
    """Return an opening that takes a search tens of milliseconds, all its moves hundreds."""
    rules = Rules.of(SWITCHES, Variant.FF8)
    return State.start(Dealer(default_catalogue(), 9, rules).deal(number))


def late(number: int) -> State:
    return later(opening(number), LATE_PLY)


def counted(name: str) -> float:
    return REGISTRY.get_sample_value(name) or 0.0


def searches_begun() -> float:
    return counted("triad_solve_seconds_count")


@asynccontextmanager
async def searching(
    *, threads: int = 1, queue: int = 100, time_limit: float = PATIENCE, kept: int = 100
) -> AsyncIterator[Live]:
    live = Live(threads, queue, time_limit, kept)
    try:
        yield live
    finally:
        await asyncio.to_thread(live.close)


async def ask_all(live: Live, questions: list[tuple[State, Wishes]]) -> list[Answer | Exception]:
    """Ask all at once: the event loop sees every question before any answer."""
    results = await asyncio.gather(
        *(live.answer(*question) for question in questions), return_exceptions=True
    )
    assert all(isinstance(result, Answer | Exception) for result in results)
    return [result for result in results if isinstance(result, Answer | Exception)]


def kinds_of(results: list[Answer | Exception]) -> list[Kind | None]:
    """Return which errors there are among results; None for answers."""
    errors = [result if isinstance(result, Exception) else None for result in results]
    assert all(error is None or isinstance(error, ServiceError) for error in errors)
    return [error.kind if isinstance(error, ServiceError) else None for error in errors]


def run(test: Coroutine[Any, Any, None]) -> None:
    asyncio.run(asyncio.wait_for(test, PATIENCE))


def test_answer_is_the_solver_s() -> None:
    async def ask() -> None:
        async with searching() as live:
            answer = await live.answer(late(0), ALL)
            assert answer.source == SEARCH
            assert answer.solution == Solver().solve(late(0))
            assert answer.ranking is not None
            assert len(answer.ranking) == len(late(0).legal_moves())

    run(ask())


def test_equal_questions_at_once_are_searched_once() -> None:
    async def ask() -> None:
        async with searching(threads=2, queue=0) as live:
            before = searches_begun()
            results = await ask_all(live, [(late(1), PLAIN)] * 20)
            assert searches_begun() - before == 1
            assert all(result is results[0] for result in results)
            assert kinds_of(results) == [None] * 20

    run(ask())


def test_states_equal_to_players_are_equal_questions() -> None:
    """Whichever deal they were put into: the one they were played in, or one that fits."""

    async def ask() -> None:
        state = late(1)
        again = State.from_facts(state.facts, default_catalogue())
        async with searching() as live:
            before = searches_begun()
            first, second = await ask_all(live, [(state, PLAIN), (again, PLAIN)])
            assert first is second
            assert searches_begun() - before == 1

    run(ask())


def test_different_wishes_are_different_questions() -> None:
    async def ask() -> None:
        wishes = [Wishes(moves, pv) for moves in (False, True) for pv in (False, True)]
        async with searching() as live:
            before = searches_begun()
            results = await ask_all(live, [(late(2), wish) for wish in wishes])
            assert searches_begun() - before == len(wishes)
            answers = [result for result in results if isinstance(result, Answer)]
            given = [Wishes(answer.ranking is not None, answer.has_line) for answer in answers]
            assert given == wishes

    run(ask())


def test_full_queue_is_busy() -> None:
    async def ask() -> None:
        async with searching(threads=1, queue=2) as live:
            before = counted("triad_searches_refused_total")
            results = await ask_all(live, [(late(number), PLAIN) for number in range(5)])
            assert kinds_of(results) == [None, None, None, Kind.BUSY, Kind.BUSY]
            assert "3 searches are running or waiting" in str(results[3])
            assert counted("triad_searches_refused_total") - before == 2

    run(ask())


def test_equal_question_joins_when_the_queue_is_full() -> None:
    async def ask() -> None:
        async with searching(threads=1, queue=0) as live:
            results = await ask_all(live, [(late(number), PLAIN) for number in (0, 1, 0)])
            assert kinds_of(results) == [None, Kind.BUSY, None]

    run(ask())


def test_queue_has_room_again_after_an_answer() -> None:
    async def ask() -> None:
        async with searching(threads=1, queue=0) as live:
            for number in range(3):
                assert kinds_of(await ask_all(live, [(late(number), PLAIN)])) == [None]
                assert live.waiting == 0

    run(ask())


def test_search_beyond_the_time_limit_is_stopped() -> None:
    async def ask() -> None:
        async with searching(time_limit=0.01) as live:
            before = counted("triad_searches_stopped_total")
            results = await ask_all(live, [(opening(0), ALL)] * 2)
            assert kinds_of(results) == [Kind.TIME_LIMIT] * 2
            assert "0.01 s" in str(results[0])
            assert counted("triad_searches_stopped_total") - before == 1
            assert live.waiting == 0

    run(ask())


def test_search_after_a_stopped_one_is_answered_by_the_same_thread() -> None:
    async def ask() -> None:
        async with searching(threads=1, time_limit=0.01) as live:
            assert kinds_of(await ask_all(live, [(opening(0), ALL)])) == [Kind.TIME_LIMIT]
            threads = search_threads()
            live.time_limit = PATIENCE
            answer = await live.answer(late(0), PLAIN)
            assert answer.solution == Solver().solve(late(0))
            assert search_threads() == threads

    run(ask())


def search_threads() -> set[int | None]:
    return {thread.ident for thread in threading.enumerate() if thread.name.startswith("search")}


def test_stopped_search_is_searched_anew_when_asked_again() -> None:
    async def ask() -> None:
        async with searching(time_limit=0.01) as live:
            before = searches_begun()
            for _ in range(2):
                assert kinds_of(await ask_all(live, [(opening(0), ALL)])) == [Kind.TIME_LIMIT]
            assert searches_begun() - before == 2

    run(ask())


def test_kept_answer_is_given_again_without_a_search() -> None:
    async def ask() -> None:
        async with searching() as live:
            first = await live.answer(late(0), PLAIN)
            begun, kept = searches_begun(), counted("triad_answers_kept_total")
            assert await live.answer(late(0), PLAIN) is first
            assert searches_begun() == begun
            assert counted("triad_answers_kept_total") - kept == 1

    run(ask())


def test_kept_answers_are_bounded_and_the_longest_unused_goes() -> None:
    async def ask() -> None:
        async with searching(kept=2) as live:
            for number in (0, 1, 0, 2):  # 1 is the longest unused
                await live.answer(late(number), PLAIN)
            begun = searches_begun()
            for number in (0, 2):
                await live.answer(late(number), PLAIN)
            assert searches_begun() == begun
            await live.answer(late(1), PLAIN)
            assert searches_begun() == begun + 1

    run(ask())


def test_nothing_is_kept_when_nothing_is_to_be() -> None:
    async def ask() -> None:
        async with searching(kept=0) as live:
            begun = searches_begun()
            for _ in range(2):
                await live.answer(late(0), PLAIN)
            assert searches_begun() - begun == 2

    run(ask())


def test_search_goes_on_for_others_when_one_no_longer_waits() -> None:
    async def ask() -> None:
        async with searching() as live:
            gone = asyncio.create_task(live.answer(late(0), PLAIN))
            stays = asyncio.create_task(live.answer(late(0), PLAIN))
            await asyncio.sleep(0)  # both have asked
            assert live.waiting == 1
            gone.cancel()
            assert (await stays).solution == Solver().solve(late(0))
            assert gone.cancelled()

    run(ask())


def test_close_ends_running_and_waiting_searches() -> None:
    async def ask() -> None:
        live = Live(1, 100, PATIENCE, 100)
        asked = [asyncio.create_task(live.answer(opening(number), ALL)) for number in range(20)]
        begun = searches_begun()
        await until_searched(live)
        await asyncio.to_thread(live.close)
        results = await asyncio.gather(*asked, return_exceptions=True)
        assert isinstance(results[-1], ServiceError)  # it waited
        stopped = [result for result in results if isinstance(result, ServiceError)]
        answered = [result for result in results if isinstance(result, Answer)]
        assert len(stopped) + len(answered) == len(asked)
        assert searches_begun() - begun > len(answered)  # it ran, and has no answer
        assert live.waiting == 0
        assert not search_threads()

    run(ask())


async def until_searched(live: Live) -> None:
    """Wait until a search is under way."""
    until = time.monotonic() + PATIENCE
    while not any(search.query.nodes for search in live._searches.values()):
        assert time.monotonic() < until
        await asyncio.sleep(0.001)


def test_close_without_a_search_is_nothing() -> None:
    live = Live(1, 1, PATIENCE, 1)
    live.close()
    assert live.waiting == 0


@pytest.mark.parametrize("moves", [False, True])
def test_finished_game_is_answered(moves: bool) -> None:
    async def ask() -> None:
        state = later(opening(0), 9)
        async with searching() as live:
            answer = await live.answer(state, Wishes(moves=moves))
            assert (answer.solution.margin, answer.solution.line) == (state.margin, ())
            assert answer.ranking == ([] if moves else None)

    run(ask())


def test_question_after_the_close_is_refused_each_time(question: State) -> None:
    async def ask() -> None:
        live = Live(1, 1, PATIENCE, 1)
        live.close()
        for _ in range(2):
            with pytest.raises(ServiceError, match="shutting down") as refused:
                await live.answer(question, Wishes())
            assert refused.value.kind is Kind.STARTING
        assert live.waiting == 0

    asyncio.run(ask())


@pytest.fixture
def question() -> State:
    return small_roots(1, 6)[0]


async def caught(work: Coroutine[Any, Any, Any]) -> Kind:
    with pytest.raises(ServiceError) as error:
        await work
    return error.value.kind


def test_other_work_takes_the_place_of_a_search() -> None:
    async def test() -> None:
        release = threading.Event()
        async with searching(threads=1, queue=1) as live:
            works = [asyncio.create_task(live.run(release.wait)) for _ in range(2)]
            await asyncio.sleep(0)
            assert live.waiting == 2
            assert await caught(live.run(release.wait)) is Kind.BUSY
            assert await caught(live.answer(late(0), PLAIN)) is Kind.BUSY
            release.set()
            assert await asyncio.gather(*works) == [True, True]
            assert live.waiting == 0

    run(test())


def test_other_work_that_takes_too_long_is_told_and_keeps_its_place() -> None:
    async def test() -> None:
        release = threading.Event()
        async with searching(threads=1, queue=1, time_limit=0.01) as live:
            assert await caught(live.run(release.wait)) is Kind.TIME_LIMIT
            assert live.waiting == 1
            release.set()
            while live.waiting:
                await asyncio.sleep(0.01)

    run(test())


def test_other_work_that_fails_tells_why() -> None:
    async def test() -> None:
        async with searching() as live:
            with pytest.raises(ZeroDivisionError):
                await live.run(lambda: 1 // 0)
            assert live.waiting == 0

    run(test())


def test_other_work_that_has_not_begun_never_does_at_the_end() -> None:
    async def test() -> None:
        release = threading.Event()
        async with searching(threads=1) as live:
            begun = asyncio.create_task(live.run(release.wait))
            waiting = asyncio.create_task(caught(live.run(release.wait)))
            await asyncio.sleep(0.05)
            closing = asyncio.create_task(asyncio.to_thread(live.close))
            assert await waiting is Kind.STARTING
            release.set()
            assert await begun
            await closing
            assert await caught(live.run(release.wait)) is Kind.STARTING

    run(test())
