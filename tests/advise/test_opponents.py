"""Opponents as text: read, written, refused."""

from __future__ import annotations

import pytest

from advise.opponents import (
    KINDS,
    ComputerModel,
    ComputerPlayer,
    Greedy,
    Humanlike,
    Perfect,
    Random,
    Softmax,
    Tremble,
    parse_opponent,
    parse_seat,
)
from advise.table import TablePlayer
from engine.errors import OpponentError

NAMED: list[tuple[str, TablePlayer]] = [
    ("perfect", Perfect()),
    ("random", Random()),
    ("greedy", Greedy()),
    ("tremble:0.1", Tremble(0.1)),
    ("softmax:0.05", Softmax(0.05)),
    ("humanlike:60", Humanlike(60)),
    ("humanlike:strength=60,plies=1", Humanlike(60, 1)),
    ("ff8:search=2,strategy=0", ComputerModel(ComputerPlayer(search=2))),
    (
        "ff8:search=0,strategy=5,sees_hand=true,levels=1.2.3,rares=83.110,rare_chance=30",
        ComputerModel(
            ComputerPlayer(
                strategy=5, sees_hand=True, levels=(1, 2, 3), rares=(83, 110), rare_chance=30
            ),
            brings_hand=True,
        ),
    ),
]


@pytest.mark.parametrize(("text", "model"), NAMED, ids=[text for text, _ in NAMED])
def test_text_names_a_model_and_a_model_its_text(text: str, model: TablePlayer) -> None:
    assert parse_opponent(text) == model
    assert str(model) == text
    assert model.name == text.partition(":")[0]


def test_every_kind_is_among_the_tested() -> None:
    assert {text.partition(":")[0] for text, _ in NAMED} == set(KINDS)


@pytest.mark.parametrize(
    ("text", "same"),
    [
        ("humanlike:strength=60", "humanlike:60"),
        ("humanlike:strength=60,plies=2", "humanlike:60"),
        ("ff8", "ff8:search=0,strategy=0"),
        ("ff8:2", "ff8:search=2,strategy=0"),
        ("ff8:search=18", "ff8:search=2,strategy=0,sees_hand=true"),
        ("ff8:levels=1-3.5", "ff8:search=0,strategy=0,levels=1.2.3.5"),
    ],
)
def test_same_model_may_be_named_in_several_ways(text: str, same: str) -> None:
    assert parse_opponent(text) == parse_opponent(same)


def test_person_takes_a_seat_but_is_no_model() -> None:
    assert parse_seat("human") is None
    assert parse_seat("greedy") == Greedy()
    with pytest.raises(OpponentError, match="one of perfect"):
        parse_opponent("human")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("god", 'b: found "god"; allowed: human, or one of perfect, random, greedy, tremble'),
        ("", 'b: found ""; allowed: human, or one of'),
        ("perfect:1", 'b: found "perfect:1"; allowed: perfect alone: it has no options'),
        ("tremble", 'b: found "tremble"; allowed: error as well'),
        ("tremble:2", 'b.error: found "2"; allowed: a number from 0 to 1'),
        ("tremble:nan", 'b.error: found "nan"; allowed: a number from 0 to 1'),
        ("tremble:x", 'b.error: found "x"; allowed: a number from 0 to 1'),
        ("softmax:0", 'b.temperature: found "0"; allowed: a number above 0'),
        ("humanlike:101", 'b.strength: found "101"; allowed: a number from 0 to 100'),
        ("humanlike:60,plies=2", 'b: found "60"; allowed: some of strength, plies'),
        ("humanlike:strength=60,plies=9", 'b.plies: found "9"; allowed: a whole number from 0 to'),
        ("humanlike:strength=60,strength=6", 'b: found "strength=6"; allowed: some of strength'),
        ("ff8:depth=2", 'b: found "depth=2"; allowed: some of search, strategy'),
        ("ff8:search=8", "b.search: found 8; allowed: a whole number from 0 to 7"),
        ("ff8:search=99", 'b.search: found "99"; allowed: a whole number from 0 to 23'),
        ("ff8:strategy=8", 'b.strategy: found "8"; allowed: a whole number from 0 to 7'),
        ("ff8:search=16,sees_hand=false", "b.sees_hand: found false; allowed: true with search"),
        ("ff8:sees_hand=maybe", 'b.sees_hand: found "maybe"; allowed: true or false'),
        ("ff8:levels=0-9", "b.levels"),
        ("ff8:levels=3-1", 'b.levels: found "3-1"; allowed: whole numbers joined by'),
        ("ff8:levels=1-999999999", 'b.levels: found "1-999999999"; allowed: whole numbers'),
        ("ff8:rares=1", "b.rares"),
        ("ff8:rare_chance=101", 'b.rare_chance: found "101"; allowed: a whole number from 0 to'),
        ("ff8:levels=²", 'b.levels: found "²"'),
    ],
)
def test_text_that_names_nobody_is_refused(text: str, message: str) -> None:
    with pytest.raises(OpponentError) as error:
        parse_seat(text, "b")
    assert message in str(error.value)
