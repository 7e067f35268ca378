"""A crew on a Dask cluster: roots go out to its workers, and come back solved to the one writer.

    waiting ──→ in flight: a root at work on each worker, another at its door ──→ solved
       ↑                                │
       └────── its worker has gone ─────┘

Roots are given to workers by name, not left to the scheduler: a root takes a worker's threads
all together, and most of its memory. Nothing outlives its use: neither scheduler nor writer
holds more than what is in flight, however long the plan.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future as Answer
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import NamedTuple

from engine.cards import Catalogue
from engine.errors import MismatchError, shown
from precompute import worker
from precompute.connection import AnswerError, Connection, WorkerDiedError
from precompute.crew import ClusterError, Watch, Work
from precompute.resources import check_ceiling, memory_needed
from precompute.roots import SolvedRoot
from precompute.roster import Roster
from store.records import Manifest, PlannedRoot

Connect = Callable[[int], Connection]  # for roots that take so many MiB at most
Send = Callable[[str, PlannedRoot], Answer[SolvedRoot]]  # a root to the worker of that address

PATIENCE = 60.0  # seconds without a worker: long enough for one to be started again
ROLL_SECONDS = 1.0  # between two looks at who is there
ASSEMBLY_SECONDS = 5.0  # that workers have to say what they are before a job begins without them
GLANCE_SECONDS = 0.05  # the same while a job waits to begin
MOST_LOST = 3  # workers that die over the same root; a single one may die of anything


def connect_to(address: str) -> Connect:
    """Return the way to a scheduler that is there."""
    return lambda _needed: Connection.to(address)


def connect_to_own(threads: int, memory: int) -> Connect:
    """Return the way to a cluster on this machine, with so many threads and MiB in all."""

    def connect(needed: int) -> Connection:
        check_ceiling(needed, memory)
        workers = min(threads, memory // needed)
        return Connection.to_own(workers, -(-threads // workers), memory // workers)

    return connect


@dataclass(frozen=True)
class ClusterCrew:
    """The workers of a Dask cluster."""

    connect: Connect
    cards: Path | None  # where workers have the card file; None for their own
    patience: float = PATIENCE

    @contextmanager
    def engaged(
        self, plan: Sequence[PlannedRoot], catalogue: Catalogue, watch: Watch
    ) -> Iterator[Work]:
        """Connect, and see who is there."""
        needed = memory_needed(plan, catalogue)
        manifest = Manifest.begun(catalogue)
        connection = self.connect(needed)

        def send(address: str, planned: PlannedRoot) -> Answer[SolvedRoot]:
            return connection.ask(address, worker.solve, planned, self.cards, manifest)

        try:
            roster = Roster(connection, catalogue, self.cards, needed)
            self._assemble(roster, watch)
            means = f"{roster} at {connection.address}, {needed:,} MiB of each"
            yield Work(means, Dispatch(roster, send, plan).solve(watch, self.patience))
        finally:
            connection.close()

    def _assemble(self, roster: Roster, watch: Watch) -> None:
        """Wait for a worker that is fit; and a little for the others that are there."""
        until = time.monotonic() + ASSEMBLY_SECONDS
        while not roster.fit or (roster.is_awaiting and time.monotonic() < until):
            roster.call(watch)
            roster.check(self.patience)
            time.sleep(GLANCE_SECONDS)


class Flight(NamedTuple):
    """A root that a worker has."""

    planned: PlannedRoot
    address: str
    answer: Answer[SolvedRoot]


class Dispatch:
    """Hands the roots of a plan out, and takes them back, solved or lost."""

    def __init__(self, roster: Roster, send: Send, plan: Sequence[PlannedRoot]) -> None:
        """Begin with everything waiting."""
        self._roster, self._send = roster, send
        self._waiting = deque(plan)
        self._flights: dict[str, list[Flight]] = {}  # of each worker, the oldest first
        self._landed: SimpleQueue[Flight] = SimpleQueue()
        self._lost: Counter[PlannedRoot] = Counter()

    def solve(self, watch: Watch, patience: float) -> Iterator[SolvedRoot]:
        """Return the roots as they are solved."""
        called = -ROLL_SECONDS
        while self._waiting or any(self._flights.values()):
            if time.monotonic() - called >= ROLL_SECONDS:
                called = time.monotonic()
                self._call_roll(watch)
                self._roster.check(patience)
            self._hand_out()
            solved = self._next()
            if solved:
                yield solved

    def _call_roll(self, watch: Watch) -> None:
        """Look who is there, and take back the roots of those who have gone."""
        for address in self._roster.call(watch):
            flights = self._flights.pop(address, [])
            for flight in reversed(flights):
                flight.answer.cancel()
                self._waiting.appendleft(flight.planned)
            if flights:
                self._count_lost(flights[0])  # the others had not been begun
        watch.staff(len(self._roster.fit))

    def _hand_out(self) -> None:
        """Give every worker a root, and another to have at hand while there are plenty."""
        fit = self._roster.fit
        for most in (1, 2):
            for address in fit:
                is_scarce = most > 1 and len(self._waiting) <= len(fit)
                if not self._waiting or is_scarce:
                    return
                if len(self._flights.setdefault(address, [])) < most:
                    self._launch(address, self._waiting.popleft())

    def _launch(self, address: str, planned: PlannedRoot) -> None:
        flight = Flight(planned, address, self._send(address, planned))
        self._flights[address].append(flight)
        flight.answer.add_done_callback(lambda _: self._landed.put(flight))

    def _next(self) -> SolvedRoot | None:
        """Return the next solved root; None when there is news of another kind, or none yet."""
        try:
            flight = self._landed.get(timeout=ROLL_SECONDS)
        except Empty:
            return None
        flights = self._flights.get(flight.address, [])
        if flight not in flights:  # taken back since
            return None
        flights.remove(flight)
        try:
            return flight.answer.result()
        except WorkerDiedError:
            self._count_lost(flight)
        except AnswerError as error:
            if not isinstance(error.__cause__, MismatchError):
                what = f"{flight.planned.root} could not be solved by {flight.address}"
                raise ClusterError(f"{what}: {shown(error.__cause__)}") from error
            self._roster.forget(flight.address)
        self._waiting.appendleft(flight.planned)
        return None

    def _count_lost(self, flight: Flight) -> None:
        """Give a root up that worker after worker dies of."""
        self._lost[flight.planned] += 1
        if self._lost[flight.planned] == MOST_LOST:
            raise ClusterError(
                f"{MOST_LOST} workers died over {flight.planned.root}, the last was "
                f"{flight.address}: their own logs or their machines may say of what"
            )
