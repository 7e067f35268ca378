"""`precompute` as users run it: real processes, real files, killed and resumed."""

from __future__ import annotations

import json
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from engine.game.cards import CARD_FILE, Catalogue, default_catalogue
from engine.search.solver import Solver
from engine.text.notation import format_state, parse_state
from store.generations import CURRENT, DATA, JOB, Folder
from store.parts import Parts
from store.reader import Reader
from store.summary import totals_of
from store.totals import Totals
from tests.commands import MERGING, RUN, command
from tests.conftest import IS_JIT_OFF
from tests.databases import (
    ROOT_PLY,
    build,
    change_manifest,
    data_file,
    publish_changed,
    small_roots,
    write_states,
)

PATIENCE = 120  # seconds
KILLS, SHARES = 20, 10  # shares of the plan
FINISHED = "ff8_1A.2A.3A.4A.5A.6B.7B.8B.9B__10_B"
ROOTS = small_roots(4 if IS_JIT_OFF else 30, ROOT_PLY if IS_JIT_OFF else 3)


def precompute(*arguments: str) -> subprocess.CompletedProcess[str]:
    return command("precompute", *arguments)


def started(*arguments: str, code: str = RUN, **options: Any) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-c", code, "precompute.cli", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **options,
    )


def digest_of(path: Path) -> str:
    done = precompute("info", "--db", str(path), "--json")
    assert done.returncode == 0, done.stderr
    facts: dict[str, Any] = json.loads(done.stdout)
    return str(facts["digest"])


def wait_for_commits(path: Path, process: subprocess.Popen[str], commits: int) -> None:
    """Wait until a part has been begun, and so many roots have been committed to it."""
    until = time.monotonic() + PATIENCE
    seen: set[int] = set()
    while len(seen) <= commits:
        assert process.poll() is None
        assert time.monotonic() < until
        seen |= {file.stat().st_mtime_ns for file in path.glob(f"{JOB}/{DATA}")}
        time.sleep(0.001)


def stopped_half_way(path: Path, commits: int, *arguments: str) -> subprocess.Popen[str]:
    """Start a job, and stop it once it has committed some of its roots."""
    process = started(*arguments, "--db", str(path))
    wait_for_commits(path, process, commits)
    process.send_signal(signal.SIGSTOP)
    assert Folder(path).unfinished()
    return process


