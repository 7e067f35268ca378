"""The service behind the routes: answers from the database, else live; the database's changes."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from functools import partial
from typing import Any

from advise.fallible import FIRST_PLY as FIRST_FALLIBLE_PLY, fallible_moves
from advise.warm_up import warm_up_advice
from app.advice import AdviceDesk
from app.advice_answer import DECIMALS
from app.errors import Kind, ServiceError
from app.live import Live
from app.metrics import Metrics
from app.opponents import warm_up as warm_up_opponents
from app.settings import Settings
from app.wishes import Wishes
from engine.errors import (
    DamagedError,
    HalfBuiltError,
    NoDatabaseError,
    NotJsonError,
    StoreError,
)
from engine.game.board import CELLS
from engine.game.cards import load_cards
from engine.game.dealing import Dealer
from engine.game.facts import Facts
from engine.game.state import State
from engine.text.wire import read_facts
from store.answer import Answer
from store.deals import DealFilter, DealPage, page_of
from store.generations import Folder
from store.oracle import Oracle
from store.reader import Reader
from store.summary import name_of, summarise
from store.warm_up import warm_up

log = logging.getLogger("triad.service")


WARM_PLY = 4  # a state whose search runs every kernel and takes no time
LONGEST_PLAIN = 16_384  # bytes; a state is about one thousand, with every space there can be
OLD_READER_SECONDS = 5.0  # how long a replaced database stays open for who still reads it


class ServicePhase(Enum):
    """Where in its life a service is."""

    STARTING = "starting"
    READY = "ready"
    DRAINING = "draining"


class Service:
    """Answers states."""

    def __init__(self, settings: Settings) -> None:
        """Load the cards; everything else waits for `start`."""
        self.settings = settings
        self.catalogue = load_cards(settings.cards)
        self.metrics = Metrics()
        self.phase = ServicePhase.STARTING
        self.live = Live(
            settings.solver_threads, settings.queue, settings.time_limit, settings.answers_kept
        )
        self.desk = AdviceDesk(
            settings.advice_threads,
            settings.advice_queue,
            settings.advice_seconds,
            self.live,
            self.catalogue,
        )
        self.reader: Reader | None = None
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="batch")  # the GIL lets no more work
        self._oracle = Oracle(None, on_damage=self._tell_damage)
        self._folders = [Folder(path) for path in settings.folders]
        self._seen: list[object] = []  # of the databases, when they were last looked at
        self.refused: str | None = None  # why what is there now is not what is served
        self._summary: tuple[Reader, dict[str, Any]] | None = None
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Compile, open the database, and watch for its successors; returns at once."""
        self._tasks.append(asyncio.create_task(self._prepare()))

    async def stop(self) -> None:
        """End everything that runs beside the event loop."""
        self.phase = ServicePhase.DRAINING
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.to_thread(self.live.close)
        await asyncio.to_thread(self.desk.close)
        self.pool.shutdown()
        if self.reader:
            self.reader.close()

    async def _prepare(self) -> None:
        try:
            await asyncio.gather(asyncio.to_thread(self._warm), self._take_over())
            gc.collect()
            gc.freeze()  # compiler, kernels, cards: they stay, and need not be looked at again
            self.phase = ServicePhase.READY
            log.info("ready", extra={"database": self.generation})
            while True:
                await asyncio.sleep(self.settings.poll_seconds)
                await self._take_over()
        except asyncio.CancelledError:
            raise
        except Exception:
            log.exception("the service cannot start")

    def _warm(self) -> None:
        """Run every kernel once; on a fresh machine that compiles them."""
        log.info("preparing kernels; on a fresh machine they are compiled, which takes a minute")
        opening = State.start(Dealer(self.catalogue).deal(0))
        state = opening
        while state.ply < WARM_PLY:
            state = state.play(state.legal_moves()[0])
        answer = Oracle(None).search(state, moves=True)
        state.captures(answer.solution.line[0])
        warm_up(opening)
        warm_up_advice(self.catalogue)
        warm_up_opponents(self.catalogue)

    @property
    def generation(self) -> str | None:
        """Return the name of the generation that is served."""
        return name_of(self.reader.parts.generations) if self.reader else None

    async def _take_over(self) -> None:
        """Open the databases that are there now, if anything of them is new."""
        seen = await asyncio.to_thread(self._look)
        if seen == self._seen:
            return
        self._seen = seen
        try:
            reader = await asyncio.to_thread(self._open)
        except (StoreError, OSError) as error:
            self._tell_refused(error)
            return
        old, self.reader = self.reader, reader
        self._oracle = Oracle(reader, on_damage=self._tell_damage)
        self.refused = None
        self.metrics.taken_over.inc()
        self.metrics.left_out.set(len(reader.parts.left_out))
        for left in reader.parts.left_out:
            log.warning("left out of the database: %s: %s", left.name, left.reason)
        for generation in reader.parts.generations:
            if generation.is_old:
                note = generation.format_note
                log.info("%s: served as it is; precompute compact converts it", note)
        log.info("database taken over", extra={"database": self.generation})
        if old:
            asyncio.get_running_loop().call_later(OLD_READER_SECONDS, old.close)

    def _look(self) -> list[object]:
        """Return what would be different if anything of the databases were."""
        seen: list[object] = []
        for folder in self._folders:
            try:
                seen.append(folder.served().marks())
            except (StoreError, OSError) as error:
                seen.append(str(error))
        return seen

    def _open(self) -> Reader:
        """Return the databases that are there now, after a probe."""
        paths, kept = self.settings.folders, self.settings.blocks_kept
        reader = Reader(paths, self.catalogue, blocks_kept=kept)
        reader.get(State.start(Dealer(self.catalogue).deal(0)))
        return reader

    def _tell_refused(self, error: Exception) -> None:
        """Say why what is there is not served; that nothing is there is no refusal."""
        is_refusal = self.reader is not None or not isinstance(error, NoDatabaseError)
        self.refused = str(error) if is_refusal else None
        is_usual = isinstance(error, NoDatabaseError | HalfBuiltError)
        level = logging.INFO if is_usual else logging.WARNING
        meanwhile = f"{self.generation} is served" if self.reader else "states are searched"
        log.log(level, "no database: %s; %s", error, meanwhile)

    def _tell_damage(self, error: DamagedError) -> None:
        self.metrics.damage.inc()
        log.warning("damage in the database: %s; searched around", error)

    async def describe(self) -> dict[str, Any]:
        """Return what the database covers, and why what is there is not served, if it is not."""
        reader = self.reader
        if reader is None:
            return {"generation": None, **self._refusal()}
        if self._summary is None or self._summary[0] is not reader:
            try:
                facts = await asyncio.to_thread(summarise, reader.parts)
            except DamagedError as error:
                self._tell_damage(error)
                facts = {"generation": self.generation, "damage": str(error)}
            self._summary = reader, facts
        return {**self._summary[1], **self._refusal()}

    async def deals(self, wanted: DealFilter, after: bytes, limit: int) -> DealPage:
        """Return a page of the deals that the database has."""
        if self.reader is None:
            return DealPage([], None)
        return await asyncio.to_thread(
            page_of, self.reader, wanted, after, limit=limit, on_damage=self._tell_damage
        )

    def _refusal(self) -> dict[str, str]:
        return {"refused": self.refused} if self.refused else {}

    def check_ready(self) -> None:
        """Raise `ServiceError` unless states can be answered."""
        if self.phase is ServicePhase.STARTING:
            raise ServiceError(Kind.STARTING, "kernels are being prepared; ask again soon")

    async def read(self, data: bytes) -> Facts:
        """Return the facts of the state that a body describes, or raise an error that says why not.

        A long body cannot be a plain state: what is wrong with it is found beside the event loop.
        """
        try:
            if len(data) <= LONGEST_PLAIN:
                return read_facts(data, self.catalogue)
            return await asyncio.to_thread(read_facts, data, self.catalogue)
        except NotJsonError as error:
            raise ServiceError(Kind.NOT_JSON, str(error), error.problems) from error

    def look_up(self, asked: Sequence[Facts], wishes: Wishes) -> list[Answer | None]:
        """Return the database's answers; None for states that must be searched."""
        answers = self._oracle.look_up(asked, moves=wishes.moves, pv=wishes.pv)
        missing = answers.count(None)
        if missing:
            self.metrics.misses.inc(missing)
        if missing < len(answers):
            self.metrics.hits.inc(len(answers) - missing)
        return answers

    async def search(self, facts: Facts, wishes: Wishes) -> Answer:
        """Return the search's answer."""
        return await self.live.answer(State.from_facts(facts, self.catalogue), wishes)

    async def fallible(self, facts: Facts) -> dict[tuple[int, int], float]:
        """Return what moves are worth against one who errs; nothing before it can be computed."""
        if not FIRST_FALLIBLE_PLY <= facts.ply < CELLS:
            return {}
        state = State.from_facts(facts, self.catalogue)
        found = await self.live.run(partial(fallible_moves, state))
        return {(card, cell): round(worth, DECIMALS) for (card, cell), worth in found.items()}

    async def answer(self, facts: Facts, wishes: Wishes) -> Answer:
        """Return the answer to a state."""
        (answer,) = self.look_up([facts], wishes)
        return answer or await self.search(facts, wishes)
