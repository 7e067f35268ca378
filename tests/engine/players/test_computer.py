"""The computer player against its vectors, and against a slow twin of it."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np
import pytest

from engine.game.cards import Catalogue
from engine.players.computer import ComputerPlayer
from engine.players.decide import decide_many
from engine.players.layout import FOUND_LENGTH, MOVE, PLACEMENTS, RANDOM, RAW, WEIGHTED, make_work
from engine.players.tables import DEPTHS, make_cards
from tests import vectors
from tests.computer import Twin
from tests.conftest import IS_JIT_OFF
from tests.situations import as_row, decide, draw_row, situation_of

Row = dict[str, Any]

ROWS = vectors.load("hidden/ff8_ai")
ANSWER = ("depth", "guess", "move", "weighted", "raw", "placements", "rng_after", "root")
QUICK_ROWS = [row for row in ROWS if row["placements"] <= 3_000]


def answer_of(row: Row) -> Row:
    return {name: row[name] for name in ANSWER}


# Without the compiler the deepest take minutes.
ASKED_ROWS = QUICK_ROWS if IS_JIT_OFF else ROWS


@pytest.mark.parametrize("row", ASKED_ROWS, ids=lambda row: str(row["n"]))
def test_decision_is_that_of_the_vector(row: Row, catalogue: Catalogue) -> None:
    assert as_row(decide(row, catalogue)) == answer_of(row)


def test_twin_decides_as_the_vectors() -> None:
    for row in QUICK_ROWS:
        assert Twin(row).decide() == answer_of(row), row["n"]


@pytest.mark.parametrize("broken", [{"keeps_bound": False}, {"has_combo": True}], ids=str)
def test_broken_twin_is_found_out_by_the_vectors(broken: dict[str, bool]) -> None:
    answers = [(Twin(row, **broken).decide(), answer_of(row)) for row in QUICK_ROWS]
    assert sum(found["root"] != known["root"] for found, known in answers) >= 5
    assert any(found["move"] != known["move"] for found, known in answers)


def lookahead(search: int, empty: int) -> int:
    return int(DEPTHS[search % 8, empty])


def most_placements(search: int, empty: int) -> int:
    """Return how many cards are put down at most, were nothing cut off."""
    lines = 1
    for ply in range(lookahead(search, empty)):
        slots = 5 - (9 - empty) // 2 - ply // 2 if ply % 2 == 0 else 5 - ply // 2
        lines *= slots * (empty - ply)
    return lines


def random_rows(seed: int, count: int, most: int) -> list[Row]:
    """Return random rows of all searches; none looks at many more placements than `most`."""
    random = Random(seed)
    rows: list[Row] = []
    searches = [*range(8), *range(16, 24)]
    while len(rows) < count:
        search, empty = searches[len(rows) % len(searches)], random.randint(1, 9)
        if most_placements(search, empty) <= most:
            rows.append(draw_row(random, search, empty))
    return rows


def assert_twins(rows: list[Row], catalogue: Catalogue) -> None:
    for row in rows:
        assert as_row(decide(row, catalogue)) == Twin(row).decide(), row


def test_decision_is_that_of_the_twin(catalogue: Catalogue) -> None:
    rows = random_rows(seed=1, count=1_000, most=12_000)
    assert {row["search"] for row in rows} == {*range(8), *range(16, 24)}
    assert {lookahead(row["search"], row["board"].count(None)) for row in rows} == {1, 2, 3, 4}
    assert_twins(rows, catalogue)


@pytest.mark.parametrize(("search", "empty", "depth"), [(5, 4, 4), (3, 4, 3), (7, 5, 4)])
def test_deep_decision_is_that_of_the_twin(
    search: int, empty: int, depth: int, catalogue: Catalogue
) -> None:
    assert lookahead(search, empty) == depth
    random = Random(search)
    assert_twins([draw_row(random, search, empty) for _ in range(3)], catalogue)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 10))
def test_many_decisions_are_those_of_the_twin(seed: int, catalogue: Catalogue) -> None:
    assert_twins(random_rows(seed, count=1_150, most=40_000), catalogue)
    random = Random(seed)
    deep = [draw_row(random, search, 4) for search in (5, 6, 7) for _ in range(4)]
    assert_twins([*deep, draw_row(random, 7, 6), draw_row(random, 6, 9)], catalogue)


def test_many_decisions_are_made_in_one_call(catalogue: Catalogue) -> None:
    rows = QUICK_ROWS[:60]
    asked = np.array(
        [
            ComputerPlayer(search=row["search"], strategy=row["strategy"]).asked(
                situation_of(row, catalogue)
            )
            for row in rows
        ]
    )
    randoms = np.array([[row["rng"], row["rng"] ^ 1] for row in rows])
    found = np.zeros((len(rows), 2, FOUND_LENGTH), dtype=np.int64)
    decide_many(make_cards(catalogue), asked, randoms, make_work(), found)
    for number, row in enumerate(rows):
        for place, rng in enumerate((row["rng"], row["rng"] ^ 1)):
            one = decide({**row, "rng": rng}, catalogue)
            many = found[number, place, [MOVE, RAW, WEIGHTED, PLACEMENTS, RANDOM]].tolist()
            packed = one.slot * 9 + one.move.cell
            assert many == [packed, one.raw, one.weighted, one.placements, one.rng]


def test_which_slots_are_empty_does_not_matter(catalogue: Catalogue) -> None:
    row = next(row for row in ROWS if row["computer_hand"].count(None) == 2)
    cards = [card for card in row["computer_hand"] if card]
    moved = {**row, "computer_hand": [cards[0], None, cards[1], None, cards[2]]}
    first, second = decide(row, catalogue), decide(moved, catalogue)
    assert first.move == second.move
    assert [score[1:] for score in first.root] == [score[1:] for score in second.root]
    assert [score.slot for score in second.root[:: len(first.root) // 3]] == [0, 2, 4]


def test_strategy_1_plays_as_strategy_0(catalogue: Catalogue) -> None:
    """Its weight of power is too small to tell any two cards apart."""
    for row in QUICK_ROWS[:100]:
        moves = [decide({**row, "strategy": strategy}, catalogue).move for strategy in (0, 1)]
        assert moves[0] == moves[1]
