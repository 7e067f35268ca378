"""From worlds visited to advice: which move, by what, and how sure.

Where worlds are sampled, every other one chooses the move and the rest say what it is worth:
picking the best of noisy means makes it look too good. Where all are known there is no such danger.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from advise.advice import GUARANTEED, OPEN, Advice, MoveAdvice, PlannedReply, WorldCount, Worth
from advise.cost import bracketed_moves
from advise.evaluation import Visit
from advise.fallible import EARLIER_PLY, FIRST_PLY, MOST_EARLIER_MOVES, MOST_WORLDS, fallible_values
from advise.guaranteed import Guaranteed, bracket_moves
from advise.objective import Kind, Style
from advise.open_tables import FIRST_PLY as FIRST_TABLE_PLY, LAST_PLY as LAST_TABLE_PLY
from advise.open_values import Values, weights_by_cards, worst_mean
from advise.racing import contenders
from advise.ranking import DIGITS, Lead, Sample, estimate_of, lead_of, worst_scores
from advise.sighted import drawn_move
from advise.statistics import Interval
from advise.tables import Finals
from advise.view_arrays import scores_of
from advise.world import World, state_in
from advise.worlds import Weights
from engine.game.moves import Move

if TYPE_CHECKING:
    from advise.adviser import Wish

STEP = 3  # digits to which brackets are compared
_FIXED_SEED = 0  # of the worlds that `fallible` looks at where all are known: no seed counts then


class Half(NamedTuple):
    """Some worlds: how moves end in them."""

    finals: Finals  # [moves, worlds]
    weights: Weights
    reach: Sequence[int]  # worlds of each move

    def row(self, move: int) -> Finals:
        """Return the ends of one move, where it was looked at."""
        return self.finals[move, : self.reach[move]]

    def weights_of(self, move: int) -> Weights:
        """Return the weights of these worlds."""
        return self.weights[: self.reach[move]]


class Judge:
    """Judges the moves of a view by the worlds visited."""

    def __init__(self, visit: Visit, wish: Wish, threads: int = 1) -> None:
        """Judge by what is wished."""
        self.visit, self.wish, self._threads = visit, wish, threads
        self.view, self.belief = visit.view, visit.belief
        self.payoff = wish.objective.payoff(self.view)
        self.points = wish.objective.points(self.view)
        self.margins = np.array(scores_of(self.view), dtype=np.float64)

    @cached_property
    def _captures(self) -> dict[Move, tuple[int, ...]]:
        """Return what each move captures, which no hidden card has a part in."""
        worlds = self.belief.worlds(np.zeros(1, dtype=np.int64))
        world = World.of([worlds.pool[place] for place in worlds.members[0].tolist()])
        return state_in(self.view, world).captured_cells()

    def advice(self, *, is_last: bool) -> Advice:
        """Return the answer by the worlds visited so far."""
        chooser, checker, sample = self._halves()
        brackets = self._brackets(chooser) if is_last else {}
        fallible = self._fallible(chooser, brackets) if is_last else {}
        scores = [self._scores(chooser, move) for move in range(len(self.visit.moves))]
        order = self._order(chooser, scores, brackets, fallible)
        leads = self._leads(order, chooser, scores, brackets, sample)
        ranked = [
            self._move_advice(move, chooser, leads[move], brackets, fallible, sample)
            for move in order
        ]
        best = self._best(order)
        judged = checker if checker is not None else chooser
        return Advice(
            view=self.view,
            style=self.wish.style,
            method=self._method(brackets),
            assumes=self._assumes(brackets),
            best_move=self.visit.moves[best],
            worlds=self._count(),
            value=self._worth(best, judged, sample),
            is_validated=checker is not None or sample.is_whole,
            is_separated=all(lead.is_sure for move, lead in leads.items() if move != order[0]),
            moves=ranked,
            cards=self.belief.cards,
            is_complete=is_last,
            plan=self._plan(brackets, best) if self.wish.plan and is_last else None,
        )

    def drop_hopeless(self) -> None:
        """Have moves that are far behind looked at in no more worlds."""
        chooser, _, _ = self._halves()
        racing = [move for move, reach in enumerate(self.visit.reach) if reach > self.visit.done]
        shares = chooser.weights / chooser.weights.mean()
        values = np.stack([self._scores(chooser, move) for move in racing]) * shares
        for move in {*racing} - {racing[place] for place in contenders(values)}:
            self.visit.drop(move)

    # What there is to judge by

    def _halves(self) -> tuple[Half, Half | None, Sample]:
        """Return the worlds that choose, those that check, and how sure they are."""
        finals, weights = self.visit.finals(), self.visit.weights()
        sample = Sample(self.visit.is_finished, self.belief.effective)
        reach = np.minimum(self.visit.reach, self.visit.done)
        if sample.is_whole:
            return Half(finals, weights, reach.tolist()), None, sample
        chooser = Half(finals[:, ::2], weights[::2], ((reach + 1) // 2).tolist())
        checker = Half(finals[:, 1::2], weights[1::2], (reach // 2).tolist())
        return chooser, checker if self.visit.done > 1 else None, sample

    def _count(self) -> WorldCount:
        weights = self.visit.weights()
        effective = float(weights.sum()) ** 2 / float((weights**2).sum())
        done = self.visit.done
        return WorldCount(self.belief.total, done, effective, self.visit.is_finished)

    def _scores(self, half: Half, move: int) -> Values:
        """Return one number a world, whose mean is what the style maximises with open hands."""
        values: Values = self.payoff[half.row(move)]
        if self.wish.style is Style.ROBUST:
            return worst_scores(values, half.weights_of(move))
        return values

    def _brackets(self, chooser: Half) -> dict[int, Guaranteed]:
        """Return what moves guarantee: where all worlds are known, from ply 4 on."""
        if not self.visit.is_finished or self.view.ply < FIRST_TABLE_PLY:
            return {}
        # In one world nothing is unknown; at ply 8 nothing that is can matter.
        if self.view.ply > LAST_TABLE_PLY or self.belief.total == 1:
            means = [self._mean(chooser, move) for move in range(len(self.visit.moves))]
            return {move: Guaranteed(mean, mean, 0, {}) for move, mean in enumerate(means)}
        count = bracketed_moves(self.view, self.belief, len(self.visit.moves))
        order = self._order(
            chooser, [self.payoff[row] for row in chooser.finals], {}, {}, by_open=True
        )
        wanted = sorted(order[:count])
        tables = self.visit.tables()
        if count == len(order):
            return dict(enumerate(bracket_moves(tables, self.payoff, threads=self._threads)))
        found = bracket_moves(tables, self.payoff, moves=wanted, threads=self._threads)
        return dict(zip(wanted, found, strict=True))

    def _fallible(self, chooser: Half, brackets: dict[int, Guaranteed]) -> dict[int, float]:
        """Return what moves are worth against one who errs, where that can be computed in time."""
        moves = self._fallible_moves(chooser, brackets)
        if not moves:
            return {}
        count = min(self.visit.count, MOST_WORLDS)
        if self.visit.is_everything:
            numbers = self.belief.numbers(0, count, _FIXED_SEED)
        else:
            numbers = self.belief.numbers(0, count, self.wish.seed)
        worlds = self.belief.worlds(np.sort(numbers))
        found = fallible_values(self.view, worlds, self.payoff, moves=moves, threads=self._threads)
        return dict(zip(moves, found.tolist(), strict=True))

    def _fallible_moves(self, chooser: Half, brackets: dict[int, Guaranteed]) -> list[int]:
        everything = list(range(len(self.visit.moves)))
        if self.view.ply > FIRST_PLY:
            return everything
        scores = [self._scores(chooser, move) for move in everything]
        keys = {move: self._key(chooser, scores, brackets, move) for move in everything}
        best = max(keys.values())
        tied = [move for move in everything if keys[move] == best]
        if self.view.ply == FIRST_PLY:
            return tied if len(tied) > 1 else []
        few = 1 < len(tied) <= MOST_EARLIER_MOVES
        return tied if self.view.ply == EARLIER_PLY and few else []

    # Order

    def _key(
        self,
        chooser: Half,
        scores: Sequence[Values],
        brackets: dict[int, Guaranteed],
        move: int,
        by_open: bool = False,
    ) -> tuple[float, ...]:
        """Return what is maximised, and, for `robust`, what ties go to next."""
        mean = round(estimate_of(scores[move], chooser.weights_of(move)).mean, DIGITS)
        if by_open or not brackets:
            opened = round(self._mean(chooser, move), DIGITS)
            return (mean, opened) if self.wish.style is Style.ROBUST else (opened,)
        has = move in brackets
        secured = round(brackets[move].lower, STEP) if has else -np.inf
        if self.wish.style is Style.ROBUST:
            return (mean, secured)
        return (secured,) if has else (secured, mean)

    def _order(
        self,
        chooser: Half,
        scores: Sequence[Values],
        brackets: dict[int, Guaranteed],
        fallible: dict[int, float],
        by_open: bool = False,
    ) -> list[int]:
        """Return the moves, best first; those dropped come after those that were not.

        Ties of margins go to the documented order, as everywhere.
        """
        breaks_ties = self.wish.objective.kind is not Kind.MARGIN

        def key(move: int) -> tuple[object, ...]:
            erring = round(fallible[move], DIGITS) if breaks_ties and move in fallible else -np.inf
            margin = round(self._mean(chooser, move, self.margins), DIGITS)
            ends = self._key(chooser, scores, brackets, move, by_open)
            return (-chooser.reach[move], *(-each for each in ends), -erring, -margin, move)

        return sorted(range(len(self.visit.moves)), key=key)

    def _leads(
        self,
        order: Sequence[int],
        chooser: Half,
        scores: Sequence[Values],
        brackets: dict[int, Guaranteed],
        sample: Sample,
    ) -> dict[int, Lead]:
        """Return how far each move is behind the first, by the method's measure."""
        first = order[0]
        if self._method(brackets) == OPEN:
            weights = chooser.weights
            return {move: lead_of(scores[first], scores[move], weights, sample) for move in order}
        secured = round(brackets[first].lower, STEP)
        leads = {}
        for move in order:
            if move in brackets:
                behind = round(secured - round(brackets[move].lower, STEP), STEP)
                leads[move] = Lead(behind, Interval(behind, behind), behind > 0.0)
            else:  # it guarantees no more than it is worth with open hands, and may do much less
                least = max(0.0, brackets[first].lower - self._mean(chooser, move))
                most = brackets[first].upper - float(self.payoff.min())
                leads[move] = Lead(least, Interval(least, most), least > 0.0)
        return leads

    def _best(self, order: Sequence[int]) -> int:
        """Return the move that is recommended."""
        if self.wish.style is not Style.HUMANLIKE:
            return order[0]
        return drawn_move(self.visit, self.wish, order)

    def _method(self, brackets: dict[int, Guaranteed]) -> str:
        return GUARANTEED if brackets and self.wish.style is not Style.ROBUST else OPEN

    def _assumes(self, brackets: dict[int, Guaranteed]) -> tuple[str, ...]:
        """Return what the answer stands on, in words."""
        said = list(self.belief.assumes)
        if self.wish.style is Style.ROBUST:
            said.append("weights may be wrong by a factor of four")
        if self._method(brackets) == GUARANTEED:
            if self.view.unseen:
                said.append("the opponent may see your hand")
            if len(brackets) < len(self.visit.moves):
                said.append(f"guaranteed: the best {len(brackets)} by open values")
        elif self.view.unseen:
            said.append("both see all hands after this move")
        said.append("the opponent is perfect")
        if self.wish.style is Style.HUMANLIKE:
            said.append(f"the move is drawn: strength {self.wish.strength:.12g}")
        return tuple(said)

    # Numbers of one move

    def _mean(self, half: Half, move: int, payoff: Values | None = None) -> float:
        """Return what a move is worth on average; the same in whatever order worlds come."""
        payoff = self.payoff if payoff is None else payoff
        weights = half.weights_of(move)
        sums = weights_by_cards(half.row(move)[np.newaxis], weights)[0]
        return float((sums * payoff).sum() / weights.sum())

    def _worth(self, move: int, half: Half, sample: Sample) -> Worth:
        """Return what a move is worth with open hands."""
        signs = np.sign(self.margins)
        win, draw, loss = (
            self._mean(half, move, (signs == sign).astype(np.float64)) for sign in (1, 0, -1)
        )
        found = estimate_of(self.points[half.row(move)], half.weights_of(move))
        points = self._mean(half, move, self.points)
        interval = sample.share_interval(found._replace(mean=points))
        return Worth(win, draw, loss, points, self._mean(half, move, self.margins), interval)

    def _move_advice(
        self,
        move: int,
        chooser: Half,
        lead: Lead,
        brackets: dict[int, Guaranteed],
        fallible: dict[int, float],
        sample: Sample,
    ) -> MoveAdvice:
        row, weights = chooser.row(move), chooser.weights_of(move)
        bracket = brackets.get(move)
        name = self.visit.moves[move]
        return MoveAdvice(
            name,
            self._worth(move, chooser, sample),
            lead.mean,
            lead.interval,
            Interval(bracket.lower, bracket.upper) if bracket else None,
            float(worst_mean(self.points[row][np.newaxis], weights)[0]),
            int(np.sign(self.margins)[row].min()),
            fallible.get(move),
            self._captures[name],
        )

    def _plan(self, brackets: dict[int, Guaranteed], best: int) -> list[PlannedReply] | None:
        """Return what to do after each reply, so that the promise is kept."""
        if best not in brackets or not brackets[best].plan:
            return None
        plan = brackets[best].plan
        return [PlannedReply(reply, plan[reply]) for reply in sorted(plan)]
