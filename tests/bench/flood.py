"""Advice over loopback: the first line of a stream, and those who ask beside a flood of it."""

from __future__ import annotations

import json
import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx

from advise import View
from app.advice_routes import NDJSON
from engine.game.deal import Player
from engine.game.rules import Rules, Variant
from engine.text.wire import state_to_dict
from precompute.limits import DEFAULT_PLIES
from tests.bench.advise import LOW, sampled
from tests.bench.calibration import calibrate
from tests.bench.database import THREADS, openings
from tests.bench.figures import Amount, Duration, Figure
from tests.bench.service import Line, flood, load, posts, stored_states, triad
from tests.databases import build

PLIES = range(9)
RUNS = 5
FLOOD = 8  # clients that ask for advice
MISSES = 400
RULES = Rules(True, True, True, True, Variant.FF8)


def request_of(view: View, worlds: int | None = None) -> dict[str, Any]:
    """Return a view as a request, the other's hand being of levels 1 and 2."""
    board = [
        {
            "cell": cell,
            "card_id": placed.card.id if placed else None,
            "owner": placed.owner.name if placed else None,
            "element": element.value if element else None,
        }
        for cell, (placed, element) in enumerate(zip(view.board, view.elements, strict=True))
    ]
    hidden = {
        "unseen": view.unseen,
        "played": [card.id for card in view.played or ()],
        "from": {"levels": list(LOW)},
    }
    hands = {"A": [card.id for card in view.hand], "B": hidden}
    rules = {**view.rules._asdict(), "variant": view.rules.variant.value}
    state = {"board": board, "hands": hands, "to_move": Player.A.name, "rules": rules}
    return {"state": state} | ({"worlds": worlds} if worlds else {})


def stream_figures(port: int) -> Iterator[Figure]:
    """Measure the first and the last line of streams, by ply."""
    for ply in PLIES:
        firsts, lasts = [], []
        for number in range(RUNS):
            view, _ = sampled(ply, number, RULES, LOW, 1)
            began = time.perf_counter()
            url, headers = f"http://127.0.0.1:{port}/advise", {"Accept": NDJSON}
            body = request_of(view)
            with httpx.stream("POST", url, json=body, headers=headers, timeout=60) as stream:
                for place, _ in enumerate(stream.iter_lines()):
                    if place == 0:
                        firsts.append(time.perf_counter() - began)
            lasts.append(time.perf_counter() - began)
        calibration = calibrate()
        for name, seconds in (("first", firsts), ("last", lasts)):
            median = statistics.median(seconds)
            yield Duration(f"ply {ply}, {name} line", median, max(seconds), calibration)


def flood_figures(port: int, hits: list[Line], misses: list[Line]) -> Iterator[Figure]:
    """Measure hits and misses alone, and beside a flood of advice."""
    views = [sampled(2, number, RULES, LOW, 1)[0] for number in range(20)]
    advice = posts("/advise", [json.dumps(request_of(view)) for view in views])
    for name, lines, connections in (("hits", hits, 8), ("misses", misses, 1)):
        half = len(lines) // 2
        alone = load(port, lines[:half], connections)
        with flood(port, advice, FLOOD):
            beside = load(port, lines[half:], connections)
        calibration = calibrate()
        yield Duration(f"{name} alone: p99", alone["p99"], 0, calibration)
        yield Duration(f"{name} beside advice: p99", beside["p99"], 0, calibration)
        yield Amount(f"{name} beside advice: p99", beside["p99"] / alone["p99"], "x alone")


def figures() -> Iterator[Figure]:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as folder:
        database = Path(folder)
        roots = openings("all, elements", 1)
        build(database, roots, plies=DEFAULT_PLIES, threads=THREADS)
        searched = openings("same+plus", MISSES)
        misses = posts("/eval", [json.dumps(state_to_dict(state)) for state in searched])
        with triad(database) as (port, _):
            yield from stream_figures(port)
            yield from flood_figures(port, posts("/eval", stored_states(roots)), misses)
