"""The terminal game, at a table whose person is a list of answers."""

from __future__ import annotations

import pytest

from app.play import GivenUpError, Table, result_text
from app.players import CHOOSERS, PlayerKind, choose_greedy
from engine.cards import Catalogue, default_catalogue
from engine.deal import Player
from engine.dealing import game_random
from engine.notation import parse_state
from engine.state import Move, State

ALL_RULES = "ff8-espw_1.F.2.L.4_2.15.29.43.102_4.26.41.66.110_A"


class Person:
    """Somebody who types the given answers and remembers what was said."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.heard: list[str] = []

    def ask(self, _question: str) -> str:
        return self.answers.pop(0)

    def table(self, a: PlayerKind, b: PlayerKind) -> Table:
        kinds = {Player.A: a, Player.B: b}
        return Table(default_catalogue(), kinds, self.heard.append, self.ask)


def start(text: str = ALL_RULES) -> State:
    return parse_state(text, default_catalogue())


@pytest.mark.parametrize("a", list(CHOOSERS))
@pytest.mark.parametrize("b", list(CHOOSERS))
def test_machines_finish_a_game(a: PlayerKind, b: PlayerKind) -> None:
    person = Person()
    final = person.table(a, b).play(start())
    assert final.is_over
    assert person.heard[-2] == result_text(final)
    assert sum("places" in line for line in person.heard) == 9


def test_every_capture_is_told_with_its_rule() -> None:
    person = Person()
    table = person.table(PlayerKind.GREEDY, PlayerKind.GREEDY)
    table.play(start())
    state = start()
    for ply in range(9):
        move = choose_greedy(state, game_random(0, 0, ply))
        told = [line for line in person.heard if "places" in line][ply].splitlines()
        assert len(told) == 1 + len(state.captures(move))
        for line, capture in zip(told[1:], state.captures(move), strict=True):
            assert line.startswith(f"  {capture.rule}: ")
            assert line.endswith(f"on {capture.cell}, by the card on {capture.by_cell}")
        state = state.play(move)


def test_person_is_asked_until_the_move_is_legal() -> None:
    person = Person("nonsense", "", "Squall 0", "Fngar 0", "102 9", "moves", "laguna 4", "quit")
    with pytest.raises(GivenUpError):
        person.table(PlayerKind.HUMAN, PlayerKind.HUMAN).play(start())
    heard = "\n".join(person.heard)
    assert "move: found 'nonsense'" in heard
    assert "CARD CELL places a card" in heard
    assert "move.card_id: found 110; allowed: a card in A's hand: 2, 15, 29, 43, 102" in heard
    assert "did you mean 'Funguar'" in heard
    assert "move.cell: found 9; allowed: an empty cell" in heard
    assert "102 8  Laguna           captures nothing" in heard
    assert "A places Laguna (102) on 4" in heard


def test_greedy_takes_the_most_and_the_first_of_equals(catalogue: Catalogue) -> None:
    state = parse_state("tc_3.1A.5_2.3.4.5_6.7.8.9.110_B", catalogue)
    best = choose_greedy(state, game_random(0, 0, 0))
    most = max(len(state.captures(move)) for move in state.legal_moves())
    firsts = [move for move in state.legal_moves() if len(state.captures(move)) == most]
    assert best == firsts[0]
    assert isinstance(best, Move)


@pytest.mark.parametrize(
    ("owners", "variant", "text"),
    [
        ("AAAAAABBB", "tc", "A wins, 6 : 3"),
        ("AAABBBBBB", "tc", "B wins, 6 : 3"),
        ("AAAAABBBB", "ff8", "draw, 5 : 5"),
    ],
)
def test_result_is_told(owners: str, variant: str, text: str, catalogue: Catalogue) -> None:
    cells = ".".join(f"{card}{owner}" for card, owner in enumerate(owners, start=1))
    assert result_text(parse_state(f"{variant}_{cells}__10_B", catalogue)) == text
