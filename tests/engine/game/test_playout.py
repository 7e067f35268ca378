from __future__ import annotations

from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from engine.game.dealing import game_random
from engine.game.playout import play_out, play_random_games, random_bit
from engine.game.state import State
from tests.conftest import IS_JIT_OFF
from tests.strategies import states


@given(states(), st.integers(0, 2**32))
def test_playout_ends_in_a_state_that_play_can_reach(state: State, seed: int) -> None:
    deal = state.deal
    code = play_out(deal.duels, state.code, game_random(seed, 0, 0))
    final = State(deal, code)
    assert final.is_over
    for before, after in zip(state.board, final.board, strict=True):
        assert before is None or after is not None
        assert before is None or after is None or before.card == after.card


def test_random_bit_draws_each_place_equally_often() -> None:
    draws = 200 if IS_JIT_OFF else 20_000
    random = game_random(1, 2, 3)
    counts = Counter(random_bit(random, 0b1011001) for _ in range(draws))
    assert set(counts) == {0, 3, 4, 6}
    assert max(counts.values()) - min(counts.values()) < 5 * draws**0.5


@given(states(max_ply=0), st.integers(0, 100))
def test_games_repeat_for_the_same_seed(state: State, seed: int) -> None:
    deal = state.deal
    results = {play_random_games(deal.duels, 5, game_random(seed, 0, 0)) for _ in range(3)}
    assert len(results) == 1
