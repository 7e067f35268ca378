"""Laws of every model: what it replies is legal, adds up to 1, and follows from what it sees."""

from __future__ import annotations

from dataclasses import replace
from math import fsum

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from advise.humanlike import points_in_sight, temperature_of
from advise.match import Match
from advise.opponent import Opponent, Replies
from advise.opponents import (
    ComputerModel,
    ComputerPlayer,
    Greedy,
    Humanlike,
    Mixture,
    Perfect,
    Random,
    Softmax,
    Tremble,
)
from advise.solvers import points_of
from advise.table import TablePlayer
from advise.view import View
from advise.world import World
from engine.errors import OpponentError
from engine.game.cards import default_catalogue
from engine.game.deal import Player
from engine.game.dealing import Dealer
from engine.game.moves import Move
from engine.game.rules import Rules, Variant
from engine.game.state import State
from engine.search.solver import Solver
from tests.conftest import IS_JIT_OFF
from tests.strategies import states

MODELS: list[TablePlayer] = [
    Random(),
    Greedy(),
    Perfect(),
    Tremble(0.3),
    Softmax(0.2),
    Humanlike(0),
    Humanlike(30),
    Humanlike(60, plies=1),
    Humanlike(100),
    ComputerModel(ComputerPlayer(search=1), guesses=8),
    ComputerModel(ComputerPlayer(search=2, sees_hand=True, strategy=5)),
    Mixture((Random(), Greedy(), Perfect()), (1, 2, 3)),
]
FEW = 5 if IS_JIT_OFF else 40  # examples of what is asked of every model
late_states = states(min_ply=4, max_ply=8, catalogue=default_catalogue())


def replies_of(model: Opponent, state: State) -> Replies:
    """Return what a model replies in a state, asked through a view and a world."""
    view = View.seen_by(state, state.to_move.opponent)
    dealt = state.deal.hands[state.to_move]
    return model.replies(World.true_in(state, view, dealt), view)


@pytest.mark.parametrize("model", MODELS, ids=str)
@settings(max_examples=FEW)
@given(late_states)
def test_replies_are_legal_and_add_up_to_one(model: TablePlayer, state: State) -> None:
    replies = replies_of(model, state)
    assert set(replies) <= set(state.legal_moves())
    assert all(chance > 0 for chance in replies.values())
    assert fsum(replies.values()) == pytest.approx(1, abs=1e-12)
    assert isinstance(model, Opponent)
    if model.is_deterministic:
        assert len(replies) == 1
    assert replies_of(model, state) == replies


@pytest.mark.parametrize(
    "model", [model for model in MODELS if not model.sees_hand and not model.needs_open], ids=str
)
@settings(max_examples=FEW)
@given(late_states, st.data())
def test_model_that_does_not_see_the_other_hand_plays_alike_whatever_it_is(
    model: TablePlayer, state: State, data: st.DataObject
) -> None:
    view = View.seen_by(state, state.to_move.opponent)
    common = [
        card for card in default_catalogue() if not card.is_unique and card not in view.placed
    ]
    other = data.draw(st.lists(st.sampled_from(common), min_size=len(view.hand), unique=True))
    changed = replace(view, hand=tuple(sorted(other[: len(view.hand)])))
    world = World.true_in(state, view, state.deal.hands[state.to_move])
    assert model.replies(world, changed) == model.replies(world, view)


@given(late_states)
def test_tremble_without_error_is_perfect(state: State) -> None:
    assert replies_of(Tremble(0), state) == replies_of(Perfect(), state)
    assert replies_of(Perfect(), state) == {Solver().solve(state).best_move: 1}


@given(late_states)
def test_tremble_with_certain_error_is_random(state: State) -> None:
    assert replies_of(Tremble(1), state) == pytest.approx(replies_of(Random(), state))


@given(late_states)
def test_cold_softmax_plays_the_moves_of_best_value(state: State) -> None:
    ranked = Solver().rank(state)
    best = {entry.move for entry in ranked if entry.value == ranked[0].value}
    replies = replies_of(Softmax(1e-6), state)
    assert set(replies) == best
    assert replies == pytest.approx(dict.fromkeys(best, 1 / len(best)))


@given(late_states)
def test_hot_softmax_is_random(state: State) -> None:
    assert replies_of(Softmax(1e9), state) == pytest.approx(replies_of(Random(), state))


@given(late_states)
def test_weakest_humanlike_is_random_and_strongest_perfect(state: State) -> None:
    assert replies_of(Humanlike(0), state) == replies_of(Random(), state)
    assert replies_of(Humanlike(100), state) == replies_of(Perfect(), state)


