"""Compiled and plain twins of the bit tricks, and where compiled kernels are kept."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tomllib
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from engine.kernel import Kernel, bit_count, interpreted, kernel, lowest_bit
from engine.sources import PACKAGES, closure_of, digest_of, file_of
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


IS_LOADED = "import sys; print('numba' in sys.modules)"


@pytest.mark.skipif(IS_JIT_OFF, reason="nothing is compiled")
@pytest.mark.parametrize(
    ("run", "is_loaded"),
    [("", False), ("slots_down(0)", True), ("with interpreted(): slots_down(0)", False)],
)
def test_numba_is_loaded_when_a_kernel_is_compiled(run: str, is_loaded: bool) -> None:
    names = "from engine.game.board import slots_down; from engine.kernel import interpreted"
    assert run_python(f"{names}\n{run}\n{IS_LOADED}", ROOT) == str(is_loaded)


def test_kernel_is_made_once_when_threads_call_it_at_once() -> None:
    asked = Kernel(bit_count)
    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(lambda _: id(asked.compiled), range(64)))) == 1


def test_interpreting_ends_with_its_block() -> None:
    calls: list[bool] = []

    @kernel
    def noted(word: int) -> int:
        calls.append(True)  # numba would refuse this
        return word

    with interpreted():
        assert noted(3) == 3
    assert calls == [True]


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


def copy_of_project(path: Path) -> Path:
    for name in PACKAGES:
        shutil.copytree(ROOT / name, path / name, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copytree(ROOT / "data", path / "data", ignore=shutil.ignore_patterns("db", "exports"))
    return path


def edit(file: Path, old: str, new: str) -> None:
    text = file.read_text()
    assert text.count(old) == 1
    file.write_text(text.replace(old, new))


@pytest.mark.skipif(IS_JIT_OFF, reason="nothing is compiled")
def test_edit_of_a_called_kernel_in_another_file_is_noticed(tmp_path: Path) -> None:
    """numba by itself would go on with the caller's cached build."""
    root, cache = copy_of_project(tmp_path), str(tmp_path / "cache")
    code = "from engine.game.board import EMPTY_BOARD; from engine.game.moves import ply_of; "
    code += "print(ply_of(EMPTY_BOARD))"
    assert run_python(code, root, NUMBA_CACHE_DIR=cache) == "0"
    edit(root / "engine/game/board.py", "    cells = 0\n", "    cells = 512\n")
    assert run_python(code, root, NUMBA_CACHE_DIR=cache) == "-1"


@pytest.mark.skipif(IS_JIT_OFF, reason="nothing is compiled")
def test_kernel_of_a_file_that_changed_since_it_was_loaded_is_not_kept(tmp_path: Path) -> None:
    root, cache = copy_of_project(tmp_path), str(tmp_path / "cache")
    ask = "print(ply_of(EMPTY_BOARD))"
    load = "from engine.game.board import EMPTY_BOARD; from engine.game.moves import ply_of; "
    change = (
        "import time; time.sleep(0.05); "  # the clock of files ticks more coarsely
        "from pathlib import Path; file = Path('engine/game/board.py'); "
        "file.write_text(file.read_text().replace('    cells = 0\\n', '    cells = 512\\n')); "
    )
    assert run_python(load + change + ask, root, NUMBA_CACHE_DIR=cache) == "0"
    assert run_python(load + ask, root, NUMBA_CACHE_DIR=cache) == "-1"


@pytest.mark.skipif(IS_JIT_OFF, reason="nothing is compiled")
def test_edit_of_a_constant_in_another_file_is_noticed(tmp_path: Path) -> None:
    root, cache = copy_of_project(tmp_path), str(tmp_path / "cache")
    code = "from engine.game.chances import chances_of; print(chances_of([1.0, 3.0]))"
    assert run_python(code, root, NUMBA_CACHE_DIR=cache) == "[250000, 750000]"
    edit(root / "engine/game/shape.py", "MILLION: Final = 1_000_000", "MILLION: Final = 1_000")
    assert run_python(code, root, NUMBA_CACHE_DIR=cache) == "[250, 750]"


@pytest.mark.parametrize("module", ["precompute.export.lines", "engine.search.mcts"])
def test_module_stands_on_all_that_it_loads(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = {name for name in run_python(code, ROOT).split() if file_of(name)}
    ours = {name for name in loaded if name.partition(".")[0] in PACKAGES}
    packages = {
        name for name in ours if file_of(name) == ROOT.joinpath(*name.split("."), "__init__.py")
    }
    assert ours - packages - {"engine.moved"} <= closure_of(module)


def test_digest_is_of_one_modules_sources_alone() -> None:
    assert "engine.search.exact" in closure_of("engine.search.solver")
    assert "engine.search.solver" not in closure_of("engine.search.exact")
    assert digest_of("engine.search.exact") != digest_of("engine.search.solver")


def test_packages_are_those_that_are_shipped() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    shipped = project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"]
    assert set(shipped) == PACKAGES == set(project["tool"]["importlinter"]["root_packages"])


@pytest.mark.skipif(IS_JIT_OFF, reason="nothing is compiled")
def test_kernels_are_cached_below_the_given_directory(tmp_path: Path) -> None:
    code = "from engine.game.board import slots_down; slots_down(0)"
    run_python(code, ROOT, NUMBA_CACHE_DIR=str(tmp_path))
    assert list(tmp_path.glob("triadbase/engine.game.board-*/**/*.nbi"))


def test_unwritable_cache_directory_is_no_obstacle(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()  # a directory below a file can be made by nobody, root included
    code = (
        "from engine.compiler import CACHE_HOME; from engine.game.board import slots_down; "
        "print(CACHE_HOME, slots_down(0xFFFFFFFFF))"
    )
    assert run_python(code, ROOT, NUMBA_CACHE_DIR=str(file)) == "None 0"


def test_bounds_checked_builds_are_kept_apart(tmp_path: Path) -> None:
    code = "from engine.compiler import cache_directory as at; print(at('engine.game.board'))"
    environments = [{}, {"NUMBA_BOUNDSCHECK": "1"}]
    names = {
        run_python(code, ROOT, **{"NUMBA_CACHE_DIR": str(tmp_path), **environment})
        for environment in environments
    }
    assert len(names) == (1 if os.environ.get("NUMBA_BOUNDSCHECK") == "1" else 2)
