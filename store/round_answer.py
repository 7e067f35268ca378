"""Answers under Sudden Death; who asks need not have a database."""

from __future__ import annotations

from engine.game.state import State
from engine.search.sudden_death import RoundSolver, RoundTable
from engine.search.workspace import Query
from store.answer import SEARCH, Answer, ranking_of


def round_answer(  # noqa: PLR0913  the solver, and all that is asked of it
    solver: RoundSolver,
    state: State,
    known: RoundTable | None,
    moves: bool,
    pv: bool,
    query: Query | None,
) -> Answer:
    """Return the answer to a state under Sudden Death."""
    solution = solver.solve(state, known, query)
    ranking = ranking_of(state, solver.rank(state, known, query)) if moves else None
    if not pv:
        solution = solution._replace(line=solution.line[:1])
    return Answer(state.facts, solution, SEARCH, ranking, pv)
