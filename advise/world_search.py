"""Exact values world by world, for the plies at which tables would be too large.

Each world is searched as if it were the only one, so that it does not matter which thread has
it, nor what was searched before.
"""

from __future__ import annotations

from functools import partial
from queue import SimpleQueue

import numpy as np

from advise.sharing import parts_of, share
from advise.tables import Finals
from advise.view_arrays import PoolArrays, ViewArrays, pool_arrays
from advise.worlds import Members, Worlds
from engine.game.board import CELLS
from engine.game.duels import DUELS_LENGTH, Room, make_room, write_duels
from engine.game.moves import NO_MOVE, Moves, code_after
from engine.kernel import Numbers, kernel
from engine.search.exact import exact_cards, likely_cards
from engine.search.transpositions import TranspositionTable, start_query
from engine.search.workspace import SCRATCH_LENGTH, Query, Workspace, is_stopped

TABLE_MEBIBYTES = 8  # for each thread: more or less makes no difference to a search


@kernel
def write_held(view: ViewArrays, pool: PoolArrays, held: Numbers) -> None:
    """Put a world's cards, places in the pool, into the opponent's slots."""
    for place in range(len(held)):
        slot, card = int(view.slots[place]), int(held[place])
        view.ids[slot] = pool.ids[card]
        for column in range(pool.cards.shape[1]):
            view.cards[slot, column] = pool.cards[card, column]


@kernel
def rank_worlds(
    work: Workspace,
    room: Room,
    view: ViewArrays,
    pool: PoolArrays,
    members: Members,
    asked: tuple[Moves, Finals],
) -> None:
    """Write your cards after each move asked for, in each world, into `asked[1]`.

    The slots of `view`, the duels and the table are written over.
    """
    moves, finals = asked
    for world in range(len(members)):
        write_held(view, pool, members[world])
        write_duels(work.duels, room, view.ids, view.cards, view.elements, view.options)
        start_query(work.entries)
        work.scratch[:] = NO_MOVE
        guess = likely_cards(view.code)
        for number in range(len(moves)):
            after = code_after(work.duels, view.code, int(moves[number]))
            guess = CELLS - exact_cards(work, after, CELLS - guess)
            finals[number, world] = guess
        if is_stopped(work.control):
            return


class WorldSearch:
    """Searches the worlds of one view; its threads share them."""

    def __init__(self, arrays: ViewArrays, *, threads: int = 1) -> None:
        """Make a table for each thread."""
        self._arrays, self._threads = arrays, threads
        self._tables: SimpleQueue[TranspositionTable] = SimpleQueue()
        for _ in range(threads):
            self._tables.put(TranspositionTable(TABLE_MEBIBYTES))

    def finals(self, worlds: Worlds, moves: Moves, query: Query | None = None) -> Finals:
        """Return your cards at the end, for each of these moves and worlds, with open hands.

        The worlds hold all the opponent's cards, known ones included. Whoever may want to stop
        between worlds passes a query; it raises `SearchStoppedError` then.
        """
        query = query or Query()
        pool = pool_arrays(worlds.pool)
        finals = np.empty((len(moves), len(worlds.members)), dtype=np.uint8)
        # Small parts, so that threads end at about the same time.
        parts = parts_of(len(worlds.members), 1 if self._threads == 1 else 8 * self._threads)
        task = partial(self._search, worlds.members, pool, (moves, finals), query)
        share(task, parts, self._threads)
        query.check()
        return finals

    def _search(
        self,
        members: Members,
        pool: PoolArrays,
        asked: tuple[Moves, Finals],
        query: Query,
        part: tuple[int, int],
    ) -> None:
        first, stop = part
        duels = np.zeros(DUELS_LENGTH, dtype=np.int64)
        scratch = np.zeros(SCRATCH_LENGTH, dtype=np.int64)
        view = self._arrays._replace(ids=self._arrays.ids.copy(), cards=self._arrays.cards.copy())
        table = self._tables.get()
        try:
            work = Workspace(duels, table.entries, scratch, query.control)
            finals = np.empty((len(asked[0]), stop - first), dtype=np.uint8)
            rank_worlds(work, make_room(), view, pool, members[first:stop], (asked[0], finals))
            asked[1][:, first:stop] = finals
        finally:
            self._tables.put(table)
