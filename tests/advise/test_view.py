"""What a player sees, what is refused as a view, and how a world completes it."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given

from advise import View, World, state_in
from engine.errors import InputError, StateError
from engine.game.cards import Card, default_catalogue
from engine.game.deal import Deal, Player
from engine.game.moves import Move
from engine.game.rules import Rules, Variant
from engine.game.state import Placed, State
from tests.advise.strategies import seen_states
from tests.strategies import states

CATALOGUE = default_catalogue()
FF8 = Rules(variant=Variant.FF8)
HIDDEN_AT_PLY = [5, 4, 4, 3, 3, 2, 2, 1, 1]  # the other's cards when you are to move


def cards(*ids: int) -> list[Card]:
    return [CATALOGUE[number] for number in ids]


def state_at_ply_four() -> State:
    """Return a state in which B, whose hand is 3, 4, 5, has brought 1 and 2; A brought 6 and 7."""
    deal = Deal.of(cards(6, 7, 8, 9, 110), cards(1, 2, 3, 4, 5), rules=FF8)
    state = State.start(deal)
    for card, cell in ((6, 0), (1, 8), (7, 2), (2, 6)):
        state = state.play(Move(card, cell))
    return state


BOARD = state_at_ply_four().board


def view_of(**changes: Any) -> View:
    """Return A's view of that state, with some of it changed."""
    told: dict[str, Any] = {
        "board": BOARD,
        "hand": cards(8, 9, 110),
        "to_move": Player.A,
        "rules": FF8,
        "unseen": 3,
        "played": cards(1, 2),
    }
    return View.of(**(told | changes))


@given(seen_states())
def test_view_and_world_make_the_state_again(seen: tuple[State, View]) -> None:
    truth, view = seen
    found = state_in(view, World.true_in(truth, view))
    assert found == truth
    assert found.deal == truth.deal
    assert View.seen_by(found, view.viewer) == view


@given(seen_states())
def test_view_holds_no_hidden_card(seen: tuple[State, View]) -> None:
    truth, view = seen
    shown = Counter([*view.hand, *view.placed, *view.known])
    hidden = Counter(truth.hands[view.opponent])
    everything = Counter(truth.deal.slots)
    if view.is_open:
        assert shown == everything
    else:
        assert shown + hidden == everything
        assert view.unseen == hidden.total()
        assert view.known == ()


@given(states(max_ply=8))
def test_unseen_cards_are_those_of_the_table_when_you_are_to_move(state: State) -> None:
    assert View.seen_by(state, state.to_move).unseen == HIDDEN_AT_PLY[state.ply]


def test_given_view_is_the_one_that_was_seen() -> None:
    assert view_of() == View.seen_by(state_at_ply_four(), Player.A)
    known = view_of(unseen=1, known=cards(5, 4))
    assert [card.id for card in known.known] == [4, 5]
    assert state_in(known, World.of(cards(3))) == state_at_ply_four()


def test_view_without_played_cards_fits_some_deal() -> None:
    found = state_in(view_of(played=None), World.of(cards(3, 4, 5)))
    assert found == state_at_ply_four()


def test_view_of_who_is_not_to_move() -> None:
    view = view_of(
        hand=cards(3, 4, 5), viewer=Player.B, unseen=3, played=cards(6, 7), to_move=Player.A
    )
    assert view == View.seen_by(state_at_ply_four(), Player.B)


@pytest.mark.parametrize(
    ("changes", "field", "found", "allowed"),
    [
        ({"board": BOARD[:8]}, "board", "8 cells", "9 cells"),
        ({"hand": cards(8, 9)}, "hands.A", [8, 9], "3 cards at ply 4"),
        ({"unseen": 2}, "hands.B.unseen", 2, "3, as hands.B has 3 cards at ply 4"),
        ({"unseen": -1}, "hands.B.unseen", -1, "3, as"),
        ({"known": cards(3, 4)}, "hands.B.unseen", 3, "1, as hands.B has 3 cards at ply 4"),
        ({"known": cards(3, 4, 5, 10)}, "hands.B.known", [3, 4, 5, 10], "at most 3 cards"),
        ({"rules": FF8._replace(open=True)}, "hands.B.unseen", 3, "0 under the rule Open"),
        ({"played": cards(1)}, "hands.B.played", [1], "2 cards at ply 4"),
        ({"played": cards(1, 3)}, "hands.B.played", 3, "cards that lie on the board"),
        ({"played": cards(1, 1)}, "hands.B.played", 1, "cards that lie on the board"),
        ({"unseen": 2, "known": cards(110)}, "hands", 110, "level 8 to 10 at most once"),
        ({"elements": (None,) * 8, "rules": FF8._replace(elemental=True)}, "elements", 8, "9"),
    ],
    ids=str,
)
def test_view_that_cannot_be_is_refused(
    changes: dict[str, Any], field: str, found: object, allowed: str
) -> None:
    with pytest.raises(StateError) as error:
        view_of(**changes)
    (problem,) = error.value.problems
    assert problem.field == field
    assert problem.found == found or str(problem.found) == found
    assert allowed in problem.allowed


def test_unique_card_on_the_board_and_in_a_hand_is_refused() -> None:
    board = list(BOARD)
    board[0] = Placed(CATALOGUE[110], Player.A)
    for played in (None, cards(1, 2)):
        with pytest.raises(StateError, match="110"):
            view_of(board=board, played=played)


def test_five_different_cards_each_under_triplecargo() -> None:
    with pytest.raises(StateError, match="hands.B"):
        view_of(rules=Rules(), unseen=2, known=cards(1))


# Worlds


def test_world_of_another_size_makes_no_state() -> None:
    with pytest.raises(StateError, match="3 unseen cards"):
        state_in(view_of(), World.of(cards(3, 4)))


@pytest.mark.parametrize("played", [None, cards(1, 2)])
def test_world_with_a_card_that_is_there_once_makes_no_state(played: list[Card] | None) -> None:
    with pytest.raises(InputError, match="110"):
        state_in(view_of(played=played), World.of(cards(3, 4, 110)))


def test_dealt_world_keeps_the_order_of_slots() -> None:
    view = view_of(unseen=2, known=cards(4))
    world = World.of_dealt(cards(5, 1, 4, 2, 3), view)
    assert [card.id for card in world.unseen] == [5, 3]
    slots = [card and card.id for card in world.slots_left(view)]
    assert slots == [5, None, 4, None, 3]
    assert state_in(view, world) == state_at_ply_four()


def test_slots_ascend_where_no_order_is_told() -> None:
    world = World.of(cards(5, 3, 4))
    assert [card and card.id for card in world.slots_left(view_of())] == [3, 4, 5, None, None]


@pytest.mark.parametrize("dealt", [cards(5, 1, 4, 3, 10), cards(1, 2, 3, 4)])
def test_dealt_cards_without_what_was_played_are_refused(dealt: list[Card]) -> None:
    with pytest.raises(StateError, match="hands.B.dealt"):
        World.of_dealt(dealt, view_of())


def test_dealt_world_needs_what_was_played() -> None:
    with pytest.raises(StateError, match="hands.B.played"):
        World.of_dealt(cards(1, 2, 3, 4, 5), view_of(played=None))
