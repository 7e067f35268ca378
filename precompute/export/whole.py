"""Everything below a root: depth first by search, or ply by ply by the retrograde solve.

Both make the same rows, each reachable state once, in different orders.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, Philox, SeedSequence

from engine.game.board import CELLS, Codes
from engine.game.moves import MOST_MOVES, NO_MOVE
from engine.game.state import State
from engine.game.zobrist import state_hash
from engine.tablebase.depth_first import walk
from engine.tablebase.index import placements_at
from engine.tablebase.retrograde import LAST_PLY, Retrograde, Watcher
from engine.tablebase.solved_states import all_moves_of, best_moves_of, count_states, states_of
from engine.tablebase.transition import Below, Layer, make_below
from precompute.export.labellers import Labeller
from precompute.export.rows import Rows

BATCH_STATES = 4_096  # of a walk, labelled by one labeller at a time
PIECE_PLACEMENTS = 1_024  # of a layer: some ten thousand states


@dataclass(frozen=True)
class Whole:
    """What is exported: all states below a root, to some ply."""

    root: State
    deepest: int  # ply; 9 for the finished games too
    seed: int

    def random_of(self, state: State) -> Generator:
        """Return the generator for draws about a state."""
        return Generator(Philox(SeedSequence([self.seed, state_hash(state)])))

    def rows(
        self,
        labeller: Labeller,
        codes: Codes,
        labels: tuple[Codes, Codes],
        scores: Callable[[], Codes],
    ) -> Rows:
        """Return rows with their policy, from best moves and the starter's cards."""
        visits = labeller.visits(self.root.deal, codes, self.random_of)
        return Rows(self.root.deal, codes, *labels, labeller.policy(visits, scores))


@dataclass(frozen=True)
class Full(Whole):
    """Depth first, labelled by search."""

    def jobs(self) -> Iterator[Codes]:
        """Return the states in the order of the walk, some thousand at a time."""
        return walk(self.root, self.deepest, BATCH_STATES)

    def label(self, labeller: Labeller, codes: Codes) -> Iterator[Rows]:
        """Return the rows of some states."""
        deal = self.root.deal
        labels = labeller.best(deal, codes)
        yield self.rows(labeller, codes, labels, lambda: labeller.scores(deal, codes))


class Piece(NamedTuple):
    """A run of a layer's placements, and the layer after, where moves lead."""

    layer: Layer
    after: Layer
    first: int
    last: int


@dataclass(frozen=True)
class Graph(Whole):
    """Ply by ply, from the root down, each in the order of the index."""

    threads: int
    watch: Watcher = lambda _: None
    expect: Callable[[int], None] = lambda _: None  # hears how many rows there will be

    @cached_property
    def below(self) -> Below:
        """Return what kernels need to know of the root."""
        return make_below(self.root)

    def jobs(self) -> Iterator[Piece]:
        """Solve everything below the root, then return it piece by piece."""
        with Retrograde(self.threads) as retrograde:
            layers = list(retrograde.solve(self.root, self.watch, keeps_layers=True))[::-1]
            nothing = layers[-1].reachable[:0]
            over = Layer(CELLS, 0, nothing, nothing)
            if self.deepest > LAST_PLY:
                over = retrograde.finish(self.root, layers[-1])
            pairs = zip([*layers, over], [*layers[1:], over, over], strict=True)
            wanted = [(layer, after) for layer, after in pairs if layer.ply <= self.deepest]
            self.expect(sum(count_states(layer) for layer, _ in wanted))
            for layer, after in wanted:
                placements = placements_at(self.below.root, layer.ply)
                for first in range(0, placements, PIECE_PLACEMENTS):
                    last = min(first + PIECE_PLACEMENTS, placements)
                    yield Piece(layer, after, first, last)

    def label(self, labeller: Labeller, piece: Piece) -> Iterator[Rows]:
        """Return the rows of a piece, if there are any."""
        codes, cards = states_of(self.below, piece.layer, piece.first, piece.last)
        if len(codes) == 0:
            return
        if piece.layer.ply == CELLS:
            best = np.full_like(codes, NO_MOVE)
            none = np.full((len(codes), MOST_MOVES), NO_MOVE, dtype=np.int64)
            yield self.rows(labeller, codes, (best, cards), lambda: none)
            return
        best = best_moves_of(self.below, piece.after, codes, cards)
        scores = partial(all_moves_of, self.below, piece.after, codes)
        yield self.rows(labeller, codes, (best, cards), scores)
