"""Worlds visited one after the other, and how every move ends in each of them.

    numbers   0  1  2  3  ...  in a seeded random order, or, when all are visited, as they are
    finals    your cards at the end, by move and world

Where worlds are dear, moves that are far behind are dropped on the way (racing): their rows end
earlier than those of the others.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import numpy as np

from advise.belief import Belief
from advise.open_tables import FIRST_PLY, LAST_PLY, Tables, finals_of, make_tables
from advise.tables import Finals
from advise.view_arrays import arrays_of, held_worlds, named_moves, packed_moves
from advise.world_search import WorldSearch
from advise.worlds import Weights, Worlds
from engine.game.moves import Move, Moves
from engine.kernel import Numbers
from engine.search.workspace import Query

# How many worlds are searched before whoever waits is let through: some 20 ms of work.
SLICES = {0: 1, 1: 1, 2: 5, 3: 30}
LATE_SLICE = 200
FEW_WORLDS = 64  # so many, from ply 4 on, are quicker one by one than by tables


def never_pause() -> None:
    """Go on at once."""


class Visit:
    """The worlds of a belief that have been visited, of `count` that shall be."""

    def __init__(
        self,
        belief: Belief,
        count: int,
        seed: int,
        *,
        threads: int = 1,
        query: Query | None = None,
        pause: Callable[[], None] = never_pause,
    ) -> None:
        """Visit nothing yet."""
        self.belief, self.view, self.count = belief, belief.view, count
        self._seed, self._threads, self._pause = seed, threads, pause
        self._query = query or Query()
        arrays = arrays_of(self.view)
        self.packed: Moves = packed_moves(arrays)
        self.moves: tuple[Move, ...] = named_moves(arrays, self.packed)
        self._search = WorldSearch(arrays, threads=threads)
        self._finals: Finals = np.zeros((len(self.packed), count), dtype=np.uint8)
        self._tables: Tables | None = None
        self.done = 0
        self.reach: Numbers = np.full(len(self.packed), count, dtype=np.int64)  # worlds, by move

    @property
    def is_everything(self) -> bool:
        """Tell whether all worlds shall be visited."""
        return self.count == self.belief.total

    @cached_property
    def _order(self) -> Numbers:
        """Return the numbers of the worlds in the order of the visit."""
        return self.belief.numbers(0, self.count, self._seed)

    @cached_property
    def everything(self) -> Worlds:
        """Return all worlds, in the order of their numbers."""
        return self.belief.everything()

    def go_on(self, until: int) -> None:
        """Visit worlds until there are so many."""
        if self._tables is None and self._is_tabled(until):
            self._finals[:, :] = finals_of(self.tables(), threads=self._threads)
            if self.is_everything:
                self._finals[:, :] = self._finals[:, self._order]
        if self._tables is not None:
            self.done = until
        while self.done < until:
            self._pause()
            self._query.check()
            self._search_worlds(min(until, self.done + self._slice))
        self._query.check()

    def _search_worlds(self, until: int) -> None:
        rows = np.flatnonzero(self.reach > self.done)
        worlds = held_worlds(self.view, self.belief.worlds(self._order[self.done : until]))
        found = self._search.finals(worlds, self.packed[rows], self._query)
        self._finals[rows, self.done : until] = found
        self.done = until

    def drop(self, move: int) -> None:
        """Look at a move in no more worlds."""
        self.reach[move] = self.done

    def tables(self) -> Tables:
        """Return the tables of all worlds that shall be visited, from ply 4 on."""
        if self._tables is None:
            self._pause()
            self._query.check()
            worlds = self.everything if self.is_everything else self.belief.worlds(self._order)
            self._tables = make_tables(self.view, worlds, threads=self._threads)
        return self._tables

    def finals(self) -> Finals:
        """Return how moves end in the worlds visited; when all are, in the order of numbers."""
        if not self.is_finished:
            return self._finals[:, : self.done]
        found = np.empty_like(self._finals)
        found[:, self._order] = self._finals
        return found

    def weights(self) -> Weights:
        """Return the weights of the worlds, as `finals` has them."""
        if self.is_finished:
            return self.everything.weights
        return self.belief.worlds(self._order[: self.done]).weights

    @property
    def is_finished(self) -> bool:
        """Tell whether all worlds there are have been visited."""
        return self.is_everything and self.done == self.count

    @property
    def _slice(self) -> int:
        return SLICES.get(self.view.ply, LATE_SLICE) * self._threads

    def _is_tabled(self, until: int) -> bool:
        is_late = FIRST_PLY <= self.view.ply <= LAST_PLY
        return is_late and until > min(FEW_WORLDS, self.count - 1)
