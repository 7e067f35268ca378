"""Answers about a state: what it is worth, the best move, the line, every move ranked.

Every answer is a function of the state alone. Searches count the mover's cards on the
board; margins and values are made from that by `engine.game.score`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.game.board import CELLS, Codes
from engine.game.deal import Deal
from engine.game.moves import MOST_MOVES, NO_MOVE, Move, Moves, moves_of
from engine.game.score import Worth, score_for, sign_of, worths
from engine.game.shape import Value
from engine.game.state import State
from engine.search.exact import (
    Cards,
    Lines,
    follow_lines,
    label_best,
    label_moves,
    rank,
    solve,
)
from engine.search.transpositions import TranspositionTable
from engine.search.workspace import SCRATCH_LENGTH, Query, Workspace


class Solution(NamedTuple):
    """What perfect play makes of a state."""

    margin: int  # final A cards less B cards
    value: Value  # 1, 0, -1: won, drawn, lost for the side to move
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
    value: Value  # for the side that makes the move
    margin: int  # A's view


class Solver:
    """Solves states, one at a time; each thread needs a solver of its own.

    The table starts empty for every query, so that `nodes` repeats too. With
    `keeps_table` it is kept between queries of the same deal, which makes the states of
    one game cheaper; answers are the same either way.

    Who may want to stop a search passes a `Query`.
    """

    def __init__(
        self, table: TranspositionTable | None = None, *, keeps_table: bool = False
    ) -> None:
        """Use `table`, or one of the default size."""
        self.table = table or TranspositionTable()
        self.keeps_table = keeps_table
        self._deal: Deal | None = None
        self._scratch = np.zeros(SCRATCH_LENGTH, dtype=np.int64)
        self._moves = np.zeros(MOST_MOVES, dtype=np.int64)
        self._cards = np.zeros(MOST_MOVES, dtype=np.int64)
        self._line = np.zeros(CELLS, dtype=np.int64)

    def solve(self, state: State, query: Query | None = None) -> Solution:
        """Return margin, value, best move and line; of this round, whatever follows a draw.

        Raises `RulesError` under Sudden Death where a draw has no value that can be found.
        """
        state.rules.check_rounds()
        query = query or Query()
        depth = CELLS - state.ply
        if state.is_over:
            return Solution(state.margin, sign_of(score_for(state.to_move, state.margin)), (), 0, 0)
        before = query.nodes
        work = self._start(state.deal, query)
        cards = solve(work, state.code, self._moves, self._line)
        query.check()
        value, margin = _worths(state)[cards]
        return Solution(margin, value, self._said(state, depth), query.nodes - before, depth)

    def rank(self, state: State, query: Query | None = None) -> tuple[RankedMove, ...]:
        """Return every legal move, best first, ties in the documented order."""
        if state.is_over:
            return ()
        query = query or Query()
        work = self._start(state.deal, query)
        count = rank(work, state.code, self._moves, self._cards)
        query.check()
        named = moves_of(state.deal)
        moves = [named[packed] for packed in self._moves[:count].tolist()]
        return ranked(moves, self._cards[:count].tolist(), _worths(state))

    def lines(self, deal: Deal, codes: Codes, mover_cards: Cards, lines: Lines) -> None:
        """Write the lines of many codes of a deal, when their movers' cards are known already."""
        follow_lines(self._start(deal, Query()), codes, mover_cards, self._moves, lines)

    def label(self, deal: Deal, codes: Codes, query: Query | None = None) -> tuple[Moves, Cards]:
        """Return each state's first best move, packed, and the starter's cards at the end.

        A finished game has the move NO_MOVE. Nothing but the best move is looked for.
        """
        query = query or Query()
        best, starter_cards = np.empty_like(codes), np.empty_like(codes)
        label_best(self._start(deal, query), codes, self._moves, best, starter_cards)
        query.check()
        return best, starter_cards

    def label_moves(self, deal: Deal, codes: Codes, query: Query | None = None) -> Cards:
        """Return the mover's cards at the end after each move [n, 45], in the documented order.

        Where there is no move stands NO_MOVE.
        """
        query = query or Query()
        mover_cards = np.empty((len(codes), MOST_MOVES), dtype=np.int64)
        label_moves(self._start(deal, query), codes, self._moves, mover_cards)
        query.check()
        return mover_cards

    def _start(self, deal: Deal, query: Query) -> Workspace:
        if not self.keeps_table or self._deal is not deal:
            self.table.start_query()
            self._deal = deal
        self._scratch[:] = NO_MOVE  # no killers, so that the number of nodes repeats
        return Workspace(deal.duels, self.table.entries, self._scratch, query.control)

    def _said(self, state: State, length: int) -> tuple[Move, ...]:
        """Return the line that the last search wrote."""
        moves = moves_of(state.deal)
        return tuple([moves[packed] for packed in self._line[:length].tolist()])


def _worths(state: State) -> tuple[Worth, ...]:
    return worths(state.rules.variant, state.to_move, state.ply)


def ranked(
    moves: Sequence[Move], mover_cards: Sequence[int], worth: Sequence[Worth]
) -> tuple[RankedMove, ...]:
    """Return moves best first, by the mover's cards after each; ties stay in order."""
    order = sorted(range(len(moves)), key=lambda number: -mover_cards[number])
    return tuple(RankedMove(moves[number], *worth[mover_cards[number]]) for number in order)
