"""Belief by behaviour is the product of what the model would have done, world by world."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pytest

from advise.behaviour import Factors, likelihoods, observed
from advise.dealt import DealtWorlds, Orders
from advise.mixture import Mixture
from advise.opponent import Opponent
from advise.opponents import (
    ComputerModel,
    ComputerPlayer,
    Random,
    Softmax,
    Tremble,
)
from advise.unknown import unknown_computer
from advise.view import View
from advise.world import World
from advise.worlds import Combinations, Shuffle
from engine.game.deal import Deal, Player
from engine.game.moves import Move
from engine.game.rules import Rules
from engine.game.state import State
from engine.players.dealing import Dealing
from tests.advise.closed import ALL_RULES, CATALOGUE, PLAIN
from tests.conftest import IS_JIT_OFF

LOW = [CATALOGUE[card] for card in Dealing.of([1, 2]).pool]
FEW = 40 if IS_JIT_OFF else 400


class Played(NamedTuple):
    """A game up to the viewer's turn."""

    view: View
    history: tuple[Move, ...]
    dealt: tuple[int, ...]  # to the opponent, in slot order


def computer(search: int = 0, strategy: int = 0, *, sees_hand: bool = False) -> ComputerModel:
    return ComputerModel(ComputerPlayer(search=search, strategy=strategy, sees_hand=sees_hand))


def play(model: ComputerModel, ply: int, seed: int, rules: Rules = PLAIN) -> Played:
    """Play any moves against a computer player, up to a ply at which it is A's turn."""
    random = np.random.default_rng(seed)
    own, other = (random.permutation(len(LOW))[:5] for _ in range(2))
    dealt = [LOW[card] for card in other]
    first = Player(ply % 2)
    state = State.start(Deal.of([LOW[card] for card in own], dealt, rules=rules, first=first))
    history: list[Move] = []
    while state.ply < ply:
        if state.to_move is Player.A:
            moves = state.legal_moves()
            move = moves[int(random.integers(len(moves)))]
        else:
            view = View.seen_by(state, Player.A)
            replies = model.replies(World.of_dealt(dealt, view), view)
            move = max(replies, key=lambda reply: replies[reply])
        history.append(move)
        state = state.play(move)
    return Played(View.seen_by(state, Player.A), tuple(history), tuple(card.id for card in dealt))


def orders(game: Played) -> Orders:
    left = [card for card in LOW if card not in (game.view.played or ())]
    return Orders(game.view, Combinations(left, game.view.unseen))


def some_hands(game: Played, seed: int = 0, count: int = FEW) -> DealtWorlds:
    """Return some ordered hands, the true one first."""
    numbered = orders(game)
    drawn = numbered.sample(0, count, Shuffle(numbered.total, [seed])).dealt
    return DealtWorlds.of(np.concatenate([[game.dealt], drawn]))


def plain_weights(game: Played, worlds: DealtWorlds, model: Opponent) -> list[float]:
    """Return each world's weight by the model's own replies, asked one by one."""
    weights = []
    for dealt in worlds.dealt.tolist():
        cards, weight = [CATALOGUE[card] for card in dealt], 1.0
        for view, move in observed(game.view, game.history, dealt, CATALOGUE):
            weight *= model.replies(World.of_dealt(cards, view), view).get(move, 0.0)
        weights.append(weight)
    return [weight / sum(weights) for weight in weights]


CERTAIN: list[Opponent] = [
    computer(),
    computer(0, 5),
    computer(1, 2, sees_hand=True),
    Random(),
    Tremble(0.4),
    Softmax(0.5),
]


@pytest.mark.parametrize("rules", [PLAIN, ALL_RULES], ids=["no rules", "all rules"])
@pytest.mark.parametrize("model", CERTAIN, ids=str)
def test_weights_are_the_products_of_replies(model: Opponent, rules: Rules) -> None:
    is_late = IS_JIT_OFF or not isinstance(model, ComputerModel)
    if IS_JIT_OFF and isinstance(model, Tremble | Softmax):
        pytest.skip("openings are searched for hours without the compiler")
    player = model if isinstance(model, ComputerModel) else computer()
    game = play(player, 6 if is_late else 5, seed=1, rules=rules)
    worlds = some_hands(game, count=4 if is_late else 60)
    found = likelihoods(game.view, game.history, worlds, model, CATALOGUE)
    assert found.shares.tolist() == pytest.approx(plain_weights(game, worlds, model))
    assert not found.is_refuted


def test_a_world_that_had_not_the_card_has_no_weight() -> None:
    game = play(computer(2), 4, seed=2)
    worlds = some_hands(game)
    dealt = worlds.dealt.copy()
    dealt[1:50][dealt[1:50] == game.history[1].card_id] = 1 + dealt.max()
    changed = DealtWorlds.of(dealt)
    found = likelihoods(game.view, game.history, changed, computer(2), CATALOGUE)
    assert not found.shares[1:50].any()
    assert found.shares[0] > 0


