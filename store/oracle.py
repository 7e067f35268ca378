"""The one way to an answer: the database where it has the state, else the search."""

from __future__ import annotations

from collections.abc import Callable

from engine.errors import DamagedError, NotStoredError
from engine.game.board import CELLS
from engine.game.moves import Move, move_of
from engine.game.score import cards_of, worths
from engine.game.state import State
from engine.search.solver import Solution, Solver, ranked
from engine.search.workspace import Query
from store.answer import DATABASE, SEARCH, Answer
from store.reader import Found, Reader


class Oracle:
    """Answers states, one at a time; each thread needs an oracle of its own.

    The reader may be shared. Database and search give the same answers: margins, ranking
    and the whole line depend on the state alone.
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

    def answer(self, state: State, *, moves: bool = False) -> Answer:
        """Return what a state is worth; with `moves`, what every legal move is."""
        return self.look_up(state, moves=moves) or self.search(state, moves=moves)

    def search(self, state: State, *, moves: bool = False, query: Query | None = None) -> Answer:
        """Return the search's answer; who may want to stop it passes a query."""
        solution = self.solver.solve(state, query)
        ranking = self.solver.rank(state, query) if moves else None
        return Answer(state, solution, ranking, SEARCH)

    def look_up(self, state: State, *, moves: bool = False) -> Answer | None:
        """Return the database's answer, or None when it has none."""
        if self.reader is None or state.is_over:
            return None
        try:
            return self._from_database(self.reader, state, moves)
        except NotStoredError:
            return None
        except DamagedError as error:
            self._on_damage(error)
            return None

    def _from_database(self, reader: Reader, state: State, moves: bool) -> Answer:
        found = reader.probe(state)
        worth = worths(state)
        value, margin = worth[found.mover_cards]
        solution = Solution(margin, value, self._line(reader, found), 0, CELLS - state.ply)
        ranking = None
        if moves and found.has_children:
            children = reader.children(found)
            deal, seat = found.root.state.deal, state.ply & 1
            legal = [move_of(deal, packed) for packed in children.moves]
            mover_cards = [int(cards_of(seat, cards)) for cards in children.starter_cards]
            ranking = ranked(legal, mover_cards, worth)
        elif moves:
            ranking = self.solver.rank(state)
        return Answer(state, solution, ranking, DATABASE)

    def _line(self, reader: Reader, found: Found) -> tuple[Move, ...]:
        """Return the best moves to the end: first from the database, then by search."""
        early, found = reader.early_line(found)
        rest = State(found.root.state.deal, found.code)
        searched = self.solver.line(rest, found.margin(rest))
        return (*(move_of(rest.deal, packed) for packed in early), *searched)
