from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from engine.errors import DealError, MoveError, StateError
from engine.game.cards import Catalogue, default_catalogue
from engine.game.deal import Deal, Player
from engine.game.moves import Move
from engine.game.rules import Rules, Variant
from engine.game.state import Placed, State
from engine.text.wire import state_to_dict
from tests import naive
from tests.strategies import free_states, states

FF8 = Rules(variant=Variant.FF8)


def opening(rules: Rules | None = None, **options: Any) -> State:
    cards = default_catalogue()
    hand_a, hand_b = [cards[i] for i in (5, 4, 3, 2, 1)], [cards[i] for i in (6, 7, 8, 9, 10)]
    return State.start(Deal.of(hand_a, hand_b, rules=rules, **options))


def test_opening_has_moves_in_documented_order() -> None:
    moves = opening().legal_moves()
    assert moves == [(card, cell) for cell in (0, 2, 6, 8, 1, 3, 5, 7, 4) for card in range(1, 6)]


@given(states(catalogue=default_catalogue()))
def test_moves_equal_slow_twin(state: State) -> None:
    assert state.legal_moves() == naive.legal_moves(state_to_dict(state))


@given(states(max_ply=8, catalogue=default_catalogue()), st.data())
def test_play_equals_slow_twin(state: State, data: st.DataObject) -> None:
    move = data.draw(st.sampled_from(state.legal_moves()))
    document = naive.play(state_to_dict(state), *move)
    after = state.play(move)
    assert naive.key(state_to_dict(after)) == naive.key(document)
    assert after.margin == naive.margin(document)
    assert after.ply == state.ply + 1
    assert after.to_move == state.to_move.opponent


@given(states(min_ply=9))
def test_finished_game_has_no_moves_and_all_cards_counted(state: State) -> None:
    assert state.is_over
    assert state.legal_moves() == []
    assert sum(state.score) == (10 if state.rules.variant is Variant.FF8 else 9)
    with pytest.raises(MoveError, match="allowed: none: the game is over"):
        state.play(Move(1, 0))


@given(free_states())
def test_state_survives_being_put_into_another_deal(state: State) -> None:
    again = State.of(
        state.board,
        state.hands,
        state.to_move,
        rules=state.rules,
        elements=state.elements,
    )
    assert again == state
    assert hash(again) == hash(state)
    assert again.legal_moves() == state.legal_moves()
    for move in state.legal_moves()[:5]:
        assert again.play(move) == state.play(move)
        assert again.captures(move) == state.captures(move)


def test_play_leaves_the_state_as_it_was() -> None:
    state = opening()
    after = state.play(Move(1, 0))
    assert state == opening()
    assert after != state
    assert after.ply == 1


def test_equal_cards_in_hand_give_one_move_per_cell(catalogue: Catalogue) -> None:
    hand = [catalogue[i] for i in (1, 1, 1, 2, 2)]
    state = State.start(Deal.of(hand, hand, rules=FF8))
    assert len(state.legal_moves()) == 18
    after = state.play(Move(1, 0)).play(Move(2, 4)).play(Move(1, 8))
    assert [card.id for card in after.hands[Player.A]] == [1, 2, 2]
    assert [card.id for card in after.hands[Player.B]] == [1, 1, 1, 2]


def test_order_of_equal_cards_does_not_matter(catalogue: Catalogue) -> None:
    hand_a, hand_b = [catalogue[i] for i in (1, 1, 1, 2, 2)], [catalogue[i] for i in range(3, 8)]
    state = State.start(Deal.of(hand_a, hand_b, rules=FF8))
    one = state.play(Move(1, 0)).play(Move(3, 4)).play(Move(1, 8))
    other = state.play(Move(1, 8)).play(Move(3, 4)).play(Move(1, 0))
    assert one == other


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (Move(6, 0), r"move.card_id: found 6; allowed: a card in A's hand: 1, 2, 3, 4, 5"),
        (Move(999, 0), "move.card_id: found 999"),
        (Move(1, 9), "move.cell: found 9; allowed: an empty cell: 0, 1, 2, 3, 4, 5, 6, 7, 8"),
        (Move(1, -1), "move.cell: found -1"),
    ],
)
def test_illegal_move_is_refused(move: Move, message: str) -> None:
    with pytest.raises(MoveError, match=message):
        opening().play(move)
    with pytest.raises(MoveError, match=message):
        opening().captures(move)


