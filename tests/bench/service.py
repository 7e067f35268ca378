"""The service over loopback, beside a bare FastAPI route and a bare ASGI app, in turns."""

from __future__ import annotations

import json
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import httpx

from engine.game.state import State
from engine.text.wire import state_to_dict
from precompute.limits import DEFAULT_PLIES
from tests.bench.calibration import calibrate
from tests.bench.database import THREADS, openings
from tests.bench.figures import Amount, Duration, Figure, Rate
from tests.bench.peers import CONSTANT
from tests.databases import build
from tests.servers import PATIENCE, TRIAD_SERVE, free_port

HITS = 2_000
LAST_HIT_PLY = 4
CONNECTIONS = 8
SECONDS = 3.0
ROUNDS = 5
BATCH = 500
STARTS = 5
CROWD = 192  # clients beside those who ask for hits
CROWD_ROUNDS = 5
ALONE = 400  # openings searched with nothing beside them: more than there is time for
ANSWER_BYTES = 620  # of a hit without moves, in the middle

Line = dict[str, str]


@contextmanager
def running(*program: str, path: str, **variables: str) -> Iterator[tuple[int, float]]:
    """Run a server; return its port, and the seconds until it answers at a path."""
    port = free_port()
    began = time.perf_counter()
    process = subprocess.Popen(
        [sys.executable, *(word.replace("PORT", str(port)) for word in program)],
        env={**os.environ, **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        while not answers(f"http://127.0.0.1:{port}{path}"):
            assert time.perf_counter() - began < PATIENCE
            time.sleep(0.01)
        yield port, time.perf_counter() - began
    finally:
        process.terminate()
        process.wait()


def answers(url: str) -> bool:
    """Tell whether a server answers, and not that it is still starting."""
    try:
        return httpx.get(url).status_code != 503
    except httpx.TransportError:
        return False


def triad(database: Path, **variables: str) -> Any:
    """Run the service."""
    program = (*TRIAD_SERVE, "--port", "PORT", "--db", str(database))
    return running(*program, path="/readyz", **variables)


def peer(name: str) -> Any:
    """Run something bare."""
    program = ("-m", "tests.bench.peers", "PORT", name, str(ANSWER_BYTES))
    return running(*program, path=CONSTANT)


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


def posts(path: str, bodies: Sequence[str]) -> list[Line]:
    """Return requests with these bodies."""
    return [{"path": path, "body": body} for body in bodies]


def batches(bodies: Sequence[str], query: str = "") -> list[Line]:
    """Return batches of these states."""
    joined = [
        '{"states": [' + ",".join(bodies[at : at + BATCH]) + "]}"
        for at in range(0, len(bodies), BATCH)
    ]
    return posts(f"/eval/batch{query}", joined)


def odd(bodies: Sequence[str]) -> list[str]:
    """Return the same states, but one in each batch has a label of an exported line."""
    changed = list(bodies)
    for at in range(0, len(bodies), BATCH):
        changed[at] = changed[at][:-1] + ', "game_id": 7}'
    return changed


def in_turns(measures: dict[str, Callable[[], dict[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Measure several things in turn, so that a busy minute meets them all."""
    results: dict[str, list[dict[str, Any]]] = {name: [] for name in measures}
    for measure in measures.values():
        measure()  # warms up
    for _ in range(ROUNDS):
        for name, measure in measures.items():
            results[name].append(measure())
    return results


def ratio(results: dict[str, list[dict[str, Any]]], name: str, base: str) -> float:
    """Return the median of one rate over another, round by round."""
    pairs = zip(results[name], results[base], strict=True)
    return float(statistics.median(one["rate"] / other["rate"] for one, other in pairs))


def hit_figures(ports: dict[str, int], bodies: Sequence[str]) -> Iterator[Figure]:
    """Measure hits, health and the bare peers."""
    ours = ports["triad"]
    results = in_turns(
        {
            "bare FastAPI": partial(load, ports["fastapi"], posts(CONSTANT, bodies)),
            "bare ASGI": partial(load, ports["asgi"], posts(CONSTANT, bodies)),
            "healthz": partial(load, ours, [{"path": "/healthz", "method": "GET"}] * CONNECTIONS),
            "hits": partial(load, ours, posts("/eval", bodies)),
            "hits, moves=true": partial(load, ours, posts("/eval?moves=true", bodies)),
            "hits, pv=false": partial(load, ours, posts("/eval?pv=false", bodies)),
        }
    )
    calibration = calibrate()
    for name, measured in results.items():
        rate = statistics.median(one["rate"] for one in measured)
        yield Rate(f"one worker: {name}", "requests", rate, calibration)
    for name in ("healthz", "hits", "bare ASGI"):
        yield Amount(f"{name}", ratio(results, name, "bare FastAPI"), "x a bare FastAPI route")
    yield Amount("hits with moves=true", ratio(results, "hits, moves=true", "hits"), "x without")
    for name in ("p50", "p99"):
        seconds = [one[name] for one in results["hits"]]
        yield Duration(f"hits: {name}", statistics.median(seconds), max(seconds), calibration)


def batch_figures(port: int, bodies: Sequence[str]) -> Iterator[Figure]:
    """Measure batches of stored states."""
    results = in_turns(
        {
            "lines included": partial(load, port, batches(bodies), 2),
            "pv=false": partial(load, port, batches(bodies, "?pv=false"), 2),
            "an odd item in each": partial(load, port, batches(odd(bodies)), 2),
        }
    )
    calibration = calibrate()
    for name, measured in results.items():
        rate = statistics.median(one["rate"] * BATCH for one in measured)
        yield Rate(f"batch of {BATCH}, {name}", "states", rate, calibration)
    slower = ratio(results, "an odd item in each", "lines included")
    yield Amount(f"batch of {BATCH}, an odd item in each", slower, "x the rate without")


@contextmanager
def flood(port: int, lines: Sequence[Line], connections: int) -> Iterator[None]:
    """Have somebody else ask, from a moment before to a moment after."""
    command = [sys.executable, "-m", "tests.bench.load", str(port), str(connections)]
    with subprocess.Popen(
        [*command, str(SECONDS + 3)], stdin=subprocess.PIPE, stdout=subprocess.DEVNULL
    ) as process:
        assert process.stdin
        process.stdin.write("\n".join(map(json.dumps, lines)).encode())
        process.stdin.close()
        time.sleep(1)
        yield


def miss_figures(port: int, bodies: Sequence[str]) -> Iterator[Figure]:
    """Measure live searches, and hits while they run."""
    states = openings("same+plus", (2 + CROWD_ROUNDS) * ALONE)
    misses = posts("/eval", [json.dumps(state_to_dict(state)) for state in states])
    calibration = calibrate()
    alone = load(port, misses[:ALONE], 1)
    yield Duration("opening searched over HTTP", alone["p50"], alone["p99"], calibration)
    with flood(port, misses[ALONE : 2 * ALONE], CONNECTIONS):
        beside = load(port, posts("/eval", bodies))
    for name in ("p50", "p99"):
        yield Duration(f"hits while openings are searched: {name}", beside[name], 0, calibration)
    yield from crowd_figures(port, bodies, misses[2 * ALONE :])


def crowd_figures(port: int, bodies: Sequence[str], misses: Sequence[Line]) -> Iterator[Figure]:
    """Measure hits of eight clients alone, and beside a crowd of batches and openings, in turns.

    Openings are others in every round: those that were searched before are answered at once.
    """
    hits = posts("/eval", bodies)
    alone, beside = [], []
    for start in range(0, CROWD_ROUNDS * ALONE, ALONE):
        alone.append(load(port, hits)["p99"])
        fresh = misses[start : start + ALONE]
        with flood(port, batches(bodies), CROWD // 2), flood(port, fresh, CROWD // 2):
            beside.append(load(port, hits)["p99"])
    calibration = calibrate()
    for name, seconds in (("of eight clients alone", alone), (f"beside {CROWD} others", beside)):
        yield Duration(f"hits {name}: p99", statistics.median(seconds), max(seconds), calibration)
    ratios = [one / other for one, other in zip(beside, alone, strict=True)]
    yield Amount(f"hits beside {CROWD} others: p99", statistics.median(ratios), "x alone")


def start_figure(database: Path) -> Figure:
    """Measure the service's start."""
    seconds = []
    for _ in range(STARTS + 1):  # the first may compile
        with triad(database) as (_, needed):
            seconds.append(needed)
    median = statistics.median(seconds[1:])
    return Duration("start to ready, kernels cached", median, max(seconds[1:]), calibrate())


def figures() -> Iterator[Figure]:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as folder, ExitStack() as stack:
        database = Path(folder)
        roots = openings("all, elements", 1) + openings("ff8, all, elements", 1)
        build(database, roots, plies=DEFAULT_PLIES, threads=THREADS)
        bodies = stored_states(roots)
        yield start_figure(database)
        servers = {"triad": triad(database), "fastapi": peer("fastapi"), "asgi": peer("asgi")}
        ports = {name: stack.enter_context(server)[0] for name, server in servers.items()}
        yield from hit_figures(ports, bodies)
        yield from batch_figures(ports["triad"], bodies)
        yield from miss_figures(ports["triad"], bodies)
