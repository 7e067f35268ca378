"""Tables of Sudden Death, from the job to the answer; real databases of ten cards, mostly equal."""

from __future__ import annotations

import json
import pickle
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import CompletedProcess

import pytest
from msgspec import UNSET

from engine.errors import DamagedError, DealError, HalfBuiltError, RulesError
from engine.game.cards import Catalogue, default_catalogue
from engine.game.rules import Rules, Variant
from engine.game.splits import SPLITS, opening_of
from engine.game.state import State
from engine.search.many import ManySolver
from engine.search.sudden_death import RoundSolver, RoundTable, solve_rounds
from engine.text.notation import format_state
from engine.text.objects import encode
from precompute.crew import LocalCrew
from precompute.job import Job, Report
from precompute.rounds import DecideSplits, SplitItem, plan_tables
from store.deals import DealFilter, page_of
from store.environment import Entry, Environment
from store.format import BLOCKS
from store.generations import Folder
from store.many import ManyOracle
from store.merge import merge
from store.oracle import Oracle
from store.reader import Reader
from store.records import Kind
from store.rounds import Progress, planned_table
from store.summary import summarise
from tests.commands import command
from tests.conftest import IS_JIT_OFF
from tests.databases import PLENTY, Unwatched, build, publish_changed, small_roots, tear_blocks

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="takes minutes without the compiler")

TINY = "4,4,4,4,4,4,4,4,7,24"  # decided within three rounds
OTHER = "3,3,3,3,3,3,3,3,3,27"
FF8 = Rules(variant=Variant.FF8)
RULES = FF8._replace(sudden_death=True)


def precompute(*arguments: object) -> CompletedProcess[str]:
    return command("precompute", *map(str, arguments))


class Listening(Unwatched):
    """Remembers what it is told, and may have enough of it."""

    def __init__(self, most: int = 1000) -> None:
        self.heard: list[str] = []
        self.most = most

    def tell(self, text: str) -> None:
        self.heard.append(text)
        if len(self.heard) >= self.most:
            raise KeyboardInterrupt


def make(
    path: Path, *specs: str, watch: Unwatched | None = None, resume: bool = False, threads: int = 2
) -> Report | None:
    """Make tables in a database."""
    catalogue = default_catalogue()
    job = Job(Folder(path), catalogue, LocalCrew(threads, PLENTY))
    plan = plan_tables(specs, FF8, catalogue) if specs else None
    return job.run(plan, resume=resume, watch=watch or Unwatched())


def cards_of(spec: str) -> list[int]:
    return sorted(map(int, spec.split(",")))


def state_of(spec: str, split: int = 100, rules: Rules = RULES) -> State:
    catalogue = default_catalogue()
    return opening_of(split, [catalogue[card] for card in cards_of(spec)], rules)


def table_in(path: Path, spec: str) -> RoundTable | None:
    reader = Reader(path, default_catalogue())
    try:
        return reader.round_table(state_of(spec).facts)
    finally:
        reader.close()


@pytest.fixture(scope="module")
def expected() -> RoundTable:
    catalogue = default_catalogue()
    return solve_rounds([catalogue[card] for card in cards_of(TINY)], RULES)


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rounds") / "db"
    make(path, TINY)
    return path


def test_job_makes_the_table_of_one_thread(database: Path, expected: RoundTable) -> None:
    assert table_in(database, TINY) == expected
    assert table_in(database, OTHER) is None


def test_job_says_what_each_round_decides(tmp_path: Path) -> None:
    watch = Listening()
    report = make(tmp_path, TINY, watch=watch)
    assert report is not None
    assert (report.deals, report.tables) == (0, 1)
    assert [text.partition(":")[0] for text in watch.heard] == ["round 1", "round 2", "round 3"]
    assert watch.heard[-1].endswith("504 of 504 openings are decided")