def test_occupied_cell_is_refused() -> None:
    with pytest.raises(
        MoveError, match="move.cell: found 4; allowed: an empty cell: 0, 1, 2, 3, 5"
    ):
        opening().play(Move(1, 4)).play(Move(6, 4))


@pytest.mark.parametrize(
    ("hand_a", "hand_b", "variant", "message"),
    [
        ([1, 2, 3, 4], [6, 7, 8, 9, 10], "ff8", r"hands.A: found \[1, 2, 3, 4\]; allowed: 5 cards"),
        ([1, 1, 2, 3, 4], [6, 7, 8, 9, 10], "triplecargo", "hands.A: found 1; allowed: each card"),
        ([1, 2, 3, 4, 5], [6, 6, 8, 9, 9], "triplecargo", "hands.B: found 6.*hands.B: found 9"),
        (
            [1, 2, 3, 4, 110],
            [6, 7, 8, 9, 110],
            "ff8",
            "hands: found 110; allowed: cards of level 8",
        ),
        ([1, 2, 3, 78, 78], [6, 7, 8, 9, 10], "ff8", "hands: found 78"),
    ],
)
def test_impossible_deal_is_refused(
    hand_a: list[int], hand_b: list[int], variant: str, message: str, catalogue: Catalogue
) -> None:
    with pytest.raises(DealError, match=message):
        Deal.of(
            [catalogue[i] for i in hand_a],
            [catalogue[i] for i in hand_b],
            rules=Rules(variant=Variant(variant)),
        )


def test_deal_with_too_few_elements_is_refused(catalogue: Catalogue) -> None:
    with pytest.raises(DealError, match="elements: found 3; allowed: 9 cells"):
        Deal.of(list(catalogue)[:5], list(catalogue)[5:10], elements=(None, None, None))


def test_shared_card_is_allowed_in_both_hands(catalogue: Catalogue) -> None:
    hand = [catalogue[i] for i in (1, 2, 3, 4, 110)]
    assert Deal.of(hand, hand).hands[0] == Deal.of(hand, hand).hands[1]


def test_board_copy_of_a_held_card_was_brought_by_the_other(catalogue: Catalogue) -> None:
    """Under triplecargo A cannot have brought a second copy of a card A still holds."""
    board: list[Placed | None] = [None] * 9
    board[0] = Placed(catalogue[1], Player.A)
    board[4] = Placed(catalogue[9], Player.A)
    hands = [[catalogue[i] for i in (1, 2, 3, 4)], [catalogue[i] for i in (5, 6, 7, 8)]]
    state = State.of(board, hands, Player.A)
    assert [card.id for card in state.deal.hands[Player.A]] == [1, 2, 3, 4, 9]
    assert [card.id for card in state.deal.hands[Player.B]] == [1, 5, 6, 7, 8]


def test_board_that_leaves_a_player_two_equal_cards_is_refused(catalogue: Catalogue) -> None:
    board: list[Placed | None] = [None] * 9
    board[0] = Placed(catalogue[1], Player.A)
    hands = [[catalogue[i] for i in (1, 2, 3, 4)], [catalogue[i] for i in (5, 6, 7, 8, 9)]]
    with pytest.raises(StateError, match=r"board: found \[1\]; allowed: cards that leave each"):
        State.of(board, hands, Player.B)
    state = State.of(board, hands, Player.B, rules=FF8)
    assert [card.id for card in state.deal.hands[Player.A]] == [1, 1, 2, 3, 4]
