"""What moves are worth when both players see everything from the next move on: `open`.

The average over worlds of the exact value with open hands. Against a perfect opponent it is too
high, never too low: it lets you choose later moves as if you saw the cards (strategy fusion).
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from advise.open_tables import FIRST_PLY, LAST_PLY, Tables, finals_of, make_tables
from advise.tables import Finals
from advise.view import View
from advise.view_arrays import arrays_of, held_worlds, named_moves, packed_moves, scores_of
from advise.world_search import WorldSearch
from advise.worlds import Weights, Worlds
from engine.game.board import CELLS
from engine.game.moves import Move
from engine.kernel import Numbers
from engine.search.workspace import Query

Payoff: TypeAlias = npt.NDArray[np.float64]  # [10]: by your cards on the board at the end
Values: TypeAlias = npt.NDArray[np.float64]

WORST_SHARE = 0.25


def payoff_of(view: View, draw: float = 0.5) -> Payoff:
    """Return what each number of cards is worth in points, a draw being worth `draw`.

    With 0 that is the chance to win, with 1 the chance not to lose.
    """
    scores = np.array(scores_of(view))
    return np.where(scores > 0, 1.0, np.where(scores < 0, 0.0, draw))


def margin_payoff(view: View) -> Payoff:
    """Return what each number of cards is worth as a margin: yours less the opponent's."""
    return np.array(scores_of(view), dtype=np.float64)


class OpenValues(NamedTuple):
    """Your cards at the end after each move in each world, with perfect play of both."""

    moves: tuple[Move, ...]  # in the documented order
    worlds: Worlds  # those of positive weight
    finals: Finals  # [moves, worlds]
    scores: tuple[int, ...]  # your margin, by your cards on the board at the end

    def counts(self) -> Numbers:
        """Return the number of worlds that each move loses, draws and wins: [moves, 3]."""
        signs = np.sign(self.scores)[self.finals]
        return np.stack([(signs == sign).sum(axis=1) for sign in (-1, 0, 1)], axis=1)

    def chances(self) -> Values:
        """Return the probability that each move loses, draws and wins: [moves, 3]."""
        weights, signs = weights_by_cards(self.finals, self.worlds.weights), np.sign(self.scores)
        sums = [weights[:, signs == sign].sum(axis=1) for sign in (-1, 0, 1)]
        chances: Values = np.stack(sums, axis=1) / self.worlds.weights.sum()
        return chances

    def values(self, payoff: Payoff) -> Values:
        """Return what each move is worth in each world: [moves, worlds]."""
        values: Values = payoff[self.finals]
        return values

    def means(self, payoff: Payoff) -> Values:
        """Return what each move is worth on average: [moves]."""
        return mean_payoffs(self.finals, self.worlds.weights, payoff)


def weights_by_cards(finals: Finals, weights: Weights) -> Values:
    """Return the weight of the worlds in which each move ends with 0 to 9 cards: [moves, 10].

    Added up world by world, by no library that may do it in another order elsewhere.
    """
    rows = [np.bincount(row, weights=weights, minlength=CELLS + 1) for row in finals]
    return np.array(rows, dtype=np.float64).reshape(len(finals), CELLS + 1)


def mean_payoffs(finals: Finals, weights: Weights, payoff: Payoff) -> Values:
    """Return what each move is worth on average; exact up to one rounding for equal weights."""
    sums = (weights_by_cards(finals, weights) * payoff).sum(axis=1)
    means: Values = sums / weights.sum()
    return means


def worst_mean(values: Values, weights: Weights, share: float = WORST_SHARE) -> Values:
    """Return each row's mean over the worlds worst for it, of so large a share of the weight.

    The last of these worlds counts in part. It is the mean under the worst prior that gives no
    world more than 1/share times its probability.
    """
    shares = weights / weights.sum()
    order = np.argsort(values, axis=1, kind="stable")
    sorted_shares = shares[order]
    before = np.cumsum(sorted_shares, axis=1) - sorted_shares
    counted = np.clip(share - before, 0.0, sorted_shares)
    sums = (np.take_along_axis(values, order, axis=1) * counted).sum(axis=1)
    worst: Values = sums / counted.sum(axis=1)
    return worst


def value_moves(
    view: View, worlds: Worlds, *, threads: int = 1, query: Query | None = None
) -> OpenValues:
    """Return what every move of the viewer, who is to move, is worth in every world.

    Before ply 4 worlds are searched one by one: pass few enough, or a query to stop it.
    """
    if FIRST_PLY <= view.ply <= LAST_PLY:
        return values_of(view, make_tables(view, worlds, threads=threads), threads)
    arrays, held = arrays_of(view), held_worlds(view, worlds).compact()
    moves = packed_moves(arrays)
    if view.ply == CELLS - 1:  # what is left is forced, whatever the opponent has
        first = held._replace(members=held.members[:1], weights=held.weights[:1])
        alone = WorldSearch(arrays).finals(first, moves)
        finals = np.repeat(alone, len(held.members), axis=1)
    else:
        finals = WorldSearch(arrays, threads=threads).finals(held, moves, query)
    return OpenValues(named_moves(arrays, moves), held, finals, scores_of(view))


def values_of(view: View, tables: Tables, threads: int = 1) -> OpenValues:
    """Return the values that are in the tables of a view."""
    moves = named_moves(tables.arrays, tables.moves)
    return OpenValues(moves, tables.worlds, finals_of(tables, threads=threads), scores_of(view))
