"""A cluster beside this machine's threads: the same plans on the same cores, both ways."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from engine.game.state import State
from precompute.crew import LocalCrew
from precompute.limits import DEFAULT_PLIES
from tests.bench.calibration import calibrate
from tests.bench.database import RUNS, THREADS, openings
from tests.bench.figures import Amount, Duration, Figure
from tests.clusters import running_cluster
from tests.databases import PLENTY, build, small_roots
from work.cluster.crew import ClusterCrew, connect_to, connect_to_own
from work.tasks import Crew

LOCAL = f"{THREADS} threads"
OWN_MEMORY = 2_000  # MiB; enough for two small roots
MEMORY_LIMIT = ("--memory-limit", "4GiB")  # of each worker; a real deal takes 2.5


def seconds_of(crew: Crew, roots: Sequence[State]) -> float:
    """Return how long a crew takes for a plan, from the first root to the last commit."""
    with tempfile.TemporaryDirectory() as folder:
        return build(Path(folder), roots, plies=DEFAULT_PLIES, crew=crew).seconds


def plan_figures(name: str, roots: Sequence[State], crews: dict[str, Crew]) -> Iterator[Figure]:
    """Measure the crews in turn, so that a busy minute meets them all; the first round warms up."""
    rounds: list[dict[str, float]] = []
    calibrations = []
    for _ in range(RUNS + 1):
        calibrations.append(calibrate())
        rounds.append({who: seconds_of(crew, roots) for who, crew in crews.items()})
    medians = {who: statistics.median(round_[who] for round_ in rounds[1:]) for who in crews}
    for who, median in medians.items():
        worst = max(round_[who] for round_ in rounds[1:])
        yield Duration(f"{name}, {who}", median, worst, statistics.median(calibrations))
    for who in list(crews)[1:]:
        ratio = medians[who] / medians[LOCAL]
        yield Amount(f"{name}, {who}", ratio, f"x the time of {LOCAL}")


def start_figure(roots: Sequence[State]) -> Figure:
    """Measure a whole job of one small root on a cluster of its own, start and end included."""
    seconds = []
    for _ in range(RUNS):
        began = time.perf_counter()
        seconds_of(ClusterCrew(connect_to_own(THREADS, OWN_MEMORY)), roots[:1])
        seconds.append(time.perf_counter() - began)
    name = "one small deal, --cluster local, start to end"
    return Duration(name, statistics.median(seconds), max(seconds), calibrate())


@contextmanager
def crew_of(workers: int, threads: int) -> Iterator[Crew]:
    """Run a cluster of so many workers with so many threads each."""
    with tempfile.TemporaryDirectory() as folder, running_cluster(Path(folder)) as cluster:
        for _ in range(workers):
            cluster.start_worker("--nthreads", str(threads), *MEMORY_LIMIT)
        cluster.await_workers(workers)
        yield ClusterCrew(connect_to(cluster.address))


def figures() -> Iterator[Figure]:
    """Measure everything."""
    small, real = small_roots(20), openings("all, elements", 2)
    with crew_of(1, THREADS) as whole, crew_of(THREADS, 1) as split:
        crews: dict[str, Crew] = {
            LOCAL: LocalCrew(THREADS, PLENTY),
            f"1 worker with {THREADS} threads": whole,
            f"{THREADS} workers with 1 thread": split,
        }
        yield from plan_figures("twenty small deals", small, crews)
        yield from plan_figures("two real deals", real, crews)
    yield start_figure(small)
