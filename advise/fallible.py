"""What moves are worth against an opponent that now and then errs: `fallible`.

Open hands; you do your best, and the opponent replies with its best move, or, with probability
`error`, with any of its moves, all equally likely. Nothing can be cut off, as every reply
counts, so this is a full-width search with a table, from ply 3 on. It tells moves apart that
are equal against a perfect opponent.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from advise.open_values import Payoff, Values, payoff_of
from advise.sharing import parts_of, share
from advise.view import View
from advise.view_arrays import (
    PoolArrays,
    ViewArrays,
    arrays_of,
    held_worlds,
    packed_moves,
    pool_arrays,
)
from advise.world_search import write_held
from advise.worlds import Members, Worlds
from engine.game.board import CELLS, empty_cells, hand_of, owners_of
from engine.game.capture import place
from engine.game.duels import DUELS_LENGTH, Duels, Room, make_room, playable_slots, write_duels
from engine.game.moves import MOST_MOVES, Move, Moves, code_after, list_moves, moves_of
from engine.game.score import cards_of
from engine.game.state import State
from engine.kernel import Numbers, bit_count, kernel, lowest_bit
from engine.search.transpositions import CODE_BITS, stirred

ERROR = 0.1
FIRST_PLY = 3
MOST_WORLDS = 100
EARLIER_PLY, MOST_EARLIER_MOVES = 2, 3  # thirty times as dear: for moves that are tied
_LAST_KEPT_PLY = 6  # later states are quicker to work out than to find
_PLACES = 1 << 17


class Expecting(NamedTuple):
    """The arrays of one search; each thread has its own."""

    duels: Duels
    payoff: Payoff  # [10]
    keys: Numbers  # [a power of two]
    values: Values  # [the same]
    seat: int  # the viewer's
    error: float
    tag: Numbers  # [1]: of the world that is searched; entries of another do not count


@kernel
def expected(work: Expecting, code: int) -> float:
    """Return what you expect of a state.

    It calls itself and no kernel that calls it: numba cannot load a circle from its cache.
    """
    empty = empty_cells(code)
    if empty == 0:
        return float(work.payoff[cards_of(work.seat, CELLS - bit_count(owners_of(code)))])
    ply = CELLS - bit_count(empty)
    key = (int(work.tag[0]) << CODE_BITS) | code
    entry = stirred(code) & (len(work.keys) - 1)
    if ply <= _LAST_KEPT_PLY and work.keys[entry] == key:
        return float(work.values[entry])
    mover = ply & 1
    playable = playable_slots(work.duels, hand_of(code, mover))
    best, worst, total = -np.inf, np.inf, 0.0
    count = bit_count(empty) * bit_count(playable)
    while empty:
        cell = lowest_bit(empty)
        empty &= empty - 1
        slots = playable
        while slots:
            after = place(work.duels, code, lowest_bit(slots), cell, mover)
            slots &= slots - 1
            reached = expected(work, after)
            best, worst, total = max(best, reached), min(worst, reached), total + reached
    value = (1.0 - work.error) * worst + work.error * total / count
    if mover == work.seat:
        value = best
    if ply <= _LAST_KEPT_PLY:
        work.keys[entry], work.values[entry] = key, value
    return value


@kernel
def expect_moves(work: Expecting, code: int, moves: Moves, values: Values) -> None:
    """Write what you expect after each move of a state of another deal than before."""
    work.tag[0] += 1
    for number in range(len(moves)):
        values[number] = expected(work, code_after(work.duels, code, int(moves[number])))


@kernel
def expect_worlds(
    work: Expecting,
    room: Room,
    view: ViewArrays,
    pool: PoolArrays,
    members: Members,
    asked: tuple[Moves, Values],
) -> None:
    """Write what you expect after each move asked for, in each world: `asked[1]` [worlds, moves].

    The slots of `view` and the duels are written over.
    """
    for world in range(len(members)):
        write_held(view, pool, members[world])
        write_duels(work.duels, room, view.ids, view.cards, view.elements, view.options)
        expect_moves(work, view.code, asked[0], asked[1][world])


def fallible_values(
    view: View,
    worlds: Worlds,
    payoff: Payoff,
    *,
    moves: Sequence[int] | None = None,
    error: float = ERROR,
    threads: int = 1,
) -> Values:
    """Return what moves are worth on average over worlds, by their numbers; of all if none named.

    For at most 100 worlds, from ply 3 on; at ply 2 for at most three moves.
    """
    arrays, held = arrays_of(view), held_worlds(view, worlds).compact()
    packed = packed_moves(arrays)
    asked = packed if moves is None else packed[list(moves)]
    _check_size(view.ply, len(asked), len(held.members))
    pool = pool_arrays(held.pool)
    values = np.empty((len(held.members), len(asked)))

    def search(part: tuple[int, int]) -> None:
        duels = np.zeros(DUELS_LENGTH, dtype=np.int64)
        work = _make_work(duels, payoff, view.ply & 1, error)
        own = arrays._replace(ids=arrays.ids.copy(), cards=arrays.cards.copy())
        rows = slice(*part)
        expect_worlds(work, make_room(), own, pool, held.members[rows], (asked, values[rows]))

    share(search, parts_of(len(values), threads), threads)
    sums = np.add.accumulate(held.weights[:, None] * values, axis=0)  # in this order, always
    means: Values = sums[-1] / held.weights.sum()
    return means


def _make_work(duels: Duels, payoff: Payoff, seat: int, error: float) -> Expecting:
    """Return the arrays of a search, with an empty table."""
    keys, kept = np.zeros(_PLACES, dtype=np.int64), np.zeros(_PLACES)
    return Expecting(duels, payoff, keys, kept, seat, error, np.zeros(1, dtype=np.int64))


def fallible_moves(state: State, error: float = ERROR) -> dict[Move, float]:
    """Return what every move of a state is worth in points, a draw being half a point.

    From ply 3 on: earlier it takes too long.
    """
    view = View.seen_by(state, state.to_move)
    _check_size(state.ply, MOST_MOVES, 1)
    duels, moves = state.deal.duels, np.empty(MOST_MOVES, dtype=np.int64)
    moves = moves[: list_moves(duels, state.code, moves)]
    values = np.empty(len(moves))
    work = _make_work(duels, payoff_of(view), state.ply & 1, error)
    expect_moves(work, state.code, moves, values)
    named = moves_of(state.deal)
    return {named[move]: value for move, value in zip(moves.tolist(), values.tolist(), strict=True)}


def _check_size(ply: int, moves: int, worlds: int) -> None:
    """Raise `ValueError` where the search would take too long."""
    if ply < FIRST_PLY and (ply < EARLIER_PLY or moves > MOST_EARLIER_MOVES):
        raise ValueError(
            f"ply {ply}: fallible values are for ply {FIRST_PLY} and later, "
            f"or at most {MOST_EARLIER_MOVES} moves of ply {EARLIER_PLY}"
        )
    if worlds > MOST_WORLDS:
        raise ValueError(f"{worlds} worlds: fallible values are for at most {MOST_WORLDS}")
