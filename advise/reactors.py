"""Which reactor answers for a model."""

from __future__ import annotations

import numpy as np

from advise.any_reactor import AnyReactor
from advise.computer import ComputerModel
from advise.computer_reactor import ComputerReactor
from advise.models import Greedy, Perfect, Random, Softmax, Tremble
from advise.opponent import Opponent
from advise.particles import Hands, Reactor
from advise.state_reactor import StateReactor
from advise.view import View
from advise.view_arrays import ViewArrays, pool_arrays
from engine.game.board import SIDES
from engine.game.cards import Catalogue
from engine.kernel import Numbers


def rows_by_id(catalogue: Catalogue) -> Numbers:
    """Return all cards as kernels see them, by id [highest id + 1, 5]."""
    rows = np.zeros((max(catalogue.ids) + 1, SIDES + 1), dtype=np.int64)
    pool = pool_arrays(list(catalogue))
    rows[pool.ids] = pool.cards
    return rows


def make_reactor(
    model: Opponent,
    view: View,
    arrays: ViewArrays,
    hands: Hands,
    catalogue: Catalogue,
    chance: tuple[int, int],
) -> Reactor:
    """Return who answers for a model; `chance` is guesses and seed, where it guesses."""
    if isinstance(model, ComputerModel):
        guesses, seed = chance
        return ComputerReactor(model, view, arrays, hands, guesses=guesses, seed=seed)
    if isinstance(model, Random | Greedy | Perfect | Tremble | Softmax):
        return StateReactor(model, view, arrays, hands, rows_by_id(catalogue))
    return AnyReactor(model, view, arrays, hands, catalogue)
