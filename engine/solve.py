"""Answers about a state: what it is worth, the best move, the line, every move ranked.

Every answer is a function of the state alone. Searches count the mover's cards on the
board; margins and values are made from that here, for both variants.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np

from engine.board import CELLS
from engine.deal import Deal, Player
from engine.errors import SearchStoppedError
from engine.label import Codes, label_best, label_moves
from engine.search import (
    MOST_MOVES,
    Lines,
    Moves,
    answer,
    follow_line,
    follow_lines,
    rank,
    solve,
)
from engine.state import Move, State
from engine.table import NO_MOVE, Table
from engine.workspace import CONTROL_LENGTH, LIMIT, NODES, SCRATCH_LENGTH, STOP, Workspace


@dataclass(frozen=True)
class Solution:
    """What perfect play makes of a state."""

    margin: int  # final A cards less B cards
    value: int  # 1, 0, -1: won, drawn, lost for the side to move
    line: tuple[Move, ...]  # best moves to the end of the game
    nodes: int  # states looked at
    depth: int  # plies left

    @property
    def best_move(self) -> Move | None:
        """Return the first best move in the documented order; None when the game is over."""
        return self.line[0] if self.line else None


class RankedMove(NamedTuple):
    """A legal move and what it is worth with perfect play after it."""

    move: Move
    value: int  # for the side that makes the move
    margin: int  # A's view


class Solver:
    """Solves states, one at a time; each thread needs a solver of its own.

    The table starts empty for every query, so that `nodes` repeats too. With
    `keeps_table` it is kept between queries of the same deal, which makes the states of
    one game cheaper; answers are the same either way.
    """

    def __init__(
        self, table: Table | None = None, *, node_limit: int = 0, keeps_table: bool = False
    ) -> None:
        """Use `table`, or one of the default size; 0 is no limit of nodes."""
        self.table = table or Table()
        self.node_limit = node_limit
        self.keeps_table = keeps_table
        self._deal: Deal | None = None
        self._scratch = np.zeros(SCRATCH_LENGTH, dtype=np.int64)
        self._control = np.zeros(CONTROL_LENGTH, dtype=np.int64)
        self._moves = np.zeros(MOST_MOVES, dtype=np.int64)
        self._cards = np.zeros(MOST_MOVES, dtype=np.int64)
        self._line = np.zeros(CELLS, dtype=np.int64)

    def stop(self) -> None:
        """Make the query that is running raise `SearchStoppedError`; from any thread."""
        self._control[STOP] = 1

    def solve(self, state: State) -> Solution:
        """Return margin, value, best move and line."""
        depth = CELLS - state.ply
        if state.is_over:
            return Solution(state.margin, _sign(_score(state, state.margin)), (), 0, 0)
        work = self._start(state.deal)
        cards = solve(work, state.code, self._moves, self._line)
        self._check()
        line = tuple(_move(state, packed) for packed in self._line[:depth].tolist())
        value, margin = worths(state)[cards]
        return Solution(margin, value, line, self.nodes, depth)

    def rank(self, state: State) -> tuple[RankedMove, ...]:
        """Return every legal move, best first, ties in the documented order."""
        if state.is_over:
            return ()
        work = self._start(state.deal)
        count = rank(work, state.code, self._moves, self._cards)
        self._check()
        moves = [_move(state, packed) for packed in self._moves[:count].tolist()]
        return ranked(moves, self._cards[:count].tolist(), worths(state))

    def line(self, state: State, margin: int) -> tuple[Move, ...]:
        """Return the best moves to the end of the game, when the margin is known already."""
        if state.is_over:
            return ()
        work = self._start(state.deal)
        cards = [known for _, known in worths(state)].index(margin)
        follow_line(work, state.code, cards, self._moves, self._line)
        self._check()
        return tuple(_move(state, move) for move in self._line[: CELLS - state.ply].tolist())

    def lines(self, deal: Deal, codes: Moves, cards: Moves, lines: Lines) -> None:
        """Write the lines of many codes of a deal, when their movers' cards are known already."""
        follow_lines(self._start(deal), codes, cards, self._moves, lines)
        self._check()

    def value(self, state: State) -> int:
        """Return won, drawn or lost for the side to move, which is quicker to know."""
        if state.is_over:
            return _sign(_score(state, state.margin))
        work = self._start(state.deal)
        values = [value for value, _ in worths(state)]
        result = -1
        for value in sorted(set(values) - {-1}):
            goal = values.index(value)
            if answer(work, state.code, goal) < goal:
                break
            result = value
        self._check()
        return result

    def label(self, deal: Deal, codes: Codes) -> tuple[Codes, Codes]:
        """Return each state's first best move, packed, and the starter's cards at the end.

        A finished game has the move NO_MOVE. Nothing but the best move is looked for.
        """
        best, cards = np.empty_like(codes), np.empty_like(codes)
        label_best(self._start(deal), codes, self._moves, best, cards)
        self._check()
        return best, cards

    def label_moves(self, deal: Deal, codes: Codes) -> Codes:
        """Return the mover's cards at the end after each move [n, 45], in the documented order.

        Where there is no move stands NO_MOVE.
        """
        cards = np.empty((len(codes), MOST_MOVES), dtype=np.int64)
        label_moves(self._start(deal), codes, self._moves, cards)
        self._check()
        return cards

    @property
    def nodes(self) -> int:
        """Return the number of states the last query looked at."""
        return int(self._control[NODES])

    def _start(self, deal: Deal) -> Workspace:
        if not self.keeps_table or self._deal is not deal:
            self.table.start_query()
            self._deal = deal
        self._scratch[:] = NO_MOVE  # no killers, so that the number of nodes repeats
        self._control[:] = 0
        self._control[LIMIT] = self.node_limit
        return Workspace(deal.duels, self.table.entries, self._scratch, self._control)

    def _check(self) -> None:
        if self._control[STOP]:
            raise SearchStoppedError(f"the search was stopped after {self.nodes} nodes")


def ranked(
    moves: Sequence[Move], cards: Sequence[int], worth: Sequence[tuple[int, int]]
) -> tuple[RankedMove, ...]:
    """Return moves best first, by the mover's cards after each; ties stay in order."""
    order = sorted(range(len(moves)), key=lambda number: -cards[number])
    return tuple(RankedMove(moves[number], *worth[cards[number]]) for number in order)


def worths(state: State) -> tuple[tuple[int, int], ...]:
    """Return value and margin for each number of board cards the mover may end with.

    The unplayed card is the second player's, and counts in variants that count hands.
    """
    unplayed = 1 if state.rules.variant.counts_hands else 0
    if state.to_move is state.deal.first:
        unplayed = -unplayed
    return _worths(unplayed, 1 if state.to_move is Player.A else -1)


@cache
def _worths(unplayed: int, sign: int) -> tuple[tuple[int, int], ...]:
    scores = [2 * cards - CELLS + unplayed for cards in range(CELLS + 1)]
    return tuple((_sign(score), sign * score) for score in scores)


def _score(state: State, margin: int) -> int:
    """Return a margin from the mover's view."""
    return margin if state.to_move is Player.A else -margin


def _sign(score: int) -> int:
    return (score > 0) - (score < 0)


def _move(state: State, packed: int) -> Move:
    slot, cell = divmod(packed, CELLS)
    return Move(state.deal.slots[slot].id, cell)
