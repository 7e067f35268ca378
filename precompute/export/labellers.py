"""Labellers: what a thread labels states with, a solver that keeps its table and a tree search."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from queue import SimpleQueue

import numpy as np
from numpy.random import Generator

from engine.errors import SearchStoppedError
from engine.game.board import Codes
from engine.game.chances import Chances, millionths, score_weights
from engine.game.deal import Deal
from engine.game.moves import MOST_MOVES
from engine.game.state import State
from engine.search.mcts import TreeSearch
from engine.search.solver import Solver
from engine.search.transpositions import TranspositionTable
from engine.search.workspace import Query
from precompute.export.recipe import Labels, PolicyFormat
from precompute.export.rows import ONEHOT

TABLE_MEBIBYTES = 32
RandomOf = Callable[[State], Generator]


class Labeller:
    """Labels states. Labels never depend on what its table holds."""

    def __init__(self, labels: Labels, mebibytes: int) -> None:
        """Make a table of at most this size."""
        self.labels = labels
        self.solver = Solver(TranspositionTable(mebibytes), keeps_table=True)
        self.query = Query()  # one for all that it is asked: whoever stops it ends them all
        self._search = TreeSearch(labels.mcts_rollouts)

    def best(self, deal: Deal, codes: Codes) -> tuple[Codes, Codes]:
        """Return each state's best move, packed, and the starter's cards at the end."""
        return self.solver.label(deal, codes, self.query)

    def scores(self, deal: Deal, codes: Codes) -> Codes:
        """Return the mover's cards at the end after each move [n, 45]."""
        return self.solver.label_moves(deal, codes, self.query)

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
        if self.query.is_stopped:
            raise SearchStoppedError("the export was stopped")
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


class Labellers:
    """The labellers of an export, each lent to one thread at a time."""

    def __init__(self, labels: Labels, threads: int, mebibytes: int) -> None:
        """Make one for each thread."""
        self.all = [Labeller(labels, mebibytes) for _ in range(threads)]
        self._free: SimpleQueue[Labeller] = SimpleQueue()
        for labeller in self.all:
            self._free.put(labeller)

    @property
    def nodes(self) -> int:
        """Return the states that searches have looked at so far."""
        return sum(labeller.query.nodes for labeller in self.all)

    def stop(self) -> None:
        """Make all that they are asked, now and later, end in `SearchStoppedError`."""
        for labeller in self.all:
            labeller.query.stop()

    @contextmanager
    def lend(self) -> Iterator[Labeller]:
        """Lend one."""
        labeller = self._free.get()
        try:
            yield labeller
        finally:
            self._free.put(labeller)
