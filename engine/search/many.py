"""Many states, of any deals, in one call: what a state costs beside its search is paid once.

    states → Questions → search_all: duels, an empty table, a search for each → Findings → Solved

Answers are those of `Solver`, nodes included: each state is searched as if it were the only one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from engine.game.board import CELLS, CELLS_IN, SIDES, Codes, empty_cells, owners_of
from engine.game.capture import captured
from engine.game.cards import Catalogue
from engine.game.deal import card_numbers, element_numbers, options_in
from engine.game.duels import DUELS_LENGTH, Room, make_room, write_duels
from engine.game.moves import MOST_MOVES, NO_MOVE, Move, Moves, mover_of, unpack_move
from engine.game.score import worths
from engine.game.state import State
from engine.kernel import Numbers, bit_count, kernel
from engine.search.exact import rank, solve
from engine.search.solver import RankedMove, Solution
from engine.search.transpositions import TranspositionTable, start_query
from engine.search.workspace import NODES, SCRATCH_LENGTH, Query, Workspace, is_stopped

Ranking = list[tuple[RankedMove, tuple[int, ...]]]  # moves, best first; the cells each captures


class Solved(NamedTuple):
    """A state's solution; and its moves, if they were asked for."""

    solution: Solution
    ranking: Ranking


class Questions(NamedTuple):
    """States as kernels see them."""

    ids: Numbers  # [n, 10]: cards by slot
    cards: Numbers  # [n, 10, 5]: their ranks and elements
    elements: Numbers  # [n, 9]: the cells'
    options: Numbers  # [n]: the rules in force
    codes: Codes  # [n]


class Findings(NamedTuple):
    """What kernels say of states. Moves have no rows when they were not asked for."""

    mover_cards: Numbers  # [n]: at the end
    nodes: Numbers  # [n]
    lines: Numbers  # [n, 9]: packed moves
    counts: Numbers  # [n]: legal moves
    moves: Numbers  # [n, 45]: in the documented order, packed
    move_cards: Numbers  # [n, 45]: the mover's at the end, after each
    captured: Numbers  # [n, 45]: masks of cells


@kernel
def search_all(
    work: Workspace, room: Room, scratch: Moves, asked: Questions, found: Findings
) -> None:
    """Search every state. The duels of `work`, `room` and `scratch` [45] are written over."""
    for number in range(len(asked.codes)):
        code, options = int(asked.codes[number]), int(asked.options[number])
        ids, cards, elements = asked.ids[number], asked.cards[number], asked.elements[number]
        write_duels(work.duels, room, ids, cards, elements, options)
        start_query(work.entries)
        work.scratch[:] = NO_MOVE  # no killers, so that the number of nodes repeats
        before = int(work.control[NODES])
        found.counts[number] = 0
        if empty_cells(code) == 0:
            found.mover_cards[number] = bit_count(owners_of(code))  # the second seat's turn
        else:
            found.mover_cards[number] = solve(work, code, scratch, found.lines[number])
        found.nodes[number] = work.control[NODES] - before
        if len(found.moves) and empty_cells(code):
            rank_one(work, code, number, found)
        if is_stopped(work.control):
            return


@kernel
def rank_one(work: Workspace, code: int, number: int, found: Findings) -> None:
    """Write all legal moves of a state, the mover's cards after each, and what they capture."""
    moves = found.moves[number]
    count = rank(work, code, moves, found.move_cards[number])
    for place in range(count):
        slot, cell = unpack_move(int(moves[place]))
        found.captured[number, place] = captured(work.duels, code, slot, cell, mover_of(code))
    found.counts[number] = count


class ManySolver:
    """Solves states with cards of one catalogue, many in one call; each thread needs its own."""

    def __init__(self, catalogue: Catalogue, table: TranspositionTable | None = None) -> None:
        """Use `table`, or one of the default size."""
        self.table = table or TranspositionTable()
        self._cards = np.zeros((max(catalogue.ids) + 1, SIDES + 1), dtype=np.int64)
        for card in catalogue:
            self._cards[card.id] = card_numbers(card)
        self._room = make_room()
        self._duels = np.zeros(DUELS_LENGTH, dtype=np.int64)
        self._scratch = np.zeros(SCRATCH_LENGTH, dtype=np.int64)
        self._moves = np.zeros(MOST_MOVES, dtype=np.int64)

    def solve(
        self, states: Sequence[State], *, moves: bool = False, query: Query | None = None
    ) -> list[Solved]:
        """Return every state's solution; with `moves`, what every legal move is worth."""
        if not states:
            return []
        query = query or Query()
        work = Workspace(self._duels, self.table.entries, self._scratch, query.control)
        found = _make_findings(len(states), len(states) if moves else 0)
        search_all(work, self._room, self._moves, self._questions(states), found)
        query.check()
        cards, nodes, lines = found.mover_cards, found.nodes, found.lines
        solutions = map(_solution, states, cards.tolist(), nodes.tolist(), lines.tolist())
        if not moves:
            return [Solved(solution, []) for solution in solutions]
        return [
            Solved(solution, _ranking(state, found, number))
            for number, (state, solution) in enumerate(zip(states, solutions, strict=True))
        ]

    def _questions(self, states: Sequence[State]) -> Questions:
        """Return states as kernels see them."""
        ids = np.array([state.deal.ids for state in states], dtype=np.int64)
        return Questions(
            ids,
            self._cards[ids],
            np.array([element_numbers(state.elements) for state in states], dtype=np.int64),
            np.array([options_in(state.rules) for state in states], dtype=np.int64),
            np.array([state.code for state in states], dtype=np.int64),
        )


def _make_findings(states: int, ranked: int) -> Findings:
    """Return room for what is found of so many states, with the moves of so many."""
    return Findings(
        np.zeros(states, dtype=np.int64),
        np.zeros(states, dtype=np.int64),
        np.zeros((states, CELLS), dtype=np.int64),
        np.zeros(states, dtype=np.int64),
        np.zeros((ranked, MOST_MOVES), dtype=np.int64),
        np.zeros((ranked, MOST_MOVES), dtype=np.int64),
        np.zeros((ranked, MOST_MOVES), dtype=np.int64),
    )


def _solution(state: State, mover_cards: int, nodes: int, line: list[int]) -> Solution:
    """Return what was found of a state, as players say it."""
    facts, ids = state.facts, state.deal.ids
    value, margin = worths(facts.rules.variant, facts.to_move, facts.ply)[mover_cards]
    depth = CELLS - facts.ply
    moves = tuple([Move(ids[packed // CELLS], packed % CELLS) for packed in line[:depth]])
    return Solution(margin, value, moves, nodes, depth)


def _ranking(state: State, found: Findings, number: int) -> Ranking:
    """Return the moves of a state, best first, ties in the documented order."""
    count = int(found.counts[number])
    moves, captures = found.moves[number, :count].tolist(), found.captured[number, :count].tolist()
    cards = found.move_cards[number, :count].tolist()
    facts, ids = state.facts, state.deal.ids
    worth = worths(facts.rules.variant, facts.to_move, facts.ply)
    ranking = []
    for place in sorted(range(count), key=cards.__getitem__, reverse=True):
        slot, cell = divmod(moves[place], CELLS)
        move = RankedMove(Move(ids[slot], cell), *worth[cards[place]])
        ranking.append((move, CELLS_IN[captures[place]]))
    return ranking
