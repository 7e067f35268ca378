"""Loaders: every format gives the same batches, and they are what the engine says."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from engine.errors import MissingExtraError
from engine.game.moves import Move
from engine.game.state import State
from learn.data import Batch, dataset, legal_moves, read_all, read_batches
from learn.files import ExportFileError
from precompute.export.recipe import Labels, Mode, PolicyFormat, Recipe, ValueMode
from tests.conftest import IS_JIT_OFF
from tests.databases import copied_root, small_roots
from tests.exports import lines_of, recipe_of_games, recipe_of_root, state_of, written

ROOTS = {"all rules": small_roots(2)[1], "copies": copied_root()}
LABELS = {
    "onehot": Labels(),
    "soft": Labels(PolicyFormat.SOFT, value=ValueMode.MARGIN),
    "mcts": Labels(PolicyFormat.MCTS, mcts_rollouts=5),
}
ENDINGS = ["npz", "parquet", "jsonl.zst", "npz.zst", "parquet.zst"]


def recipe_of(root: State, labels: Labels) -> Recipe:
    most = 100 if IS_JIT_OFF else 1_500
    return recipe_of_root(Mode.FULL, root, labels, deepest=9, has_terminal=True, max_rows=most)


def assert_equal(one: Batch, other: Batch) -> None:
    for name, array in one._asdict().items():
        found = getattr(other, name)
        assert (array is None) == (found is None), name
        if array is not None:
            assert array.dtype == found.dtype, name
            assert np.array_equal(array, found), name


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("labels", LABELS)
def test_formats_hold_the_same(root: str, labels: str, tmp_path: Path) -> None:
    recipe = recipe_of(ROOTS[root], LABELS[labels])
    lines = read_all(written(tmp_path / "x.jsonl", recipe))
    for ending in ENDINGS:
        assert_equal(read_all(written(tmp_path / f"x.{ending}", recipe)), lines)


def move_number(state: State, move: Move) -> int:
    hand = [card.id for card in state.hands[state.to_move]]
    return hand.index(move.card_id) * 9 + move.cell


@pytest.mark.parametrize("root", ROOTS)
@pytest.mark.parametrize("labels", LABELS)
def test_batches_are_what_the_lines_say(root: str, labels: str, tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", recipe_of(ROOTS[root], LABELS[labels]))
    rows, lines = read_all(path), lines_of(path)
    assert len(rows.value) == len(lines)
    for number, line in list(enumerate(lines))[::7]:
        state = state_of(line)
        board = [placed.card.id if placed else 0 for placed in state.board]
        assert rows.board_card[number].tolist() == board
        owners = [int(placed.owner) if placed else -1 for placed in state.board]
        assert rows.board_owner[number].tolist() == owners
        letters = [element.value if element else None for element in state.elements]
        assert [" FITWEPHL"[n].strip() or None for n in rows.board_element[number]] == letters
        for player in range(2):
            held = [card.id for card in state.hands[player]]
            assert rows.hands[number, player].tolist() == held + [0] * (5 - len(held))
        assert rows.to_move[number] == state.to_move
        legal = {move_number(state, move) for move in state.legal_moves()}
        assert set(np.flatnonzero(rows.legal[number]).tolist()) == legal
        assert set(np.flatnonzero(rows.policy[number]).tolist()) <= legal
        assert rows.policy[number].sum() == pytest.approx(0 if state.is_over else 1)
        target = line.get("policy_target", {})
        if "card_id" in target:
            target = {f"{target['card_id']}-{target['cell']}": 1.0}
        for move in state.legal_moves():
            chance = target.get(f"{move.card_id}-{move.cell}", 0)
            assert rows.policy[number, move_number(state, move)] == pytest.approx(chance)
        assert rows.value[number] == line["value_target"]
        assert rows.margin is not None
        assert rows.margin[number] == line["margin"]
        high, low = rows.state_hash[number].tolist()
        assert f"{high:016x}{low:016x}" == line["state_hash"]


@pytest.mark.parametrize("ending", ["jsonl", "npz", "parquet"])
def test_batches_are_of_the_size_asked_for(ending: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"x.{ending}", recipe_of(ROOTS["copies"], Labels()))
    whole = read_all(path)
    batches = list(read_batches(path, 7))
    assert {len(batch.value) for batch in batches[:-1]} == {7}
    hashes = np.concatenate([batch.state_hash for batch in batches])
    assert np.array_equal(hashes, whole.state_hash)


@pytest.mark.parametrize("ending", ["jsonl.zst", "npz", "parquet"])
def test_shards_are_read_as_one(ending: str, tmp_path: Path) -> None:
    recipe = recipe_of(ROOTS["all rules"], Labels())
    whole = read_all(written(tmp_path / f"whole.{ending}", recipe))
    shards = written(tmp_path / f"shards.{ending}", recipe, shard_rows=33)
    assert_equal(read_all(shards), whole)


@pytest.mark.skipif(IS_JIT_OFF, reason="openings take the compiler")
def test_games_have_no_margin(tmp_path: Path) -> None:
    rows = read_all(written(tmp_path / "x.npz", recipe_of_games(2, has_terminal=True)))
    assert rows.margin is None
    assert rows.game_id.tolist() == [0] * 10 + [1] * 10
    assert rows.turn.tolist() == [*range(10)] * 2
    assert rows.legal[9].sum() == 0


def test_equal_cards_are_one_move_per_cell() -> None:
    board = np.array([[0, 5, 5, 5, 5, 5, 5, 5, 0]], dtype=np.int16)
    hands = np.array([[[2, 2, 9, 0, 0], [3, 0, 0, 0, 0]]], dtype=np.int16)
    legal = legal_moves(board, hands, np.array([0], dtype=np.int8))
    assert np.flatnonzero(legal[0]).tolist() == [0, 8, 18, 26]


def test_export_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", recipe_of(ROOTS["copies"], Labels()))
    path.write_bytes(path.read_bytes()[:-10])
    with pytest.raises(ExportFileError, match="its manifest says"):
        read_all(path)
    path.unlink()
    with pytest.raises(ExportFileError, match="found 0 bytes"):
        read_all(path)
    with pytest.raises(ExportFileError, match="there is no such file"):
        read_all(tmp_path / "y.jsonl")


@pytest.mark.parametrize("ending", ["jsonl", "npz", "parquet"])
def test_another_schema_is_refused(ending: str, tmp_path: Path) -> None:
    path = written(tmp_path / f"x.{ending}", recipe_of(ROOTS["copies"], Labels()))
    manifest = Path(f"{path}.manifest.json")
    manifest.write_text(json.dumps({**json.loads(manifest.read_text()), "schema": 99}))
    with pytest.raises(ExportFileError, match="found schema 99; allowed: 1"):
        read_all(path)


@pytest.mark.parametrize(
    ("read", "package", "extra"), [(read_all, "pyarrow", "parquet"), (dataset, "torch", "learn")]
)
def test_missing_extra_is_told(
    read: Callable[[Path], object],
    package: str,
    extra: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "x.parquet").touch()
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, "learn.torch_data", raising=False)
    with pytest.raises(MissingExtraError, match=rf"pip install -e '\.\[{extra}\]'$"):
        read(tmp_path / "x.parquet")


def test_torch_dataset_has_every_row(tmp_path: Path) -> None:
    torch = pytest.importorskip("torch")
    path = written(tmp_path / "x.npz", recipe_of(ROOTS["copies"], LABELS["soft"]))
    rows, data = read_all(path), dataset(path)
    assert len(data) == len(rows.value)
    loader = torch.utils.data.DataLoader(data, batch_size=16, shuffle=False)
    batches = list(loader)
    policies = torch.cat([batch["policy"] for batch in batches])
    assert torch.equal(policies, torch.from_numpy(rows.policy))
    assert batches[0]["legal"].dtype == torch.bool
    assert batches[0]["board_card"].shape == (16, 9)
    assert data[3]["value"].item() == rows.value[3]