@given(states(min_ply=6, max_ply=8))
def test_points_in_sight_of_the_end_are_exact(state: State) -> None:
    values = {entry.move: points_of(entry.value) for entry in Solver().rank(state)}
    assert points_in_sight(state, 2) == [values[move] for move in state.legal_moves()]


@given(states(min_ply=3, max_ply=5))
def test_points_beyond_the_horizon_are_ninths_of_cards(state: State) -> None:
    for points in points_in_sight(state, 2):
        assert 0 <= points <= 1
        assert points * 9 == pytest.approx(round(points * 9))


@pytest.mark.parametrize(("strength", "temperature"), [(50, 0.1), (62.5, 0.05), (25, 0.4)])
def test_temperature_halves_every_twelve_and_a_half(strength: float, temperature: float) -> None:
    assert temperature_of(strength) == pytest.approx(temperature)


@pytest.mark.parametrize("model", MODELS, ids=str)
@settings(max_examples=FEW)
@given(late_states)
def test_mixture_of_one_is_that_one(model: TablePlayer, state: State) -> None:
    mixture = Mixture((model,), (0.7,))
    assert replies_of(mixture, state) == pytest.approx(replies_of(model, state))
    assert mixture.is_deterministic == model.is_deterministic


@given(late_states, st.data())
def test_observed_move_weighs_models_by_how_likely_they_make_it(
    state: State, data: st.DataObject
) -> None:
    view = View.seen_by(state, state.to_move.opponent)
    world = World.true_in(state, view)
    mixture = Mixture((Random(), Greedy(), Perfect()), (1, 1, 2))
    move = data.draw(st.sampled_from(state.legal_moves()))
    seen = mixture.observed(world, view, move)
    assert seen is not None
    expected = [
        weight * model.replies(world, view).get(move, 0)
        for model, weight in zip(mixture.models, mixture.weights, strict=True)
    ]
    assert seen.weights == pytest.approx(expected)
    assert fsum(seen.replies(world, view).values()) == pytest.approx(1)


def test_mixture_that_cannot_have_played_so_says_so() -> None:
    deal = Dealer(default_catalogue(), 0).deal(0)
    state = State.start(deal)
    view = View.seen_by(state, state.to_move.opponent)
    world = World.true_in(state, view)
    move = state.legal_moves()[1]  # nothing can be captured: greedy plays the first
    assert Mixture((Greedy(),), (1,)).observed(world, view, move) is None


@pytest.mark.parametrize("weights", [(), (1,), (0, 0), (1, -1), (1, float("nan"))])
def test_weights_that_weigh_nothing_are_refused(weights: tuple[float, ...]) -> None:
    with pytest.raises(OpponentError, match="weights"):
        Mixture((Random(), Greedy()), weights)


# The computer player


def test_computer_player_is_dealt_as_the_game_deals() -> None:
    computer = ComputerModel(ComputerPlayer(levels=(1, 3), rares=(83, 110), rare_chance=100), True)
    rules = Rules(variant=Variant.FF8)
    match = Match(Dealer(default_catalogue(), 3, rules), computer, Random())
    other = Match(Dealer(default_catalogue(), 3, rules), Random(), computer)
    for number in range(5):
        assert match.play(number).points == 1 - other.play(number).points
    for held in ([], [default_catalogue()[110]]):
        random = np.random.default_rng(1)
        hand = computer.draw_hand(default_catalogue(), random, held)
        assert hand is not None
        assert len({card.id for card in hand}) == 5
        assert hand[0].id == 83
        assert (110 in [card.id for card in hand]) <= (not held)
        assert all(card.level in (1, 3) or card.is_unique for card in hand)


def test_computer_player_repeats_its_guesses_in_a_world_and_varies_with_the_seed() -> None:
    state = State.start(Dealer(default_catalogue(), 1, Rules(variant=Variant.FF8)).deal(0))
    model = ComputerModel(ComputerPlayer(search=3), guesses=16)
    assert not model.is_deterministic
    replies = replies_of(model, state)
    assert len(replies) > 1
    assert replies_of(model, state) == replies
    assert replies_of(replace(model, seed=1), state) != replies


@given(late_states)
def test_computer_player_under_open_does_not_guess(state: State) -> None:
    state = State(replace(state.deal, rules=state.rules._replace(open=True)), state.code)
    assert len(replies_of(ComputerModel(ComputerPlayer(search=3)), state)) == 1


def test_greedy_takes_most_at_once() -> None:
    deal = Dealer(default_catalogue(), 2, Rules(variant=Variant.FF8)).deal(4)
    state = State.start(deal).play(Move(deal.slots[0].id, 4))
    (move,) = replies_of(Greedy(), state)
    taken = {move: len(state.captures(move)) for move in state.legal_moves()}
    assert taken[move] == max(taken.values())
    assert state.to_move in Player
