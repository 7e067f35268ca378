"""Direct: what the mover keeps when each takes the cards of its colour, weighed.

The game is taken as zero-sum: the opponent wants what the asker values. Weights are whole numbers
from 0, one for each card id, together at most 65,535 in a deal.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from engine.errors import InputError, Problem
from engine.game.board import CELLS, SLOTS
from engine.game.moves import MOST_MOVES, NO_MOVE, Move, moves_of
from engine.game.state import State
from engine.kernel import Numbers
from engine.search.bounds import MOST_WORTH, BoundsTable
from engine.search.ends import make_ends, rank, solve
from engine.search.ends_endgame import SETS
from engine.search.workspace import SCRATCH_LENGTH, Query, Workspace


class WeightsError(InputError):
    """Cards have no weights, or such as cannot be added up."""


class DirectSolution(NamedTuple):
    """What perfect play keeps of the cards."""

    kept: int  # by the mover, in units
    total: int  # of all ten cards
    line: tuple[Move, ...]  # best moves to the end of the game
    moves: tuple[tuple[Move, int], ...]  # all moves, best first, and what the mover keeps
    nodes: int

    @property
    def best_move(self) -> Move | None:
        """Return the first best move in the documented order; None when the game is over."""
        return self.line[0] if self.line else None


class DirectSolver:
    """Solves states, one at a time; each thread needs a solver of its own."""

    def __init__(self, table: BoundsTable | None = None) -> None:
        """Use `table`, or one of the default size."""
        self.table = table or BoundsTable()
        self._scratch = np.zeros(SCRATCH_LENGTH, dtype=np.int64)
        self._moves = np.zeros(MOST_MOVES, dtype=np.int64)
        self._worths = np.zeros(MOST_MOVES, dtype=np.int64)
        self._line = np.zeros(CELLS, dtype=np.int64)

    def solve(
        self,
        state: State,
        weights: Mapping[int, int],
        *,
        moves: bool = False,
        query: Query | None = None,
    ) -> DirectSolution:
        """Return what the mover keeps, the best move and line; with `moves`, all of them."""
        query = query or Query()
        before = query.nodes
        ends = weighed_ends(state, weights)
        total = int(ends[-1])
        self.table.start_query()
        self._scratch[:] = NO_MOVE
        work = Workspace(state.deal.duels, self.table.entries, self._scratch, query.control)
        kept = solve(work, ends, state.code, self._moves, self._line)
        query.check()
        named = moves_of(state.deal)
        line = tuple([named[packed] for packed in self._line[: CELLS - state.ply].tolist()])
        ranking: tuple[tuple[Move, int], ...] = ()
        if moves and line:
            count = rank(work, ends, state.code, self._moves, self._worths)
            query.check()
            found = zip(self._moves[:count].tolist(), self._worths[:count].tolist(), strict=True)
            ranking = tuple(
                (named[packed], worth) for packed, worth in sorted(found, key=lambda one: -one[1])
            )
        return DirectSolution(kept, total, line, ranking, query.nodes - before)


def solve_direct(state: State, weights: Mapping[int, int]) -> DirectSolution:
    """Return what the mover keeps under Direct, with all moves ranked."""
    return DirectSolver().solve(state, weights, moves=True)


def weighed_ends(state: State, weights: Mapping[int, int]) -> Numbers:
    """Return the ends of a deal whose cards have these weights, or raise `WeightsError`."""
    allowed = "a whole number from 0"
    problems = [
        Problem(f"weights.{card}", weights.get(card), allowed)
        for card in sorted(set(state.deal.ids))
        if type(weights.get(card)) is not int or weights[card] < 0
    ]
    if problems:
        raise WeightsError(problems)
    by_slot = np.array([weights[card] for card in state.deal.ids], dtype=np.int64)
    total = int(by_slot.sum())
    if total > MOST_WORTH:
        raise WeightsError.of("weights", total, f"at most {MOST_WORTH:,} for the ten cards")
    sets = (np.arange(SETS)[:, None] >> np.arange(SLOTS)) & 1
    return make_ends(sets @ by_slot, total)
