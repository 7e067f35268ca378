"""Exports: labelled states of games, rows of whole deals, rollouts of the tree search."""

from __future__ import annotations

import statistics
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path

from engine.game.cards import default_catalogue
from engine.game.deal import Player
from engine.game.dealing import Dealer, ElementSource, game_random
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.search.mcts import TreeSearch
from precompute.export.formats import Format, coding_of
from precompute.export.job import Export, ExportMeans
from precompute.export.labellers import Labellers
from precompute.export.output import Output
from precompute.export.recipe import Labels, Mode, PolicyFormat, Recipe
from precompute.export.run import LabelRows, run_export
from precompute.export.watch import ExportWatch
from precompute.export.whole import Graph
from tests.bench.calibration import calibrate
from tests.bench.figures import Amount, Figure, Rate, measure_rate

THREADS, TABLE = 2, 32
GAMES = {PolicyFormat.ONEHOT: 60, PolicyFormat.MCTS: 60, PolicyFormat.SOFT: 10}
ROWS = {Format.NPZ: 12_000_000, Format.PARQUET: 12_000_000, Format.JSONL: 4_000_000}
FULL_ROWS = 1_000_000
ROLLOUTS = 100_000
RUNS = 3


def dealer(variant: Variant = Variant.TRIPLECARGO) -> Dealer:
    """Return the dealer of all figures: all rules, elements."""
    rules = Rules.of(SWITCHES, variant)
    catalogue = default_catalogue()
    return Dealer(catalogue, 0, rules, elements=ElementSource.RANDOM, first=Player.A)


def written_rate(recipe: Recipe, path: Path, rows: int) -> float:
    """Return the rows per second of a whole export."""
    began = time.perf_counter()
    means = ExportMeans(THREADS, chunk_size=8, table=TABLE)
    Export(recipe, means, say=lambda _: None).write(str(path), Format.JSONL, None)
    return rows / (time.perf_counter() - began)


def game_figures(folder: Path) -> Iterator[Figure]:
    """Measure games, default play, for each policy and variant."""
    for variant in Variant:
        for policy, games in GAMES.items():
            recipe = Recipe(Mode.TRAJECTORY, dealer(variant), Labels(policy), games=games)
            yield measure_rate(
                f"games, {policy.value}, {variant.value}, {THREADS} threads",
                "states",
                partial(written_rate, recipe, folder / "games.jsonl", 9 * games),
            )


class SolveWatch(ExportWatch):
    """Notes when a solve is done and rows begin to come."""

    solved = 0.0

    def expect(self, rows: int) -> None:
        """Hear that the solve is done."""
        self.solved = time.perf_counter()
        super().expect(rows)


def graph_run(path: Path, kind: Format, rows: int) -> tuple[float, float]:
    """Export a deal's first rows; return the seconds of the solve, and of the rest."""
    root = State.start(dealer().deal(0))
    recipe = Recipe(Mode.GRAPH, dealer(), root=root, max_rows=rows)
    coding = coding_of(kind, recipe.mode, recipe.labels, recipe.rules)
    labellers = Labellers(recipe.labels, THREADS, 0)
    began = time.perf_counter()
    with (
        Output(str(path), None, coding.open) as output,
        SolveWatch(lambda _: None, labellers) as watch,
    ):
        graph = Graph(root, recipe.deepest, 0, THREADS, watch.phase, watch.expect)
        run_export(LabelRows(graph, labellers, coding.encode), output, watch, rows)
        output.finish({})
    return watch.solved - began, time.perf_counter() - watch.solved


def graph_figures(folder: Path) -> Iterator[Figure]:
    """Measure the rows of one deal, ply by ply, once it is solved, for each format."""
    for kind, rows in ROWS.items():
        path = folder / f"graph.{kind.value}"
        samples = []
        for _ in range(RUNS):
            calibration = calibrate()
            solve, rest = graph_run(path, kind, rows)
            samples.append((rows / rest * calibration, calibration, solve))
        calibration = statistics.median(sample[1] for sample in samples)
        ratio = statistics.median(sample[0] for sample in samples)
        name = f"graph to {kind.value}, {THREADS} threads, solve not counted"
        yield Rate(name, "rows", ratio / calibration, calibration)
        yield Amount("  the solve", statistics.median(sample[2] for sample in samples), "s")
        yield Amount("  bytes a row", path.stat().st_size / rows, "bytes")


def full_figure(folder: Path) -> Figure:
    """Measure the rows of one deal, depth first, by search."""
    root = State.start(dealer().deal(0))
    recipe = Recipe(Mode.FULL, dealer(), root=root, max_rows=FULL_ROWS)
    rate = partial(written_rate, recipe, folder / "full.jsonl", FULL_ROWS)
    return measure_rate(f"full to jsonl, {THREADS} threads", "rows", rate)


def rollout_rate(search: TreeSearch, state: State, numbers: Iterator[int]) -> float:
    """Return the rollouts per second below a state."""
    began = time.perf_counter()
    search.visits(state, game_random(0, next(numbers), 0))
    return ROLLOUTS / (time.perf_counter() - began)


def rollout_figures() -> Iterator[Figure]:
    """Measure the tree search of an opening."""
    search, numbers = TreeSearch(ROLLOUTS), count()
    for variant in Variant:
        state = State.start(dealer(variant).deal(0))
        rate = partial(rollout_rate, search, state, numbers)
        yield measure_rate(f"tree search of an opening, {variant.value}", "rollouts", rate)


def figures() -> Iterator[Figure]:
    """Measure everything, after a first small export that compiles."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for policy in PolicyFormat:
            recipe = Recipe(Mode.TRAJECTORY, dealer(), Labels(policy))
            written_rate(recipe, folder / "first.jsonl", 9)
        graph_run(folder / "first.npz", Format.NPZ, 1)
        yield from game_figures(folder)
        yield from graph_figures(folder)
        yield full_figure(folder)
        yield from rollout_figures()
