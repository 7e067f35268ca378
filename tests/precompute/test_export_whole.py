"""Everything below a root: full and graph exports against each other and against the search."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest

from engine.game.cards import Catalogue
from engine.game.dealing import Dealer, ElementSource
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.search.solver import Solver
from engine.tablebase.retrograde import LAST_PLY, Retrograde
from engine.tablebase.solved_states import count_states
from precompute.export.job import ExportMeans
from precompute.export.recipe import Labels, Mode, PolicyFormat, ValueMode
from tests.conftest import IS_JIT_OFF
from tests.databases import copied_root, small_roots
from tests.exports import check_labels, lines_of, recipe_of_root, state_of, written

ROOTS = {"triplecargo": small_roots(2)[0], "ff8": small_roots(2)[1], "copies": copied_root()}
SAMPLES = 50 if IS_JIT_OFF else 1_000


@pytest.mark.parametrize("name", ROOTS)
@pytest.mark.parametrize(
    "labels",
    [
        Labels(),
        Labels(PolicyFormat.SOFT, soft_temperature=2.5, value=ValueMode.MARGIN),
        Labels(PolicyFormat.MCTS, mcts_rollouts=5 if IS_JIT_OFF else 20),
    ],
    ids=["onehot", "soft", "mcts"],
)
def test_full_and_graph_hold_the_same_rows(name: str, labels: Labels, tmp_path: Path) -> None:
    contents = []
    for mode in (Mode.FULL, Mode.GRAPH):
        recipe = recipe_of_root(mode, ROOTS[name], labels, deepest=9, has_terminal=True)
        path = written(tmp_path / f"{mode.value}.jsonl", recipe)
        contents.append(sorted(path.read_bytes().splitlines()))
    assert contents[0] == contents[1]
    assert len(set(contents[0])) == len(contents[0])


@pytest.mark.parametrize("name", ROOTS)
def test_counts_by_ply_are_the_retrogrades(name: str, tmp_path: Path) -> None:
    root = ROOTS[name]
    with Retrograde() as retrograde:
        expected = {layer.ply: count_states(layer) for layer in retrograde.solve(root)}
    for mode in (Mode.FULL, Mode.GRAPH):
        path = written(tmp_path / f"{mode.value}.jsonl", recipe_of_root(mode, root))
        assert Counter(line["turn"] for line in lines_of(path)) == expected
        manifest = json.loads(Path(f"{path}.manifest.json").read_text())
        assert manifest["rows_by_ply"] == {str(ply): expected[ply] for ply in sorted(expected)}
        assert manifest["rows"] == sum(expected.values())


@pytest.mark.parametrize("name", ROOTS)
def test_labels_are_the_searchs(name: str, tmp_path: Path) -> None:
    recipe = recipe_of_root(Mode.GRAPH, ROOTS[name], deepest=9, has_terminal=True)
    lines = lines_of(written(tmp_path / "x.jsonl", recipe))
    solver = Solver()
    for line in lines[:: 1 + len(lines) // SAMPLES]:
        check_labels(line, solver)
        assert line["game_id"] == 0
        assert line["off_pv"] is False
        assert line["margin"] == solver.solve(state_of(line)).margin


@pytest.mark.parametrize("mode", [Mode.FULL, Mode.GRAPH])
def test_bytes_do_not_depend_on_threads_or_tables(mode: Mode, tmp_path: Path) -> None:
    labels = Labels(PolicyFormat.MCTS, mcts_rollouts=5)
    recipe = recipe_of_root(mode, ROOTS["ff8"], labels, max_rows=200 if IS_JIT_OFF else 3_000)
    contents = {
        written(tmp_path / f"{number}.jsonl", recipe, means).read_bytes()
        for number, means in enumerate(
            [ExportMeans(1, 1, 1), ExportMeans(2, 1, 1), ExportMeans(4, 1, 32)]
        )
    }
    assert len(contents) == 1


def test_orders_are_as_documented(tmp_path: Path) -> None:
    root = ROOTS["triplecargo"]
    full = lines_of(written(tmp_path / "full.jsonl", recipe_of_root(Mode.FULL, root)))
    graph = lines_of(written(tmp_path / "graph.jsonl", recipe_of_root(Mode.GRAPH, root)))
    state = root
    for line in full[: 9 - root.ply]:  # first the first moves, down to the last ply
        assert state_of(line) == state
        state = state.play(state.legal_moves()[0])
    plies = [line["turn"] for line in graph]
    assert plies == sorted(plies)
    assert state_of(graph[0]) == root


@pytest.mark.parametrize("mode", [Mode.FULL, Mode.GRAPH])
def test_rows_end_where_they_are_told_to(mode: Mode, tmp_path: Path) -> None:
    root = ROOTS["ff8"]
    whole = written(tmp_path / "whole.jsonl", recipe_of_root(mode, root)).read_bytes()
    few = written(tmp_path / "few.jsonl", recipe_of_root(mode, root, max_rows=20)).read_bytes()
    assert few.count(b"\n") == 20
    assert whole.startswith(few)
    early = written(tmp_path / "early.jsonl", recipe_of_root(mode, root, deepest=root.ply + 1))
    turns = Counter(line["turn"] for line in lines_of(early))
    assert turns == {root.ply: 1, root.ply + 1: len(root.legal_moves())}


@pytest.mark.skipif(IS_JIT_OFF, reason="openings take the compiler")
@pytest.mark.parametrize("variant", Variant)
def test_first_plies_of_an_opening_by_search(
    variant: Variant, catalogue: Catalogue, tmp_path: Path
) -> None:
    dealer = Dealer(catalogue, 2, Rules.of(SWITCHES, variant), elements=ElementSource.FF8)
    root = State.start(dealer.deal(0))
    lines = lines_of(written(tmp_path / "x.jsonl", recipe_of_root(Mode.FULL, root, deepest=1)))
    assert [line["turn"] for line in lines] == [0] + [1] * 45
    margins = {entry.move: entry.margin for entry in Solver().rank(root)}
    for line, move in zip(lines[1:], root.legal_moves(), strict=True):
        assert state_of(line) == root.play(move)
        assert line["margin"] == margins[move]


@pytest.mark.slow
@pytest.mark.skipif(IS_JIT_OFF, reason="a whole deal takes the compiler")
def test_graph_of_a_whole_deal_agrees_with_the_search(catalogue: Catalogue, tmp_path: Path) -> None:
    dealer = Dealer(catalogue, 0, Rules.of(SWITCHES), elements=ElementSource.FF8)
    root = State.start(dealer.deal(0))
    graph = recipe_of_root(Mode.GRAPH, root, deepest=LAST_PLY, max_rows=700_000)
    full = recipe_of_root(Mode.FULL, root, deepest=3)
    lines = lines_of(written(tmp_path / "graph.jsonl", graph))
    solver = Solver()
    for line in lines[::200]:
        check_labels(line, solver)
    early = {json.dumps(line) for line in lines if line["turn"] <= 3}
    assert early == {json.dumps(line) for line in lines_of(written(tmp_path / "f.jsonl", full))}
