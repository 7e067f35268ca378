"""What each move of a game was worth, and what it gave away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from app.terminal.judge import Solved, mover_score, round_of
from engine.game.moves import Move
from engine.game.state import State


class Turn(NamedTuple):
    """A state and the move that was made in it."""

    state: State
    move: Move


class ReviewedTurn(NamedTuple):
    """A turn seen by perfect play; numbers are the mover's view: margins, or values of rounds."""

    turn: Turn
    best_move: Move
    before: int  # what the state was worth
    after: int  # what the move left of it
    round: int | None = None  # under Sudden Death: in which it was decided before

    @property
    def given_away(self) -> int:
        """Return what the move cost; 0 when it was a best one."""
        return self.before - self.after


class Solves(Protocol):
    """Who knows what states are worth."""

    def solve(self, state: State) -> Solved:
        """Return what perfect play makes of a state."""


def review(turns: Sequence[Turn], solver: Solves) -> list[ReviewedTurn]:
    """Return every turn with its worth."""
    reviewed = []
    for turn in turns:
        solution = solver.solve(turn.state)
        following = turn.state.play(turn.move)
        after = solver.solve(following)
        assert solution.best_move is not None, "a finished game has no turn"
        mover = turn.state.to_move
        before = mover_score(turn.state, solution, mover)
        left = mover_score(following, after, mover)
        reviewed.append(ReviewedTurn(turn, solution.best_move, before, left, round_of(solution)))
    return reviewed
