"""The workers of a cluster that may solve for a job: who has come, who is fit, who has gone."""

from __future__ import annotations

import time
from concurrent.futures import Future as Answer
from pathlib import Path

from console.progress import counted
from engine.cards import Catalogue
from engine.errors import shown
from precompute.connection import AnswerError, Connection, WorkerDiedError
from precompute.crew import ClusterError, Watch
from precompute.resources import NotEnoughMemoryError, check_ceiling
from precompute.worker import Facts, introduce


class Roster:
    """Asks every worker what it is, when it comes, and lets only those work that fit the job."""

    def __init__(
        self, connection: Connection, catalogue: Catalogue, cards: Path | None, needed: int
    ) -> None:
        """Look for workers with the same cards, and memory for `needed` MiB."""
        self._connection, self._catalogue, self._cards = connection, catalogue, cards
        self._needed = needed
        self._asked: dict[str, Answer[Facts]] = {}
        self._refused: dict[str, str] = {}
        self.fit: dict[str, Facts] = {}
        self._has_begun, self._last_fit = False, time.monotonic()

    def call(self, watch: Watch) -> set[str]:
        """Find out who is there and what the newcomers are; return who has gone."""
        present = self._connection.workers()
        gone = {*self._asked, *self._refused, *self.fit} - present
        for address in gone:
            self.forget(address)
        for address in present - {*self._asked, *self._refused, *self.fit}:
            self._asked[address] = self._connection.ask(address, introduce, self._cards)
        for address in [address for address, answer in self._asked.items() if answer.done()]:
            self._meet(address, self._asked.pop(address), watch)
        if self.fit:
            self._has_begun, self._last_fit = True, time.monotonic()
        return gone

    def forget(self, address: str) -> None:
        """Know nothing of a worker any more; if it is still there it is asked again."""
        answer = self._asked.pop(address, None)
        if answer:
            answer.cancel()
        self._refused.pop(address, None)
        self.fit.pop(address, None)

    @property
    def is_awaiting(self) -> bool:
        """Tell whether a worker has been asked and has not answered."""
        return bool(self._asked)

    def check(self, patience: float) -> None:
        """Raise `ClusterError` when nobody is fit: all are refused, or none has come in time.

        Those who were fit and have gone may come back.
        """
        if self.fit:
            return
        is_late = time.monotonic() - self._last_fit > patience
        if self._refused and not self._asked and (is_late or not self._has_begun):
            address, reason = next(iter(self._refused.items()))
            refused = counted(len(self._refused), "worker")
            raise ClusterError(f"no worker can be used; of {refused}, {address} {reason}")
        if is_late:
            silent = f"has {counted(len(self._asked), 'worker')}, but no answer from any"
            raise ClusterError(
                f"the Dask scheduler at {self._connection.address} "
                f"{silent if self._asked else 'has had no worker'} for {patience:.0f} s"
            )

    def __str__(self) -> str:
        """Return the workers in words."""
        threads = sum(facts.threads for facts in self.fit.values())
        return f"{counted(len(self.fit), 'worker')} with {counted(threads, 'thread')}"

    def _meet(self, address: str, answer: Answer[Facts], watch: Watch) -> None:
        """Take a worker on, or refuse it and say why."""
        try:
            facts = answer.result()
        except WorkerDiedError:
            return
        except AnswerError as error:
            reason = f"cannot say what it is: {shown(error.__cause__)}"
        else:
            reason = self._objection(facts)
            if not reason:
                self.fit[address] = facts
                return
        self._refused[address] = reason
        watch.tell(f"worker refused: {address} {reason}")

    def _objection(self, facts: Facts) -> str:
        """Return why a worker may not work for this job, if it may not."""
        difference = facts.manifest.difference(self._catalogue)
        if difference:
            return f"has {difference}"
        try:
            check_ceiling(self._needed, facts.ceiling, "80 % of its --memory-limit")
        except NotEnoughMemoryError as error:
            return f"has too little {error}"
        return ""