def test_guesses_lose_no_world_that_had_the_cards() -> None:
    game = play(computer(2), 4, seed=3)
    found = likelihoods(game.view, game.history, some_hands(game), computer(2), CATALOGUE)
    assert (found.shares > 0).all()
    assert found.shares[0] > 1 / len(found.shares)


@pytest.mark.parametrize("search", [0, 2])
def test_the_true_hand_gains_by_behaviour(search: int) -> None:
    gains = []
    for seed in range(3 if IS_JIT_OFF else 12):
        game = play(computer(search), 4, seed=seed)
        found = likelihoods(game.view, game.history, some_hands(game), computer(search), CATALOGUE)
        gains.append(found.shares[0] * len(found.shares))
    assert np.mean(gains) > 2


def test_a_refuted_model_is_told_and_cards_alone_count() -> None:
    game = play(computer(), 4, seed=4)
    worlds = some_hands(game, count=3)
    moves = list(game.history)
    own_cells = {move.cell for move in moves}
    odd = next(cell for cell in (4, 0, 1, 2, 3, 5) if cell not in own_cells)
    moves[1] = moves[1]._replace(cell=odd)
    state = State.start(
        Deal.of(
            [*[CATALOGUE[move.card_id] for move in moves[::2]], *game.view.hand],
            [CATALOGUE[card] for card in game.dealt],
            rules=PLAIN,
        )
    )
    for move in moves:
        state = state.play(move)
    view = View.seen_by(state, Player.A)
    found = likelihoods(view, moves, worlds, computer(), CATALOGUE)
    assert found.is_refuted
    assert found.shares.tolist() == pytest.approx(worlds.shares.tolist())


def test_what_is_kept_and_what_is_worked_out_anew_are_the_same() -> None:
    earlier, later = play(computer(2), 4, seed=5), play(computer(2), 6, seed=5)
    assert later.history[:4] == earlier.history
    factors = Factors()
    likelihoods(
        earlier.view,
        earlier.history,
        some_hands(later, seed=1),
        computer(2),
        CATALOGUE,
        factors=factors,
    )
    worlds = some_hands(later, seed=2)
    kept = likelihoods(later.view, later.history, worlds, computer(2), CATALOGUE, factors=factors)
    anew = likelihoods(later.view, later.history, worlds, computer(2), CATALOGUE)
    assert kept.joint.tolist() == anew.joint.tolist()


def test_moves_tell_which_model_of_a_mixture_it_is() -> None:
    game = play(computer(0), 6, seed=7)
    mixture = Mixture((Random(), computer(0)), (1.0, 1.0))
    found = likelihoods(game.view, game.history, some_hands(game), mixture, CATALOGUE)
    chances = {str(model): chance for model, chance in found.chances}
    assert chances[str(computer(0))] > 0.9
    assert sum(chances.values()) == pytest.approx(1)
    assert found.shares.tolist() == pytest.approx(found.joint.sum(axis=0).tolist())


def test_an_unknown_computer_player_is_all_of_them_by_their_weights() -> None:
    found = dict(unknown_computer().likely)
    assert len(found) == 6 * 5 * 2
    assert found[computer(0)] == pytest.approx(4 / 14 * 8 / 12 * 9 / 10)
    assert found[computer(5, 3, sees_hand=True)] == pytest.approx(1 / 14 / 12 / 10)


@pytest.mark.slow
def test_an_unknown_computer_player_is_found_out() -> None:
    game = play(computer(0), 4, seed=9)
    worlds = some_hands(game, count=100)
    found = likelihoods(game.view, game.history, worlds, unknown_computer(), CATALOGUE)
    rows: dict[int, float] = {}
    for model, chance in found.chances:
        assert isinstance(model, ComputerModel)
        rows[model.player.search] = rows.get(model.player.search, 0.0) + chance
    assert rows[0] == pytest.approx(4 / 3 * rows[1])  # which play alike until ply 5
    assert rows[0] > 4 / 14


def test_resampled_worlds_are_there_as_often_as_they_are_likely() -> None:
    game = play(computer(0), 4, seed=1)
    posterior = likelihoods(game.view, game.history, some_hands(game), computer(), CATALOGUE)
    drawn = posterior.resampled(1000)
    assert drawn.joint.sum() == pytest.approx(1)
    chances = dict(zip(map(tuple, posterior.worlds.dealt.tolist()), posterior.shares, strict=True))
    for dealt, share in zip(drawn.worlds.dealt.tolist(), drawn.shares, strict=True):
        assert abs(share - chances[tuple(dealt)]) < 2 / 1000
