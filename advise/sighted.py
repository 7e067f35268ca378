"""A move drawn as `humanlike` draws it, where hands may be hidden."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.random import Generator, Philox, SeedSequence

from advise.humanlike import STRONGEST, WEAKEST, points_in_sight, temperature_of
from advise.models import softened
from advise.table import drawn
from advise.world import World, state_in

if TYPE_CHECKING:
    from advise.adviser import Wish
    from advise.evaluation import Visit

MOST_WORLDS = 20  # that are looked at: they only shape what is drawn anyhow


def drawn_move(visit: Visit, wish: Wish, order: Sequence[int]) -> int:
    """Return the number of a move, drawn by softmax of its points in sight, averaged over worlds.

    Strength 0 draws any move, 100 takes the first in order.
    """
    if wish.strength == STRONGEST:
        return order[0]
    random = Generator(Philox(SeedSequence([wish.seed, visit.view.ply])))
    if wish.strength == WEAKEST:
        return int(random.integers(len(visit.moves)))
    points = mean_points(visit, wish)
    replies = softened(visit.moves, points, temperature_of(wish.strength))
    return visit.moves.index(drawn(replies, random))


def mean_points(visit: Visit, wish: Wish) -> list[float]:
    """Return each move's points in sight, averaged over worlds."""
    belief, view = visit.belief, visit.view
    count = min(belief.total, MOST_WORLDS)
    worlds = belief.worlds(np.sort(belief.numbers(0, count, wish.seed)))
    rows = []
    for row in worlds.members.tolist():
        state = state_in(view, World.of([worlds.pool[place] for place in row]))
        rows.append(points_in_sight(state, wish.plies))
    means: list[float] = (worlds.shares[:, np.newaxis] * np.array(rows)).sum(axis=0).tolist()
    return means
