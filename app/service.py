"""The service behind the routes: answers from the database, else live; the database's changes."""

from __future__ import annotations

import asyncio
import logging
from enum import Enum
from typing import Any

from app.errors import Kind, ServiceError
from app.live import Live
from app.metrics import Metrics
from app.settings import Settings
from engine.cards import load_cards
from engine.dealing import Dealer
from engine.errors import DamagedError, NoDatabaseError, StoreError
from engine.solve import Solver
from engine.state import State
from store.answer import Answer
from store.generations import Folder
from store.oracle import Oracle
from store.reader import Reader, warm_up
from store.summary import summarise

log = logging.getLogger("triad.service")

OLD_READER_SECONDS = 5.0  # how long a replaced database stays open for who still reads it


class Phase(Enum):
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
        self.phase = Phase.STARTING
        self.live = Live(
            settings.solver_threads, settings.queue, settings.time_limit, settings.answers_kept
        )
        self.reader: Reader | None = None
        self._oracle = Oracle(None, Solver(), on_damage=self._tell_damage)
        self._folder = Folder(settings.db)
        self._refused: str | None = None  # what was last said about a database that cannot be used
        self._summaries: dict[str, dict[str, Any]] = {}
        self._tasks: list[asyncio.Task[None]] = []

    async def start(self) -> None:
        """Compile, open the database, and watch for its successors; returns at once."""
        self._tasks.append(asyncio.create_task(self._prepare()))

    async def stop(self) -> None:
        """End everything that runs beside the event loop."""
        self.phase = Phase.DRAINING
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await asyncio.to_thread(self.live.close)
        if self.reader:
            self.reader.close()

    async def _prepare(self) -> None:
        try:
            await asyncio.to_thread(self._warm)
            await self._take_over()
            self.phase = Phase.READY
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
        state = State.start(Dealer(self.catalogue).deal(0))
        answer = Oracle(None, Solver()).search(state, moves=True)
        state.captures(answer.solution.line[0])
        answer.as_dict()
        warm_up(state)

    @property
    def generation(self) -> str | None:
        """Return the name of the generation that is served."""
        return self.reader.generation.name if self.reader else None

    async def _take_over(self) -> None:
        """Open the current generation if it is another than the one that is served."""
        try:
            current = self._folder.served()
            if self.reader and self.reader.generation == current:
                return
            reader = await asyncio.to_thread(self._open)
        except StoreError as error:
            self._tell_refused(error)
            return
        old, self.reader = self.reader, reader
        self._oracle.reader = reader
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

    def _tell_refused(self, error: StoreError) -> None:
        """Say once why a database is not served."""
        if self._refused != str(error):
            self._refused = str(error)
            level = logging.INFO if isinstance(error, NoDatabaseError) else logging.WARNING
            log.log(level, "no database: %s; states are searched", error)

    def _tell_damage(self, error: DamagedError) -> None:
        self.metrics.damage.inc()
        log.warning("damage in the database: %s; searched around", error)

    async def describe(self) -> dict[str, Any]:
        """Return what the database covers; added up once for each generation."""
        reader = self.reader
        if reader is None:
            return {"generation": None}
        if reader.generation.name not in self._summaries:
            facts = await asyncio.to_thread(summarise, reader)
            self._summaries = {reader.generation.name: facts}
        return self._summaries[reader.generation.name]

    def check_ready(self) -> None:
        """Raise `ServiceError` unless states can be answered."""
        if self.phase is Phase.STARTING:
            raise ServiceError(Kind.STARTING, "kernels are being prepared; ask again soon")

    def look_up(self, state: State, *, moves: bool) -> Answer | None:
        """Return the database's answer, if it has one."""
        answer = self._oracle.look_up(state, moves=moves)
        (self.metrics.misses if answer is None else self.metrics.hits).inc()
        return answer

    async def answer(self, state: State, *, moves: bool = False) -> Answer:
        """Return the answer to a state."""
        return self.look_up(state, moves=moves) or await self.live.answer(state, moves=moves)
