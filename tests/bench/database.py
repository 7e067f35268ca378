"""Whole deals: solved in memory, written to a database, answered from it."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer
from engine.game.state import State
from engine.tablebase.retrograde import LAST_PLY, Retrograde
from engine.tablebase.solved_states import count_states
from precompute.limits import DEFAULT_PLIES
from precompute.roots import SolvedRoot, solve_root
from store.oracle import Oracle
from store.reader import Reader
from store.totals import bits_per_state
from tests.bench.calibration import calibrate
from tests.bench.figures import Amount, Duration, Figure, Rate, measure_cases
from tests.bench.search import RULE_SETS
from tests.databases import build, later

THREADS = 2
RUNS = 3


def openings(rule_set: str, count: int) -> list[State]:
    """Return the first deals of a rule set; number 1 has a card in both hands."""
    rules, elements = RULE_SETS[rule_set]
    dealer = Dealer(default_catalogue(), 0, rules, elements=elements)
    return [State.start(dealer.deal(number)) for number in range(count)]


def solve_in_memory(retrograde: Retrograde, root: State) -> tuple[int, float]:
    """Solve a root, forward and backward; return states and seconds."""
    began = time.perf_counter()
    seconds, states = 0.0, 0
    for layer in retrograde.solve(root):
        seconds += time.perf_counter() - began
        states += count_states(layer)
        began = time.perf_counter()
    return states, seconds


def solve_figures(retrograde: Retrograde) -> Iterator[Figure]:
    """Measure the solve alone; the first run only fetches memory."""
    for name in RULE_SETS:
        for number, root in enumerate(openings(name, 2)):
            samples = []
            for _ in range(RUNS + 1):
                calibration = calibrate()
                states, seconds = solve_in_memory(retrograde, root)
                samples.append((states / seconds * calibration, calibration))
            ratio = statistics.median(ratio for ratio, _ in samples[1:])
            calibration = statistics.median(calibration for _, calibration in samples[1:])
            what = f"deal {number} solved in memory, {name}"
            yield Rate(what, "states", ratio / calibration, calibration)


def job_figures(retrograde: Retrograde) -> Iterator[Figure]:
    """Measure packing and pressing beside the solve, and what it comes to."""
    for name in ("none", "all, elements", "ff8, all, elements"):
        root = openings(name, 1)[0]
        for plies in (DEFAULT_PLIES, LAST_PLY):
            times = []
            for _ in range(RUNS):
                _, alone = solve_in_memory(retrograde, root)
                began = time.perf_counter()
                solved = solve_root(root, plies, retrograde)
                times.append((time.perf_counter() - began) / alone)
            what = f"deal, {name}, plies to {plies}"
            yield Amount(f"{what}: time of the job", statistics.median(times), "x the solve")
            yield from size_figures(what, solved)


def size_figures(what: str, solved: SolvedRoot) -> Iterator[Figure]:
    """Return what a deal takes, by ply and in all."""
    layers = solved.record.layers
    total = {"states": solved.record.states, "bytes": sum(layer.bytes for layer in layers)}
    yield Amount(f"{what}: stored", total["bytes"] / 1e6, "MB")
    yield Amount(f"{what}: bits per state", bits_per_state(total), "bits")
    if solved.record.plies == LAST_PLY:
        for layer in layers[3:]:
            counts = {"states": layer.states, "bytes": layer.bytes}
            yield Amount(f"  ply {layer.ply}: states", layer.states, "states")
            yield Amount(f"  ply {layer.ply}: bits per state", bits_per_state(counts), "bits")


def memory_figure() -> Figure:
    """Return the most memory that a process takes to solve one deal."""
    code = "from tests.bench.database import main; main()"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    return Amount("peak memory of one solve", float(done.stdout), "GB")


def main() -> None:
    """Solve one deal and print the most memory this process had."""
    with Retrograde(THREADS) as retrograde:
        solve_in_memory(retrograde, openings("all, elements", 1)[0])
    used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB, but bytes on macOS
    print(used / (1e9 if sys.platform == "darwin" else 1e9 / 1024))


def answer_figures(path: Path, states: list[State]) -> Iterator[Figure]:
    """Measure answers from the database, all moves ranked and the line, in process."""
    reader = Reader(path, default_catalogue())
    oracle = Oracle(reader)

    def ask(state: State, oracle: Oracle = oracle) -> int:
        assert oracle.look_up([state.facts], moves=True)[0]
        return 0

    for state in states:
        ask(state)
    for ply in range(DEFAULT_PLIES + 1):
        asked = [later(state, ply) for state in states]
        cases = [lambda state=state: ask(state) for state in asked for _ in range(5)]
        yield measure_cases(f"ply {ply} from the database, warm", cases)
    reader.close()
    yield cold_figure(path, states)


def cold_figure(path: Path, states: list[State]) -> Figure:
    """Measure openings with nothing decoded: neither roots nor blocks."""
    seconds = []
    for _ in range(7):
        for state in states:
            reader = Reader(path, default_catalogue())
            oracle = Oracle(reader)
            began = time.perf_counter()
            assert oracle.look_up([state.facts], moves=True)[0]
            seconds.append(time.perf_counter() - began)
            reader.close()
    name = "ply 0 from the database, cold blocks"
    return Duration(name, statistics.median(seconds), max(seconds), calibrate())


def figures() -> Iterator[Figure]:
    """Measure everything."""
    with Retrograde(THREADS) as retrograde:
        solve_root(later(openings("all, elements", 1)[0], 4), LAST_PLY, retrograde)  # compiles
        yield from solve_figures(retrograde)
        yield from job_figures(retrograde)
    yield memory_figure()
    states = [root for name in RULE_SETS for root in openings(name, 1)]
    with tempfile.TemporaryDirectory() as folder:
        report = build(Path(folder), states, plies=DEFAULT_PLIES, threads=THREADS)
        size = sum(part.bytes for part in report.generation.parts) / 1e6 / len(states)
        yield Amount(f"database of {len(states)} deals, plies to 5, per deal", size, "MB on disk")
        yield from answer_figures(Path(folder), states)
