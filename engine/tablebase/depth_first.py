"""Every state below a root, once, in the order of a depth-first walk.

First the root; then, for each of its moves in the documented order, the state after it and
all that is below that, as far as it has not been met before. Which states have been met is
kept as bits, one for each index (see `engine.tablebase.index`): half a gigabyte for a whole deal.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from engine.game.board import CELLS, Codes
from engine.game.moves import MOST_MOVES, code_after, list_moves
from engine.game.state import State
from engine.kernel import Numbers, kernel
from engine.tablebase.blocks import locate
from engine.tablebase.index import placements_at
from engine.tablebase.patterns import WORD_BITS, Bits, add_pattern, has_pattern, words_of
from engine.tablebase.root import Root, arranged
from engine.tablebase.transition import Below, make_below

_DONE = -1
_NOT_ENTERED = -1


class Walk(NamedTuple):
    """How far a walk has come: the states from the root to where it is, and those met."""

    below: Below
    deepest: int  # ply
    met: Bits  # the sets of all plies
    sets_at: Numbers  # [10]: by ply, where its sets begin in `met`
    codes: Numbers  # [10]: by ply
    moves: Numbers  # [10, 45]: by ply, packed
    counts: Numbers  # [10]: by ply, how many moves there are, or _NOT_ENTERED
    tried: Numbers  # [10]: by ply, how many of them have been tried
    place: Numbers  # [1]: the ply the walk is at, or _DONE


def bytes_met(root: Root, deepest: int) -> int:
    """Return the memory that it takes to know which states have been met."""
    return sum(_set_words(root, deepest)) * WORD_BITS // 8


def _set_words(root: Root, deepest: int) -> list[int]:
    """Return the words that the sets of each ply take, root to deepest."""
    return [placements_at(root, ply) * words_of(ply) for ply in range(root.ply, deepest + 1)]


def start_walk(state: State, deepest: int) -> Walk:
    """Return a walk that has not begun, from a root to the ply `deepest`."""
    below = make_below(state)
    words = _set_words(below.root, deepest)
    sets_at = np.zeros(CELLS + 1, dtype=np.int64)
    sets_at[state.ply : deepest + 1] = np.cumsum([0, *words[:-1]])
    codes = np.zeros(CELLS + 1, dtype=np.int64)
    codes[state.ply] = state.code
    return Walk(
        below,
        deepest,
        np.zeros(sum(words), dtype=np.int64),
        sets_at,
        codes,
        np.zeros((CELLS + 1, MOST_MOVES), dtype=np.int64),
        np.full(CELLS + 1, _NOT_ENTERED, dtype=np.int64),
        np.zeros(CELLS + 1, dtype=np.int64),
        np.array([state.ply], dtype=np.int64),
    )


def walk(state: State, deepest: int, size: int) -> Iterator[Codes]:
    """Return all codes below a root to the ply `deepest`, so many at a time."""
    under_way = start_walk(state, deepest)
    while under_way.place[0] != _DONE:
        codes = np.empty(size, dtype=np.int64)
        count = walk_on(under_way, codes)
        if count:
            yield codes[:count]


@kernel
def walk_on(walk: Walk, codes: Codes) -> int:
    """Go on until `codes` is full or the walk is done; return how many states were met."""
    ply = int(walk.place[0])
    count = 0
    while ply != _DONE and count < len(codes):
        if walk.counts[ply] == _NOT_ENTERED:
            codes[count] = walk.codes[ply]
            count += 1
            _enter(walk, ply)
        elif walk.tried[ply] < walk.counts[ply]:
            after = _after_next_move(walk, ply)
            if _meet(walk, after, ply + 1):
                ply += 1
                walk.codes[ply] = after
                walk.counts[ply] = _NOT_ENTERED
        else:
            ply = ply - 1 if ply > walk.below.root.ply else _DONE
    walk.place[0] = ply
    return count


@kernel
def _enter(walk: Walk, ply: int) -> None:
    """List the moves of the state that the walk has come to; at the deepest ply none count."""
    count = list_moves(walk.below.duels, int(walk.codes[ply]), walk.moves[ply])
    walk.counts[ply] = count if ply < walk.deepest else 0
    walk.tried[ply] = 0


@kernel
def _after_next_move(walk: Walk, ply: int) -> int:
    """Return the arranged code after the next move of the state at a ply."""
    move = int(walk.moves[ply, walk.tried[ply]])
    walk.tried[ply] += 1
    after = code_after(walk.below.duels, int(walk.codes[ply]), move)
    return arranged(walk.below.root, after)


@kernel
def _meet(walk: Walk, code: int, ply: int) -> bool:
    """Note that a state has been met; tell whether it is the first time."""
    placement, pattern = locate(walk.below.root, code)
    patterns = walk.met[walk.sets_at[ply] + placement * words_of(ply) :]
    if has_pattern(patterns, pattern):
        return False
    add_pattern(patterns, pattern)
    return True
