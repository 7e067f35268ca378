"""A computer player of whom nobody knows how it is set up: a mixture of those there are.

Which opponent of the game uses which row is mostly unknown. The deepest rows would think for
seconds at each move, which people would have noticed, so they are left out.
"""

from __future__ import annotations

from itertools import product

from advise.computer import ComputerModel
from advise.mixture import Mixture
from engine.game.cards import Catalogue
from engine.players.computer import ComputerPlayer

ROW_WEIGHTS = {0: 4, 1: 3, 2: 3, 3: 2, 4: 1, 5: 1}
STRATEGY_WEIGHTS = {0: 8, 2: 1, 3: 1, 4: 1, 5: 1}
SIGHT_WEIGHTS = {False: 9, True: 1}  # whether it sees the hand


def unknown_computer(catalogue: Catalogue | None = None, *, strategy: int | None = None) -> Mixture:
    """Return the computer player with unknown parameters; a strategy may be known."""
    strategies = STRATEGY_WEIGHTS if strategy is None else {strategy: 1}
    parameters = list(product(ROW_WEIGHTS, strategies, SIGHT_WEIGHTS))
    models = tuple(
        ComputerModel(
            ComputerPlayer(search=row, strategy=weights, sees_hand=sees), catalogue=catalogue
        )
        for row, weights, sees in parameters
    )
    weights = tuple(
        float(ROW_WEIGHTS[row] * strategies[weighs] * SIGHT_WEIGHTS[sees])
        for row, weighs, sees in parameters
    )
    return Mixture(models, weights)
