"""Cases: what a model can tell apart of worlds, which are fewer than there are worlds.

To most models the order of slots means nothing. The computer player looks at the order of the
cards it holds and, where it guesses, at the levels of its dealt ones; worlds that differ in
nothing else are one case, with the weight of all of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from advise.computer import ComputerModel
from advise.open_values import Values
from advise.opponent import Opponent
from advise.particles import Hands, hand_keys
from advise.posterior import Posterior
from advise.view import View
from advise.worlds import Weights
from engine.game.board import CELLS
from engine.game.cards import Catalogue
from engine.game.facts import NO_CARD
from engine.kernel import Numbers

FEWEST_COPIED = 32  # fewer cases of a model that guesses are there several times, to be halved


class Cases(NamedTuple):
    """The cases of all models, one model's after the other's."""

    by_model: list[tuple[Opponent, Hands]]
    starts: list[int]  # of each model's cases, and the end
    weights: Weights  # [cases]: they add up to 1
    worlds: list[tuple[Numbers, Numbers]]  # for each model: worlds, and the case of each
    joint: Weights  # [models, worlds]
    guesses: bool  # whether a model guesses at a ply that is still to come

    def by_world(self, values: Values) -> Values:
        """Return the mean of each world over its cases; NaN for worlds without weight."""
        sums, total = np.zeros(self.joint.shape[1]), self.joint.sum(axis=0)
        for number, (worlds, cases) in enumerate(self.worlds):
            own = values[self.starts[number] : self.starts[number + 1]]
            copies = len(own) // (int(cases.max(initial=0)) + 1) if len(own) else 1
            means = own.reshape(-1, copies).mean(axis=1)
            sums[worlds] += self.joint[number, worlds] * means[cases]
        with np.errstate(invalid="ignore"):
            return np.where(total > 0, sums / total, np.nan)


def make_cases(view: View, posterior: Posterior, catalogue: Catalogue) -> Cases:
    """Return the cases of a posterior."""
    played = [card.id for card in view.played or ()]
    held = posterior.worlds.held(played)
    levels = np.zeros(max(catalogue.ids) + 1, dtype=np.int64)
    for card in catalogue:
        levels[card.id] = card.level
    by_model, starts, weights, worlds = [], [0], [], []
    guesses = False
    for model, joint in zip(posterior.models, posterior.joint, strict=True):
        is_guessing = can_guess(model, view)
        guesses |= is_guessing and bool(joint.any())
        rows = np.flatnonzero(joint)
        dealt = posterior.worlds.dealt[rows]
        keys = _keys(model, held[rows], levels[dealt] if is_guessing else None)
        _, first, case = np.unique(keys, return_index=True, return_inverse=True)
        own = np.bincount(case, weights=joint[rows], minlength=len(first))
        copies = _copies(len(first)) if is_guessing else 1
        chosen = np.repeat(first, copies)
        hands = Hands(held[rows][chosen], dealt[chosen], np.tile(np.arange(copies), len(first)))
        by_model.append((model, hands))
        starts.append(starts[-1] + len(chosen))
        weights.append(np.repeat(own / copies, copies))
        worlds.append((rows, case))
    return Cases(by_model, starts, np.concatenate(weights), worlds, posterior.joint, guesses)


def can_guess(model: Opponent, view: View) -> bool:
    """Tell whether a model may guess at a ply that is still to come."""
    return isinstance(model, ComputerModel) and not all(
        model.is_certain_at(ply, is_open=view.is_open) for ply in range(view.ply + 1, CELLS, 2)
    )


def _copies(cases: int) -> int:
    """Return how often each case is there."""
    return -(-FEWEST_COPIED // cases) if 0 < cases < FEWEST_COPIED else 1


def _keys(model: Opponent, held: Numbers, levels: Numbers | None) -> Numbers:
    """Return a number for each world, the same for worlds that the model cannot tell apart."""
    if not isinstance(model, ComputerModel):
        return hand_keys(np.sort(held, axis=1))
    order = np.argsort(held == NO_CARD, axis=1, kind="stable")
    keys = hand_keys(np.take_along_axis(held, order, axis=1))
    if levels is None:
        return keys
    pairs = np.stack([keys, hand_keys(levels)], axis=1)
    _, number = np.unique(pairs, axis=0, return_inverse=True)
    return number.reshape(-1).astype(np.int64)
