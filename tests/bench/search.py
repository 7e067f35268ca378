"""The search: twenty fixed deals, three rule sets and the game's own; and by ply."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

from advise.models import any_move
from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer, ElementSource, game_random
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.search.solver import Solver
from engine.search.workspace import Query
from tests.bench.figures import Figure, measure_cases

DEALS = 20
STATES_PER_PLY = 40
RULE_SETS = {
    "none": (Rules(), ElementSource.NONE),
    "same+plus": (Rules.of(["same", "plus"]), ElementSource.NONE),
    "all, elements": (Rules.of(SWITCHES), ElementSource.RANDOM),
    "ff8, all, elements": (Rules.of(SWITCHES, Variant.FF8), ElementSource.FF8),
}

Question = Callable[[Solver, State, Query], object]
QUESTIONS: dict[str, Question] = {
    "margin, move, line": Solver.solve,
    "all moves": Solver.rank,
}


def ask(solver: Solver, question: Question, state: State) -> int:
    """Ask one question of one state; return the nodes it took."""
    query = Query()
    question(solver, state, query)
    return query.nodes


def opening_figures(solver: Solver) -> Iterator[Figure]:
    """Measure openings, for each rule set and question."""
    for rule_name, (rules, elements) in RULE_SETS.items():
        dealer = Dealer(default_catalogue(), 0, rules, elements=elements)
        openings = [State.start(dealer.deal(number)) for number in range(DEALS)]
        for name, question in QUESTIONS.items():
            cases = [partial(ask, solver, question, state) for state in openings]
            yield measure_cases(f"opening, {rule_name}: {name}", cases)


def ply_figures(solver: Solver) -> Iterator[Figure]:
    """Measure states reached by random play, with all rules, ply by ply."""
    rules, elements = RULE_SETS["all, elements"]
    dealer = Dealer(default_catalogue(), 1, rules, elements=elements)
    layer = [State.start(dealer.deal(number)) for number in range(STATES_PER_PLY)]
    for ply in range(1, 9):
        layer = [
            state.play(any_move(state, game_random(1, number, ply)))
            for number, state in enumerate(layer)
        ]
        for name in ("margin, move, line", "all moves"):
            cases = [partial(ask, solver, QUESTIONS[name], state) for state in layer]
            yield measure_cases(f"ply {ply}: {name}", cases)


def figures() -> Iterator[Figure]:
    """Measure everything, with a table of the default size."""
    solver = Solver()
    for question in QUESTIONS.values():  # compiles
        ask(solver, question, State.start(Dealer(default_catalogue()).deal(0)))
    yield from opening_figures(solver)
    yield from ply_figures(solver)
