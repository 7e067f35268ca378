"""Direct and Sudden Death: openings by their ends, and a whole table of ten cards."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer, ElementSource
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.search.direct import DirectSolver
from precompute.crew import LocalCrew
from precompute.job import Job
from precompute.rounds import plan_tables
from store.generations import Folder
from tests.bench.calibration import calibrate
from tests.bench.figures import Duration, Figure, measure_cases
from tests.databases import PLENTY, Unwatched

OPENINGS = 12
TEN = "2,3,4,5,6,7,19,20,24,27"
THREADS = 2
RUNS = 3


def solve(solver: DirectSolver, state: State, weights: dict[int, int]) -> int:
    """Solve an opening under Direct: what is kept, best move, line."""
    return solver.solve(state, weights).nodes


def make_table() -> float:
    """Make a table of ten cards in a fresh database; return the seconds that it took."""
    with tempfile.TemporaryDirectory() as folder:
        catalogue = default_catalogue()
        plan = plan_tables([TEN], Rules(variant=Variant.FF8), catalogue)
        job = Job(Folder(Path(folder) / "db"), catalogue, LocalCrew(THREADS, PLENTY))
        began = time.perf_counter()
        job.run(plan, resume=False, watch=Unwatched())
        return time.perf_counter() - began


def figures() -> Iterator[Figure]:
    """Measure Direct on openings, then a table."""
    catalogue = default_catalogue()
    solver, levels = DirectSolver(), {card.id: card.level for card in catalogue}
    for name, switches in (("no rules", ()), ("all rules, elements", SWITCHES)):
        rules = Rules.of(switches, Variant.FF8)
        dealer = Dealer(catalogue, 5, rules, elements=ElementSource.FF8)
        states = [State.start(dealer.deal(number)) for number in range(OPENINGS)]
        cases = [partial(solve, solver, state, levels) for state in states]
        cases[0]()  # compiles
        yield measure_cases(f"Direct, opening, {name}", cases)
    calibration, runs = calibrate(), [make_table() for _ in range(RUNS)]
    name = f"Sudden Death, table of ten cards, {THREADS} threads"
    yield Duration(name, statistics.median(runs), max(runs), calibration)
