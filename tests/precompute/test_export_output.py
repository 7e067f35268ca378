"""The files of an export: shards, compression, temporary names, disks that are full."""

from __future__ import annotations

import hashlib
import io
import json
import resource
import sys
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zstandard

from engine.game.cards import Catalogue, default_catalogue
from engine.text.notation import parse_state
from precompute.export.columns import Columns
from precompute.export.formats import Format, coding_of, format_of
from precompute.export.job import Export, ExportMeans
from precompute.export.output import Output
from precompute.export.parquet import GROUP_ROWS, ParquetFile
from precompute.export.recipe import Mode, Recipe
from precompute.export.sink import BLOCK_BYTES, Sink
from store.exported import Column
from tests.exports import recipe_of_root, written

STATE = parse_state("ff8-esp_31A.1.10B.14A.6B.96B.2.L_7.99_34.73.86_B", default_catalogue())
ROWS = 317


@pytest.fixture
def recipe() -> Recipe:
    return recipe_of_root(Mode.GRAPH, STATE)


def manifest_of(path: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(Path(f"{path}.manifest.json").read_text())
    return manifest


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def content_of(path: Path) -> bytes:
    data = path.read_bytes()
    if path.suffix != ".zst":
        return data
    return zstandard.ZstdDecompressor().decompressobj().decompress(data)


def test_compressed_output_holds_the_same(recipe: Recipe, tmp_path: Path) -> None:
    plain = written(tmp_path / "x.jsonl", recipe)
    pressed = written(tmp_path / "x.jsonl.zst", recipe)
    assert content_of(pressed) == plain.read_bytes()
    assert pressed.stat().st_size < plain.stat().st_size / 5
    assert manifest_of(pressed)["files"][0]["sha256"] == sha256_of(pressed)


@pytest.mark.parametrize("ending", ["jsonl", "jsonl.zst"])
def test_shards_are_the_whole_cut_in_pieces(ending: str, recipe: Recipe, tmp_path: Path) -> None:
    path = written(tmp_path / f"x.{ending}", recipe, shard_rows=100)
    names = [f"x-{number:05d}.{ending}" for number in range(4)]
    files = manifest_of(path)["files"]
    assert [file["name"] for file in files] == names
    assert [file["rows"] for file in files] == [100, 100, 100, ROWS - 300]
    for file in files:
        assert file["sha256"] == sha256_of(tmp_path / file["name"])
    parts = b"".join(content_of(tmp_path / name) for name in names)
    assert parts == written(tmp_path / "whole.jsonl", recipe).read_bytes()
    assert not path.exists()


def test_last_shard_is_not_empty(recipe: Recipe, tmp_path: Path) -> None:
    path = written(tmp_path / "x.jsonl", recipe, shard_rows=ROWS)
    assert [file["rows"] for file in manifest_of(path)["files"]] == [ROWS]


@pytest.mark.parametrize("ending", ["npz", "parquet", "npz.zst", "parquet.zst"])
def test_binary_formats_repeat_byte_for_byte(ending: str, recipe: Recipe, tmp_path: Path) -> None:
    digests = {
        sha256_of(written(tmp_path / f"{threads}.{ending}", recipe, ExportMeans(threads, 1, 1)))
        for threads in (1, 2, 3)
    }
    assert len(digests) == 1


def test_npz_tells_no_time_and_numpy_reads_it(recipe: Recipe, tmp_path: Path) -> None:
    path = written(tmp_path / "x.npz", recipe)
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}
    with np.load(path) as arrays:
        assert arrays["board_card"].shape == (ROWS, 9)
        assert json.loads(arrays["common"].tobytes())["rules"]["variant"] == "ff8"


def test_compressed_bytes_do_not_depend_on_how_they_are_written() -> None:
    data = np.random.default_rng(1).integers(0, 20, 3 * BLOCK_BYTES + 77, dtype=np.uint8).tobytes()
    digests = set()
    for size in (999, BLOCK_BYTES, 2 * BLOCK_BYTES + 5, len(data)):
        file = io.BytesIO()
        sink = Sink(file, "x", is_compressed=True)
        for start in range(0, len(data), size):
            sink.write(data[start : start + size])
        sink.close()
        assert sink.bytes == len(file.getvalue())
        assert sink.tell() == len(data)
        digests.add(sink.sha256)
    assert len(digests) == 1


