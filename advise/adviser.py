"""Advice: a view, a belief and a style in, improving answers out.

    worlds visited (advise.evaluation) → moves compared (advise.judgement) → Advice

Work is counted in worlds: answers come after 1, 2, 4, 8, ... worlds, and after the last. The same
question gets the same answers, whatever the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from advise.advice import Advice
from advise.belief import Belief
from advise.cost import default_worlds
from advise.evaluation import Visit, never_pause
from advise.humanlike import DEFAULT_PLIES
from advise.judgement import Judge
from advise.objective import Objective, Style
from advise.view import View
from engine.errors import StateError
from engine.game.deal import Player
from engine.search.workspace import Query

DEFAULT_STRENGTH = 60.0
# From which number of worlds on moves far behind are dropped, at plies where worlds are dear.
RACES_FROM = {0: 4, 1: 8}


@dataclass(frozen=True)
class Wish:
    """How advice is wanted."""

    style: Style = Style.OPTIMAL
    objective: Objective = Objective()
    worlds: int | None = None  # by ply when left out
    seed: int = 0
    strength: float = DEFAULT_STRENGTH  # of `humanlike`
    plies: int = DEFAULT_PLIES  # that it looks ahead
    plan: bool = False  # tell what to do next, at plies 4 and 5


class Adviser:
    """Advises who is to move."""

    def __init__(
        self,
        *,
        threads: int = 1,
        query: Query | None = None,
        pause: Callable[[], None] = never_pause,
    ) -> None:
        """Work with so many threads, until stopped; `pause` is called between worlds."""
        self.threads, self.query, self.pause = threads, query, pause

    def advise(
        self, view: View, belief: Belief, wish: Wish | None = None, *, is_whole_only: bool = False
    ) -> Iterator[Advice]:
        """Return improving answers, or, if wished, the last one alone."""
        wish = wish or Wish()
        check_turn(view)
        count = min(wish.worlds or default_worlds(view, belief.total), belief.total)
        visit = Visit(
            belief, count, wish.seed, threads=self.threads, query=self.query, pause=self.pause
        )
        judge = Judge(visit, wish, self.threads)
        for until in checkpoints(count):
            is_last = until == count
            if is_whole_only and not is_last and until not in _races(view, count, belief):
                continue
            visit.go_on(until)
            if until in _races(view, count, belief):
                judge.drop_hopeless()
            if is_last or not is_whole_only:
                yield judge.advice(is_last=is_last)

    def last(self, view: View, belief: Belief, wish: Wish | None = None) -> Advice:
        """Return the last answer."""
        (advice,) = self.advise(view, belief, wish, is_whole_only=True)
        return advice


def check_turn(view: View) -> None:
    """Raise `StateError` unless the viewer has a move to make."""
    if view.is_over:
        raise StateError.of("board", "nine cards", "an empty cell: the game is over")
    check_mover(view.viewer, view.to_move)


def check_mover(viewer: Player, to_move: Player) -> None:
    """Raise `StateError` unless the viewer is to move."""
    if viewer is not to_move:
        allowed = f"{viewer.name}, whose hand is seen: apply the opponent's move first"
        raise StateError.of("to_move", to_move.name, allowed)


def checkpoints(count: int) -> Iterator[int]:
    """Return after how many worlds there is an answer: 1, 2, 4, 8, ... and the last."""
    until = 1
    while until < count:
        yield until
        until *= 2
    yield count


def _races(view: View, count: int, belief: Belief) -> frozenset[int]:
    """Return after how many worlds moves are dropped: nowhere when all worlds are visited."""
    if view.ply not in RACES_FROM or count == belief.total:
        return frozenset()
    return frozenset(each for each in checkpoints(count) if RACES_FROM[view.ply] <= each < count)
