"""A database grows by jobs, merges and crashes; a dict says what it must hold.

Whatever happens, what is read is what some published generation had, and the content digest
depends on the deals alone.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from engine.errors import StoreError
from engine.game.cards import Catalogue
from engine.search.solver import Solver
from engine.text.notation import format_state
from store.environment import Environment
from store.format import directory_key
from store.generations import Folder
from store.merge import FAN, due, merge
from store.parts import Parts
from store.reader import Reader
from store.records import read_root
from store.totals import Totals
from tests.databases import build, later, small_roots

ROOTS = [later(root.seated, 7, choice) for choice in (1, 2) for root in small_roots(9, 6)]
DEPTHS = (7, 8)
Model = dict[str, int]  # how deep each root is stored


def test_open_reader_keeps_what_it_opened(tmp_path: Path, catalogue: Catalogue) -> None:
    build(tmp_path, ROOTS[:2])
    reader = Reader(tmp_path, catalogue)
    for root in ROOTS[2:]:
        build(tmp_path, [root])
    with Folder(tmp_path).locked():
        merge(Folder(tmp_path), catalogue)
    assert [reader.get(root) is not None for root in ROOTS[:3]] == [True, True, False]
    assert reader.probe(ROOTS[0]).margin(ROOTS[0]) == Solver().solve(ROOTS[0]).margin
    reader.close()


def test_parts_are_merged_when_a_tier_is_full(tmp_path: Path) -> None:
    counts = [len(build(tmp_path, [root]).generation.parts) for root in ROOTS[: FAN + 1]]
    assert counts == [*range(1, FAN), 1, 2]
    assert not due(Folder(tmp_path).served().parts)


def test_deals_are_published_though_a_merge_fails(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def append(*_: object) -> None:
        raise StoreError("the disk is full")

    with monkeypatch.context() as patch:
        patch.setattr(Environment, "append", append)
        for root in ROOTS[:FAN]:
            generation = build(tmp_path, [root]).generation
    assert len(generation.parts) == FAN
    assert Folder(tmp_path).served() == generation
    assert not Folder(tmp_path).fresh.exists()
    assert len(build(tmp_path, ROOTS[FAN : FAN + 1]).generation.parts) == 1


def test_merging_can_be_left_out(tmp_path: Path) -> None:
    for root in ROOTS[: FAN + 1]:
        generation = build(tmp_path, [root], merges=False).generation
    assert len(generation.parts) == FAN + 1


def test_deal_in_many_parts_is_read_where_it_is_deepest(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    root = small_roots(1, 6)[0]
    for plies in (6, 7, 8):
        build(tmp_path, [root], plies=plies, merges=False)
    reader = Reader(tmp_path, catalogue)
    assert len(reader.parts.opened) == 3
    ((_, record),) = reader.parts.roots()
    assert record.plies == 8
    deep = later(root, 8)
    assert reader.probe(deep).margin(deep) == Solver().solve(deep).margin
    reader.close()


def test_nothing_is_copied_when_a_deal_is_added(tmp_path: Path) -> None:
    first = build(tmp_path, ROOTS[:1]).generation
    before = first.file_of(first.parts[0]).stat()
    second = build(tmp_path, ROOTS[1:2]).generation
    after = second.file_of(first.parts[0]).stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)
    assert [part in second.parts for part in first.parts] == [True]


def test_damaged_part_stops_a_job_until_it_is_dropped(tmp_path: Path, catalogue: Catalogue) -> None:
    for root in ROOTS[:3]:
        generation = build(tmp_path, [root], merges=False).generation
    generation.file_of(generation.parts[0]).write_bytes(b"nothing")
    with pytest.raises(StoreError, match="--drop-damaged"):
        build(tmp_path, [ROOTS[3]])
    folder = Folder(tmp_path)
    with folder.locked():
        kept = merge(folder, catalogue, drops_damaged=True)
    assert sum(part.deals for part in kept.parts) == 2
    assert Totals.from_dict(kept.totals).deals == 2
    build(tmp_path, ROOTS[:4])
    reader = Reader(tmp_path, catalogue)
    assert all(reader.get(root) for root in ROOTS[:4])
    reader.close()


def test_names_of_roots_are_what_is_listed(tmp_path: Path, catalogue: Catalogue) -> None:
    build(tmp_path, ROOTS)
    parts = Parts([tmp_path], catalogue)
    assert {record.root for _, record in parts.roots()} == {
        format_state(root.seated) for root in ROOTS
    }
    keys = [key for key, _ in parts.roots()]
    assert keys == sorted(keys)
    assert [key for key, _ in parts.roots(after=keys[2])] == keys[3:]
    parts.close()


def test_part_of_another_kind_is_left_out(tmp_path: Path, catalogue: Catalogue) -> None:
    """As this version would find what a later one has written."""
    first = build(tmp_path, ROOTS[:1]).generation
    generation = build(tmp_path, ROOTS[1:2]).generation
    parts = [
        part if part in first.parts else replace(part, kind="towers") for part in generation.parts
    ]
    folder = Folder(tmp_path)
    listed = folder._write_list(
        "gen-000003", generation.kind, parts, Totals.from_dict(generation.totals)
    )
    folder.publish(listed)
    reader = Reader(tmp_path, catalogue)
    (left,) = reader.parts.left_out
    assert left.reason.endswith("holds towers, which this version cannot read")
    assert [reader.get(root) is not None for root in ROOTS[:2]] == [True, False]
    reader.close()


def test_directory_takes_sixteen_bytes_a_deal_and_names_the_part(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    for root in ROOTS:
        build(tmp_path, [root], merges=False)
    parts = Parts([tmp_path], catalogue)
    assert parts.directory_bytes == 16 * len(ROOTS)
    assert (np.diff(parts._keys) >= 0).all()
    for root in ROOTS:
        asked = parts.with_directory(directory_key(root))
        assert len(asked) < len(parts.opened) / 2
        assert any(read_root(opened.environment, root) for opened in asked)
    parts.close()
