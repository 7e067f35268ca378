"""`precompute compact` as users run it, and databases of an earlier version."""

from __future__ import annotations

import json
import os
import resource
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engine.game.cards import Catalogue
from engine.text.notation import format_state, parse_state
from store.generations import DATA, Folder
from store.reader import Reader
from tests.commands import MERGING, RUN, command
from tests.conftest import IS_JIT_OFF
from tests.databases import build, data_file, later, small_roots, write_states
from tests.test_samples import NOTATION, SAMPLES

ROOTS = small_roots(4)
BIG_ROOTS = pytest.mark.skipif(IS_JIT_OFF, reason="roots are too small to fill a disk")


def facts_of(path: Path) -> dict[str, Any]:
    done = command("precompute", "info", "--db", str(path), "--json")
    assert done.returncode == 0, done.stderr
    facts: dict[str, Any] = json.loads(done.stdout)
    return facts


@pytest.fixture
def in_parts(tmp_path: Path) -> Path:
    for root in ROOTS:
        build(tmp_path / "db", [root], merges=False)
    return tmp_path / "db"


def test_parts_become_one_with_the_same_content(in_parts: Path) -> None:
    before = facts_of(in_parts)
    assert len(before["parts"]) == len(ROOTS)
    done = command("precompute", "compact", "--db", str(in_parts))
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("4 parts with ")
    after = facts_of(in_parts)
    assert len(after["parts"]) == 1
    for name in ("digest", "deals", "kinds", "layers", "total"):
        assert after[name] == before[name]
    assert after["file_bytes"] < before["file_bytes"]
    there = {path.name for path in in_parts.iterdir()}
    assert there == {"CURRENT", "lock", "gen-000005.json", after["parts"][0]["name"]}
    assert command("precompute", "verify", "--db", str(in_parts)).returncode == 0


def test_summary_of_compacting_can_be_read_by_a_program(in_parts: Path) -> None:
    done = command("precompute", "compact", "--db", str(in_parts), "--json")
    facts = json.loads(done.stdout)
    assert (facts["parts_before"], facts["generation"]) == (4, "gen-000005")
    assert facts["digest"] == facts_of(in_parts)["digest"]


def on_full_disk(path: Path, code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run `precompute` where no file can get larger than the largest part is."""
    largest = max(part["bytes"] for part in facts_of(path)["parts"])

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (largest, largest))

    return subprocess.run(
        [sys.executable, "-c", code, "precompute.cli", *arguments, "--db", str(path)],
        preexec_fn=limit,
        capture_output=True,
        text=True,
        check=False,
    )


@BIG_ROOTS
def test_full_disk_while_compacting_loses_nothing(in_parts: Path) -> None:
    before = facts_of(in_parts)
    done = on_full_disk(in_parts, RUN, "compact")
    assert done.returncode == 1
    assert "cannot be written" in done.stderr
    assert facts_of(in_parts) == before
    assert not Folder(in_parts).fresh.exists()
    assert command("precompute", "compact", "--db", str(in_parts)).returncode == 0
    assert facts_of(in_parts)["digest"] == before["digest"]


@BIG_ROOTS
def test_full_disk_while_a_job_merges_loses_nothing(in_parts: Path, tmp_path: Path) -> None:
    late = later(small_roots(5)[4], 7)
    states = write_states(tmp_path / "states.jsonl", [late])
    done = on_full_disk(in_parts, MERGING, "--state", states)
    assert done.returncode == 0, done.stderr
    assert "parts are not merged" in done.stderr
    assert "cannot be written" in done.stderr
    after = facts_of(in_parts)
    assert (after["deals"], len(after["parts"])) == (5, 5)
    assert command("precompute", "verify", "--db", str(in_parts)).returncode == 0


def test_only_part_that_is_damaged_is_dropped_when_that_is_wished(tmp_path: Path) -> None:
    build(tmp_path / "db", ROOTS[:2])
    os.truncate(data_file(tmp_path / "db"), 8192)
    refused = command("precompute", "compact", "--db", str(tmp_path / "db"))
    assert refused.returncode == 1
    assert "or leave it out for good with precompute compact --drop-damaged" in refused.stderr
    done = command("precompute", "compact", "--db", str(tmp_path / "db"), "--drop-damaged")
    assert done.returncode == 0, done.stderr
    assert facts_of(tmp_path / "db")["deals"] == 0
    assert command("precompute", "verify", "--db", str(tmp_path / "db")).returncode == 0
    build(tmp_path / "db", ROOTS[:1])
    assert facts_of(tmp_path / "db")["deals"] == 1
    assert command("precompute", "verify", "--db", str(tmp_path / "db")).returncode == 0


def test_all_parts_that_are_damaged_are_dropped_when_that_is_wished(in_parts: Path) -> None:
    for file in in_parts.glob(f"part-*/{DATA}"):
        file.unlink()
    done = command("precompute", "compact", "--db", str(in_parts), "--drop-damaged")
    assert done.returncode == 0, done.stderr
    facts = facts_of(in_parts)
    assert (facts["deals"], len(facts["parts"]), facts["left_out"]) == (0, 1, [])


def test_nothing_to_compact_is_told(tmp_path: Path) -> None:
    done = command("precompute", "compact", "--db", str(tmp_path / "none"))
    assert done.returncode == 1
    assert done.stderr == f"precompute: there is no database at {tmp_path / 'none'}\n"
    assert not (tmp_path / "none").exists()


def test_database_of_an_earlier_version_is_converted(tmp_path: Path, catalogue: Catalogue) -> None:
    shutil.copytree(SAMPLES / "db", tmp_path / "db")
    before = facts_of(tmp_path / "db")
    assert before["format"] == 1
    done = command("precompute", "compact", "--db", str(tmp_path / "db"))
    assert "gen-000001 is of format 1, an earlier version's: it is converted" in done.stderr
    after = facts_of(tmp_path / "db")
    assert (after["format"], after["digest"]) == (2, before["digest"])
    assert not (tmp_path / "db" / "gen-000001").exists()
    reader = Reader(tmp_path / "db", catalogue)
    assert reader.get(parse_state(NOTATION, catalogue))
    reader.close()


def test_database_of_an_earlier_version_becomes_a_part_without_a_copy(
    tmp_path: Path, catalogue: Catalogue
) -> None:
    shutil.copytree(SAMPLES / "db", tmp_path, dirs_exist_ok=True)
    number = (tmp_path / "gen-000001" / DATA).stat().st_ino
    done = command("precompute", "--state", format_state(ROOTS[0]), "--db", str(tmp_path))
    assert "is of format 1, an earlier version's: it becomes a part" in done.stderr
    generation = Folder(tmp_path).served()
    files = [generation.file_of(part).stat().st_ino for part in generation.parts]
    assert number in files
    reader = Reader(tmp_path, catalogue)
    assert reader.get(ROOTS[0])
    assert reader.get(parse_state(NOTATION, catalogue))
    reader.close()
