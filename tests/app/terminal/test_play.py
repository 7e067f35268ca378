"""The terminal game, at a table whose person is a list of answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from advise.opponents import Greedy, Humanlike, Perfect, Random, Tremble, parse_seat
from advise.table import TablePlayer
from app.terminal.judge import Judge, round_of, worth_text
from app.terminal.play import NO_HINTS, GivenUpError, TerminalGame, result_text
from app.terminal.review import Turn, review
from engine.game.cards import Catalogue, default_catalogue
from engine.game.deal import Player
from engine.game.moves import Move
from engine.game.splits import next_round
from engine.game.state import State
from engine.search.solver import Solver
from engine.text.notation import parse_state
from tests.conftest import IS_JIT_OFF

ALL_RULES = "ff8-espw_1.F.2.L.4_2.15.29.43.102_4.26.41.66.110_A"


LATE = "ff8-espw_2A.F.4B.L.15B.1.26A.41A.1_29.43_66.102.110_B"


def late() -> State:
    """Return a state near the end, so that a solver without the JIT has little to do."""
    return opened(parse_state(LATE, default_catalogue()))


def opened(state: State) -> State:
    """Return a state with the rule Open on."""
    rules = state.rules._replace(open=True)
    return State(replace(state.deal, rules=rules), state.code)


class Person:
    """Somebody who types the given answers and remembers what was said."""

    def __init__(self, *answers: str) -> None:
        self.answers = list(answers)
        self.heard: list[str] = []

    def ask(self, _question: str) -> str:
        return self.answers.pop(0)

    def table(self, a: TablePlayer | None, b: TablePlayer | None) -> TerminalGame:
        players = {Player.A: a, Player.B: b}
        return TerminalGame(default_catalogue(), players, self.heard.append, self.ask, Judge())


def start(text: str = ALL_RULES) -> State:
    return opened(parse_state(text, default_catalogue()))


HUMAN = None


def greediest(state: State) -> Move:
    """Return what the greedy player plays."""
    return next(iter(Greedy().chances(state)))


MACHINES = [Random(), Greedy(), Perfect(), Tremble(0.5), Humanlike(60)]


@pytest.mark.parametrize("a", MACHINES, ids=str)
@pytest.mark.parametrize("b", MACHINES, ids=str)
def test_machines_finish_a_game(a: TablePlayer, b: TablePlayer) -> None:
    person = Person()
    turns = person.table(a, b).play(late())
    final = turns[-1].state.play(turns[-1].move)
    assert final.is_over
    assert person.heard[-2] == result_text(final)
    assert sum("places" in line for line in person.heard) == len(turns) == 4


@pytest.mark.parametrize("opponent", MACHINES, ids=str)
def test_perfect_player_gets_what_it_was_promised(opponent: TablePlayer) -> None:
    promised = Solver().solve(late())
    assert late().to_move is Player.B
    turns = Person().table(opponent, Perfect()).play(late())
    final = turns[-1].state.play(turns[-1].move)
    assert -final.margin >= -promised.margin
    if opponent == Perfect():
        assert tuple(turn.move for turn in turns) == promised.line
        assert final.margin == promised.margin


def test_review_says_what_each_move_gave_away() -> None:
    person = Person()
    table = person.table(Random(), Perfect())
    turns = table.play(late())
    person.heard.clear()
    table.say_review(turns)
    assert len(person.heard) == 4
    for line, reviewed in zip(person.heard, review(turns, Solver()), strict=True):
        assert worth_text(reviewed.before) in line
        assert (f"gave away {reviewed.given_away}" in line) == (reviewed.given_away > 0)
        if reviewed.turn.state.to_move is Player.B:
            assert reviewed.given_away == 0
            assert line.endswith("best")


def test_review_of_a_wrong_move_names_the_best_one() -> None:
    ranked = Solver().rank(late())
    assert ranked[-1].margin != ranked[0].margin
    (reviewed,) = review([Turn(late(), ranked[-1].move)], Solver())
    assert reviewed.best_move == ranked[0].move
    assert reviewed.given_away == ranked[-1].margin - ranked[0].margin


def test_worth_in_words() -> None:
    assert [worth_text(score) for score in (3, 0, -2)] == ["win +3", "draw +0", "loss -2"]


def test_every_capture_is_told_with_its_rule() -> None:
    person = Person()
    table = person.table(Greedy(), Greedy())
    table.play(start())
    state = start()
    for ply in range(9):
        move = greediest(state)
        told = [line for line in person.heard if "places" in line][ply].splitlines()
        assert len(told) == 1 + len(state.captures(move))
        for line, capture in zip(told[1:], state.captures(move), strict=True):
            assert line.startswith(f"  {capture.rule}: ")
            assert line.endswith(f"on {capture.cell}, by the card on {capture.by_cell}")
        state = state.play(move)


def test_person_is_asked_until_the_move_is_legal() -> None:
    person = Person(
        "nonsense",
        "",
        "Squall 0",
        "Fngar 0",
        "102 9",
        "9" * 5000 + " 1",
        "1 " + "9" * 5000,
        "laguna 4",
        "102 3",
        "quit",
    )
    with pytest.raises(GivenUpError):
        person.table(HUMAN, HUMAN).play(start())
    heard = "\n".join(person.heard)
    assert 'move: found "nonsense"' in heard
    assert "CARD CELL places a card" in heard
    assert "move.card_id: found 110; allowed: a card in A's hand: 2, 15, 29, 43, 102" in heard
    assert 'did you mean "Funguar"' in heard
    assert 'move: found "102 9"' in heard
    assert 'card: found "9999' in heard
    assert "move.card_id: found 102; allowed: a card in B's hand" in heard
    assert "A places Laguna (102) on 4" in heard


@pytest.mark.parametrize("has_hints", [False, True])
def test_hints_show_every_move_with_its_worth(has_hints: bool) -> None:
    person = Person("quit") if has_hints else Person("hint", "quit")
    table = person.table(HUMAN, HUMAN)
    with pytest.raises(GivenUpError):
        replace(table, has_hints=has_hints).play(late())
    ranked = Solver().rank(late())
    hints = person.heard[1].splitlines()
    assert len(hints) == len(ranked)
    for line, entry in zip(hints, ranked, strict=True):
        assert line.strip().startswith(worth_text(-entry.margin))
        assert f"({entry.move.card_id}) on {entry.move.cell}" in line


def test_greedy_takes_the_most_and_the_first_of_equals(catalogue: Catalogue) -> None:
    state = parse_state("tc_3.1A.5_2.3.4.5_6.7.8.9.110_B", catalogue)
    best = greediest(state)
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


# Hidden hands


def hidden(state: State) -> State:
    rules = state.rules._replace(open=False)
    return State(replace(state.deal, rules=rules), state.code)


def test_hand_of_the_other_is_face_down_while_hands_are_hidden() -> None:
    person = Person("hint", "quit")
    with pytest.raises(GivenUpError):
        person.table(Random(), HUMAN).play(hidden(late()))
    picture = person.heard[0]
    shown, face_down = late().hands[Player.B], late().hands[Player.A]
    assert all(card.name in picture for card in shown)
    assert not any(card.name in picture for card in face_down)
    assert picture.count("face down") == len(face_down)
    assert person.heard[1] == NO_HINTS


@pytest.mark.parametrize("other", [HUMAN, Random()], ids=str)
def test_people_see_their_own_hands_only(other: TablePlayer | None) -> None:
    person = Person("66 1", "29 3", "quit")
    with pytest.raises(GivenUpError):
        person.table(other, HUMAN).play(hidden(late()))
    pictures = [line for line in person.heard if "hand:" in line]
    assert ("A's hand:\n    ? face down" in pictures[1]) == (other is not HUMAN)
    assert ("B's hand:\n    ? face down" in pictures[1]) == (other is HUMAN)


def test_computer_player_plays_slots_in_dealt_order() -> None:
    """Worked example: all moves score alike, so it plays its first slot, whatever the id."""
    state = opened(parse_state("ff8_9_1.2.3.4.5_6.7.8.9.10_A", default_catalogue()))
    computer = parse_seat("ff8:search=0,strategy=0")
    for order in ([5, 1, 2, 3, 4], [3, 1, 2, 4, 5]):
        slots = {
            Player.A: tuple(default_catalogue()[card] for card in order),
            Player.B: state.deal.hands[1],
        }
        table = replace(Person().table(computer, Random()), slots=slots)
        assert table.play(state)[0].move == Move(order[0], 0)


# Sudden Death


DRAWN = "ff8-d_9_1.2.3.4.5_6.7.8.9.10_A"


@pytest.mark.skipif(IS_JIT_OFF, reason="solves openings")
def test_drawn_round_is_followed_by_another_when_sudden_death_is_on() -> None:
    person = Person()
    turns = person.table(Greedy(), Greedy()).play(start(DRAWN))
    assert len(turns) % 9 == 0
    rounds = [turns[place : place + 9] for place in range(0, len(turns), 9)]
    said = [line for line in person.heard if line.startswith("round ")]
    assert [line.split(":")[0] for line in said] == [
        f"round {number}" for number in range(2, len(rounds) + 1)
    ]
    for before, after in zip(rounds, rounds[1:], strict=False):
        last = before[-1].state.play(before[-1].move)
        assert last.margin == 0
        assert after[0].state == next_round(last)


def test_one_round_is_played_when_sudden_death_is_off() -> None:
    person = Person()
    turns = person.table(Greedy(), Greedy()).play(start(DRAWN.replace("-d", "")))
    assert len(turns) == 9
    assert not [line for line in person.heard if line.startswith("round ")]


def test_endless_draws_are_parted_after_many_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    equal = start("ff8-d_9_1.1.1.1.1_1.1.1.1.1_A")
    drawn = [Greedy(), Greedy()]
    monkeypatch.setattr("app.terminal.play.MOST_ROUNDS", 2)
    person = Person()
    turns = person.table(*drawn).play(equal)
    if turns[-1].state.play(turns[-1].move).margin == 0:
        assert person.heard[-1] == "still drawn after 2 rounds: nobody wins"
    assert len(turns) in (9, 18)


def test_hints_tell_rounds_when_sudden_death_is_on() -> None:
    text = "ff8-d_2A.1.4B.1.15B.1.26A.41A.1_29.43_30.33.35_B"
    person = Person("hint", "quit")
    with pytest.raises(GivenUpError):
        person.table(HUMAN, HUMAN).play(start(text))
    assert "this round only" in person.heard[0]
    ranked = Judge().rank(start(text))
    for line, entry in zip(person.heard[-1].splitlines(), ranked, strict=True):
        assert line.strip().startswith(worth_text(entry.value, round_of(entry), by_rounds=True))
