"""What is believed of an opponent: which world, and which of several models it is.

A mixture is one model from the first move to the last, nobody knows which; so what is believed
is a probability for each model in each world, and a move says something of both.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator, Philox, SeedSequence

from advise.dealt import DealtWorlds
from advise.mixture import Mixture
from advise.opponent import Opponent
from advise.worlds import Weights


class Posterior(NamedTuple):
    """Worlds and models, and how likely each is with each; all of them add up to 1."""

    worlds: DealtWorlds
    models: tuple[Opponent, ...]
    joint: Weights  # [models, worlds]
    is_refuted: bool = False  # none of the models can have played so; the cards alone count

    @classmethod
    def by_cards(cls, worlds: DealtWorlds, opponent: Opponent) -> Posterior:
        """Return what is believed when nothing is known of how the opponent has played."""
        models, weights = components(opponent)
        return cls(worlds, models, np.outer(weights, worlds.shares))

    def resampled(self, count: int, seed: int = 0) -> Posterior:
        """Return at most so many worlds, drawn by their probabilities: as good as equally likely.

        Draws are evenly spaced, so that a world is there as often as it is likely, but for one.
        """
        places = np.cumsum(self.joint.reshape(-1))
        offset = Generator(Philox(SeedSequence([seed, count]))).random()
        drawn = np.searchsorted(places / places[-1], (np.arange(count) + offset) / count)
        times = np.bincount(np.minimum(drawn, len(places) - 1), minlength=len(places))
        joint = times.reshape(self.joint.shape) / count
        kept = joint.any(axis=0)
        worlds = DealtWorlds(self.worlds.dealt[kept], joint[:, kept].sum(axis=0))
        return self._replace(worlds=worlds, joint=joint[:, kept])

    @property
    def shares(self) -> Weights:
        """Return how likely each world is."""
        shares: Weights = self.joint.sum(axis=0)
        return shares

    @property
    def chances(self) -> list[tuple[Opponent, float]]:
        """Return how likely each model is."""
        return list(zip(self.models, self.joint.sum(axis=1).tolist(), strict=True))


def components(opponent: Opponent) -> tuple[tuple[Opponent, ...], Weights]:
    """Return the models of which an opponent is one, and how likely each is beforehand."""
    if not isinstance(opponent, Mixture):
        return (opponent,), np.ones(1)
    models: list[Opponent] = []
    weights: list[float] = []
    for model, share in opponent.likely:
        inner, chances = components(model)
        models += inner
        weights += (share * chances).tolist()
    return tuple(models), np.array(weights)
