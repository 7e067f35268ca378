from __future__ import annotations

from collections import Counter

from hypothesis import given, strategies as st
from numpy.random import Generator

from engine.game.dealing import game_random
from engine.game.moves import Move
from engine.game.playout import play_out, play_random_games, random_bit
from engine.game.state import State
from tests.conftest import IS_JIT_OFF
from tests.strategies import states


def played_out(state: State, random: Generator) -> State:
    """Play on with the same draws, by the public objects: first the cell, then the card."""
    while not state.is_over:
        moves = state.legal_moves()
        cells = sorted({move.cell for move in moves})
        cards = sorted({move.card_id for move in moves})
        cell = cells[int(random.random() * len(cells))]
        state = state.play(Move(cards[int(random.random() * len(cards))], cell))
    return state


@given(states(), st.integers(0, 2**32))
def test_playout_makes_the_moves_that_its_draws_say(state: State, seed: int) -> None:
    code = play_out(state.deal.duels, state.code, game_random(seed, 0, 0))
    assert State(state.deal, code) == played_out(state, game_random(seed, 0, 0))


def test_random_bit_draws_each_place_equally_often() -> None:
    draws = 200 if IS_JIT_OFF else 20_000
    random = game_random(1, 2, 3)
    counts = Counter(random_bit(random, 0b1011001) for _ in range(draws))
    assert set(counts) == {0, 3, 4, 6}
    assert max(counts.values()) - min(counts.values()) < 5 * draws**0.5


@given(states(max_ply=0), st.integers(0, 100))
def test_random_games_count_the_starters_cards(state: State, seed: int) -> None:
    won = play_random_games(state.deal.duels, 5, game_random(seed, 0, 0))
    random = game_random(seed, 0, 0)
    finals = [played_out(state, random) for _ in range(5)]
    owners = [placed.owner for final in finals for placed in final.board if placed]
    assert won == owners.count(state.deal.first)
