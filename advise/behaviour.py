"""Belief by behaviour: every world weighed by how likely the model would have played as it did.

    weight(world) = prior(world) · Π P(move | world, what the opponent saw then)

Where the computer player guesses, a probability is an estimate, (hits + ½) / (tries + 1), so that
no world is lost to a small sample; a world in which a move was impossible has weight 0. If no
world is left the model is refuted, and the cards alone count.

Factors are kept by history: the next turn adds one for the worlds that are left. Guesses are
seeded by the world itself, so that what is kept and what is worked out anew are the same.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable, Sequence
from functools import partial
from threading import Lock
from typing import TypeAlias

import numpy as np

from advise.computer import LIKELIHOOD_GUESSES, ComputerModel
from advise.computer_reactor import ComputerReactor
from advise.dealt import DealtWorlds
from advise.opponent import Opponent
from advise.particles import Hands, Particles, hand_keys
from advise.posterior import Posterior, components
from advise.public import PublicStates
from advise.reactors import make_reactor
from advise.response_tree import Flags, added
from advise.view import View
from advise.view_arrays import arrays_of
from advise.worlds import Weights
from engine.game.cards import Catalogue
from engine.game.deal import Deal
from engine.game.facts import NO_CARD
from engine.game.moves import Move
from engine.game.state import State
from engine.kernel import Numbers

Observed: TypeAlias = tuple[View, Move]  # what the viewer saw before a move of the opponent's

DEEP_GUESSES = 8  # from a depth on at which a guess takes a hundred times as long
DEEP = 3
_KEPT = 256  # observed moves


class Factors:
    """Likelihoods of observed moves, by hand; those of earlier turns are kept."""

    def __init__(self) -> None:
        """Keep nothing yet."""
        self._kept: OrderedDict[Hashable, tuple[Numbers, Weights]] = OrderedDict()
        self._lock = Lock()

    def of(self, key: Hashable, hands: Numbers, work_out: Callable[[Numbers], Weights]) -> Weights:
        """Return the factor of each hand, by its key; `work_out` gets the numbers of new ones."""
        with self._lock:
            known, factors = self._kept.get(key, (np.empty(0, dtype=np.int64), np.empty(0)))
        place = np.searchsorted(known, hands)
        is_known = np.zeros(len(hands), dtype=np.bool_)
        if len(known):
            is_known = known[np.minimum(place, len(known) - 1)] == hands
        found = np.empty(len(hands))
        found[is_known] = factors[place[is_known]]
        new = np.flatnonzero(~is_known)
        if len(new):
            found[new] = work_out(new)
            keys, first = np.unique(np.concatenate([known, hands[new]]), return_index=True)
            grown = keys, np.concatenate([factors, found[new]])[first]
            with self._lock:
                self._kept[key] = grown
                self._kept.move_to_end(key)
                while len(self._kept) > _KEPT:
                    self._kept.popitem(last=False)
        return found


def likelihoods(  # noqa: PLR0913  what is seen, what is believed, and how it is worked out
    view: View,
    history: Sequence[Move],
    worlds: DealtWorlds,
    opponent: Opponent,
    catalogue: Catalogue,
    *,
    seed: int = 0,
    guesses: int = LIKELIHOOD_GUESSES,
    factors: Factors | None = None,
) -> Posterior:
    """Return what is believed of an opponent that has played as the history says.

    The history leads from the opening to the view. A world's prior is its weight.
    """
    factors = factors or Factors()
    models, chances = components(opponent)
    prior = np.where(_is_possible(view, worlds), worlds.weights, 0.0)
    seen = observed(view, history, worlds.dealt[int(prior.argmax())].tolist(), catalogue)
    joint = np.empty((len(models), len(prior)))
    for number, model in enumerate(models):
        weigh = _Weigher(model, worlds.dealt, catalogue, (guesses, seed), factors)
        joint[number] = chances[number] * weigh.product(prior, seen)
    if not joint.any():
        cards = DealtWorlds(worlds.dealt, prior if prior.any() else worlds.weights)
        return Posterior.by_cards(cards, opponent)._replace(is_refuted=True)
    joint /= joint.sum()
    return Posterior(DealtWorlds(worlds.dealt, joint.sum(axis=0)), models, joint)


def _is_possible(view: View, worlds: DealtWorlds) -> Flags:
    """Tell of each world whether the opponent can have played, and hold, what is seen."""
    seen = [card.id for card in (*(view.played or ()), *view.known)]
    left = worlds.held(seen)
    is_possible: Flags = (left != NO_CARD).sum(axis=1) == view.unseen
    return is_possible


def observed(
    view: View, history: Sequence[Move], dealt: Sequence[int], catalogue: Catalogue
) -> list[Observed]:
    """Return what the viewer saw before each move of the opponent's, and the move.

    `dealt` is any hand that it may have been dealt: the rest of it is never looked at.
    """
    placed = [catalogue[move.card_id] for move in history]
    starts_first = view.first is view.viewer
    own = [*placed[0 if starts_first else 1 :: 2], *view.hand]
    hands = [own, [catalogue[card] for card in dealt]]
    first, second = hands if view.viewer == 0 else hands[::-1]
    state = State.start(
        Deal.of(first, second, rules=view.rules, elements=view.elements, first=view.first)
    )
    seen = []
    for move in history:
        if state.to_move is view.opponent:
            seen.append((View.seen_by(state, view.viewer), move))
        state = state.play(move)
    return seen


class _Weigher:
    """Weighs the worlds by what one model would have done."""

    def __init__(
        self,
        model: Opponent,
        dealt: Numbers,
        catalogue: Catalogue,
        chance: tuple[int, int],
        factors: Factors,
    ) -> None:
        self._model, self._dealt, self._catalogue = model, dealt, catalogue
        self._guesses, self._seed = chance
        self._factors, self._keys = factors, hand_keys(dealt)

    def product(self, prior: Weights, seen: Sequence[Observed]) -> Weights:
        """Return each world's prior times the likelihood of all observed moves."""
        weights = prior.copy()
        moves: tuple[Move, ...] = ()
        for view, move in seen:
            alive = np.flatnonzero(weights)
            moves = (*moves, move)
            key = _manner(self._model, view), view, moves, self._guesses, self._seed
            work_out = partial(self._work_out, view, move, alive)
            weights[alive] *= self._factors.of(key, self._keys[alive], work_out)
        return weights

    def _work_out(self, view: View, move: Move, alive: Numbers, new: Numbers) -> Weights:
        """Return the likelihood of a move in some of the worlds."""
        dealt = self._dealt[alive[new]]
        hands = Hands(DealtWorlds.of(dealt).held([card.id for card in view.played or ()]), dealt)
        arrays = arrays_of(view)
        states = PublicStates(np.array([arrays.code]), np.empty((1, 0), dtype=np.int64))
        worlds = np.arange(len(dealt))
        particles = Particles(states, view.ply, np.zeros_like(worlds), worlds)
        chance = self._guesses_at(view), self._seed
        reactor = make_reactor(self._model, view, arrays, hands, self._catalogue, chance)
        if isinstance(reactor, ComputerReactor):
            hits, tries = reactor.hits(particles, *move)
            if reactor.is_certain(view.ply):
                return hits / tries
            holds = (hands.held == move.card_id).any(axis=1)
            return np.where(holds, (hits + 0.5) / (tries + 1), 0.0)
        found = reactor.replies(particles)
        is_move = (found.card == move.card_id) & (found.cell == move.cell)
        weights = found.chance[is_move]
        return added(found.particle[is_move], weights, len(dealt))

    def _guesses_at(self, view: View) -> int:
        """Return how many guesses are drawn; fewer where each takes long."""
        model, empty = self._model, view.board.count(None)
        if isinstance(model, ComputerModel) and model.player.depth_with(empty) >= DEEP:
            return min(self._guesses, DEEP_GUESSES)
        return self._guesses


def _manner(model: Opponent, view: View) -> Hashable:
    """Return what a model's move depends on: some parameters are all the same at some plies."""
    if not isinstance(model, ComputerModel):
        return str(model)
    player = model.player
    depth = player.depth_with(view.board.count(None))
    sees = depth > 1 and (player.sees_hand or view.is_open)
    return model.name, depth, player.plain_strategy, sees