@pytest.mark.parametrize("rounds", [1, 2])
def test_killed_job_goes_on_to_the_same_digest(rounds: int, tmp_path: Path, database: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        make(tmp_path, TINY, watch=Listening(rounds), threads=1)
    with pytest.raises(HalfBuiltError, match="--resume"):
        make(tmp_path, TINY)
    watch = Listening()
    make(tmp_path, resume=True, watch=watch)
    assert [text.partition(":")[0] for text in watch.heard] == [
        f"round {number}" for number in range(rounds + 1, 4)
    ]
    digests = [Folder(path).served().totals["digest"] for path in (tmp_path, database)]
    assert digests[0] == digests[1]


def test_table_that_is_there_is_not_made_again(database: Path) -> None:
    assert make(database, TINY) is None


def test_tables_and_deals_lie_beside_each_other(tmp_path: Path, expected: RoundTable) -> None:
    (root,) = small_roots(1)
    build(tmp_path, [root])
    make(tmp_path, TINY)
    make(tmp_path, OTHER)
    before = Folder(tmp_path).served()
    with Folder(tmp_path).locked():
        after = merge(Folder(tmp_path), default_catalogue())
    assert (len(before.parts), len(after.parts)) == (3, 1)
    assert after.totals == before.totals
    reader = Reader(tmp_path, default_catalogue())
    facts = summarise(reader.parts)
    assert (facts["deals"], facts["tables"]) == (1, 2)
    assert facts["kinds"]["ff8-d, a table of ten cards"] == 2
    assert [deal.notation for deal in page_of(reader, DealFilter()).deals] == [
        format_state(root.seated)
    ]
    assert reader.get(root) is not None
    assert reader.round_table(state_of(TINY).facts) == expected
    reader.close()


@pytest.mark.parametrize("split", range(0, len(SPLITS), 50))
def test_answers_go_by_the_table(split: int, database: Path, expected: RoundTable) -> None:
    state = state_of(TINY, split)
    answer = Oracle(Reader(database, default_catalogue())).answer(state, moves=True)
    found = RoundSolver().solve(state, expected)
    assert answer.solution == found
    written = answer.as_object()
    assert (written.value, written.rounds, written.round) == (
        found.value,
        "all",
        found.round or UNSET,
    )
    assert answer.ranking is not None
    assert (answer.ranking[0].card_id, answer.ranking[0].cell) == found.best_move


def test_margin_is_left_out_and_open_changes_nothing(database: Path) -> None:
    oracle = Oracle(Reader(database, default_catalogue()))
    answer = json.loads(encode(oracle.answer(state_of(TINY), moves=True).as_object()))
    assert "margin" not in answer
    assert all("margin" not in move for move in answer["moves"])
    seen = state_of(TINY, rules=RULES._replace(open=True))
    assert json.loads(encode(oracle.answer(seen, moves=True).as_object())) == answer


def test_many_states_are_answered_as_each_is(database: Path) -> None:
    catalogue = default_catalogue()
    oracle = Oracle(Reader(database, catalogue))
    states = [state_of(TINY), state_of(OTHER), state_of(TINY, rules=FF8), state_of(TINY, 7)]
    many = ManyOracle(catalogue, ManySolver(catalogue), oracle)
    answers = many.answers([state.facts for state in states], moves=True)
    assert answers == [oracle.answer(state, moves=True) for state in states]
    (refused,) = many.answers([state_of(TINY, rules=RULES._replace(elemental=True)).facts])
    assert isinstance(refused, RulesError)


def rotten(part: Path) -> None:
    """Put bytes that are sealed well and are no table under every key."""
    environment = Environment(part, writes=True)
    keys = list(environment.keys(BLOCKS))
    environment.commit([Entry.of(BLOCKS, key, b"\1" * len(SPLITS)) for key in keys])
    environment.close()


@pytest.mark.parametrize("damage", [tear_blocks, rotten])
def test_damaged_table_is_answered_for_one_round(
    damage: Callable[[Path], None], tmp_path: Path
) -> None:
    make(tmp_path, TINY)
    publish_changed(tmp_path, damage)
    told: list[DamagedError] = []
    oracle = Oracle(Reader(tmp_path, default_catalogue()), on_damage=told.append)
    answer = oracle.answer(state_of(TINY))
    assert answer.solution == RoundSolver().solve(state_of(TINY))
    assert answer.as_object().rounds == 1
    assert told
    failed = precompute("verify", "--db", tmp_path)
    assert failed.returncode == 1
    assert "wrong:" in failed.stdout


def test_verify_finds_a_table_that_says_something_else(tmp_path: Path) -> None:
    make(tmp_path, TINY)

    def change(part: Path) -> None:
        environment = Environment(part, writes=True)
        ((key, content),) = environment.items(BLOCKS)
        environment.commit([Entry.of(BLOCKS, key, bytes([content[0] ^ 1]) + content[1:])])
        environment.close()

    assert precompute("verify", "--db", tmp_path).returncode == 0
    publish_changed(tmp_path, change)
    failed = precompute("verify", "--db", tmp_path, "--samples", 252)
    assert "digest" in failed.stdout
    assert "split 0 is not worth what the table says" in failed.stdout


def test_info_lists_every_opening(database: Path, expected: RoundTable) -> None:
    shown = precompute("info", "--sudden-death", "--json", "--db", database)
    listed = json.loads(shown.stdout)
    assert listed["cards"] == cards_of(TINY)
    assert len(listed["openings"]) == 2 * len(SPLITS)
    assert set(listed["openings"][0]) == {"A", "B", "first", "value_for_A", "round"}
    won = sum(opening["value_for_A"] == 1 for opening in listed["openings"])
    assert won == sum(opening["value_for_A"] == -1 for opening in listed["openings"])
    assert max(opening["round"] or 0 for opening in listed["openings"]) == expected.rounds
    plain = precompute("info", "--sudden-death", "--db", database).stdout
    assert "504 of 504 openings are decided, within 3 rounds" in plain


def test_command_makes_tables_of_a_file(tmp_path: Path) -> None:
    (tmp_path / "ten.txt").write_text(f"# two tables\n{TINY}\n\n{OTHER}\n{TINY}\n")
    made = precompute(
        *("--sudden-death", "--ten", f"@{tmp_path / 'ten.txt'}", "--json"),
        *("--db", tmp_path / "db"),
    )
    assert json.loads(made.stdout)["tables"] == 2


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--sudden-death"], "--ten"),
        (["--ten", TINY], "only with --sudden-death"),
        (["--sudden-death", "--ten", TINY, "--plies", "3"], "leave it out"),
        (["--sudden-death", "--ten", TINY, "--rules", "elemental"], "elements anew"),
        (["--sudden-death", "--ten", "1,2,3"], "these are 3"),
        (["--sample", "1", "--variant", "ff8", "--rules", "sudden_death"], "--ten"),
        (["--state", format_state(state_of(TINY))], "--ten"),
    ],
)
def test_wrong_wishes_are_refused(arguments: Sequence[str], reason: str, tmp_path: Path) -> None:
    refused = precompute(*arguments, "--db", tmp_path / "db")
    assert refused.returncode == 2
    assert reason in " ".join(refused.stderr.split())
    assert not (tmp_path / "db").exists()


def test_task_travels_to_workers(catalogue: Catalogue, expected: RoundTable) -> None:
    task = pickle.loads(pickle.dumps(DecideSplits(Kind.of(catalogue))))
    root = planned_table([catalogue[card] for card in cards_of(TINY)], FF8).root
    item = pickle.loads(pickle.dumps(SplitItem(root, (0, 50, 251), bytes(len(SPLITS)))))
    found = task.run(item, 1)
    assert found == task.run(item, 2)
    known = expected.decisions
    assert found.values == tuple(
        (split, (1 if known[split] & 1 else -1) if known[split] >> 1 == 1 else 0)
        for split in item.splits
    )


def test_progress_is_read_as_it_was_written() -> None:
    progress = Progress(7, bytes(range(2, 254)))
    assert Progress.from_bytes(progress.to_bytes()) == progress


def test_nine_cards_make_no_table(catalogue: Catalogue) -> None:
    with pytest.raises(DealError, match="ten cards"):
        plan_tables(["1,2,3,4,5,6,7,8,9"], FF8, catalogue)
