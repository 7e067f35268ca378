"""What a thread labels states with: a solver that keeps its table, and a tree search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from queue import SimpleQueue

import numpy as np
from numpy.random import Generator

from engine.deal import Deal
from engine.errors import SearchStoppedError
from engine.label import Codes
from engine.mcts import TreeSearch
from engine.search import MOST_MOVES
from engine.solve import Solver
from engine.state import State
from engine.table import Table
from precompute.export.chances import Chances, millionths, score_weights
from precompute.export.recipe import Labels, PolicyFormat
from precompute.export.rows import ONEHOT

TABLE_MEBIBYTES = 32
RandomOf = Callable[[State], Generator]


class Worker:
    """Labels states. Labels never depend on what its table holds."""

    def __init__(self, labels: Labels, mebibytes: int) -> None:
        """Make a table of at most this size."""
        self.labels = labels
        self.solver = Solver(Table(mebibytes), keeps_table=True)
        self._search = TreeSearch(labels.mcts_rollouts)
        self._is_stopped = False
        self.nodes = 0

    def stop(self) -> None:
        """Make what it is asked, now and later, end in `SearchStoppedError`; from any thread."""
        self._is_stopped = True
        self.solver.stop()

    def best(self, deal: Deal, codes: Codes) -> tuple[Codes, Codes]:
        """Return each state's best move, packed, and the starter's cards at the end."""
        self._check()
        found = self.solver.label(deal, codes)
        self.nodes += self.solver.nodes
        return found

    def scores(self, deal: Deal, codes: Codes) -> Codes:
        """Return the mover's cards at the end after each move [n, 45]."""
        self._check()
        cards = self.solver.label_moves(deal, codes)
        self.nodes += self.solver.nodes
        return cards

    def visits(self, deal: Deal, codes: Codes, random_of: RandomOf) -> list[list[int]]:
        """Return how often the tree search chose each move of each state.

        Nothing when the policy does not ask for it.
        """
        if self.labels.policy is not PolicyFormat.MCTS:
            return []
        states = (State(deal, code) for code in codes.tolist())
        return [self.search(state, random_of(state)) for state in states]

    def search(self, state: State, random: Generator) -> list[int]:
        """Return how often the tree search chose each move of a state."""
        self._check()
        visits: list[int] = self._search.visits(state, random).tolist()
        return visits

    def policy(self, visits: Sequence[Sequence[int]], scores: Callable[[], Codes]) -> Chances:
        """Return the policy, when it is more than the best move.

        `scores` returns the mover's cards at the end after each move.
        """
        if self.labels.policy is PolicyFormat.ONEHOT:
            return ONEHOT
        if self.labels.policy is PolicyFormat.SOFT:
            return millionths(score_weights(scores(), self.labels.soft_temperature))
        weights = np.zeros((len(visits), MOST_MOVES))
        for row, counts in zip(weights, visits, strict=True):
            row[: len(counts)] = counts
        return millionths(weights)

    def _check(self) -> None:
        if self._is_stopped:
            raise SearchStoppedError("the export was stopped")


class Crew:
    """The workers of an export, each lent to one thread at a time."""

    def __init__(self, labels: Labels, threads: int, mebibytes: int) -> None:
        """Make a worker for each thread."""
        self.workers = [Worker(labels, mebibytes) for _ in range(threads)]
        self._free: SimpleQueue[Worker] = SimpleQueue()
        for worker in self.workers:
            self._free.put(worker)

    @property
    def nodes(self) -> int:
        """Return the states that searches have looked at so far."""
        return sum(worker.nodes for worker in self.workers)

    def stop(self) -> None:
        """Let all workers stop."""
        for worker in self.workers:
            worker.stop()

    @contextmanager
    def lend(self) -> Iterator[Worker]:
        """Lend a worker."""
        worker = self._free.get()
        try:
            yield worker
        finally:
            self._free.put(worker)
