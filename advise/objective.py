"""What is maximised: a style, and what the end of a game is worth."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from advise.open_values import Payoff, margin_payoff, payoff_of
from advise.view import View

HALF = 0.5  # a draw, in points


class Style(StrEnum):
    """How moves are chosen."""

    OPTIMAL = "optimal"  # by what they guarantee, where that can be computed, else by open values
    ROBUST = "robust"  # by the worst quarter of the worlds
    HUMANLIKE = "humanlike"  # drawn: better moves are likelier


class Kind(StrEnum):
    """What a game is played for."""

    POINTS = "points"
    WIN = "win"  # a draw counts nothing
    NOT_LOSE = "not_lose"  # a draw counts as much as a win
    MARGIN = "margin"  # cards


class Objective(NamedTuple):
    """What the end of a game is worth to you."""

    kind: Kind = Kind.POINTS
    draw: float = HALF  # worth of a draw, in points

    def payoff(self, view: View) -> Payoff:
        """Return the worth by your cards on the board at the end."""
        if self.kind is Kind.MARGIN:
            return margin_payoff(view)
        return payoff_of(view, {Kind.WIN: 0.0, Kind.NOT_LOSE: 1.0}.get(self.kind, self.draw))

    def points(self, view: View) -> Payoff:
        """Return the points by your cards on the board at the end."""
        return payoff_of(view, self.draw)


def signs_of(view: View) -> Payoff:
    """Return won, drawn, lost by your cards on the board at the end: 1, 0, -1."""
    return np.sign(margin_payoff(view))
