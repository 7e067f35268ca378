"""`precompute info`, `verify` and `eval --db` on real databases, whole and damaged."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.text.wire import state_to_dict
from store.environment import Entry, Environment
from store.format import BLOCKS, ROOTS
from tests.commands import command
from tests.databases import (
    build,
    data_file,
    publish_changed,
    small_roots,
    states_below,
    tear_blocks,
)


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("db")
    build(path, small_roots(2))
    return path


def test_info_counts_what_is_there(path: Path) -> None:
    done = command("precompute", "info", "--db", str(path), "--json")
    facts = json.loads(done.stdout)
    states = [state for root in small_roots(2) for state in states_below(root)]
    assert facts["deals"] == 2
    assert facts["total"]["states"] == len(states)
    for layer in facts["layers"]:
        assert layer["states"] == sum(state.ply == layer["ply"] for state in states)
    assert facts["file_bytes"] == data_file(path).stat().st_size
    assert facts["kinds"] == {"ff8-espw to ply 8": 1, "tc-espw to ply 8": 1}


def test_info_shows_the_same_to_people(path: Path) -> None:
    shown = command("precompute", "info", "--db", str(path)).stdout
    facts = json.loads(command("precompute", "info", "--db", str(path), "--json").stdout)
    assert facts["digest"] in shown
    assert "2 deals" in shown
    assert f"{facts['total']['states']:,}" in shown


@pytest.mark.parametrize("subcommand", ["info", "verify"])
def test_nothing_to_look_at_is_told(tmp_path: Path, subcommand: str) -> None:
    done = command("precompute", subcommand, "--db", str(tmp_path / "none"))
    assert done.returncode == 1
    assert done.stderr == f"precompute: there is no database at {tmp_path / 'none'}\n"


def test_verify_says_what_it_checked(path: Path) -> None:
    done = command("precompute", "verify", "--db", str(path), "--samples", "5", "--json")
    findings = json.loads(done.stdout)
    assert done.returncode == 0
    assert findings["ok"]
    assert (findings["roots"], findings["sampled"]) == (2, 10)
    assert findings["states"] == sum(1 for root in small_roots(2) for _ in states_below(root))
    assert "all is well" in command("precompute", "verify", "--db", str(path)).stdout


def damage(path: Path, table: bytes) -> None:
    """Put the last value of a table in the place of the first, as if it had been written so."""

    def exchange(part: Path) -> None:
        environment = Environment(part, writes=True)
        frames = list(environment.frames(table))
        environment.commit([Entry(table, frames[0][0], frames[-1][1])])
        environment.close()

    publish_changed(path, exchange)


def test_verify_finds_a_damaged_block(tmp_path: Path) -> None:
    build(tmp_path, small_roots(2))
    damage(tmp_path, BLOCKS)
    done = command("precompute", "verify", "--db", str(tmp_path), "--json")
    findings = json.loads(done.stdout)
    assert done.returncode == 1
    assert not findings["ok"]
    assert any("belongs to another key" in problem for problem in findings["problems"])


@pytest.mark.parametrize("arguments", [("--seed", "-1"), ("--samples", "99999999999")])
def test_wrong_option_of_verify_is_told(path: Path, arguments: tuple[str, str]) -> None:
    done = command("precompute", "verify", "--db", str(path), *arguments)
    assert done.returncode == 2
    assert len(done.stderr.splitlines()) == 1


def test_eval_searches_when_the_database_cannot_be_opened(tmp_path: Path) -> None:
    build(tmp_path, small_roots(1))
    with data_file(tmp_path).open("r+b") as file:
        file.truncate(9000)
    state = json.dumps(state_to_dict(small_roots(1)[0]))
    done = command("precompute", "eval", "--db", str(tmp_path), given=state)
    assert done.returncode == 0
    assert json.loads(done.stdout)["source"] == "search"
    assert "is damaged" in done.stderr


def test_damaged_record_is_told_in_one_line(tmp_path: Path) -> None:
    build(tmp_path, small_roots(2))
    damage(tmp_path, ROOTS)
    done = command("precompute", "verify", "--db", str(tmp_path))
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "belongs to another key" in done.stderr


def test_eval_answers_from_a_database(path: Path) -> None:
    state = json.dumps(state_to_dict(small_roots(1)[0]))
    found = command("precompute", "eval", "--moves", "--db", str(path), given=state)
    searched = command("precompute", "eval", "--moves", given=state)
    assert json.loads(found.stdout)["source"] == "database"
    expected = json.loads(searched.stdout) | {"source": "database", "nodes": 0}
    assert json.loads(found.stdout) == expected


def test_eval_searches_around_damage(tmp_path: Path) -> None:
    build(tmp_path, small_roots(1))
    publish_changed(tmp_path, tear_blocks)
    state = json.dumps(state_to_dict(small_roots(1)[0]))
    done = command("precompute", "eval", "--db", str(tmp_path), given=state)
    assert done.returncode == 0
    assert json.loads(done.stdout)["source"] == "search"
    assert "damaged" in done.stderr
