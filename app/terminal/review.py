"""What each move of a game was worth, and what it gave away."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.game.deal import Player
from engine.game.moves import Move
from engine.game.state import State
from engine.search.solver import Solver


class Turn(NamedTuple):
    """A state and the move that was made in it."""

    state: State
    move: Move


class ReviewedTurn(NamedTuple):
    """A turn seen by perfect play; numbers are the mover's view."""

    turn: Turn
    best_move: Move
    before: int  # what the state was worth
    after: int  # what the move left of it

    @property
    def given_away(self) -> int:
        """Return what the move cost; 0 when it was a best one."""
        return self.before - self.after


def review(turns: Sequence[Turn], solver: Solver) -> list[ReviewedTurn]:
    """Return every turn with its worth."""
    reviewed = []
    for turn in turns:
        solution = solver.solve(turn.state)
        after = solver.solve(turn.state.play(turn.move))
        assert solution.best_move is not None, "a finished game has no turn"
        sign = 1 if turn.state.to_move is Player.A else -1
        reviewed.append(
            ReviewedTurn(turn, solution.best_move, sign * solution.margin, sign * after.margin)
        )
    return reviewed


def worth_text(score: int) -> str:
    """Return a margin of the mover's view in words: "win +3"."""
    word = "draw" if score == 0 else "win" if score > 0 else "loss"
    return f"{word} {score:+d}"
