"""A table of bounds on a fine scale: two words an entry, the whole key in the first.

    word 0   bits 0..44   code;  45..62   tag of the query
    word 1   bits 0..15   lower bound;  16..31   upper bound;  32..38   best move, packed

The table of `engine.search.transpositions` counts cards, four bits a bound, in one word. Sums of
weights and the rounds of Sudden Death need more. As there, each query has a tag of its own, so that
it starts from an empty table without anything being cleared, and a new entry replaces the old one.
"""

from __future__ import annotations

import numpy as np

from engine.game.moves import NO_MOVE
from engine.kernel import inline_kernel
from engine.search.transpositions import CODE_BITS, HEADER, Entries, stirred

MOST_WORTH = (1 << 16) - 1
ENTRY_WORDS = 2
MIN_PLACE_BITS = 10

_UPPER_AT, _MOVE_AT = 16, 32
_MOVE = 0x7F  # also stands for no move: packed moves are below 90
_TAG, _SHIFT = 0, 1  # words of the header, as in the table of cards
HIGHEST_TAG = (1 << (63 - CODE_BITS)) - 1
NO_BOUNDS = (_MOVE << _MOVE_AT) | (MOST_WORTH << _UPPER_AT)


class BoundsTable:
    """The entries and the tag of the query they are used for."""

    def __init__(self, mebibytes: int = 8) -> None:
        """Make a table of at most this size, rounded down to a power of two of entries."""
        fitting = (mebibytes << 20) // (8 * ENTRY_WORDS)
        places = max(fitting.bit_length() - 1, MIN_PLACE_BITS)
        self.entries: Entries = np.zeros(HEADER + (ENTRY_WORDS << places), dtype=np.int64)
        self.entries[_SHIFT] = CODE_BITS - places

    def start_query(self) -> None:
        """Forget all that is in the table, by no longer believing its tag."""
        if self.entries[_TAG] == HIGHEST_TAG:
            self.entries[HEADER:] = 0
            self.entries[_TAG] = 0
        self.entries[_TAG] += 1


@inline_kernel
def bounds_place(entries: Entries, code: int) -> int:
    """Return where the entry of a code stands, if there is one."""
    return HEADER + ENTRY_WORDS * (stirred(code) >> int(entries[_SHIFT]))


@inline_kernel
def bounds_at(entries: Entries, place: int, code: int) -> int:
    """Return what is known of a code: NO_BOUNDS when nothing is."""
    key = (int(entries[_TAG]) << CODE_BITS) | code
    return int(entries[place + 1]) if entries[place] == key else NO_BOUNDS


@inline_kernel
def lower_of(bounds: int) -> int:
    """Return the number that the mover reaches at least."""
    return bounds & MOST_WORTH


@inline_kernel
def upper_of(bounds: int) -> int:
    """Return the number that the mover reaches at most."""
    return (bounds >> _UPPER_AT) & MOST_WORTH


@inline_kernel
def move_in(bounds: int) -> int:
    """Return the packed move that was best, or NO_MOVE."""
    move = (bounds >> _MOVE_AT) & _MOVE
    return NO_MOVE if move == _MOVE else move


@inline_kernel
def keep_bounds(
    entries: Entries, place: int, code: int, bounds: tuple[int, int], move: int
) -> None:
    """Keep the lower and the upper bound of a code, and its best move."""
    lower, upper = bounds
    entries[place] = (int(entries[_TAG]) << CODE_BITS) | code
    entries[place + 1] = (move << _MOVE_AT) | (upper << _UPPER_AT) | lower
