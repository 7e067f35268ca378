"""Many states at once: the database is asked for all of them, the rest is searched in one call."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.errors import InputError
from engine.game.cards import Catalogue
from engine.game.facts import Facts
from engine.game.state import State
from engine.search.many import ManySolver, Solved
from engine.search.sudden_death import RoundSolver
from engine.search.workspace import Query
from store.answer import SEARCH, Answer, ranked_object
from store.round_answer import round_answer

if TYPE_CHECKING:  # who has no database does not wait for what reads one
    from store.oracle import Oracle


class ManyOracle:
    """Answers many states at once, as `Oracle` answers each; each thread needs one of its own.

    The oracle that knows the database may be shared.
    """

    def __init__(
        self, catalogue: Catalogue, solver: ManySolver, database: Oracle | None = None
    ) -> None:
        """Answer from a database where there is one and it can, else by search."""
        self.catalogue, self.solver, self.database = catalogue, solver, database
        self._rounds: RoundSolver | None = None  # made when it is needed: it has a table

    def answers(
        self, asked: Sequence[Facts], *, moves: bool = False, query: Query | None = None
    ) -> list[Answer | InputError]:
        """Return every state's answer, in their order, or why its cards make no deal."""
        found: dict[int, Answer | InputError] = {}
        if self.database:
            looked_up = enumerate(self.database.look_up(asked, moves=moves))
            found = {number: answer for number, answer in looked_up if answer}
        states: dict[int, State] = {}
        rounds: dict[int, State] = {}  # under Sudden Death
        for number, facts in enumerate(asked):
            if number not in found:
                try:
                    facts.rules.check_rounds()
                    several = rounds if facts.rules.sudden_death else states
                    several[number] = State.from_facts(facts, self.catalogue)
                except InputError as error:
                    found[number] = error
        solved = self.solver.solve(list(states.values()), moves=moves, query=query)
        for number, one in zip(states, solved, strict=True):
            found[number] = _answer(asked[number], one, moves)
        for number, state in rounds.items():
            found[number] = self._round_answer(state, moves, query)
        return [found[number] for number in range(len(asked))]

    def _round_answer(self, state: State, moves: bool, query: Query | None) -> Answer:
        """Return the answer to a state under Sudden Death."""
        if self._rounds is None:
            self._rounds = RoundSolver()
        known = self.database.round_table(state.facts) if self.database else None
        return round_answer(self._rounds, state, known, moves, True, query)


def _answer(facts: Facts, solved: Solved, moves: bool) -> Answer:
    """Return the answer of the search."""
    ranking = [ranked_object(ranked, captured) for ranked, captured in solved.ranking]
    return Answer(facts, solved.solution, SEARCH, ranking if moves else None)
