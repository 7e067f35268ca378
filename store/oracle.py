"""The one road to an answer: the database where it has the state, else the search.

facts → find: the starter's cards at the end → best moves: read early, searched late → Answer
├──→ not stored, or damaged: State → Solver → Answer
└──→ Sudden Death: its table, if there is one → RoundSolver → Answer
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from threading import local

import numpy as np

from engine.errors import DamagedError
from engine.game.board import CELLS
from engine.game.facts import Facts
from engine.game.moves import Move, moves_of
from engine.game.score import Worth, seat_cards, worths
from engine.game.state import State
from engine.search.solver import Solution, Solver
from engine.search.sudden_death import RoundSolver, RoundTable
from engine.search.transpositions import TranspositionTable
from engine.search.workspace import Query
from engine.text.objects import RankedMoveObject
from store.answer import DATABASE, SEARCH, Answer, Ranking, ranking_of
from store.reader import Found, Reader, StoredRoot
from store.round_answer import round_answer

# The first plies from which searching takes less than reading: for lines, for all moves.
SEARCHED_PLY, RANKED_PLY = 3, 4
LINE_TABLE, SOLVERS_KEPT = 1, 16  # MiB for a root's lines; roots, in every thread


class _Thread(local):
    """What one thread searches lines with: a solver for each of the roots it was last asked about.

    It keeps its table: lines of one root come to the same states again and again.
    """

    def __init__(self) -> None:
        self._rounds: RoundSolver | None = None
        self.solver_of = lru_cache(SOLVERS_KEPT)(self._solver_of)

    @property
    def rounds(self) -> RoundSolver:
        """Return the solver for Sudden Death, which has a table: it is made when it is needed."""
        self._rounds = self._rounds or RoundSolver()
        return self._rounds

    @staticmethod
    def _solver_of(_root: StoredRoot) -> Solver:
        return Solver(TranspositionTable(LINE_TABLE), keeps_table=True)


class Oracle:
    """Answers states. Database and search give the same answers: they depend on the state alone.

    The database's answers are safe for threads; for searches each thread needs an oracle.
    """

    def __init__(
        self,
        reader: Reader | None,
        solver: Solver | None = None,
        *,
        on_damage: Callable[[DamagedError], None] = lambda _: None,
    ) -> None:
        """Answer from `reader` where it can; damage met on the way is told, and searched around."""
        self.reader = reader
        self.solver = solver or Solver()
        self._on_damage = on_damage
        self._thread = _Thread()

    def answer(self, state: State, *, moves: bool = False, pv: bool = True) -> Answer:
        """Return what a state is worth; with `moves`, what every legal move is."""
        (answer,) = self.look_up([state.facts], moves=moves, pv=pv)
        known = self.round_table(state.facts)
        return answer or self.search(state, moves=moves, pv=pv, known=known)

    def round_table(self, facts: Facts) -> RoundTable | None:
        """Return what is known of the rounds after a state's, None when that is nothing."""
        if self.reader is None or not facts.rules.sudden_death:
            return None
        try:
            return self.reader.round_table(facts)
        except DamagedError as error:
            self._on_damage(error)
            return None

    def search(
        self,
        state: State,
        *,
        moves: bool = False,
        pv: bool = True,
        known: RoundTable | None = None,
        query: Query | None = None,
    ) -> Answer:
        """Return the search's answer; who may want to stop it passes a query.

        Under Sudden Death draws are worth what the table that is `known` says.
        """
        if state.rules.sudden_death:
            return round_answer(self._thread.rounds, state, known, moves, pv, query)
        solution = self.solver.solve(state, query)
        ranking = None
        if moves:
            ranking = ranking_of(state, self.solver.rank(state, query))
        return Answer(state.facts, solution, SEARCH, ranking, pv)

    def look_up(
        self, asked: Sequence[Facts], *, moves: bool = False, pv: bool = True
    ) -> list[Answer | None]:
        """Return the database's answers, None for states of which it has none."""
        if self.reader is None:
            return [None] * len(asked)
        try:
            return self._from_database(self.reader, asked, moves, pv)
        except DamagedError as error:
            if len(asked) == 1:
                self._on_damage(error)
                return [None]
        # One of them meets damage: the others have their answers.
        return [self.look_up([facts], moves=moves, pv=pv)[0] for facts in asked]

    def _from_database(
        self, reader: Reader, asked: Sequence[Facts], moves: bool, pv: bool
    ) -> list[Answer | None]:
        answers: list[Answer | None] = [None] * len(asked)
        stored = [(n, found) for n, found in enumerate(reader.find(asked)) if found]
        lines = self._lines(reader, [found for _, found in stored], CELLS if pv else 1)
        for (number, found), line in zip(stored, lines, strict=True):
            facts = asked[number]
            value, margin = _worths(facts)[found.mover_cards]
            solution = Solution(margin, value, line, 0, CELLS - facts.ply)
            ranking = self._ranking(reader, found, facts) if moves else None
            answers[number] = Answer(facts, solution, DATABASE, ranking, pv)
        return answers

    def _ranking(self, reader: Reader, found: Found, facts: Facts) -> Ranking:
        """Return all moves, from the states after them, or by search where that is quicker."""
        state = State(found.root.state.deal, found.code)
        if found.has_children and found.ply < RANKED_PLY:
            return self._read_ranking(reader, found, state, _worths(facts))
        sign = 1 if facts.to_move is state.to_move else -1  # the root calls its starter A
        searched = self._thread.solver_of(found.root).rank(state)
        return ranking_of(
            state, (ranked._replace(margin=sign * ranked.margin) for ranked in searched)
        )

    def _read_ranking(
        self, reader: Reader, found: Found, state: State, worth: Sequence[Worth]
    ) -> Ranking:
        """Return all moves from the states after them."""
        children, slots, captured = (
            reader.children(found),
            state.deal.slots,
            state.captured_by_slot(),
        )
        cards = children.starter_cards
        order = sorted(range(len(cards)), key=cards.__getitem__, reverse=not found.ply & 1)
        ranking = []
        for number in order:
            slot, cell = divmod(children.moves[number], CELLS)
            value, margin = worth[seat_cards(found.ply & 1, cards[number])]
            ranking.append(
                RankedMoveObject(
                    slots[slot].id,
                    cell,
                    value=value,
                    margin=margin,
                    captures=captured[slot][cell],
                )
            )
        return ranking

    def _lines(self, reader: Reader, found: Sequence[Found], length: int) -> list[tuple[Move, ...]]:
        """Return the first best moves of states: to the end of the game, or so many at most.

        Early ones are read, later ones searched, which is quicker.
        """
        lines: list[list[int]] = []
        rest: dict[StoredRoot, list[tuple[int, Found]]] = {}
        for number, state in enumerate(found):
            early, last = self._early_line(reader, state, length)
            lines.append(early)
            if len(early) < length:
                rest.setdefault(last.root, []).append((number, last))
        for root, states in rest.items():
            later = self._searched_lines(root, [state for _, state in states], length)
            for (number, state), line in zip(states, later, strict=True):
                wanted = min(length - len(lines[number]), CELLS - state.ply)
                lines[number] += line[:wanted]
        named = [moves_of(state.root.state.deal) for state in found]
        return [
            tuple([moves[packed] for packed in line])
            for moves, line in zip(named, lines, strict=True)
        ]

    def _early_line(self, reader: Reader, found: Found, length: int) -> tuple[list[int], Found]:
        """Return the first best moves that reading finds sooner, packed, and where they lead."""
        line: list[int] = []
        while len(line) < length and found.has_children and found.ply < SEARCHED_PLY:
            children = reader.children(found)
            best = children.starter_cards.index(found.starter_cards)
            line.append(children.moves[best])
            found = found._replace(code=children.codes[best], ply=found.ply + 1)
        return line, found

    def _searched_lines(
        self, root: StoredRoot, states: Sequence[Found], length: int
    ) -> list[list[int]]:
        """Return the first best moves of states of one root, packed, by search."""
        codes = np.array([state.code for state in states])
        mover_cards = np.array([state.mover_cards for state in states])
        lines = np.zeros((len(states), length), dtype=np.int64)
        self._thread.solver_of(root).lines(root.state.deal, codes, mover_cards, lines)
        searched: list[list[int]] = lines.tolist()
        return searched


def _worths(facts: Facts) -> tuple[Worth, ...]:
    return worths(facts.rules.variant, facts.to_move, facts.ply)
