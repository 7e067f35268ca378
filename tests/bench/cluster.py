"""A cluster beside this machine's threads: the same plans, the same cores, both ways."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from engine.state import State
from precompute.cluster import ClusterCrew, connect_to, connect_to_own
from precompute.crew import Crew, LocalCrew
from precompute.plan import DEFAULT_PLIES
from tests.bench.calibration import calibrate
from tests.bench.database import THREADS, openings
from tests.bench.figures import Amount, Duration, Figure
from tests.clusters import running_cluster
from tests.databases import PLENTY, build, small_roots

OWN_MEMORY = 2_000  # MiB; enough for two small roots
RUNS = 5
MEMORY_LIMIT = ("--memory-limit", "4GiB")  # of each worker; a real deal takes 2.5


def seconds_of(crew: Crew, roots: Sequence[State]) -> float:
    """Return how long a crew takes for a plan, from the first root to the last commit."""
    with tempfile.TemporaryDirectory() as folder:
        return build(Path(folder), roots, plies=DEFAULT_PLIES, crew=crew).seconds


def plan_figures(
    name: str, roots: Sequence[State], crews: dict[str, Crew], runs: int
) -> Iterator[Figure]:
    """Measure each crew in turn, so that a busy minute meets them all; the first round warms up."""
    seconds: dict[str, list[float]] = {who: [] for who in crews}
    calibrations = []
    for _ in range(runs + 1):
        calibrations.append(calibrate())
        for who, crew in crews.items():
            seconds[who].append(seconds_of(crew, roots))
    calibration = statistics.median(calibrations)
    for who, times in seconds.items():
        median = statistics.median(times[1:])
        yield Duration(f"{name}, {who}", median, max(times[1:]), calibration)
    local, cluster = (statistics.median(times[1:]) for times in seconds.values())
    yield Amount(f"{name}: the cluster's time", cluster / local, "x that of threads")
    more = (cluster - local) / len(roots) * 1e3
    yield Amount(f"{name}: the cluster's time, per deal", more, "ms more")


def start_figure(roots: Sequence[State]) -> Figure:
    """Measure a whole job of one small root on a cluster of its own, start and end included."""
    seconds = []
    for _ in range(RUNS):
        began = time.perf_counter()
        seconds_of(ClusterCrew(connect_to_own(THREADS, OWN_MEMORY), None), roots[:1])
        seconds.append(time.perf_counter() - began)
    name = "one small deal, --cluster local, from start to end"
    return Duration(name, statistics.median(seconds), max(seconds), calibrate())


def figures() -> Iterator[Figure]:
    """Measure everything."""
    small, real = small_roots(20), openings("all, elements", 2)
    with tempfile.TemporaryDirectory() as folder, running_cluster(Path(folder)) as cluster:
        for _ in range(THREADS):
            cluster.start_worker(*MEMORY_LIMIT)
        cluster.await_workers(THREADS)
        crews: dict[str, Crew] = {
            "two threads": LocalCrew(THREADS, PLENTY),
            "two workers": ClusterCrew(connect_to(cluster.address), None),
        }
        yield from plan_figures("twenty small deals", small, crews, RUNS)
        yield from plan_figures("two real deals", real, crews, 3)
    yield start_figure(small)