@pytest.fixture(scope="module")
def plan(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_states(tmp_path_factory.mktemp("plan") / "states.jsonl", ROOTS)


@pytest.fixture(scope="module")
def digest(plan: str, tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the content digest of the plan, carried out without a break."""
    path = tmp_path_factory.mktemp("whole") / "db"
    done = precompute("--state", plan, "--db", str(path), "--json")
    assert done.returncode == 0, done.stderr
    facts = json.loads(done.stdout)
    assert facts["deals"] == len(ROOTS)
    assert facts["digest"] == digest_of(path)
    return str(facts["digest"])


@pytest.mark.parametrize("commits", [0, len(ROOTS) // 4, len(ROOTS) // 2])
def test_killed_job_is_resumed_to_the_same_content(
    plan: str, digest: str, tmp_path: Path, commits: int
) -> None:
    path = tmp_path / "db"
    process = stopped_half_way(path, commits, "--state", plan)
    process.kill()
    process.communicate()
    refused = precompute("--state", plan, "--db", str(path))
    assert refused.returncode == 1
    assert "half-built" in refused.stderr
    assert "--resume" in refused.stderr
    resumed = precompute("--resume", "--db", str(path))
    assert resumed.returncode == 0, resumed.stderr
    assert digest_of(path) == digest


@pytest.mark.slow
@pytest.mark.skipif(IS_JIT_OFF, reason="a whole deal takes the compiler")
def test_job_over_real_deals_survives_twenty_kills(tmp_path: Path) -> None:
    deals = ("--sample", "3", "--rules", "same,plus", "--variant", "ff8", "--first", "random")
    whole, path = tmp_path / "whole", tmp_path / "db"
    assert precompute(*deals, "--db", str(whole)).returncode == 0
    chance = random.Random(20)
    for _ in range(20):
        process = started(*deals, "--resume", "--db", str(path))
        time.sleep(chance.uniform(0.5, 14.0))
        process.kill()
        process.communicate()
    finished = precompute(*deals, "--resume", "--db", str(path))
    assert finished.returncode == 0, finished.stderr
    assert digest_of(path) == digest_of(whole)
    assert precompute("verify", "--db", str(path)).returncode == 0


def test_jobs_killed_while_they_write_merge_and_publish_end_with_the_same_content(
    digest: str, tmp_path: Path
) -> None:
    """Many small jobs, so that parts are merged; twenty kills at random moments."""
    path, chance = tmp_path / "db", random.Random(21)
    shares = [ROOTS[number::SHARES] for number in range(SHARES)]
    for number, share in enumerate(shares):
        states = write_states(tmp_path / f"{number}.jsonl", share)
        for _ in range(KILLS // SHARES):
            process = started("--state", states, "--resume", "--db", str(path), code=MERGING)
            time.sleep(chance.uniform(0.5, 1.5))
            process.kill()
            process.communicate()
            check_served(path)
        last = started("--state", states, "--resume", "--db", str(path), code=MERGING)
        _, errors = last.communicate(timeout=PATIENCE)
        assert last.returncode == 0, errors
    assert len(Folder(path).served().parts) < SHARES
    assert digest_of(path) == digest
    assert precompute("verify", "--db", str(path)).returncode == 0


def check_served(path: Path) -> None:
    """What is published can be read, all of it, whenever a job was killed."""
    if Folder(path).current():
        parts = Parts([path], default_catalogue())
        assert not parts.left_out
        assert totals_of(parts).to_dict() == Totals.of(r for _, r in parts.roots()).to_dict()
        parts.close()


def test_interrupted_job_says_how_to_go_on(plan: str, digest: str, tmp_path: Path) -> None:
    path = tmp_path / "db"
    process = stopped_half_way(path, len(ROOTS) // 4, "--state", plan)
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGCONT)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 130
    assert f"go on with: precompute --resume --db {path}" in errors
    assert "Traceback" not in errors
    resumed = precompute("--state", plan, "--resume", "--db", str(path))
    assert resumed.returncode == 0, resumed.stderr
    assert digest_of(path) == digest


@pytest.mark.parametrize("arguments", [("--threads", "1"), ("--threads", "3", "--memory", "500")])
def test_threads_and_memory_do_not_change_the_content(
    plan: str, digest: str, tmp_path: Path, arguments: tuple[str, ...]
) -> None:
    done = precompute("--state", plan, "--db", str(tmp_path), *arguments)
    assert done.returncode == 0, done.stderr
    assert digest_of(tmp_path) == digest


def test_extended_database_has_the_content_of_one_built_at_once(
    digest: str, tmp_path: Path
) -> None:
    half = len(ROOTS) // 2
    for number, part in enumerate((ROOTS[half:], ROOTS[:half], ROOTS)):
        states = write_states(tmp_path / f"{number}.jsonl", part)
        done = precompute("--state", states, "--db", str(tmp_path / "db"))
        assert done.returncode == 0, done.stderr
        assert ("stored already" in done.stderr) or number < 2
    assert digest_of(tmp_path / "db") == digest
    assert (tmp_path / "db" / CURRENT).read_text() == "gen-000002\n"


def test_deeper_plan_replaces_a_shallow_one(tmp_path: Path) -> None:
    state = format_state(small_roots(1)[0])
    digests = []
    for plies in (str(ROOT_PLY), str(ROOT_PLY + 2), str(ROOT_PLY + 1)):
        precompute("--state", state, "--plies", plies, "--db", str(tmp_path / "grown"))
        digests.append(digest_of(tmp_path / "grown"))
    precompute("--state", state, "--plies", str(ROOT_PLY + 2), "--db", str(tmp_path / "once"))
    assert digests[0] != digests[1]
    assert digests[1] == digests[2] == digest_of(tmp_path / "once")


def test_second_job_is_refused(plan: str, tmp_path: Path) -> None:
    with Folder(tmp_path).locked():
        done = precompute("--state", plan, "--db", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr.splitlines()[-1] == f"precompute: another job is at work on {tmp_path}"


def test_resume_refuses_deals_that_are_not_in_the_plan(plan: str, tmp_path: Path) -> None:
    path = tmp_path / "db"
    process = stopped_half_way(path, 0, "--state", plan)
    process.kill()
    process.communicate()
    other = write_states(tmp_path / "other.json", [small_roots(40, ROOT_PLY)[-1]])
    done = precompute("--state", other, "--resume", "--db", str(path))
    assert done.returncode == 1
    assert "another plan" in done.stderr


def test_resume_without_anything_to_resume_says_so(tmp_path: Path) -> None:
    done = precompute("--resume", "--db", str(tmp_path / "none"))
    assert done.returncode == 1
    assert "nothing to resume" in done.stderr
    assert not (tmp_path / "none").exists()


def test_resume_of_a_finished_job_has_nothing_to_do(tmp_path: Path) -> None:
    build(tmp_path, small_roots(1))
    done = precompute("--resume", "--db", str(tmp_path))
    assert done.returncode == 0
    assert "stored already" in done.stderr


@pytest.mark.skipif(IS_JIT_OFF, reason="a whole deal takes the compiler")
def test_both_starters_are_stored_as_two_deals(tmp_path: Path, catalogue: Catalogue) -> None:
    hands = "1,2,3,4,5:6,7,8,9,10"
    done = precompute("--hands", hands, "--first", "both", "--plies", "1", "--db", str(tmp_path))
    assert done.returncode == 0, done.stderr
    reader = Reader(tmp_path, catalogue)
    roots = sorted(record.root for _, record in reader.parts.roots())
    assert roots == ["tc_9_1.2.3.4.5_6.7.8.9.10_A", "tc_9_6.7.8.9.10_1.2.3.4.5_A"]
    for root in roots:
        state = parse_state(root, catalogue)
        assert reader.probe(state).margin(state) == Solver().solve(state).margin
    reader.close()


def test_too_little_memory_is_refused_before_anything_is_made(tmp_path: Path) -> None:
    done = precompute("--hands", "1,2,3,4,5:6,7,8,9,10", "--memory", "1000", "--db", str(tmp_path))
    assert done.returncode == 1
    assert "found a ceiling of 1,000 MiB; allowed: 2," in done.stderr
    assert Folder(tmp_path).unfinished() is None


def test_folder_that_cannot_be_written_is_told(plan: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    done = precompute("--state", plan, "--db", str(tmp_path / "file" / "db"))
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert "cannot be written" in done.stderr


@pytest.mark.skipif(IS_JIT_OFF, reason="the roots are too small to fill a disk")
def test_full_disk_loses_nothing(plan: str, digest: str, tmp_path: Path) -> None:
    """A limit on file size stands for the disk: writing beyond it fails in the same place."""

    def limit() -> None:
        resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))

    path = tmp_path / "db"
    process = started("--state", plan, "--db", str(path), preexec_fn=limit)
    _, errors = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "go on with --resume" in errors.splitlines()[-1]
    assert "Traceback" not in errors
    resumed = precompute("--resume", "--db", str(path))
    assert resumed.returncode == 0, resumed.stderr
    assert digest_of(path) == digest


@pytest.mark.parametrize(("field", "value"), [("format", 99), ("revision", 99), ("cards", "x")])
def test_job_refuses_to_extend_another_kind_of_database(
    tmp_path: Path, field: str, value: object
) -> None:
    build(tmp_path, small_roots(1))
    publish_changed(tmp_path, change_manifest(**{field: value}))
    state = format_state(small_roots(2)[1])
    done = precompute("--state", state, "--db", str(tmp_path))
    assert done.returncode == 1
    assert "the database has another" in done.stderr
    assert Folder(tmp_path).unfinished() is None


def test_job_refuses_other_cards(tmp_path: Path) -> None:
    build(tmp_path / "db", small_roots(1))
    cards = json.loads(CARD_FILE.read_text(encoding="utf-8"))
    cards[0]["top"] = 9
    (tmp_path / "cards.json").write_text(json.dumps(cards), encoding="utf-8")
    for arguments in (["--state", format_state(small_roots(2)[1])], ["info"], ["verify"]):
        done = precompute(
            *arguments, "--db", str(tmp_path / "db"), "--cards", str(tmp_path / "cards.json")
        )
        assert done.returncode == 1
        assert "another card file" in done.stderr


def test_summary_counts_what_was_stored(tmp_path: Path) -> None:
    state = write_states(tmp_path / "state.json", small_roots(1))
    done = precompute("--state", state, "--db", str(tmp_path / "db"), "--threads", "2")
    assert done.returncode == 0
    assert done.stdout.split()[:5] == ["ply", "states", "blocks", "bytes", "bits/state"]
    assert "1 deal in" in done.stdout
    assert re.match(r"precompute: 1 deal, 0 stored already; 2 threads, \d+ MiB for", done.stderr)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "nothing to do"),
        (("--hands", "1,2:3"), "hands"),
        (("--hands", "1,2,3,4,5:6,7,8,9,Nobody"), "Nobody"),
        (("--sample", "0"), "sample: found 0"),
        (("--sample", "1", "--demo"), "deals: found --sample and --demo; allowed: one of --hands"),
        (("--demo", "--plies", "9"), 'plies: found "9"; allowed: 0 to 8, or all'),
        (("--demo", "--plies", "-1"), "plies"),
        (("--sample", "1", "--first", "C"), 'first: found "C"'),
        (("--sample", "1", "--rules", "open"), "open"),
        (("--sample", "1", "--elements", "X"), "elements"),
        (("--sample", "1", "--seed", "-1"), "seed"),
        (("--demo", "--threads", "0"), "threads"),
        (("--sample", "99999999999999999999"), "sample: found 99999999999999999999"),
        (("--state", "tc_9_1_2_A"), "hands"),
        (("--state", FINISHED), "a state that has moves left"),
        (("--state", "tc_9_1.2.3.4.5_6.7.8.9.10_A", "--rules", "same"), '--rules: found "same"'),
        (("--state", "tc_9_1.2.3.4.5_6.7.8.9.10_A", "--seed", "1"), "--seed: found 1"),
        (("--demo", "--variant", "ff8"), "leave it out with --demo, which sets it"),
        (("--resume", "--plies", "3"), '--plies: found "3"'),
        (("--resume", "--variant", "ff8"), '--variant: found "ff8"'),
        (("--state", "@/no/such/file"), "/no/such/file"),
        (("--hands", "@/no/such/file"), "/no/such/file"),
    ],
)
def test_wrong_options_are_told_in_one_line(
    tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    done = precompute(*arguments, "--db", str(tmp_path / "db"))
    assert done.returncode == (1 if "/no/such/file" in message else 2)
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert not (tmp_path / "db").exists()


@pytest.mark.parametrize("text", ["", "\n# nothing\n\n"])
def test_file_without_deals_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "deals").write_text(text)
    done = precompute("--hands", f"@{tmp_path / 'deals'}", "--db", str(tmp_path / "db"))
    assert done.returncode == 2
    assert "at least one deal" in done.stderr
    assert not (tmp_path / "db").exists()


def test_resume_notices_a_damaged_database(tmp_path: Path) -> None:
    build(tmp_path, small_roots(1))
    with data_file(tmp_path).open("r+b") as file:
        file.truncate(9000)
    done = precompute("--resume", "--db", str(tmp_path))
    assert done.returncode == 1
    assert "is damaged" in done.stderr


def test_lost_current_is_published_again(tmp_path: Path) -> None:
    report = build(tmp_path, small_roots(1))
    (tmp_path / CURRENT).unlink()
    for subcommand in ("info", "verify"):
        done = precompute(subcommand, "--db", str(tmp_path))
        assert done.returncode == 1
        assert "precompute --resume goes on" in done.stderr
    assert precompute("--resume", "--db", str(tmp_path)).returncode == 0
    assert digest_of(tmp_path) == report.generation.totals["digest"]


def test_generation_without_its_parts_is_taken_back(tmp_path: Path) -> None:
    build(tmp_path, small_roots(1))
    (tmp_path / "gen-000009.json").write_bytes((tmp_path / "gen-000001.json").read_bytes())
    shutil.rmtree(data_file(tmp_path).parent)
    done = precompute("--resume", "--db", str(tmp_path))
    assert done.returncode == 1
    assert "is damaged" in done.stderr
    assert not (tmp_path / "gen-000009.json").exists()


def test_half_built_generation_of_an_earlier_version_is_told(tmp_path: Path) -> None:
    build(tmp_path, small_roots(1))
    (tmp_path / "gen-000009").mkdir()
    shutil.copyfile(data_file(tmp_path), tmp_path / "gen-000009" / DATA)
    done = precompute("--resume", "--db", str(tmp_path))
    assert done.returncode == 1
    assert "gen-000009 is half-built by an earlier version" in done.stderr


def test_wrong_line_of_a_file_is_named(tmp_path: Path) -> None:
    path = tmp_path / "deals.txt"
    path.write_text("# two deals\n1,2,3,4,5:6,7,8,9,10\n\n1,2,3,4,4:6,7,8,9,10\n")
    done = precompute("--hands", f"@{path}", "--db", str(tmp_path / "db"), "--memory", "1")
    assert done.returncode == 2
    assert f"precompute: {path}:4: hands.A: found 4; allowed: each card once" in done.stderr


def test_answers_of_a_built_database_are_right(tmp_path: Path, catalogue: Catalogue) -> None:
    build(tmp_path, small_roots(2), plies=ROOT_PLY + 1)
    reader = Reader(tmp_path, catalogue)
    for root in small_roots(2):
        assert reader.probe(root).margin(root) == Solver().solve(root).margin
    reader.close()
