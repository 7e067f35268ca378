"""Sudden Death: what a state is worth when a drawn round is followed by another.

A table says of each of the 252 splits of ten cards what a round from there is worth: who wins,
and within how many rounds. It is made round by round: a drawn board of round n counts as won when
the split it leaves is won within n - 1 rounds. What is still open when a round decides nothing more
is drawn for ever. A byte a split:

    0            drawn for ever, or not decided yet
    bit 0        1: the starter wins, 0: the other
    bits 1..7    within how many rounds

A state is then searched on a scale of rounds: the sooner won the better, the later lost the better.

    0          R - 1      R       R + 1          2R
    lost at once .. late  drawn   won late .. at once
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from engine.errors import DamagedError, RulesError
from engine.game.board import CELLS, HAND_SIZE
from engine.game.cards import Card
from engine.game.deal import Deal
from engine.game.moves import MOST_MOVES, NO_MOVE, Move, moves_of
from engine.game.rules import Rules
from engine.game.shape import Rounds, Value
from engine.game.splits import SPLITS, opening_of, split_of, splits_after
from engine.game.state import State
from engine.kernel import Numbers
from engine.search.bounds import BoundsTable
from engine.search.ends import exact_worth, make_ends, rank, solve
from engine.search.ends_endgame import SETS
from engine.search.workspace import SCRATCH_LENGTH, Query, Workspace

UNDECIDED = 0
MOST_ROUNDS = 127  # that a byte can tell
ALL_ROUNDS: Rounds = "all"
THIS_ROUND: Rounds = 1  # what follows a draw is not known

_SIZES = np.array([mask.bit_count() for mask in range(SETS)])
_LOST, _DRAWN, _WON = 0, 1, 2  # of one round


def pack_decision(starter_wins: bool, rounds: int) -> int:
    """Return the byte of a split that is decided."""
    if not 1 <= rounds <= MOST_ROUNDS:
        raise RulesError.of("rounds", rounds, f"1 to {MOST_ROUNDS}")
    return (rounds << 1) | starter_wins


def value_in(decision: int) -> Value:
    """Return what a byte says: 1 the starter wins, -1 the other, 0 nobody."""
    if decision == UNDECIDED:
        return 0
    return 1 if decision & 1 else -1


def round_in(decision: int) -> int:
    """Return within how many rounds a byte says it is decided; 0 for never."""
    return decision >> 1


@dataclass(frozen=True)
class RoundTable:
    """What each split of ten cards is worth, under rules."""

    cards: tuple[int, ...]  # ten ids, ascending
    rules: Rules
    decisions: bytes  # [252]: by the starter's cards

    def __post_init__(self) -> None:
        """Refuse what is no table."""
        if len(self.decisions) != len(SPLITS) or 1 in self.decisions:
            raise DamagedError("this is no table of 252 splits")

    @property
    def rounds(self) -> int:
        """Return the rounds of the split that takes longest to be decided."""
        return max(map(round_in, self.decisions))

    def decision(self, deal: Deal) -> int:
        """Return the byte of a deal's opening."""
        return self.decisions[split_of(deal)]


class RoundSolution(NamedTuple):
    """What perfect play makes of a state under Sudden Death."""

    value: Value  # 1, 0, -1: won, drawn, lost for the side to move
    round: int | None  # in which it is decided, from 1, the present one; None when in none
    rounds: Rounds  # that were looked at
    line: tuple[Move, ...]  # best moves to the end of this round
    nodes: int  # states looked at
    depth: int  # plies left in this round

    @property
    def best_move(self) -> Move | None:
        """Return the first best move in the documented order; None when the round is over."""
        return self.line[0] if self.line else None

    @property
    def margin(self) -> int:
        """Return 0: under Sudden Death a margin has no meaning, and answers leave it out."""
        return 0


class RoundMove(NamedTuple):
    """A legal move and what it is worth with perfect play after it."""

    move: Move
    value: Value  # for the side that makes the move
    round: int | None  # in which it is decided, if in any


