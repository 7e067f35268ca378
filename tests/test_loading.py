"""What commands load: no more than they need, so that they begin at once."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from typer.core import TyperGroup

import precompute.cli
import triad
from console.commands import LazyCommand
from engine.text.wire import state_to_dict
from tests.commands import MODULES, RUN
from tests.conftest import IS_JIT_OFF
from tests.databases import build, small_roots

STATE = Path(__file__).parent.parent / "docs" / "state.json"
# What takes long to load. Parts of this project count as well: a command does not load another.
HEAVY = {
    *("numba", "numpy", "msgspec", "lmdb", "zstandard", "rich", "pyarrow", "torch"),
    *("fastapi", "starlette", "uvicorn", "pydantic_settings", "httpx", "orjson"),
    *("prometheus_client", "dask", "distributed"),
    *("precompute.job", "precompute.export", "precompute.verify", "engine.tablebase", "app.main"),
}
DATABASE = {"numpy", "lmdb", "zstandard", "engine.tablebase"}


def loaded_by(name: str, *arguments: str, given: str = "") -> set[str]:
    """Return what a command loads of what is heavy."""
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-c", RUN, MODULES[name], *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    modules = re.findall(r"^import time:.*\| +(\S+)$", done.stderr, re.MULTILINE)
    assert "typer" in modules
    return HEAVY.intersection(modules)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    path = tmp_path_factory.mktemp("db")
    build(path, small_roots(1))
    return str(path)


@pytest.mark.parametrize("name", MODULES)
def test_help_loads_nothing(name: str) -> None:
    assert loaded_by(name, "--help") == set()


LATE = json.dumps(json.loads(STATE.read_text()))
EARLY = json.dumps(state_to_dict(small_roots(1, 3)[0]))
ENGINE = {"numpy", "msgspec"}


@pytest.mark.skipif(IS_JIT_OFF, reason="nothing is compiled")
def test_eval_of_a_late_state_needs_no_compiler(database: str) -> None:
    assert loaded_by("precompute", "eval", "--moves", given=LATE) == ENGINE
    assert loaded_by("precompute", "eval", given=EARLY) == ENGINE | {"numba"}
    assert loaded_by("precompute", "eval", "--lines", given=LATE) == ENGINE | {"numba"}
    with_database = loaded_by("precompute", "eval", "--db", database, given=LATE)
    assert with_database == ENGINE | DATABASE | {"numba"}


def test_info_needs_the_database_but_no_kernel_and_no_table(database: str) -> None:
    assert loaded_by("precompute", "info", "--db", database, "--json") == DATABASE
    assert loaded_by("precompute", "info", "--db", database) == DATABASE | {"rich"}


def test_help_of_the_service_needs_its_settings(database: str) -> None:
    assert loaded_by("triad", "serve", "--help", "--db", database) == {"pydantic_settings"}


@pytest.mark.skipif(IS_JIT_OFF, reason="nothing is compiled")
def test_game_in_the_terminal_needs_the_engine_alone() -> None:
    assert loaded_by("triad", "play", "--a", "greedy", "--b", "random") == {"numpy", "numba"}


@pytest.mark.parametrize("group", [precompute.cli.commands, triad.commands])
def test_summary_of_a_command_is_the_first_line_of_its_help(group: TyperGroup) -> None:
    assert group.commands
    for command in group.commands.values():
        assert isinstance(command, LazyCommand)
        own = command.load().help or ""
        assert command.help == " ".join(own.partition("\n\n")[0].split())