def test_row_groups_do_not_depend_on_how_rows_come() -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    numbers = np.arange(GROUP_ROWS + 1_000, dtype=np.int8)
    rows = Columns({"turn": numbers})
    contents = set()
    for size in (50_000, GROUP_ROWS, len(rows)):
        file = io.BytesIO()
        sink = Sink(file, "x", is_compressed=False)
        writer = ParquetFile(sink, [Column("turn", "<i1")], {"schema": 1})
        for first in range(0, len(rows), size):
            writer.write(rows.cut(first, min(first + size, len(rows))))
        writer.finish()
        sink.close()
        contents.add(file.getvalue())
    assert len(contents) == 1
    found = parquet.ParquetFile(io.BytesIO(contents.pop()))
    assert found.num_row_groups == 2
    assert np.array_equal(found.read()["turn"].to_numpy(), numbers)


def test_manifest_of_a_replaced_export_goes_first(
    recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between the two renames, an output must not lie beside another's manifest."""
    path = written(tmp_path / "x.jsonl", recipe)

    def die(_: Path, target: Path) -> None:
        raise KeyboardInterrupt(target)

    monkeypatch.setattr(Path, "replace", die)
    with pytest.raises(KeyboardInterrupt):
        written(path, recipe)
    assert path.exists()
    assert not Path(f"{path}.manifest.json").exists()
    assert not list(tmp_path.glob("*.part"))


class GoneError(Exception):
    """A writer's trouble."""


@pytest.mark.parametrize("kind", Format)
def test_output_that_is_given_up_leaves_nothing(
    kind: Format, recipe: Recipe, tmp_path: Path
) -> None:
    coding = coding_of(kind, recipe.mode, recipe.labels, recipe.rules)
    with pytest.raises(GoneError), Output(str(tmp_path / "x"), 10, coding.open):
        raise GoneError
    assert list(tmp_path.iterdir()) == []


only_linux = pytest.mark.skipif(sys.platform != "linux", reason="/dev/full")


@only_linux
@pytest.mark.parametrize("kind", Format)
def test_full_disk_is_named(kind: Format, recipe: Recipe) -> None:
    export = Export(recipe, ExportMeans(1, 1, 1), say=lambda _: None)
    with pytest.raises(OSError, match="No space left") as raised:
        export.write("/dev/full", kind, None)
    assert raised.value.filename == "/dev/full"
    assert Path("/dev/full").is_char_device()


@contextmanager
def small_files() -> Iterator[None]:
    """Let no file of this process grow beyond some kilobytes: not even one of pytest's own."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (5_000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.parametrize("ending", ["jsonl", "npz", "parquet"])
def test_file_that_gets_too_large_is_named_and_removed(
    ending: str, recipe: Recipe, tmp_path: Path
) -> None:
    path = tmp_path / f"x.{ending}"
    with pytest.raises(OSError, match="File too large") as raised, small_files():
        written(path, recipe)
    assert raised.value.filename == str(path)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("out", "reason"), [("missing/x.jsonl", "No such file"), ("file/x.jsonl", "Not a directory")]
)
def test_path_that_cannot_be_written_is_named(
    out: str, reason: str, recipe: Recipe, tmp_path: Path
) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(OSError, match=reason) as raised:
        written(tmp_path / out, recipe)
    assert str(raised.value.filename).startswith(str(tmp_path / out))


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("a.npz", Format.NPZ),
        ("a.b.parquet.zst", Format.PARQUET),
        ("a.jsonl", Format.JSONL),
        ("a.txt", Format.JSONL),
        ("-", Format.JSONL),
    ],
)
def test_ending_says_the_format(path: str, kind: Format) -> None:
    assert format_of(path) is kind


def test_catalogue_is_in_the_manifest(recipe: Recipe, tmp_path: Path, catalogue: Catalogue) -> None:
    manifest = manifest_of(written(tmp_path / "x.jsonl", recipe))
    assert manifest["cards"] == catalogue.digest
    assert manifest["flags"]["state"].startswith("ff8-esp_31A.1.10B.")
    assert manifest["flags"]["plies"] == 8
