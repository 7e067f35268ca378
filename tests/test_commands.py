"""The commands as processes: output, exit codes, errors of one line."""

from __future__ import annotations

import json
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.commands import command

ROOT = Path(__file__).parent.parent


def test_play_shows_a_whole_game_between_machines() -> None:
    done = command("triad", "play", "--a", "greedy", "--b", "random", "--seed", "3")
    assert done.returncode == 0
    assert done.stderr == ""
    assert done.stdout.count("places") == 9
    assert "game over" in done.stdout
    again = command("triad", "play", "--a", "greedy", "--b", "random", "--seed", "3")
    assert again.stdout == done.stdout


def test_play_takes_hands_by_name_and_a_person_at_the_keyboard() -> None:
    hands = "Squall,Rinoa,Zell,Quistis,Irvine:1,2,3,4,Fujin, Raijin"
    done = command("triad", "play", "--hands", hands, "--first", "A", given="squall 4\nquit\n")
    assert done.returncode == 0
    assert "A places Squall (110) on 4" in done.stdout
    assert "unfinished" in done.stdout


def test_play_with_hidden_hands_shows_only_one() -> None:
    words = ("--closed", "--first", "A", "--variant", "ff8", "--b", "ff8:search=1,levels=1-2")
    done = command("triad", "play", *words, given="hint\nquit\n")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("? face down") == 5
    assert "no hints" in done.stdout


def test_match_is_the_same_for_any_number_of_threads() -> None:
    words = ("--a", "greedy", "--b", "ff8:search=1,levels=1-2", "--closed", "--games", "30")
    one, three = (
        command("triad", "match", *words, "--variant", "ff8", "--json", "--threads", threads)
        for threads in ("1", "3")
    )
    assert one.returncode == 0, one.stderr
    assert one.stdout == three.stdout
    told = json.loads(one.stdout)
    assert told["wins"] + told["draws"] + told["losses"] == told["games"] == 30
    assert told["b"] == "ff8:search=1,strategy=0,levels=1.2"
    assert re.fullmatch(r"[\d,.]+ games/s\n", one.stderr)


def test_match_shows_forecasts_when_they_are_asked_for() -> None:
    words = ("--a", "perfect", "--b", "greedy", "--from-ply", "6", "--forecast-ply", "6")
    done = command("triad", "match", *words, "--games", "10")
    assert done.returncode == 0, done.stderr
    assert "perfect against greedy: 10 games, 5 deals from both sides" in done.stdout
    assert "forecasts of a: perfect:" in done.stdout
    assert "forecasts of b: greedy: none" in done.stdout


def test_play_ends_when_input_does() -> None:
    done = command("triad", "play", "--first", "A")
    assert done.returncode == 0
    assert "the game was left unfinished" in done.stdout


def test_simulate_reports_rates() -> None:
    done = command("triad", "simulate", "--games", "2500", "--json")
    figures = json.loads(done.stdout)
    assert figures["games"] == 2500
    assert figures["deals"] == 3
    assert figures["steps_per_second"] > figures["games_per_second"] > 0
    text = command("triad", "simulate", "--games", "100", "--seed", "5")
    assert "100 games of 1 deals" in text.stdout


