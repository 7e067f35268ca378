"""The tables of a view, from ply 4 on, and every world's value out of them."""

from __future__ import annotations

from functools import partial
from typing import NamedTuple

import numpy as np

from advise.sharing import parts_of, share
from advise.table_values import (
    write_best_after,
    write_finals_of_three,
    write_finals_of_two,
    write_late_finals,
)
from advise.tables import (
    NODE_WORDS,
    Bench,
    Ends,
    Finals,
    write_early_ends,
    write_late_ends,
)
from advise.view import View
from advise.view_arrays import ViewArrays, arrays_of, held_worlds, packed_moves, pool_arrays
from advise.worlds import Worlds
from engine.game.board import CELLS
from engine.game.duels import DUELS_LENGTH, make_room
from engine.game.moves import Moves
from engine.kernel import Numbers

FIRST_PLY = 4  # from here on tables hold everything
TWO_DECISIONS = 5  # up to here you decide twice
LAST_PLY = 7


class Tables(NamedTuple):
    """A view, its worlds with all that the opponent holds in them, and the table of both."""

    arrays: ViewArrays
    moves: Moves  # [moves]: packed
    worlds: Worlds  # of positive weight; known cards are in them
    ends: Ends

    @property
    def decides_twice(self) -> bool:
        """Tell whether you move once more after the opponent's reply, and have a choice."""
        return bool(self.ends.shape[3] > 1)


def make_tables(view: View, worlds: Worlds, *, threads: int = 1) -> Tables:
    """Return the tables of a view of plies 4 to 7."""
    arrays, held = arrays_of(view), held_worlds(view, worlds).compact()
    moves, pool = packed_moves(arrays), pool_arrays(held.pool).cards
    left = CELLS - view.ply - 1  # empty cells after your move
    is_early = view.ply <= TWO_DECISIONS
    cells, replies = (left, (len(view.hand) - 1) * (left - 1)) if is_early else (1, 1)
    shape = len(pool) if is_early else 1, len(moves), cells, replies, len(pool)
    ends = np.empty(shape, dtype=np.uint8)
    if is_early:
        task = partial(_write_part, arrays, moves, pool, ends)
        share(task, parts_of(len(pool), threads), threads)
    else:
        write_late_ends(_make_bench(arrays, len(moves)), arrays, moves, pool, ends)
    return Tables(arrays, moves, held, ends)


def _write_part(
    arrays: ViewArrays, moves: Moves, pool: Numbers, ends: Ends, firsts: tuple[int, int]
) -> None:
    _, count, cells, replies, _ = ends.shape
    bench = _make_bench(arrays, count * cells * replies)
    write_early_ends(bench, arrays, moves, pool, firsts, ends)


def _make_bench(arrays: ViewArrays, nodes: int) -> Bench:
    duels = np.zeros(DUELS_LENGTH, dtype=np.int64)
    node_words = np.zeros((nodes, NODE_WORDS), dtype=np.int64)
    return Bench(duels, make_room(), arrays.ids.copy(), arrays.cards.copy(), node_words)


def finals_of(tables: Tables, *, threads: int = 1) -> Finals:
    """Return your cards at the end, for each move and world, with open hands."""
    finals = np.empty((len(tables.moves), len(tables.worlds.members)), dtype=np.uint8)
    if tables.decides_twice:
        share(partial(_write_finals, tables, finals), range(len(finals)), threads)
    else:
        write_late_finals(tables.ends, tables.worlds.members, finals)
    return finals


def _write_finals(tables: Tables, finals: Finals, move: int) -> None:
    ends, members = tables.ends, tables.worlds.members
    if len(tables.arrays.slots) == 2:
        write_finals_of_two(ends, move, members, finals[move])
        return
    cards = len(tables.worlds.pool)
    after = np.empty((cards, cards, cards), dtype=np.uint8)
    write_best_after(ends, move, after, np.empty(cards, dtype=np.uint8))
    write_finals_of_three(after, members, finals[move])
