"""Cards in sight: the kernel against a twin that looks at everything."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine.game.board import CELLS
from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer
from engine.game.moves import MOST_MOVES, move_of
from engine.game.rules import Rules, Variant
from engine.game.state import State
from engine.players.horizon import owned_by_mover, rank_in_sight
from engine.text.notation import parse_state
from engine.text.wire import state_to_dict
from tests import naive
from tests.strategies import free_states


def in_sight(state: dict[str, Any], plies: int) -> int:
    """Return the cards of who is to move, `plies` further on: every line, no bounds."""
    moves = naive.legal_moves(state)
    if plies == 0:
        most = max(len(naive.captures(state, *move)) for move in moves)
        return CELLS - (owned(state, is_mover=False) - most)
    return max(CELLS - in_sight(naive.play(state, *move), plies - 1) for move in moves)


def owned(state: dict[str, Any], *, is_mover: bool) -> int:
    """Return a player's cards on the board, and those it is still to bring there."""
    placed = [there for there in state["board"] if there["card_id"] is not None]
    player = state["to_move"] if is_mover else {"A": "B", "B": "A"}[state["to_move"]]
    starter = state["to_move"] if len(placed) % 2 == 0 else {"A": "B", "B": "A"}[state["to_move"]]
    left = len(state["hands"][player]) - (player != starter)
    return [there["owner"] for there in placed].count(player) + int(left)


def ranked(state: State, plies: int) -> Mapping[tuple[int, int], int]:
    """Return what the kernel says of each move."""
    moves, cards = np.zeros(MOST_MOVES, dtype=np.int64), np.zeros(MOST_MOVES, dtype=np.int64)
    count = rank_in_sight(state.deal.duels, state.code, plies, moves, cards)
    return {
        move_of(state.deal, int(move)): int(number)
        for move, number in zip(moves[:count], cards[:count], strict=True)
    }


def twin(state: State, plies: int) -> Mapping[tuple[int, int], int]:
    """Return what the twin says of each move."""
    document = state_to_dict(state)
    return {
        move: CELLS - in_sight(naive.play(document, *move), plies)
        for move in naive.legal_moves(document)
    }


@given(free_states(min_ply=4, max_ply=5, catalogue=default_catalogue()), st.integers(0, 2))
@settings(max_examples=40)
def test_kernel_agrees_with_its_twin(state: State, plies: int) -> None:
    assert ranked(state, plies) == twin(state, plies)


@pytest.mark.parametrize("number", range(3))
def test_kernel_agrees_with_its_twin_early(number: int) -> None:
    rules = Rules(False, True, True, True, Variant.FF8)
    state = State.start(Dealer(default_catalogue(), 5, rules).deal(number))
    for _ in range(2):
        state = state.play(state.legal_moves()[7])
    assert ranked(state, 1) == twin(state, 1)


def test_twin_that_forgets_what_can_be_taken_is_found_out() -> None:
    state = parse_state("ff8_1A.8_2.3.4.5_106.107.108.109.110_B", default_catalogue())
    document = state_to_dict(state)
    forgetful = {
        move: CELLS - owned(naive.play(document, *move), is_mover=True)
        for move in naive.legal_moves(document)
    }
    assert forgetful != ranked(state, 0) == twin(state, 0)


@given(free_states(max_ply=8, catalogue=default_catalogue()))
def test_cards_of_both_players_are_nine(state: State) -> None:
    document = state_to_dict(state)
    mine = owned_by_mover(state.code)
    assert mine == owned(document, is_mover=True)
    assert mine + owned(document, is_mover=False) == CELLS
