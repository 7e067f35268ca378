"""`precompute export` as users run it: real processes, real files, interrupted, refused."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from console.run import run
from engine.game.cards import default_catalogue
from precompute.cli import commands, with_subcommand
from tests.commands import RUN, command
from tests.conftest import IS_JIT_OFF
from tests.databases import small_roots, write_states
from tests.exports import lines_of

PATIENCE = 120  # seconds
STATE = "ff8-esp_31A.1.10B.14A.6B.96B.2.L_7.99_34.73.86_B"
BELOW = ("--mode", "graph", "--state", STATE)
ROWS = 317
compiled = pytest.mark.skipif(IS_JIT_OFF, reason="openings take the compiler")


def export(*arguments: str) -> subprocess.CompletedProcess[str]:
    return command("precompute", "export", *arguments)


def manifest_of(path: Path) -> dict[str, Any]:
    manifest: dict[str, Any] = json.loads(Path(f"{path}.manifest.json").read_text())
    return manifest


def sha256_of(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


@compiled
def test_games_are_exported_and_told_of(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    done = export("--out", str(path), "--games", "10", "--threads", "2", "--seed", "4")
    assert done.returncode == 0, done.stderr
    assert done.stdout == ""
    assert len(lines_of(path)) == 90
    for line in (
        "precompute: 10 games; 2 threads, chunks of 5 games",
        "precompute: worker 2: a table of 4,194,304 entries",
    ):
        assert line in done.stderr
    manifest = manifest_of(path)
    assert manifest["schema"] == 1
    assert manifest["seed"] == 4
    assert manifest["cards"] == default_catalogue().digest
    assert manifest["flags"]["games"] == 10
    assert manifest["flags"]["heur_w_center"] == -0.2
    assert manifest["rows_by_ply"] == {str(ply): 10 for ply in range(9)}
    assert manifest["files"] == [
        {
            "name": "games.jsonl",
            "rows": 90,
            "bytes": path.stat().st_size,
            "sha256": sha256_of(path),
        }
    ]
    assert {entry.name for entry in tmp_path.iterdir()} == {
        "games.jsonl",
        "games.jsonl.manifest.json",
    }


@compiled
def test_some_lines_fed_to_eval_give_their_labels_back(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    assert export("--out", str(path), "--rules", "same,plus", "--variant", "ff8").returncode == 0
    for text in path.read_text().splitlines()[::4]:
        line, done = json.loads(text), command("precompute", "eval", given=text)
        answer = json.loads(done.stdout)
        assert answer["best_move"] == line["policy_target"]
        assert answer["value"] == line["value_target"]
        assert answer["state_hash"] == line["state_hash"]


def test_output_is_streamed_to_stdout(tmp_path: Path) -> None:
    done = export("--out", "-", *BELOW)
    assert done.returncode == 0, done.stderr
    path = tmp_path / "x.jsonl"
    assert export("--out", str(path), *BELOW).returncode == 0
    assert done.stdout == path.read_text()
    assert done.stdout.count("\n") == ROWS
    assert sha256_of(path) in done.stderr


def test_bytes_are_the_same_without_the_compiler() -> None:
    arguments = ["--out", "-", "--mode", "full", "--state", STATE, "--policy-format", "mcts"]
    command_line = [sys.executable, "-c", RUN, "precompute.cli", "export", *arguments]
    outputs = {
        subprocess.run(
            [*command_line, "--mcts-rollouts", "10"],
            env={**os.environ, "NUMBA_DISABLE_JIT": setting},
            capture_output=True,
            check=True,
        ).stdout
        for setting in ("0", "1")
    }
    assert len(outputs) == 1
    assert outputs.pop().count(b"\n") == ROWS


def test_original_spellings_are_aliases(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    done = command("precompute", f"--export={path}", "--export-mode", "graph", "--state", STATE)
    assert done.returncode == 0, done.stderr
    assert len(lines_of(path)) == ROWS
    assert with_subcommand(["--export", "x", "--games", "3", "--export-mode=full"]) == [
        "export",
        "--out",
        "x",
        "--games",
        "3",
        "--mode=full",
    ]


def started(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", RUN, "precompute.cli", "export", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


@compiled
def test_interrupted_export_leaves_nothing_that_looks_whole(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    process = started("--out", str(path), "--games", "100000", "--shard-rows", "20")
    until = time.monotonic() + PATIENCE
    while not (tmp_path / "x-00001.jsonl.part").exists():
        assert time.monotonic() < until
        assert process.poll() is None
        time.sleep(0.01)
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert errors.splitlines()[-1] == "precompute: interrupted"
    assert "Traceback" not in errors
    assert list(tmp_path.iterdir()) == []


@compiled
def test_killed_export_has_no_manifest(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    assert export("--out", str(path), *BELOW).returncode == 0
    before = path.read_bytes()
    process = started("--out", str(path), "--games", "100000")
    until = time.monotonic() + PATIENCE
    part = tmp_path / "x.jsonl.part"
    while not (part.exists() and part.stat().st_size):
        assert time.monotonic() < until
        time.sleep(0.01)
    process.kill()
    process.communicate()
    assert path.read_bytes() == before  # what was whole still is, and its manifest tells of it
    assert manifest_of(path)["files"][0]["sha256"] == sha256_of(path)


def test_reader_that_goes_away_is_no_error_to_tell() -> None:
    code = f"{sys.executable} -c '{RUN}' precompute.cli export --out - --mode full --state"
    done = subprocess.run(
        f"{code} '{STATE}' | head -c 100", shell=True, capture_output=True, text=True, check=False
    )
    assert len(done.stdout) == 100
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--plies", "3"], '--plies: found "3"; allowed: leave it out with --mode trajectory'),
        ([*BELOW, "--rules", "same"], '--rules: found "same"; allowed: leave it out with --state'),
        ([*BELOW, "--plies", "9"], 'plies: found "9"; allowed: 0 to 8, or all'),
        (
            [*BELOW, "--include-terminal", "--plies", "6"],
            "--include-terminal: found it with --plies 6; allowed: with --plies 8 or all",
        ),
        (["--heur-w-edge", "nan"], '--heur-w-edge: found "nan"; allowed: 1000 or less'),
        (["--seed", "-1"], "seed: found -1"),
        (["--games", "0"], '--games: found "0"; allowed: 1 or more (see precompute export --help)'),
        (["--off-pv-rate", "1.5"], '--off-pv-rate: found "1.5"; allowed: 1 or less'),
        (["--mode", "all"], '--mode: found "all"; allowed: one of trajectory, full, graph'),
        (
            ["--policy-format", "mcts", "--mix-mcts", "0.5"],
            "--mix-mcts: found 0.5; allowed: a share that is at most 1 with the heuristic's",
        ),
        (
            ["--mode", "full", "--state", "tc_1A.2A.3A.4A.5A.6B.7B.8B.9B__10_B"],
            'state: found "tc_1A.2A.3A.4A.5A.6B.7B.8B.9B__10_B"; allowed: a state that has moves',
        ),
        (["--mode", "full", "--hands", "1,2"], 'hands: found "1,2"; allowed: two hands'),
    ],
)
def test_misuse_ends_with_2_and_one_line(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        run(commands, "precompute", ["export", "--out", str(tmp_path / "x.jsonl"), *arguments])
    assert ended.value.code == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"precompute: {message}")
    assert printed.err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


def test_options_of_games_are_ignored_where_none_are_played(tmp_path: Path) -> None:
    plain, more = tmp_path / "plain.jsonl", tmp_path / "more.jsonl"
    assert export("--out", str(plain), *BELOW).returncode == 0
    done = export("--out", str(more), *BELOW, "--games", "3", "--mix-mcts", "0.1")
    assert done.returncode == 0
    assert "--mode graph plays no games: --games, --mix-mcts ignored" in done.stderr
    assert more.read_bytes() == plain.read_bytes()


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    """Run a command that is refused, in this process; return what it says."""
    with pytest.raises(SystemExit) as ended:
        run(commands, "precompute", ["export", *arguments])
    assert ended.value.code == 2
    return capsys.readouterr().err


def test_stdout_takes_no_shards(capsys: pytest.CaptureFixture[str]) -> None:
    said = refusal(capsys, "--out", "-", "--shard-rows", "10")
    assert said.startswith("precompute: --shard-rows: found 10; allowed: leave it out with --out")


def test_several_roots_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    roots = write_states(tmp_path / "roots.jsonl", small_roots(2, 7))
    said = refusal(capsys, "--out", "-", "--mode", "full", "--state", roots)
    assert said.startswith("precompute: state: found 2 states; allowed: one")


@compiled
def test_ignored_options_are_told_of(tmp_path: Path) -> None:
    done = export("--out", str(tmp_path / "x.jsonl"), "--off-pv-rate", "0.5")
    assert done.returncode == 0
    assert "the off-pv options are ignored" in done.stderr
    assert not any(line["off_pv"] for line in lines_of(tmp_path / "x.jsonl"))


def test_missing_pyarrow_is_told_before_any_work(tmp_path: Path) -> None:
    code = "import sys; sys.modules['pyarrow'] = None; " + RUN
    path = tmp_path / "x.parquet"
    done = subprocess.run(
        [sys.executable, "-c", code, "precompute.cli", "export", "--out", str(path), *BELOW],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr == (
        "precompute: Parquet needs the extra `parquet`, which is not installed (import of pyarrow "
        "halted; None in sys.modules): .venv/bin/pip install -e '.[parquet]'\n"
    )
    assert list(tmp_path.iterdir()) == []
