"""What states are worth to whoever plays in the terminal; under Sudden Death, by its tables."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from engine.game.deal import Player
from engine.game.state import State
from engine.search.solver import RankedMove, Solution, Solver
from engine.search.sudden_death import RoundMove, RoundSolution, RoundSolver, RoundTable

if TYPE_CHECKING:  # who has no database does not wait for what reads one
    from store.oracle import Oracle

Solved = Solution | RoundSolution
Ranked = RankedMove | RoundMove


class Judge:
    """Solves states of a game, whichever its rules."""

    def __init__(self, database: Oracle | None = None) -> None:
        """Take tables of Sudden Death from a database; without one a round is all that is known."""
        self._solver, self._rounds = Solver(), RoundSolver()
        self._database = database

    def solve(self, state: State) -> Solved:
        """Return what perfect play makes of a state."""
        if state.rules.sudden_death:
            return self._rounds.solve(state, self.known(state))
        return self._solver.solve(state)

    def rank(self, state: State) -> Sequence[Ranked]:
        """Return every legal move, best first."""
        if state.rules.sudden_death:
            return self._rounds.rank(state, self.known(state))
        return self._solver.rank(state)

    def known(self, state: State) -> RoundTable | None:
        """Return what is known of the rounds that may follow, None when that is nothing."""
        return self._database.round_table(state.facts) if self._database else None


def mover_score(state: State, found: Solved | Ranked, player: Player) -> int:
    """Return a margin from a player's view; under Sudden Death a value.

    A solution's value is for who is to move in `state`, and so is that of a ranked move.
    """
    if isinstance(found, RoundSolution | RoundMove):
        return found.value if state.to_move is player else -found.value
    return found.margin if player is Player.A else -found.margin


def round_of(found: Solved | Ranked) -> int | None:
    """Return the round in which something is decided under Sudden Death, if in any."""
    return found.round if isinstance(found, RoundSolution | RoundMove) else None


def worth_text(score: int, number: int | None = None, *, by_rounds: bool = False) -> str:
    """Return what the mover has in words: "win +3"; by rounds "win, round 2"."""
    word = "draw" if score == 0 else "win" if score > 0 else "loss"
    if not by_rounds:
        return f"{word} {score:+d}"
    return f"{word}, round {number}" if number else word
