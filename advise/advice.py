"""Advice: what moves are worth, what that assumes, and how sure it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from advise.belief import CardChance
from advise.objective import Style
from advise.statistics import Interval
from advise.view import View
from engine.game.moves import Move

GUARANTEED, OPEN, RESPONSE = "guaranteed", "open", "response"


class Worth(NamedTuple):
    """What a move is worth with open hands, on average over worlds."""

    win: float
    draw: float
    loss: float
    points: float
    margin: float  # yours less the opponent's
    interval: Interval  # of the points, 95 %


class MoveAdvice(NamedTuple):
    """A move, and all that is told of it."""

    move: Move
    worth: Worth
    behind: float  # the best move's lead, by the method's measure
    behind_interval: Interval
    guaranteed: Interval | None
    worst_quarter: float  # mean points in the quarter of the worlds that is worst for it
    worst: int  # -1, 0, 1: how it ends in the worst world
    fallible: float | None
    captures: tuple[int, ...]  # cells


class WorldCount(NamedTuple):
    """How many worlds there are, and how many were looked at."""

    total: int
    evaluated: int
    effective: float  # as many equally likely worlds tell as much
    is_exact: bool  # all were evaluated, and nothing was sampled on the way


class PlannedReply(NamedTuple):
    """What to do after a reply of the opponent's: moves and how likely each is to be made."""

    reply: Move
    moves: Mapping[Move, float]


@dataclass(frozen=True)
class Advice:
    """An answer; a later one of the same request is better."""

    view: View
    style: Style
    method: str  # GUARANTEED, OPEN or RESPONSE: by what moves are ordered
    assumes: tuple[str, ...]
    best_move: Move
    worlds: WorldCount
    value: Worth  # the recommended move's, judged by worlds that did not choose it
    is_validated: bool  # whether it was; also where all worlds are known
    is_separated: bool  # whether the first move is better than each other, at 99 %
    moves: Sequence[MoveAdvice]  # best first
    cards: Sequence[CardChance]
    is_complete: bool
    plan: Sequence[PlannedReply] | None = None
    kept: Mapping[Move, float] | None = None  # what an earlier plan says to do now

    @property
    def best(self) -> MoveAdvice:
        """Return what is told of the recommended move."""
        return next(each for each in self.moves if each.move == self.best_move)