class RoundSolver:
    """Solves states under Sudden Death, one at a time; each thread needs a solver of its own."""

    def __init__(self, table: BoundsTable | None = None) -> None:
        """Use `table`, or one of the default size."""
        self.table = table or BoundsTable()
        self._scratch = np.zeros(SCRATCH_LENGTH, dtype=np.int64)
        self._moves = np.zeros(MOST_MOVES, dtype=np.int64)
        self._worths = np.zeros(MOST_MOVES, dtype=np.int64)
        self._line = np.zeros(CELLS, dtype=np.int64)

    def solve(
        self, state: State, known: RoundTable | None = None, query: Query | None = None
    ) -> RoundSolution:
        """Return value, round, best move and line; without a table, of this round alone."""
        query = query or Query()
        before = query.nodes
        ends = _ladder(state.deal, known)
        worth = solve(self._start(state.deal, query), ends, state.code, self._moves, self._line)
        query.check()
        depth = CELLS - state.ply
        named = moves_of(state.deal)
        line = tuple([named[packed] for packed in self._line[:depth].tolist()])
        value, number = _said(worth, int(ends[-1]))
        rounds = ALL_ROUNDS if known else THIS_ROUND
        return RoundSolution(value, number, rounds, line, query.nodes - before, depth)

    def rank(
        self, state: State, known: RoundTable | None = None, query: Query | None = None
    ) -> tuple[RoundMove, ...]:
        """Return every legal move, best first, ties in the documented order."""
        if state.is_over:
            return ()
        query = query or Query()
        ends = _ladder(state.deal, known)
        count = rank(self._start(state.deal, query), ends, state.code, self._moves, self._worths)
        query.check()
        named, total = moves_of(state.deal), int(ends[-1])
        found = zip(self._moves[:count].tolist(), self._worths[:count].tolist(), strict=True)
        ranking = []
        for packed, worth in sorted(found, key=lambda one: -one[1]):
            value, number = _said(worth, total)
            ranking.append(RoundMove(named[packed], value, number))
        return tuple(ranking)

    def decide(self, opening: State, decisions: bytes, query: Query | None = None) -> Value:
        """Return an opening's value for its starter; draws are worth what is decided so far."""
        query = query or Query()
        ends = make_ends(_worths(opening.deal, decisions, 1), _WON)
        worth = exact_worth(self._start(opening.deal, query), ends, opening.code)
        query.check()
        return _said(worth, _WON)[0]

    def _start(self, deal: Deal, query: Query) -> Workspace:
        self.table.start_query()
        self._scratch[:] = NO_MOVE  # no killers, so that the number of nodes repeats
        return Workspace(deal.duels, self.table.entries, self._scratch, query.control)


def _ladder(deal: Deal, known: RoundTable | None) -> Numbers:
    """Return the ends of a deal on the scale of rounds."""
    deal.rules.check_rounds()
    if known is None:
        return make_ends(_worths(deal, bytes(len(SPLITS)), 1), _WON)
    if known.cards != tuple(sorted(deal.ids)) or known.rules.switches != deal.rules.switches:
        raise RulesError.of("table", list(known.cards), "a table of the same cards and rules")
    middle = known.rounds + 1
    return make_ends(_worths(deal, known.decisions, middle), 2 * middle)


def _worths(deal: Deal, decisions: bytes, middle: int) -> Numbers:
    """Return what each set of slots that the starter owns is worth to it [1024].

    The middle is a draw; with 1 there is no room for rounds, and lost is lost.
    """
    bytes_of = np.frombuffer(decisions, dtype=np.uint8).astype(np.int64)[splits_after(deal)]
    sooner = np.minimum(bytes_of >> 1, middle - 1)
    # The next round is the other's to start: what is won by its starter is lost here.
    after = np.where(bytes_of & 1, sooner, 2 * middle - sooner)
    after[bytes_of == UNDECIDED] = middle
    return np.where(_SIZES > HAND_SIZE, 2 * middle, np.where(_SIZES < HAND_SIZE, 0, after))


def _said(worth: int, total: int) -> tuple[Value, int | None]:
    """Return value and round of a number on the scale."""
    middle = total // 2
    if worth == middle:
        return 0, None
    return (1, total - worth + 1) if worth > middle else (-1, worth + 1)


def next_decisions(decisions: bytes, found: Sequence[tuple[int, Value]], rounds: int) -> bytes:
    """Return a table with what round number `rounds` decided of the splits looked at."""
    after = bytearray(decisions)
    for split, value in found:
        if value:
            after[split] = pack_decision(value > 0, rounds)
    return bytes(after)


def undecided(decisions: bytes) -> list[int]:
    """Return the splits that are not decided yet."""
    return [split for split, decision in enumerate(decisions) if decision == UNDECIDED]


def solve_rounds(cards: Sequence[Card], rules: Rules) -> RoundTable:
    """Return the table of ten cards, made in one thread."""
    solver, decisions, rounds = RoundSolver(), bytes(len(SPLITS)), 0
    ordered = sorted(cards)
    while True:
        rounds += 1
        found = [
            (split, solver.decide(opening_of(split, ordered, rules), decisions))
            for split in undecided(decisions)
        ]
        after = next_decisions(decisions, found, rounds)
        if after == decisions:
            ids = tuple(card.id for card in ordered)
            return RoundTable(ids, rules, decisions)
        decisions = after
