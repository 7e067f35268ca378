"""The answer to a state, as every way to it gives it: command line, service, files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, NamedTuple

from msgspec import UNSET

from engine.game.facts import Facts
from engine.game.state import State
from engine.game.zobrist import hash_of, hash_text
from engine.search.solver import RankedMove, Solution
from engine.search.sudden_death import RoundMove, RoundSolution
from engine.text.notation import format_facts
from engine.text.objects import AnswerObject, MoveObject, RankedMoveObject
from engine.text.wire import variant_name

Source = Literal["database", "search"]
DATABASE: Source = "database"
SEARCH: Source = "search"

Ranking = list[RankedMoveObject]  # every legal move, best first


def ranking_of(state: State, moves: Iterable[RankedMove | RoundMove]) -> Ranking:
    """Return ranked moves with the cells that each captures."""
    captured = state.captured_cells()
    return [ranked_object(ranked, captured[ranked.move]) for ranked in moves]


def ranked_object(ranked: RankedMove | RoundMove, captured: tuple[int, ...]) -> RankedMoveObject:
    """Return a ranked move as it is written."""
    return RankedMoveObject(
        *ranked.move,
        value=ranked.value,
        margin=UNSET if isinstance(ranked, RoundMove) else ranked.margin,
        round=(ranked.round or UNSET) if isinstance(ranked, RoundMove) else UNSET,
        captures=captured,
    )


class Answer(NamedTuple):
    """What is known of a state, and where from."""

    facts: Facts
    solution: Solution | RoundSolution  # the latter under Sudden Death
    source: Source
    ranking: Ranking | None = None  # when asked for
    has_line: bool = True  # else the solution has the best move alone

    def as_object(self) -> AnswerObject:
        """Return the answer as it is written; there is no best move when the game is over."""
        facts, solution = self.facts, self.solution
        by_rounds = solution if isinstance(solution, RoundSolution) else None
        line = [MoveObject(card, cell) for card, cell in solution.line]
        return AnswerObject(
            best_move=line[0] if line else UNSET,
            value=solution.value,
            margin=UNSET if by_rounds else solution.margin,
            rounds=by_rounds.rounds if by_rounds else UNSET,
            round=(by_rounds.round or UNSET) if by_rounds else UNSET,
            pv=line if self.has_line else UNSET,
            nodes=solution.nodes,
            depth=solution.depth,
            state_hash=hash_text(hash_of(facts)),
            notation=format_facts(facts),
            variant=variant_name(facts.rules),
            source=self.source,
            moves=UNSET if self.ranking is None else self.ranking,
        )
