"""The service over loopback: hits against constant bytes, batches, misses beside hits."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx

from engine.game.state import State
from engine.text.wire import state_to_dict
from precompute.plan import DEFAULT_PLIES
from tests.bench.calibration import calibrate
from tests.bench.constant import SIZE
from tests.bench.database import THREADS, openings
from tests.bench.figures import Amount, Duration, Figure, Rate
from tests.databases import build
from tests.servers import PATIENCE, free_port

HITS = 2_000
LAST_HIT_PLY = 4
CONNECTIONS = 8
SECONDS = 4.0
RUNS = 3
BATCH = 500
SIGNS = 20  # of readiness, for each worker
ALONE = 400  # openings searched with nothing beside them: more than there is time for

Line = dict[str, str]


@contextmanager
def serving(database: Path, workers: int = 1, size: int = 500) -> Iterator[tuple[int, float]]:
    """Run the app with its constant route; return port and seconds to ready."""
    port = free_port()
    environment = {
        **os.environ,
        "TRIAD_DB": str(database),
        "TRIAD_LOG_LEVEL": "info",
        SIZE: str(size),
    }
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.bench.constant", str(port), str(workers)],
        env=environment,
        stderr=subprocess.DEVNULL,
    )
    try:
        ended = 0.0
        for _ in range(SIGNS * workers):  # any worker may answer, and all are to be ready
            while not is_ready(port):
                assert time.perf_counter() - began < PATIENCE
                time.sleep(0.02)
            ended = ended or time.perf_counter()
        yield port, ended - began
    finally:
        process.terminate()
        process.wait()


def is_ready(port: int) -> bool:
    """Tell whether the service is ready."""
    try:
        return httpx.get(f"http://127.0.0.1:{port}/readyz").status_code == 200
    except httpx.TransportError:
        return False


def load(port: int, lines: Sequence[Line], connections: int = CONNECTIONS) -> dict[str, Any]:
    """Return what the load generator measured."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.bench.load", str(port), str(connections), str(SECONDS)],
        input="\n".join(map(json.dumps, lines)),
        capture_output=True,
        text=True,
        check=True,
    )
    result: dict[str, Any] = json.loads(done.stdout)
    assert result["failed"] == 0, result
    return result


def stored_states(roots: Sequence[State]) -> list[str]:
    """Return distinct stored states of plies 0 to 4, as JSON."""
    chance = random.Random(0)
    states: set[str] = set()
    while len(states) < HITS:
        state = chance.choice(roots)
        for _ in range(chance.randint(0, LAST_HIT_PLY)):
            state = state.play(chance.choice(state.legal_moves()))
        states.add(json.dumps(state_to_dict(state)))
    return sorted(states)


def hit_figures(port: int, bodies: Sequence[str], what: str) -> Iterator[Figure]:
    """Measure hits and constant bytes in turn."""
    hits = [{"path": "/eval", "body": body} for body in bodies]
    constant = [{"path": "/constant", "body": body} for body in bodies]
    load(port, hits)
    ratios, rates, calibrations, measured = [], [], [], []
    for _ in range(RUNS):
        calibrations.append(calibrate())
        base, hit = load(port, constant), load(port, hits)
        ratios.append(hit["rate"] / base["rate"])
        rates.append(hit["rate"])
        measured.append(hit)
    calibration = statistics.median(calibrations)
    yield Rate(f"{what}: hits", "requests", statistics.median(rates), calibration)
    yield Amount(f"{what}: hits", statistics.median(ratios), "x constant bytes")
    for name in ("p50", "p99"):
        seconds = [result[name] for result in measured]
        yield Duration(f"{what}: {name}", statistics.median(seconds), max(seconds), calibration)


def batch_figures(port: int, bodies: Sequence[str]) -> Iterator[Figure]:
    """Measure batches of stored states."""
    joined = [
        {"path": "/eval/batch", "body": '{"states": [' + ",".join(bodies[at : at + BATCH]) + "]}"}
        for at in range(0, len(bodies), BATCH)
    ]
    calibration = calibrate()
    rates = [load(port, joined, 2)["rate"] * BATCH for _ in range(RUNS)]
    yield Rate("batch of 500, one worker", "states", statistics.median(rates), calibration)


def miss_figures(port: int, bodies: Sequence[str]) -> Iterator[Figure]:
    """Measure live searches, and hits while they run."""
    misses = [
        {"path": "/eval", "body": json.dumps(state_to_dict(state))}
        for state in openings("same+plus", 2 * ALONE)
    ]
    calibration = calibrate()
    alone = load(port, misses[:ALONE], 1)
    yield Duration("opening searched over HTTP", alone["p50"], alone["p99"], calibration)
    command = [sys.executable, "-m", "tests.bench.load", str(port), "8", str(SECONDS + 3)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as flood:
        assert flood.stdin
        flood.stdin.write("\n".join(map(json.dumps, misses[ALONE:])).encode())
        flood.stdin.close()
        time.sleep(1)
        hits = [{"path": "/eval", "body": body} for body in bodies]
        beside = load(port, hits)
    for name in ("p50", "p99"):
        yield Duration(f"hits while openings are searched: {name}", beside[name], 0, calibration)


def figures() -> Iterator[Figure]:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder)
        roots = openings("all, elements", 1) + openings("ff8, all, elements", 1)
        build(database, roots, plies=DEFAULT_PLIES, threads=THREADS)
        bodies = stored_states(roots)
        with serving(database):
            pass  # the first start may compile
        with serving(database) as (port, seconds):
            yield Duration("start to ready, kernels cached", seconds, seconds, calibrate())
            yield from hit_figures(port, bodies, "one worker")
            yield from batch_figures(port, bodies)
            yield from miss_figures(port, bodies)
        with serving(database, workers=2) as (port, _):
            yield from hit_figures(port, bodies, "two workers")
