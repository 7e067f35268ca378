"""`precompute eval --lines` as a process: a state a line in, an answer a line out."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

import msgspec
import pytest

from engine.game.cards import default_catalogue
from engine.game.state import State
from engine.search.solver import Solver
from engine.text.document import state_from_dict
from engine.text.wire import state_to_dict
from store.oracle import Oracle
from store.reader import Reader
from tests import vectors
from tests.commands import RUN, command
from tests.conftest import IS_JIT_OFF
from tests.databases import ROOT_PLY, build, later, publish_changed, small_roots, tear_blocks

EARLIEST = 6 if IS_JIT_OFF else 2
ROWS = [row["state"] for row in vectors.load("eval") if row["state"]["turn"] >= EARLIEST]
FINISHED = [row["next"] for row in vectors.load("apply") if row["next"]["turn"] == 9]
STATES = [state_from_dict(row, default_catalogue()) for row in (*ROWS, *FINISHED)]
PATIENCE = 120  # seconds; a fresh machine compiles
LONGEST = 1 << 20
only_linux = pytest.mark.skipif(sys.platform != "linux", reason="/dev/full, /bin/sh")


def line_of(state: State) -> str:
    return json.dumps(state_to_dict(state))


def expected_of(oracle: Oracle, states: Sequence[State], *, moves: bool = False) -> list[str]:
    """Return what `precompute eval` would print for each state."""
    answers = (oracle.answer(state, moves=moves).as_object() for state in states)
    return [json.dumps(msgspec.to_builtins(answer)) for answer in answers]


def answered(given: str, *arguments: str) -> list[str]:
    """Return the lines that are written for these."""
    done = command("precompute", "eval", "--lines", *arguments, given=given)
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    assert not done.stdout or done.stdout.endswith("\n")
    return done.stdout.split("\n")[:-1]


def errors_of(lines: Sequence[str]) -> list[dict[str, Any]]:
    return [json.loads(line)["error"] for line in lines]


@pytest.fixture(scope="module")
def oracle() -> Oracle:
    return Oracle(None, Solver())


@pytest.mark.parametrize("arguments", [(), ("--moves",), ("--threads", "1"), ("--threads", "7")])
def test_answers_are_those_of_eval_in_the_order_of_the_lines(
    oracle: Oracle, arguments: tuple[str, ...]
) -> None:
    given = "".join(line_of(state) + "\n" for state in STATES)
    expected = expected_of(oracle, STATES, moves="--moves" in arguments)
    assert answered(given, *arguments) == expected


def first_of(ply: int) -> State:
    return next(state for state in STATES if state.ply == ply)


@pytest.mark.parametrize("ply", range(EARLIEST, 10))
def test_line_is_what_eval_prints(oracle: Oracle, ply: int) -> None:
    """Whether its kernels are compiled, or run as they are (see `INTERPRETED_PLY`)."""
    state = first_of(ply)
    for arguments in ((), ("--moves",)):
        alone = command("precompute", "eval", *arguments, given=line_of(state)).stdout
        expected = expected_of(oracle, [state], moves=bool(arguments))
        assert alone.splitlines() == expected


@pytest.mark.skipif(IS_JIT_OFF, reason="openings take minutes")
def test_openings_are_answered_too(oracle: Oracle) -> None:
    states = [later(root, ply) for ply in range(EARLIEST) for root in small_roots(2, 0)]
    given = "\n".join(line_of(state) for state in states)
    assert answered(given) == expected_of(oracle, states)


def test_last_line_needs_no_end_and_returns_are_no_matter(oracle: Oracle) -> None:
    given = line_of(STATES[0]) + "\r\n" + line_of(STATES[1])
    assert answered(given) == expected_of(oracle, STATES[:2])


def test_no_lines_have_no_answers() -> None:
    assert answered("") == []


def test_exported_line_can_be_fed_back(oracle: Oracle) -> None:
    line = json.dumps({**state_to_dict(STATES[0]), "game_id": 0, "off_pv": False})
    assert answered(line) == expected_of(oracle, STATES[:1])


# Lines that are refused


def test_refused_line_has_its_error_in_its_place(oracle: Oracle) -> None:
    good, turned = line_of(STATES[0]), json.dumps({**state_to_dict(STATES[0]), "turn": 0})
    first, blank, wrong, nothing, last = answered(f"{good}\n\n{turned}\nnull\n{good}\n")
    assert [first, last] == expected_of(oracle, STATES[:1]) * 2
    ply, no_json = STATES[0].ply, "one JSON value (line 1, column 1: expecting value)"
    assert errors_of([blank, wrong, nothing]) == [
        {
            "line": 2,
            "detail": f'state: found ""; allowed: {no_json}',
            "errors": [{"field": "state", "found": '""', "allowed": no_json}],
        },
        {
            "line": 3,
            "detail": f"turn: found 0; allowed: {ply}, the number of occupied cells",
            "errors": [
                {"field": "turn", "found": "0", "allowed": f"{ply}, the number of occupied cells"}
            ],
        },
        {
            "line": 4,
            "detail": "state: found null; allowed: an object",
            "errors": [{"field": "state", "found": "null", "allowed": "an object"}],
        },
    ]


def test_every_thing_that_is_wrong_is_told() -> None:
    document = {**state_to_dict(STATES[0]), "to_move": "C", "hands": {"A": ["x"], "B": []}}
    (error,) = errors_of(answered(json.dumps(document)))
    assert {problem["field"] for problem in error["errors"]} >= {"to_move", "hands.A[0]"}


def test_cards_that_make_no_deal_are_refused() -> None:
    document = next(
        row
        for row in ROWS
        if len(row["hands"]["A"]) == 2 and row["rules"]["variant"] == "triplecargo"
    )
    card = document["hands"]["A"][0]
    copied = {**document, "hands": {**document["hands"], "A": [card, card]}}
    (error,) = errors_of(answered(json.dumps(copied)))
    assert "each card once in a player's five cards" in error["detail"]


def test_bytes_that_are_no_text_are_refused(oracle: Oracle) -> None:
    good = line_of(STATES[0]).encode()
    done = subprocess.run(
        [sys.executable, "-c", RUN, "precompute.cli", "eval", "--lines"],
        input=b"\xff\xfe\x00{\n" + good + b"\n",
        capture_output=True,
        check=True,
    )
    first, second = done.stdout.decode().splitlines()
    assert errors_of([first])[0]["line"] == 1
    assert [second] == expected_of(oracle, STATES[:1])


@pytest.mark.parametrize("ending", ["\n", ""])
def test_too_long_a_line_is_refused_and_others_are_answered(oracle: Oracle, ending: str) -> None:
    good = line_of(STATES[0])
    padded = good + " " * (LONGEST - len(good))
    lines = answered(f"{good}\n{padded} \n{padded}\n{good}\n{'x' * 3_000_000}{ending}")
    assert [lines[number] for number in (0, 2, 3)] == expected_of(oracle, STATES[:1]) * 3
    for error, number in zip(errors_of([lines[1], lines[4]]), (2, 5), strict=True):
        assert error["line"] == number
        assert error["detail"] == "state: found more; allowed: at most 1048576 bytes"


# A process that is talked to


class Talk:
    """A process that answers lines while it is asked."""

    def __init__(self, *arguments: str) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", RUN, "precompute.cli", "eval", "--lines", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        self.watchdog = threading.Timer(PATIENCE, self.process.kill)
        self.watchdog.start()

    @property
    def stdin(self) -> IO[bytes]:
        assert self.process.stdin
        return self.process.stdin

    def say(self, text: str) -> None:
        self.stdin.write(text.encode())
        self.stdin.flush()

    def hear(self) -> str:
        assert self.process.stdout
        return self.process.stdout.readline().decode().rstrip("\n")

    def end(self) -> tuple[int, str]:
        """Return how it ends, and what it says of it; stdin stays open until then."""
        assert self.process.stderr
        told = self.process.stderr.read().decode()
        return self.process.wait(PATIENCE), told

    def close(self) -> None:
        self.watchdog.cancel()
        self.process.kill()
        self.process.wait(PATIENCE)
        for pipe in (self.process.stdin, self.process.stdout, self.process.stderr):
            with suppress(BrokenPipeError):
                assert pipe
                pipe.close()


@pytest.fixture
def talk() -> Iterator[Talk]:
    talk = Talk("--threads", "2")
    yield talk
    talk.close()


def test_answer_comes_before_the_next_line_is_said(talk: Talk, oracle: Oracle) -> None:
    for state in STATES[:5]:
        talk.say(line_of(state) + "\n")
        assert [talk.hear()] == expected_of(oracle, [state])
    line = line_of(STATES[5])
    talk.say(line[:100])
    talk.say(line[100:] + "\n" + line_of(STATES[6]))
    assert [talk.hear()] == expected_of(oracle, STATES[5:6])
    talk.stdin.close()
    assert [talk.hear()] == expected_of(oracle, STATES[6:7])
    assert talk.end() == (0, "")


@pytest.mark.skipif(IS_JIT_OFF, reason="openings take minutes")
@pytest.mark.parametrize("lines", [0, 80])  # no more than a pipe holds
def test_interrupt_ends_it_whether_it_waits_or_searches(talk: Talk, lines: int) -> None:
    talk.say(line_of(STATES[0]) + "\n")
    talk.hear()  # it has begun
    talk.say(line_of(small_roots(1, 0)[0]).join([""] + ["\n"] * lines))
    talk.process.send_signal(signal.SIGINT)
    code, told = talk.end()
    assert code == 130
    assert told.splitlines()[-1] == "precompute: interrupted"


def test_reader_that_goes_away_ends_it_in_silence(talk: Talk) -> None:
    talk.say(line_of(STATES[0]) + "\n")
    talk.hear()
    assert talk.process.stdout
    talk.process.stdout.close()
    talk.say(line_of(STATES[0]) + "\n")
    assert talk.end() == (1, "")


@pytest.mark.skipif(IS_JIT_OFF, reason="it takes minutes")
def test_input_is_not_taken_while_nobody_takes_the_answers(talk: Talk) -> None:
    """Else what is read ahead would fill the memory."""
    talk.say(line_of(STATES[-1]) + "\n")
    talk.hear()  # it has begun
    block = ((line_of(STATES[-1]) + "\n") * 100).encode()
    os.set_blocking(talk.stdin.fileno(), False)
    given, idle = 0, 0
    while given < 100_000_000:
        try:
            given += os.write(talk.stdin.fileno(), block)
            idle = 0
        except BlockingIOError:
            idle += 1
            if idle > 40:
                break
            time.sleep(0.05)
    assert given < 20_000_000


@only_linux
def test_endless_line_takes_no_memory(talk: Talk, oracle: Oracle) -> None:
    for _ in range(400):
        talk.stdin.write(b"x" * 1_000_000)
    talk.say("\n" + line_of(STATES[0]) + "\n")
    assert "at most 1048576 bytes" in talk.hear()
    assert [talk.hear()] == expected_of(oracle, STATES[:1])
    status = Path(f"/proc/{talk.process.pid}/status").read_text()
    (peak,) = [line for line in status.splitlines() if line.startswith("VmHWM:")]
    assert int(peak.split()[1]) < 400_000  # kB; the line has as many


# Databases, options, streams


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("db")
    build(path, small_roots(2))
    return path


@pytest.mark.parametrize("arguments", [(), ("--moves",)])
def test_database_is_looked_in_first(database: Path, arguments: tuple[str, ...]) -> None:
    states = [later(root, ply) for ply in range(ROOT_PLY, 10) for root in small_roots(4)]
    oracle = Oracle(Reader(database, default_catalogue()))
    lines = answered("\n".join(map(line_of, states)), "--db", str(database), *arguments)
    assert lines == expected_of(oracle, states, moves=bool(arguments))
    assert {json.loads(line)["source"] for line in lines} == {"database", "search"}


def test_damage_is_searched_around_and_told_once(tmp_path: Path, oracle: Oracle) -> None:
    (root,) = small_roots(1)
    build(tmp_path, [root])
    publish_changed(tmp_path, tear_blocks)
    given = (line_of(root) + "\n") * 50
    done = command("precompute", "eval", "--lines", "--db", str(tmp_path), given=given)
    assert done.returncode == 0
    assert done.stdout.splitlines() == expected_of(oracle, [root]) * 50
    assert done.stderr.count("\n") == 1
    assert "damaged" in done.stderr
    assert done.stderr.endswith("; answered by search\n")


def test_verbose_says_one_line_on_stderr() -> None:
    given = line_of(STATES[0]) + "\n{}\n"
    arguments = ["eval", "--lines", "--verbose", "--threads", "3", "--tt-bytes", "1"]
    done = command("precompute", *arguments, given=given)
    assert done.returncode == 0
    assert done.stderr.count("\n") == 1
    assert done.stderr.startswith("precompute: 2 lines in ")
    assert done.stderr.endswith(" s, 1 of them refused, with 3 threads\n")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--threads", "2"], "precompute: --threads: found 2; allowed: leave it out without"),
        (["--lines", "--threads", "0"], 'precompute: --threads: found "0"; allowed: 1 or more'),
        (["--lines", "--db", "no/such"], "precompute: "),
    ],
)
def test_misuse_ends_with_one_line(arguments: list[str], message: str) -> None:
    done = command("precompute", "eval", *arguments, given=line_of(STATES[0]))
    assert done.returncode in (1, 2)
    assert done.stdout == ""
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == 1


@only_linux
@pytest.mark.parametrize(
    ("redirection", "code", "message"),
    [
        ("< docs/state.json > /dev/full", 1, "precompute: input or output: No space left"),
        ("< /proc/self/mem", 1, "precompute: input or output: Input/output error"),
        ("<&-", 0, ""),
    ],
)
def test_broken_streams_end_with_one_line(redirection: str, code: int, message: str) -> None:
    done = subprocess.run(
        f"{sys.executable} -c '{RUN}' precompute.cli eval --lines {redirection}",
        cwd=Path(__file__).parent.parent.parent,
        shell=True,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == code
    assert done.stdout == ""
    assert done.stderr.startswith(message)
    assert done.stderr.count("\n") == bool(message)
