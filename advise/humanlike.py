"""A player that looks a few plies ahead and errs like one who does: `humanlike`.

One dial, `strength`, sets the temperature of a softmax over points: it doubles with every 12.5
less. There are no records of people's games to fit this to, so it is a style, and claims no
resemblance in numbers.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from advise.models import Perfect, Random, StateModel, softened
from advise.opponent import Replies
from advise.solvers import exact_cards, points_of, worths_of
from advise.table import TableTurn
from engine.game.board import CELLS
from engine.game.moves import MOST_MOVES
from engine.game.state import State
from engine.players.horizon import rank_in_sight

WEAKEST, MIDDLE, STRONGEST = 0, 50, 100
HALVING = 12.5  # strength that halves the temperature
MIDDLE_TEMPERATURE = 0.1  # points
DEFAULT_PLIES = 2
MOST_PLIES = 4  # a fifth would take seconds at the opening


def temperature_of(strength: float) -> float:
    """Return the temperature that a strength stands for, in points."""
    return float(2.0 ** ((MIDDLE - strength) / HALVING) * MIDDLE_TEMPERATURE)


def points_in_sight(state: State, plies: int) -> list[float]:
    """Return what each legal move is worth `plies` further on, in the documented order.

    Within the horizon the end of the game counts its points; beyond it cards do: ninths.
    """
    if state.ply + 1 + plies >= CELLS:
        worth = worths_of(state)
        return [points_of(worth[cards][0]) for cards in exact_cards(state)]
    moves = np.zeros(MOST_MOVES, dtype=np.int64)
    cards = np.zeros(MOST_MOVES, dtype=np.int64)
    count = rank_in_sight(state.deal.duels, state.code, plies, moves, cards)
    return [number / CELLS for number in cards[:count].tolist()]


@dataclass(frozen=True)
class Humanlike(StateModel):
    """A move by softmax over its points in sight; 0 plays at random, 100 perfectly."""

    strength: float
    plies: int = DEFAULT_PLIES
    name = "humanlike"
    needs_open = True

    @property
    def is_deterministic(self) -> bool:
        """Tell whether its reply follows from what it sees, without chance."""
        return self.strength == STRONGEST

    def chances(self, state: State) -> Replies:
        """Return the mover's replies in a state."""
        if self.strength == WEAKEST:
            return Random().chances(state)
        if self.strength == STRONGEST:
            return Perfect().chances(state)
        points = points_in_sight(state, self.plies)
        return softened(state.legal_moves(), points, temperature_of(self.strength))

    def forecast(self, turn: TableTurn) -> float | None:
        """Return what perfect play makes of the state, if it plays perfectly."""
        return Perfect().forecast(turn) if self.strength == STRONGEST else None

    def __str__(self) -> str:
        """Return it as text."""
        if self.plies == DEFAULT_PLIES:
            return f"{self.name}:{self.strength:.12g}"
        return f"{self.name}:strength={self.strength:.12g},plies={self.plies}"
