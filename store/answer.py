"""The answer to a state, as every way to it gives it: command line, service, files."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from engine.game.state import State
from engine.game.zobrist import hash_text, state_hash
from engine.search.solver import RankedMove, Solution
from engine.text.document import move_to_dict
from engine.text.notation import format_state

DATABASE, SEARCH = "database", "search"


@dataclass(frozen=True)
class Answer:
    """What is known of a state, and where from."""

    state: State
    solution: Solution
    ranking: tuple[RankedMove, ...] | None  # every legal move, best first, when asked for
    source: str

    def as_dict(self) -> dict[str, Any]:
        """Return the answer as an object; there is no best move when the game is over."""
        state, solution = self.state, self.solution
        best = {"best_move": move_to_dict(solution.best_move)} if solution.best_move else {}
        moves = {} if self.ranking is None else {"moves": self._moves(self.ranking)}
        return {
            **best,
            "value": solution.value,
            "margin": solution.margin,
            "pv": [move_to_dict(move) for move in solution.line],
            "nodes": solution.nodes,
            "depth": solution.depth,
            "state_hash": hash_text(state_hash(state)),
            "notation": format_state(state),
            "variant": state.rules.variant.value,
            "source": self.source,
            **moves,
        }

    def _moves(self, ranking: tuple[RankedMove, ...]) -> list[dict[str, Any]]:
        """Return every legal move with its worth and the cells it captures, best first."""
        captured = self.state.captured_cells()
        return [
            {
                **move_to_dict(entry.move),
                "value": entry.value,
                "margin": entry.margin,
                "captures": captured[entry.move],
            }
            for entry in ranking
        ]
