"""What version 0.1.0 made goes on to work: a database, exports, notations, library code."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engine.game.cards import Catalogue
from engine.moved import MOVED
from engine.text.notation import format_state, parse_state
from learn.data import read_all
from precompute.export.command import with_root
from precompute.export.recipe import Mode, Recipe
from store.answer import DATABASE
from store.format import OLD_FORMAT
from store.oracle import Oracle
from store.parts import Parts
from store.reader import Reader
from store.summary import totals_of
from tests.commands import command
from tests.databases import build, later, small_roots
from tests.exports import dealer, written

SAMPLES = Path(__file__).parent / "samples" / "0.1.0"
NOTATION = "ff8-esp_31A.1.10B.14A.6B.96B.2.L_7.99_34.73.86_B"
DIGEST = "4e72a9140f0afb38ecf252125134ce02"  # as 0.1.0 told it
NOTATIONS = [
    NOTATION,
    "tc-sp_4.110A.4_104.105.106.107_1.2.3.4.5_B",
    "ff8-es_12AF.1.L.2.34B.3_1.2.3.4_6.7.8.9_A",
    "tc_9_1.2.3.4.5_6.7.8.9.10_A",
    "ff8_1A.2A.3A.4A.5A.6B.7B.8B.9B__10_B",
]


def test_database_is_served_as_it_is(catalogue: Catalogue) -> None:
    reader = Reader(SAMPLES / "db", catalogue)
    answer = Oracle(reader).answer(parse_state(NOTATION, catalogue), moves=True)
    assert (answer.source, answer.solution.margin) == (DATABASE, -4)
    (opened,) = reader.parts.opened
    assert (opened.manifest.format, opened.manifest.digest) == (OLD_FORMAT, DIGEST)
    reader.close()


def test_database_has_the_content_that_is_made_today(catalogue: Catalogue, tmp_path: Path) -> None:
    build(tmp_path, [parse_state(NOTATION, catalogue)])
    old, new = Parts([SAMPLES / "db"], catalogue), Parts([tmp_path], catalogue)
    assert list(old.roots()) == list(new.roots())
    assert totals_of(old).to_dict() == totals_of(new).to_dict()


def test_database_is_verified_and_extended(tmp_path: Path, catalogue: Catalogue) -> None:
    shutil.copytree(SAMPLES / "db", tmp_path / "db")
    verified = command("precompute", "verify", "--db", str(tmp_path / "db"))
    assert (verified.returncode, "all is well" in verified.stdout) == (0, True)
    root = later(small_roots(1)[0], 6)
    build(tmp_path / "db", [root])
    reader = Reader(tmp_path / "db", catalogue)
    assert reader.get(root)
    assert reader.get(parse_state(NOTATION, catalogue))
    reader.close()


def test_exports_have_the_same_bytes_today(tmp_path: Path, catalogue: Catalogue) -> None:
    games = ("--games", "2", "--rules", "same,plus", "--variant", "ff8", "--seed", "7")
    done = command("precompute", "export", "--out", str(tmp_path / "games.jsonl"), *games)
    assert done.returncode == 0, done.stderr
    for name in ("games.jsonl", "games.jsonl.manifest.json"):
        assert (tmp_path / name).read_bytes() == (SAMPLES / name).read_bytes()
    recipe = Recipe(Mode.GRAPH, dealer(), has_terminal=True)
    recipe = with_root(recipe, parse_state(NOTATION, catalogue), None)
    assert (
        written(tmp_path / "late.npz", recipe).read_bytes() == (SAMPLES / "late.npz").read_bytes()
    )


def test_exports_are_read() -> None:
    assert len(read_all(SAMPLES / "games.jsonl").value) == 18
    assert len(read_all(SAMPLES / "late.npz").value) == 488


@pytest.mark.parametrize("text", NOTATIONS)
def test_notation_stays_what_it_is(text: str, catalogue: Catalogue) -> None:
    assert format_state(parse_state(text, catalogue)) == text


def test_library_code_works_and_is_told_where_things_are_now() -> None:
    done = subprocess.run(
        [sys.executable, "-W", "default", str(SAMPLES / "library.py")],
        cwd=Path(__file__).parent.parent,
        env={"PYTHONPATH": ".", "PATH": "", "HOME": str(Path.home())},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "all as it was\n", done.stderr
    for old, new in MOVED.items():
        assert f"DeprecationWarning: {old} is now {new}" in done.stderr
