"""Whole commands, start and end included, kernels cached; and states answered line by line."""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from advise.models import any_move
from engine.game.dealing import game_random
from engine.game.state import State
from engine.text.wire import state_to_dict
from precompute.limits import DEFAULT_PLIES
from tests.bench.calibration import calibrate
from tests.bench.database import THREADS, openings
from tests.bench.figures import Duration, Figure, measure_rate
from tests.commands import MODULES, RUN
from tests.databases import build

STARTS = 9
LINES = 20_000
LINE_PLY = 5
LATE = Path(__file__).parents[2] / "docs" / "state.json"
RULE_SETS = "all, elements", "ff8, all, elements"


def process_of(name: str, *arguments: str) -> list[str]:
    """Return a command as a process is started."""
    return [sys.executable, "-c", RUN, MODULES[name], *arguments]


def start_figure(title: str, given: bytes, name: str, *arguments: str) -> Figure:
    """Measure a command; the first run, which may compile, is not counted."""
    seconds = []
    for _ in range(STARTS + 1):
        began = time.perf_counter()
        command = process_of(name, *arguments)
        subprocess.run(command, input=given, stdout=subprocess.DEVNULL, check=True)
        seconds.append(time.perf_counter() - began)
    return Duration(title, statistics.median(seconds[1:]), max(seconds[1:]), calibrate())


def start_figures(database: Path) -> Iterator[Figure]:
    """Measure commands that have little to do."""
    late = LATE.read_bytes()
    opening = json.dumps(state_to_dict(openings("all, elements", 1)[0])).encode()
    yield start_figure("precompute --help", b"", "precompute", "--help")
    yield start_figure("triad --help", b"", "triad", "--help")
    yield start_figure("precompute eval, a late state", late, "precompute", "eval")
    yield start_figure("the same, all moves", late, "precompute", "eval", "--moves")
    yield start_figure("precompute eval, an opening", opening, "precompute", "eval")
    stored = "precompute", "eval", "--db", str(database)
    yield start_figure("precompute eval --db, an opening", opening, *stored)
    yield start_figure(
        "precompute info --json", b"", "precompute", "info", "--db", str(database), "--json"
    )


def played(opening: State, number: int, ply: int) -> State:
    """Return a state reached by random play."""
    state = opening
    while state.ply < ply:
        state = state.play(any_move(state, game_random(3, number, state.ply)))
    return state


def write_lines(path: Path, deals: Sequence[State], ply: int = LINE_PLY) -> None:
    """Write states of a ply, one a line, of these deals in turn."""
    with path.open("w", encoding="ascii") as file:
        for number in range(LINES):
            state = played(deals[number % len(deals)], number, ply)
            file.write(json.dumps(state_to_dict(state)) + "\n")


def line_rate(path: Path, *arguments: str) -> float:
    """Return the lines a second, from the first answer to the last."""
    command = process_of("precompute", "eval", "--lines", *arguments)
    with (
        path.open("rb") as given,
        subprocess.Popen(command, stdin=given, stdout=subprocess.PIPE) as process,
    ):
        assert process.stdout
        process.stdout.readline()
        began = time.perf_counter()
        rest = process.stdout.read()
        seconds = time.perf_counter() - began
    assert rest.count(b"\n") == LINES - 1
    return (LINES - 1) / seconds


def line_figures(folder: Path, database: Path) -> Iterator[Figure]:
    """Measure `precompute eval --lines`."""
    many, stored = folder / "many.jsonl", folder / "stored.jsonl"
    write_lines(many, [deal for rules in RULE_SETS for deal in openings(rules, LINES // 2)])
    write_lines(stored, [openings(rules, 1)[0] for rules in RULE_SETS])
    title = f"--lines, ply {LINE_PLY}"
    for threads in (1, THREADS):
        ask = partial(line_rate, many, "--threads", str(threads))
        yield measure_rate(f"{title}, each of another deal, {threads} thread(s)", "states", ask)
    two = "--threads", str(THREADS)
    for name, ask in {
        "all moves": partial(line_rate, many, *two, "--moves"),
        "two deals": partial(line_rate, stored, *two),
        "two deals, stored": partial(line_rate, stored, *two, "--db", str(database)),
    }.items():
        yield measure_rate(f"{title}, {name}, {THREADS} threads", "states", ask)


def figures() -> Iterator[Figure]:
    """Measure everything."""
    with tempfile.TemporaryDirectory() as name:
        folder, database = Path(name), Path(name) / "db"
        roots = [openings(rules, 1)[0] for rules in RULE_SETS]
        build(database, roots, plies=DEFAULT_PLIES, threads=THREADS)
        yield from start_figures(database)
        yield from line_figures(folder, database)
