"""`precompute eval` as a process: one state in, one answer out, nothing else."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests import vectors
from tests.commands import command

ROOT = Path(__file__).parent.parent.parent
LATE = next(row for row in vectors.load("eval") if row["state"]["turn"] == 6)


def evaluated(state: object, *arguments: str) -> dict[str, Any]:
    done = command("precompute", "eval", *arguments, given=json.dumps(state))
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.count("\n") == 1
    answer: dict[str, Any] = json.loads(done.stdout)
    return answer


def test_answer_has_every_field() -> None:
    answer = evaluated(LATE["state"])
    assert list(answer) == [
        "best_move",
        "value",
        "margin",
        "pv",
        "nodes",
        "depth",
        "state_hash",
        "notation",
        "variant",
        "source",
    ]
    assert answer["margin"] == LATE["margin"]
    assert answer["best_move"] == LATE["best_move"] == answer["pv"][0]
    assert answer["depth"] == len(answer["pv"]) == 3
    assert answer["source"] == "search"
    assert evaluated(LATE["state"]) == answer


def test_moves_are_added_on_request() -> None:
    moves = evaluated(LATE["state"], "--moves")["moves"]
    assert {(m["card_id"], m["cell"], m["margin"]) for m in moves} == {
        tuple(move) for move in LATE["moves"]
    }


def test_finished_game_has_no_best_move() -> None:
    answer = evaluated(
        next(row["next"] for row in vectors.load("apply") if row["next"]["turn"] == 9)
    )
    assert "best_move" not in answer
    assert answer["pv"] == []
    assert answer["depth"] == 0


def test_exported_line_can_be_fed_back() -> None:
    answer = evaluated(LATE["state"])
    labels = {
        "game_id": 0,
        "state_idx": 6,
        "policy_target": answer["best_move"],
        "value_target": answer["value"],
        "value_mode": "winloss",
        "off_pv": False,
        "state_hash": answer["state_hash"],
        "schema": 1,
    }
    assert evaluated({**LATE["state"], **labels}) == answer


def test_verbose_says_one_line_on_stderr() -> None:
    given = json.dumps(LATE["state"])
    done = command("precompute", "eval", "--verbose", "--tt-bytes", "16", given=given)
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert "a table of 2,097,152 entries" in done.stderr
    assert json.loads(done.stdout) == evaluated(LATE["state"])


def test_original_spelling_is_an_alias() -> None:
    done = command("precompute", "--eval-state", given=json.dumps(LATE["state"]))
    assert json.loads(done.stdout) == evaluated(LATE["state"])


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ("", 'precompute: state: found ""; allowed: one JSON value'),
        ("{", 'precompute: state: found "{"; allowed: one JSON value'),
        ("{}{}", 'precompute: state: found "{}{}"; allowed: one JSON value'),
        ("[" * 100_000, "precompute: state: found"),
        ('{"turn": 1, "turn": 2}', "precompute: state: found the field turn twice; allowed: each"),
        ("5", "precompute: state: found 5; allowed: an object"),
        ("{}", "precompute: board: found nothing; allowed: this field is required"),
        ('{"a":"\nb"}', "precompute: state: found"),
        ("9" * 5000, "precompute: state: found"),
        ("x" * 2_000_000, "precompute: state: found more; allowed: at most 1048576 bytes"),
        (json.dumps({**LATE["state"], "turn": 5}), "precompute: turn: found 5; allowed: 6"),
    ],
    ids=range(11),
)
def test_bad_input_ends_with_2_and_one_line(given: str, message: str) -> None:
    done = command("precompute", "eval", given=given)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("arguments", [["eval", "--tt-bytes", "0"], [], ["fly"]])
def test_misuse_ends_with_2_and_one_line(arguments: list[str]) -> None:
    done = command("precompute", *arguments, given="{}")
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("precompute: ")
    assert done.stderr.count("\n") == 1


def test_answer_in_the_readme_is_the_real_one() -> None:
    readme = (ROOT / "docs" / "commands.md").read_text(encoding="utf-8")
    state = (ROOT / "docs" / "state.json").read_text(encoding="utf-8")
    answer = command("precompute", "eval", given=state).stdout
    assert f"precompute eval < docs/state.json\n{answer}```" in readme
