"""Transposition table: what is already proven of the states of one deal.

An entry is one 64-bit word, and holds the whole key, so that no other state is ever
taken for it:

    bits  0..6    remembered move: slot * 9 + cell
          7..10   lower bound: the mover ends with at least so many cards
         11..14   upper bound: and with at most so many
         15..43   rest of the key
         44..62   tag of the query

The key is the code, stirred by a bijection of its 45 bits. Its top bits are the entry's
place and the rest, at most 29 bits, stands in the entry. A code is exact within one deal
only, so each query has a tag of its own, and entries of another tag do not count: a query
starts from an empty table without anything being cleared.

A new entry always replaces the old one: it is the one the search needs next.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import CELLS
from engine.game.moves import NO_MOVE
from engine.kernel import inline_kernel, kernel, plain

Entries: TypeAlias = npt.NDArray[np.int64]  # [HEADER + a power of two]

CODE_BITS = 45
MOVE_BITS, BOUND_BITS = 7, 4
MIN_PLACE_BITS = 16  # fewer places would leave a rest of more than 29 bits
MAX_PLACE_BITS = 30
MISSED = 0  # no entry: a tag is never 0

_LOWER_AT = MOVE_BITS
_UPPER_AT = _LOWER_AT + BOUND_BITS
_KEY_AT = _UPPER_AT + BOUND_BITS
_TAG_AT = CODE_BITS - MIN_PLACE_BITS  # within the key
HIGHEST_TAG = (1 << (63 - _KEY_AT - _TAG_AT)) - 1
_CODE = (1 << CODE_BITS) - 1
_MOVE = (1 << MOVE_BITS) - 1
_BOUND = (1 << BOUND_BITS) - 1

# Words of the header, a cache line before the first entry.
_TAG, _REST_BITS = 0, 1
HEADER = 8


class TranspositionTable:
    """The entries and the tag of the query they are used for."""

    def __init__(self, mebibytes: int = 8) -> None:
        """Make a table of at most this size, rounded down to a power of two of entries."""
        fitting = (mebibytes << 20) // 8
        places = min(max(fitting.bit_length() - 1, MIN_PLACE_BITS), MAX_PLACE_BITS)
        self.entries: Entries = np.zeros(HEADER + (1 << places), dtype=np.int64)
        self.entries[_REST_BITS] = CODE_BITS - places

    def __len__(self) -> int:
        """Return the number of places."""
        return len(self.entries) - HEADER

    def start_query(self) -> None:
        """Forget all that is in the table, by no longer believing its tag."""
        plain(start_query)(self.entries)


@kernel
def start_query(entries: Entries) -> None:
    """Forget all that is in a table, by no longer believing its tag."""
    if entries[_TAG] == HIGHEST_TAG:
        entries[HEADER:] = MISSED
        entries[_TAG] = 0
    entries[_TAG] += 1


@inline_kernel
def stirred(code: int) -> int:
    """Return `code` with its bits stirred; different codes stay different."""
    key = code ^ (code >> 21)
    key = (key ^ (key << 17)) & _CODE
    key ^= key >> 23
    key = (key ^ (key << 13)) & _CODE
    return key ^ (key >> 19)


@inline_kernel
def _place(entries: Entries, stir: int) -> int:
    return HEADER + (stir >> int(entries[_REST_BITS]))


@inline_kernel
def _key(entries: Entries, stir: int) -> int:
    rest = stir & ((1 << int(entries[_REST_BITS])) - 1)
    return (int(entries[_TAG]) << _TAG_AT) | rest


@inline_kernel
def probe(entries: Entries, code: int) -> int:
    """Return the entry of `code`, or MISSED."""
    stir = stirred(code)
    entry = int(entries[_place(entries, stir)])
    return entry if entry >> _KEY_AT == _key(entries, stir) else MISSED


@inline_kernel
def _lower(entry: int) -> int:
    return (entry >> _LOWER_AT) & _BOUND


@inline_kernel
def _upper(entry: int) -> int:
    return (entry >> _UPPER_AT) & _BOUND


@inline_kernel
def is_settled(entry: int, goal: int) -> bool:
    """Tell whether an entry, which may be MISSED, answers for `goal`."""
    return entry != MISSED and (_lower(entry) >= goal or _upper(entry) < goal)


@inline_kernel
def settled_answer(entry: int, goal: int) -> int:
    """Return the answer that a settled entry holds for `goal`."""
    return _lower(entry) if _lower(entry) >= goal else _upper(entry)


@inline_kernel
def remembered_move(entry: int) -> int:
    """Return the packed move that was best when the entry was made, or NO_MOVE."""
    return entry & _MOVE if entry != MISSED else NO_MOVE


@inline_kernel
def remember(entries: Entries, code: int, proof: tuple[int, int, int], move: int) -> None:
    """Keep what a search of `code` proved: the entry there was, the goal, the answer."""
    entry, goal, answer = proof
    lower, upper = (_lower(entry), _upper(entry)) if entry != MISSED else (0, CELLS)
    if answer >= goal:
        lower = max(lower, answer)
    else:
        upper = min(upper, answer)
    stir = stirred(code)
    bounds = (upper << _UPPER_AT) | (lower << _LOWER_AT)
    entries[_place(entries, stir)] = (_key(entries, stir) << _KEY_AT) | bounds | move
