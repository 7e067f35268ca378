"""The answer to a state, as every way to it gives it: command line, service, files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from msgspec import UNSET

from engine.game.facts import Facts
from engine.game.state import State
from engine.game.zobrist import hash_of, hash_text
from engine.search.solver import RankedMove, Solution
from engine.text.notation import format_facts
from engine.text.objects import AnswerObject, MoveObject, RankedMoveObject
from engine.text.wire import variant_name

Source = Literal["database", "search"]
DATABASE: Source = "database"
SEARCH: Source = "search"

Ranking = list[RankedMoveObject]  # every legal move, best first


def ranking_of(state: State, moves: Iterable[RankedMove]) -> Ranking:
    """Return ranked moves with the cells that each captures."""
    captured = state.captured_cells()
    return [
        RankedMoveObject(move.card_id, move.cell, value, margin, captured[move])
        for move, value, margin in moves
    ]


class Answer(NamedTuple):
    """What is known of a state, and where from."""

    facts: Facts
    solution: Solution
    source: Source
    ranking: Ranking | None = None  # when asked for
    has_line: bool = True  # else the solution has the best move alone

    def as_object(self) -> AnswerObject:
        """Return the answer as it is written; there is no best move when the game is over."""
        facts, solution = self.facts, self.solution
        line = [MoveObject(card, cell) for card, cell in solution.line]
        return AnswerObject(
            best_move=line[0] if line else UNSET,
            value=solution.value,
            margin=solution.margin,
            pv=line if self.has_line else UNSET,
            nodes=solution.nodes,
            depth=solution.depth,
            state_hash=hash_text(hash_of(facts)),
            notation=format_facts(facts),
            variant=variant_name(facts.rules),
            source=self.source,
            moves=UNSET if self.ranking is None else self.ranking,
        )
