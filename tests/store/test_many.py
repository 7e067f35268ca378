"""Many states at once have the answers that each has alone, wherever they come from."""

from __future__ import annotations

from pathlib import Path

import pytest

from engine.errors import InputError
from engine.game.board import CELLS
from engine.game.cards import default_catalogue
from engine.game.facts import Facts
from engine.game.state import State
from engine.search.many import ManySolver
from store.answer import Answer
from store.many import ManyOracle
from store.oracle import Oracle
from store.reader import Reader
from tests.databases import ROOT_PLY, build, later, small_roots

CARDS = default_catalogue()
STORED, OTHERS = small_roots(2), small_roots(4)[2:]


def facts_below(number: int) -> list[Facts]:
    """Return facts of every ply, stored and not, in turn."""
    roots = STORED[number], OTHERS[number]
    return [later(root, ply).facts for ply in range(ROOT_PLY, CELLS) for root in roots]


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> Oracle:
    path: Path = tmp_path_factory.mktemp("many")
    build(path, STORED)
    return Oracle(Reader(path, CARDS))


@pytest.mark.parametrize("moves", [False, True])
@pytest.mark.parametrize("number", range(2))
def test_answers_are_those_of_each_alone(database: Oracle, number: int, moves: bool) -> None:
    asked = facts_below(number)
    answers = ManyOracle(CARDS, ManySolver(CARDS), database).answers(asked, moves=moves)
    states = [State.from_facts(facts, CARDS) for facts in asked]
    assert answers == [database.answer(state, moves=moves) for state in states]
    sources = [answer.source for answer in answers if isinstance(answer, Answer)]
    assert sources == ["database", "search"] * (len(asked) // 2)


def test_cards_that_make_no_deal_are_told_in_their_place() -> None:
    asked = [facts for facts in facts_below(0) if facts.ply == ROOT_PLY]
    hand = asked[1].hands[0]
    twice = asked[1]._replace(
        hands=((hand[1], *hand[1:]), asked[1].hands[1]),
        cards=tuple(sorted(hand[1] if card == hand[0] else card for card in asked[1].cards)),
    )
    first, second, third = ManyOracle(CARDS, ManySolver(CARDS)).answers([asked[0], twice, asked[1]])
    assert isinstance(first, Answer)
    assert isinstance(second, InputError)
    assert isinstance(third, Answer)
    assert "each card once in a player's five cards" in str(second)


def test_nothing_asked_nothing_answered(database: Oracle) -> None:
    assert ManyOracle(CARDS, ManySolver(CARDS), database).answers([]) == []
