"""The one road to an answer: the database where it has the state, else the search.

facts → find: the starter's cards at the end → best moves: read early, searched late → Answer
└──→ not stored, or damaged: State → Solver → Answer
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import local

import numpy as np

from engine.errors import DamagedError
from engine.game.board import CELLS
from engine.game.facts import Facts
from engine.game.moves import Move, move_of
from engine.game.score import Worth, worths
from engine.game.state import State
from engine.search.solver import RankedMove, Solution, Solver, ranked
from engine.search.transpositions import TranspositionTable
from engine.search.workspace import Query
from store.answer import DATABASE, SEARCH, Answer, Ranking
from store.reader import Found, Reader, StoredRoot

SEARCHED_PLY = 3  # the first from which a line is searched: 50 to 200 us, reading takes more
LINE_TABLE = 1  # MiB: lines are searched from late states, and every thread has a table


class _Thread(local):
    """What one thread follows lines with."""

    def __init__(self) -> None:
        self.solver = Solver(TranspositionTable(LINE_TABLE))


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
        return answer or self.search(state, moves=moves, pv=pv)

    def search(
        self, state: State, *, moves: bool = False, pv: bool = True, query: Query | None = None
    ) -> Answer:
        """Return the search's answer; who may want to stop it passes a query."""
        solution = self.solver.solve(state, query)
        ranking = None
        if moves:
            ranking = Ranking(self.solver.rank(state, query), state.captured_cells())
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
        """Return all moves, from the states after them, or by search where these are not stored."""
        state = State(found.root.state.deal, found.code)
        worth, seat = _worths(facts), facts.ply & 1
        if found.has_children:
            children = reader.children(found)
            legal = [move_of(state.deal, packed) for packed in children.moves]
            mover_cards = [CELLS - n if seat else n for n in children.starter_cards]
            return Ranking(ranked(legal, mover_cards, worth), state.captured_cells())
        sign = 1 if facts.to_move is state.to_move else -1  # the root calls its starter A
        moves = tuple(
            RankedMove(move, value, sign * margin)
            for move, value, margin in self._thread.solver.rank(state)
        )
        return Ranking(moves, state.captured_cells())

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
        return [
            tuple(move_of(state.root.state.deal, packed) for packed in line)
            for state, line in zip(found, lines, strict=True)
        ]

    def _early_line(self, reader: Reader, found: Found, length: int) -> tuple[list[int], Found]:
        """Return the first best moves that reading finds sooner, packed, and where they lead."""
        line: list[int] = []
        while len(line) < length and found.has_children and found.ply < SEARCHED_PLY:
            children = reader.children(found)
            best = children.starter_cards.index(found.starter_cards)
            line.append(children.moves[best])
            found = Found(found.root, children.codes[best], found.starter_cards)
        return line, found

    def _searched_lines(
        self, root: StoredRoot, states: Sequence[Found], length: int
    ) -> list[list[int]]:
        """Return the first best moves of states of one root, packed, by search."""
        codes = np.array([state.code for state in states])
        mover_cards = np.array([state.mover_cards for state in states])
        lines = np.zeros((len(states), length), dtype=np.int64)
        self._thread.solver.lines(root.state.deal, codes, mover_cards, lines)
        searched: list[list[int]] = lines.tolist()
        return searched


def _worths(facts: Facts) -> tuple[Worth, ...]:
    return worths(facts.rules.variant, facts.to_move, facts.ply)
