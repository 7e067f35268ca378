"""The service behind the routes: answers from the database, else live; the database's changes."""

from __future__ import annotations

import asyncio
import gc
import logging
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from enum import Enum
from pathlib import Path
from typing import Any

from app.errors import Kind, ServiceError
from app.live import Live
from app.metrics import Metrics
from app.settings import Settings
from app.wishes import Wishes
from engine.errors import (
    DamagedError,
    HalfBuiltError,
    NoDatabaseError,
    NotJsonError,
    StoreError,
)
from engine.game.cards import load_cards
from engine.game.dealing import Dealer
from engine.game.facts import Facts
from engine.game.state import State
from engine.text.wire import read_facts
from store.answer import Answer
from store.generations import DATA, Folder
from store.oracle import Oracle
from store.reader import Reader
from store.summary import summarise
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
        self.reader: Reader | None = None
        self.pool = ThreadPoolExecutor(1, thread_name_prefix="batch")  # the GIL lets no more work
        self._oracle = Oracle(None, on_damage=self._tell_damage)
        self._folder = Folder(settings.db)
        self._refused: str | None = None  # what was last said about a database that cannot be used
        self._refused_file: tuple[Path, int] | None = None  # and which that was
        self._summaries: dict[str, dict[str, Any]] = {}
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

    @property
    def generation(self) -> str | None:
        """Return the name of the generation that is served."""
        return self.reader.generation.name if self.reader else None

    async def _take_over(self) -> None:
        """Open the current generation if it is another than the one that is served."""
        seen = None
        try:
            current = self._folder.served()
            if self.reader and self.reader.generation == current:
                return
            seen = current, (current / DATA).stat().st_mtime_ns
            if seen == self._refused_file:
                return  # it was looked at already
            reader = await asyncio.to_thread(self._open)
        except (StoreError, OSError) as error:
            self._refused_file = seen
            self._tell_refused(error)
            return
        old, self.reader = self.reader, reader
        self._oracle = Oracle(reader, on_damage=self._tell_damage)
        self._refused = None
        self.metrics.taken_over.inc()
        log.info("database taken over", extra={"database": reader.generation.name})
        if old:
            asyncio.get_running_loop().call_later(OLD_READER_SECONDS, old.close)

    def _open(self) -> Reader:
        """Return the current database, after a probe."""
        reader = Reader(self.settings.db, self.catalogue, blocks_kept=self.settings.blocks_kept)
        reader.get(State.start(Dealer(self.catalogue).deal(0)))
        return reader

    def _tell_refused(self, error: Exception) -> None:
        """Say once why a database is not served."""
        if self._refused != str(error):
            self._refused = str(error)
            is_usual = isinstance(error, NoDatabaseError | HalfBuiltError)
            level = logging.INFO if is_usual else logging.WARNING
            meanwhile = f"{self.generation} is served" if self.reader else "states are searched"
            log.log(level, "no database: %s; %s", error, meanwhile)

    def _tell_damage(self, error: DamagedError) -> None:
        self.metrics.damage.inc()
        log.warning("damage in the database: %s; searched around", error)

    async def describe(self) -> dict[str, Any]:
        """Return what the database covers; added up once for each generation."""
        reader = self.reader
        if reader is None:
            return {"generation": None}
        if reader.generation.name not in self._summaries:
            try:
                facts = await asyncio.to_thread(summarise, reader)
            except DamagedError as error:
                self._tell_damage(error)
                facts = {"generation": reader.generation.name, "damage": str(error)}
            self._summaries = {reader.generation.name: facts}
        return self._summaries[reader.generation.name]

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

    async def answer(self, facts: Facts, wishes: Wishes) -> Answer:
        """Return the answer to a state."""
        (answer,) = self.look_up([facts], wishes)
        return answer or await self.search(facts, wishes)
