"""Parameters of the computer player, and what it must be told."""

from __future__ import annotations

from typing import Any

import pytest

from engine.errors import OpponentError
from engine.game.cards import Catalogue
from engine.players.computer import ComputerPlayer
from engine.players.situation import Situation
from engine.players.tables import make_cards
from tests import vectors
from tests.situations import decide, situation_of, state_of

ROWS = vectors.load("hidden/ff8_ai")
GUESSING = next(row for row in ROWS if row["guess"] and row["computer_hand"].count(None) == 1)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"search": 8}, "search: found 8; allowed: a whole number from 0 to 7"),
        ({"search": 24}, "search: found 24"),
        ({"search": -1}, "search: found -1"),
        ({"search": True}, "search: found true"),
        (
            {"search": 17, "sees_hand": False},
            "sees_hand: found false; allowed: true with search 17",
        ),
        ({"sees_hand": 1}, "sees_hand: found 1; allowed: true or false"),
        ({"strategy": 8}, "strategy: found 8; allowed: a whole number from 0 to 7"),
        ({"levels": (1, 8)}, r"levels\[1\]: found 8; allowed: levels, each once, from 1 to 7"),
        ({"levels": (2, 2)}, r"levels\[1\]: found 2"),
        ({"rares": (77,)}, r"rares\[0\]: found 77; allowed: ids of cards of level 8 to 10"),
        ({"rare_chance": 101}, "rare_chance: found 101; allowed: a whole number from 0 to 100"),
    ],
)
def test_parameter_that_is_not_allowed_is_refused(given: dict[str, Any], message: str) -> None:
    with pytest.raises(OpponentError, match=message):
        ComputerPlayer(**given)


def test_all_wrong_parameters_are_told_at_once() -> None:
    with pytest.raises(OpponentError) as told:
        ComputerPlayer(search=9, strategy=9, levels=(0,), rare_chance=-1)
    fields = [problem.field for problem in told.value.problems]
    assert fields == ["search", "strategy", "levels[0]", "rare_chance"]


def test_search_from_16_on_is_an_alias() -> None:
    assert ComputerPlayer(search=18) == ComputerPlayer(search=2, sees_hand=True)
    assert ComputerPlayer(search=18, sees_hand=True).sees_hand
    assert ComputerPlayer(search=2).sees_hand is False
    assert ComputerPlayer(levels=(3, 1)).levels == (1, 3)
    assert ComputerPlayer().dealing.levels == (1,)


def test_move_is_certain_where_nothing_is_guessed_or_drawn(catalogue: Catalogue) -> None:
    situation = situation_of(GUESSING, catalogue)
    assert ComputerPlayer(search=0).is_certain(situation)
    assert not ComputerPlayer(search=0, strategy=3).is_certain(situation)
    assert not ComputerPlayer(search=2).is_certain(situation)
    is_open = {**GUESSING, "rules": {**GUESSING["rules"], "open": True}}
    assert ComputerPlayer(search=2).is_certain(situation_of(is_open, catalogue))
    assert ComputerPlayer(search=18).is_certain(situation)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"computer_dealt": [1, 2]}, "dealt: found .* allowed: 5 card ids"),
        ({"computer_dealt": [1, 2, 3, 4, 999]}, r"dealt\[4\]: found 999"),
        ({"computer_dealt": None}, "dealt: found null; allowed: the five cards it was dealt"),
        ({"rng": 2**32}, "rng: found 4294967296; allowed: a whole number from 0 to 4294967295"),
        ({"rng": -1}, "rng: found -1"),
    ],
)
def test_what_it_must_be_told_is_checked(
    change: dict[str, Any], message: str, catalogue: Catalogue
) -> None:
    with pytest.raises(OpponentError, match=message):
        decide({**GUESSING, **change}, catalogue)


@pytest.mark.parametrize("slots", [[1, 2, 3, 4, 5], [None] * 5, [None] * 4])
def test_slots_that_are_not_the_hand_are_refused(
    slots: list[int | None], catalogue: Catalogue
) -> None:
    state = state_of(GUESSING, catalogue)
    with pytest.raises(OpponentError, match=r"slots\.A: found .* allowed: 5 places with A's hand"):
        Situation.of(state, own=slots)
    with pytest.raises(OpponentError, match=r"slots\.B: found .* allowed: 5 places with B's hand"):
        Situation.of(state, other=slots)


def test_slots_that_are_left_out_ascend(catalogue: Catalogue) -> None:
    situation = Situation.of(state_of(GUESSING, catalogue))
    held = sorted(filter(None, GUESSING["computer_hand"]))
    assert situation.own == (*held, 0)
    assert situation.dealt is None


def test_five_cards_in_hand_are_the_dealt_ones(catalogue: Catalogue) -> None:
    row = next(row for row in ROWS if None not in row["computer_hand"])
    slots = row["computer_hand"]
    assert Situation.of(state_of(row, catalogue), own=slots).dealt == tuple(slots)


def test_finished_game_is_refused(catalogue: Catalogue) -> None:
    state = state_of(next(row for row in ROWS if row["board"].count(None) == 1), catalogue)
    over = state.play(state.legal_moves()[0])
    with pytest.raises(OpponentError, match=r"state\.turn: found 9; allowed: a game that is not"):
        Situation.of(over)


def test_card_file_of_other_levels_is_refused(catalogue: Catalogue) -> None:
    few = Catalogue(tuple(card for card in catalogue if card.id != 5))
    with pytest.raises(OpponentError, match="cards: found other levels"):
        make_cards(few)
