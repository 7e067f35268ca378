"""Small exports for tests: real recipes, carried out in this process."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer, ElementSource
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.game.zobrist import hash_text, state_hash
from engine.search.solver import Solver
from engine.text.document import state_from_dict
from precompute.export.formats import format_of
from precompute.export.job import Export, ExportMeans
from precompute.export.recipe import Labels, Mode, Recipe, Stepping

ALL_RULES = Rules.of(SWITCHES)


def dealer(rules: Rules = ALL_RULES, seed: int = 3) -> Dealer:
    """Return a dealer with elements, either player starting."""
    return Dealer(default_catalogue(), seed, rules, elements=ElementSource.FF8)


def recipe_of_games(
    games: int, labels: Labels | None = None, stepping: Stepping | None = None, **options: Any
) -> Recipe:
    """Return a recipe for some games."""
    labels, stepping = labels or Labels(), stepping or Stepping()
    return Recipe(Mode.TRAJECTORY, dealer(), labels, stepping, games, **options)


def recipe_of_root(mode: Mode, root: State, labels: Labels | None = None, **options: Any) -> Recipe:
    """Return a recipe for all below a root."""
    return Recipe(mode, dealer(), labels or Labels(), root=root, **options)


def written(
    path: Path, recipe: Recipe, means: ExportMeans | None = None, shard_rows: int | None = None
) -> Path:
    """Carry out a recipe; return the path."""
    means = means or ExportMeans(threads=2, chunk_size=2, table=1)
    Export(recipe, means, say=lambda _: None).write(str(path), format_of(str(path)), shard_rows)
    return path


def lines_of(path: Path) -> list[dict[str, Any]]:
    """Return the lines of a file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def state_of(line: dict[str, Any]) -> State:
    """Return a line's state, read as anybody would read it."""
    return state_from_dict(line, default_catalogue())


def check_labels(line: dict[str, Any], solver: Solver) -> None:
    """Check a one-hot line against the search."""
    state = state_of(line)
    solution = solver.solve(state)
    best = solution.best_move
    assert line.get("policy_target") == (best._asdict() if best else None)
    expected = solution.value if line["value_mode"] == "winloss" else solution.margin
    assert line["value_target"] == expected
    assert line.get("margin", solution.margin) == solution.margin
    assert line["state_hash"] == hash_text(state_hash(state))
    assert line["state_idx"] == line["turn"] == state.ply
    assert line["schema"] == 1
    has_elements = ["element" in cell for cell in line["board"]]
    assert has_elements == [state.rules.elemental] * 9


FF8 = Rules.of(SWITCHES, Variant.FF8)
