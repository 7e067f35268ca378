"""Compiled and plain twins of the bit tricks, and where compiled kernels are kept."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engine.kernel import bit_count, kernel, lowest_bit
from tests.conftest import IS_JIT_OFF

ROOT = Path(__file__).parent.parent.parent


@kernel
def compiled_bit_count(word: int) -> int:
    return bit_count(word)


@kernel
def compiled_lowest_bit(word: int) -> int:
    return lowest_bit(word)


@given(st.integers(1, 2**63 - 1))
def test_bit_tricks_equal_their_plain_twins(word: int) -> None:
    assert compiled_bit_count(word) == bin(word).count("1")
    assert compiled_lowest_bit(word) == bin(word)[::-1].index("1")


def run_python(code: str, cwd: Path, **environment: str) -> str:
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(cwd), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


def copy_of_engine(path: Path) -> Path:
    (path / "engine").mkdir()
    for source in (ROOT / "engine").glob("*.py"):
        (path / "engine" / source.name).write_bytes(source.read_bytes())
    return path


@pytest.mark.skipif(IS_JIT_OFF, reason="nothing is compiled")
def test_edit_of_a_called_kernel_is_noticed(tmp_path: Path) -> None:
    """numba by itself would go on with the caller's cached build."""
    root = copy_of_engine(tmp_path)
    code = "from engine.board import EMPTY_BOARD, slots_down; print(slots_down(EMPTY_BOARD - 15))"
    cache = str(tmp_path / "cache")
    assert run_python(code, root, NUMBA_CACHE_DIR=cache) == "1"
    board = root / "engine" / "board.py"
    board.write_text(board.read_text().replace("slots = 0\n", "slots = 512\n"))
    assert run_python(code, root, NUMBA_CACHE_DIR=cache) == "513"


@pytest.mark.skipif(IS_JIT_OFF, reason="nothing is compiled")
def test_kernels_are_cached_below_the_given_directory(tmp_path: Path) -> None:
    code = "from engine.board import slots_down; slots_down(0)"
    run_python(code, ROOT, NUMBA_CACHE_DIR=str(tmp_path))
    assert list(tmp_path.glob("triadbase/kernels-*/**/*.nbi"))


def test_unwritable_cache_directory_is_no_obstacle(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()  # a directory below a file can be made by nobody, root included
    code = (
        "from engine.kernel import CACHE_DIRECTORY; from engine.board import slots_down; "
        "print(CACHE_DIRECTORY, slots_down(0xFFFFFFFFF))"
    )
    assert run_python(code, ROOT, NUMBA_CACHE_DIR=str(file)) == "None 0"


def test_bounds_checked_builds_are_kept_apart(tmp_path: Path) -> None:
    code = "from engine.kernel import CACHE_DIRECTORY; print(CACHE_DIRECTORY.name)"
    environments = [{}, {"NUMBA_BOUNDSCHECK": "1"}]
    names = {
        run_python(code, ROOT, **{"NUMBA_CACHE_DIR": str(tmp_path), **environment})
        for environment in environments
    }
    assert len(names) == (1 if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else 2)