def test_simulate_repeats_for_the_same_seed() -> None:
    runs = [
        json.loads(command("triad", "simulate", "--games", "500", "--json", *seed).stdout)
        for seed in (["--seed", "1"], ["--seed", "1"], ["--seed", "2"])
    ]
    assert runs[0]["starter_cards"] == runs[1]["starter_cards"] != runs[2]["starter_cards"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "triad: Missing command."),
        (["dance"], "triad: No such command 'dance'"),
        (["play", "--hands", "1,2"], 'triad: hands: found "1,2"; allowed: two hands'),
        (["play", "--hands", "1,1,2,3,4:5,6,7,8,9"], "triad: hands.A: found 1; allowed: each card"),
        (["play", "--rules", "combo"], 'triad: rules: found "combo"'),
        (["play", "--elements", "lava"], 'triad: elements: found "lava"'),
        (["play", "--first", "C"], 'triad: first: found "C"; allowed: A, B or random'),
        (["play", "--seed", "-1"], "triad: seed: found -1"),
        (
            ["play", "--a", "god"],
            'triad: --a: found "god"; allowed: human, or one of',
        ),
        (["play", "--seed", "x"], 'triad: --seed: found "x"; allowed: a whole number (see triad'),
        (["play", "--a", "tremble:2"], 'triad: --a.error: found "2"; allowed: a number from 0'),
        (["play", "--closed", "--hints"], "triad: --hints: found true; allowed: open hands"),
        (
            ["play", "--closed", "--b", "humanlike:60"],
            'triad: --b: found "humanlike:60"; allowed: players that need not see',
        ),
        (
            ["match", "--a", "human", "--b", "greedy"],
            'triad: --a: found "human"; allowed: one of perfect',
        ),
        (
            ["match", "--a", "greedy", "--b", "greedy", "--games", "7"],
            "triad: games: found 7; allowed: an even number",
        ),
        (
            ["match", "--a", "greedy", "--b", "greedy", "--from-ply", "9"],
            "triad: from_ply: found 9; allowed: 0 to 8",
        ),
        (["simulate", "--games", "0"], 'triad: --games: found "0"; allowed: 1 or more'),
    ],
)
def test_misuse_ends_with_2_and_one_line(arguments: list[str], message: str) -> None:
    done = command("triad", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("arguments", "help_of"),
    [
        (["export", "--nope"], "precompute export"),
        (["export", "--out", "x", "--games", "x"], "precompute export"),
        (["export", "--games"], "precompute export"),
        (["export"], "precompute export"),
        (["--export", "x", "--games"], "precompute export"),
        (["verify", "--samples", "x"], "precompute verify"),
        (["eval", "more"], "precompute eval"),
        (["--sample", "x"], "precompute"),
        (["--sample"], "precompute"),
        (["nothing"], "precompute"),
        ([], "precompute"),
    ],
    ids=" ".join,
)
def test_misuse_points_to_the_help_that_lists_the_option(
    arguments: list[str], help_of: str
) -> None:
    done = command("precompute", *arguments)
    assert done.returncode == 2
    assert done.stderr.endswith(f" (see {help_of} --help)\n")
    assert done.stderr.count("\n") == 1


def test_unusable_card_file_ends_with_1_and_one_line(tmp_path: Path) -> None:
    path = tmp_path / "cards.json"
    path.write_text("[{}]")
    done = command("triad", "play", "--cards", str(path))
    assert done.returncode == 1
    assert done.stderr.startswith(f"triad: {path}: row 1: found []; allowed: the keys id, name")
    assert done.stderr.count("\n") == 1


@pytest.mark.parametrize("name", ["play", "simulate"])
def test_help_has_an_example(name: str) -> None:
    done = command("triad", name, "--help")
    assert done.returncode == 0
    assert f"Example: triad {name}" in done.stdout


only_linux = pytest.mark.skipif(sys.platform != "linux", reason="/dev/full, memory limits")


@only_linux
@pytest.mark.parametrize(
    ("redirection", "code", "message"),
    [
        (
            "< docs/state.json > /dev/full",
            1,
            "precompute: input or output: No space left on device",
        ),
        ("< docs/state.json >&-", 1, "precompute: standard output is closed"),
        ("<&-", 2, 'precompute: state: found ""'),
    ],
)
def test_broken_streams_end_with_one_line(redirection: str, code: int, message: str) -> None:
    main = "from precompute.cli import main; main()"
    done = subprocess.run(
        f"{sys.executable} -c '{main}' eval {redirection}",
        cwd=ROOT,
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1


@only_linux
def test_too_large_a_table_ends_with_one_line() -> None:
    main = (
        "import resource; resource.setrlimit(resource.RLIMIT_AS, (4 << 30, 4 << 30)); "
        "from precompute.cli import main; main()"
    )
    done = subprocess.run(
        [sys.executable, "-c", main, "eval", "--tt-bytes", "4096"],
        cwd=ROOT,
        input=(ROOT / "docs" / "state.json").read_text(),
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert done.stderr.startswith("precompute: not enough memory: ")
    assert done.stderr.count("\n") == 1


def test_interrupt_ends_with_one_line() -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", "from triad import main; main()", "play", "--first", "A"],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()  # the board is there: the game has begun
    time.sleep(0.5)
    process.send_signal(signal.SIGINT)
    _, error = process.communicate(timeout=60)
    assert process.returncode == 130
    assert error.split("\n")[-2:] == ["triad: interrupted", ""]


def test_bytes_that_are_no_text_are_just_a_wrong_answer() -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from triad import main; main()", "play", "--first", "A"],
        cwd=ROOT,
        input=b"\xff\xfe 1\nquit\n",
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
    assert done.stderr == b""
