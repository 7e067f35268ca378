"""A layer's worth in little space: one nibble for each reachable state, in index order.

A block holds a run of placements. Their reachable states have no numbers of their own in
it; to find one, the states of the placements before it are counted, by replaying them. So
that these are few, a block says for each group of placements how many states it has:

    counts    a uint16 per group of placements
    nibbles   the starter's cards at the end, 0..9, state by state; the first in bits 0..3
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import ALL_CELLS, CELLS, EMPTY_BOARD, HAND_SIZE, empty_cells, owners_of
from engine.game.moves import MOST_MOVES, code_after, list_moves
from engine.kernel import Numbers, bit_count, drop_lowest, kernel, lowest_bit, plain
from engine.tablebase.index import code_at, pattern_of, placement_of, placements_at
from engine.tablebase.patterns import (
    PLANES,
    WORD_BITS,
    WORD_DIMENSIONS,
    Bits,
    has_pattern,
    number_at,
    words_of,
)
from engine.tablebase.replay import replay
from engine.tablebase.root import Root, arranged, is_arranged
from engine.tablebase.transition import Layer

Counts: TypeAlias = npt.NDArray[np.uint16]
Bytes: TypeAlias = npt.NDArray[np.uint8]

# Raised when rules, index or packing change: what is stored under another number is not read.
REVISION = 1

# By ply: placements in a block (so that it has about a hundred thousand states at most), and
# in a group. Early plies are asked for most and cost least, so their groups are small.
BLOCK_PLACEMENTS = (1, 64, 2048, 32768, 32768, 32768, 16384, 8192, 4096)
GROUP_PLACEMENTS = (1, 1, 1, 1, 4, 8, 8, 8, 8)

NOT_REACHABLE = -1
NIBBLE = 0xF


class Run(NamedTuple):
    """The placements of one block."""

    ply: int
    first: int
    last: int  # the first that is not in it
    group: int  # placements in a group


class Packed(NamedTuple):
    """A block's content: how many states lie before each group, and their nibbles."""

    offsets: Numbers  # [groups + 1]
    nibbles: Bytes


def runs_of(root: Root, ply: int) -> list[Run]:
    """Return the blocks of a layer."""
    placements = placements_at(root, ply)
    return [run_at(root, ply, first) for first in range(0, placements, BLOCK_PLACEMENTS[ply])]


def run_at(root: Root, ply: int, placement: int) -> Run:
    """Return the block that a placement is in."""
    size = BLOCK_PLACEMENTS[ply]
    first = placement - placement % size
    return Run(ply, first, min(first + size, placements_at(root, ply)), GROUP_PLACEMENTS[ply])


def pack(layer: Layer, run: Run) -> tuple[Counts, Bytes]:
    """Return a block's counts and nibbles."""
    counts = np.zeros(-(-(run.last - run.first) // run.group), dtype=np.uint16)
    states = count_groups(layer, run, counts)
    nibbles = np.zeros((states + 1) // 2, dtype=np.uint8)
    write_nibbles(layer, run, nibbles)
    return counts, nibbles


def unpack(counts: Counts, nibbles: Bytes) -> Packed:
    """Return a block in the form that can be asked."""
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return Packed(offsets, nibbles)


@kernel
def count_groups(layer: Layer, run: Run, counts: Counts) -> int:
    """Write the states of each group; return how many there are in all."""
    total = 0
    for placement in range(run.first, run.last):
        states = 0
        for number in range(placement * layer.words, (placement + 1) * layer.words):
            states += bit_count(int(layer.reachable[number]))
        counts[(placement - run.first) // run.group] += states
        total += states
    return total


@kernel
def write_nibbles(layer: Layer, run: Run, nibbles: Bytes) -> None:
    """Write the nibbles of a block's states; `nibbles` must be 0."""
    words = layer.words
    place = 0
    for placement in range(run.first, run.last):
        row = placement * PLANES * words
        for number in range(words):
            left = int(layer.reachable[placement * words + number])
            while left:
                pattern = number * WORD_BITS + lowest_bit(left)
                left = drop_lowest(left)
                cards = number_at(layer.cards, row, words, pattern)
                nibbles[place >> 1] |= cards << (4 * (place & 1))
                place += 1


class Peek(NamedTuple):
    """Scratch for looking into blocks; each thread needs its own."""

    sets: Bits  # [10, 4]
    numbers: Numbers  # [5]


def make_peek() -> Peek:
    """Return fresh scratch."""
    return Peek(
        np.zeros((CELLS + 1, plain(words_of)(CELLS - 1)), dtype=np.int64),
        np.zeros(HAND_SIZE, dtype=np.int64),
    )


class Offspring(NamedTuple):
    """Room for a state's moves and where they lead."""

    moves: Numbers  # [45]: packed
    codes: Numbers  # [45]: after the move, arranged
    placements: Numbers  # [45]
    patterns: Numbers  # [45]
    cards: Numbers  # [45]


def make_offspring() -> Offspring:
    """Return room for the moves of any state."""
    return Offspring(*np.zeros((5, MOST_MOVES), dtype=np.int64))


@kernel
def locate(root: Root, code: int) -> tuple[int, int]:
    """Return placement and owner pattern of an arranged code."""
    occupied = ALL_CELLS & ~empty_cells(code)
    return placement_of(root, code & EMPTY_BOARD), pattern_of(occupied, owners_of(code))


@kernel
def list_children(root: Root, code: int, room: Offspring) -> int:
    """Write the legal moves in the documented order and where they lead; return how many."""
    count = list_moves(root.duels, code, room.moves)
    for number in range(count):
        after = arranged(root, code_after(root.duels, code, int(room.moves[number])))
        room.codes[number] = after
        room.placements[number], room.patterns[number] = locate(root, after)
    return count


@kernel
def read_children(
    root: Root, run: Run, packed: Packed, room: Offspring, count: int, peek: Peek
) -> bool:
    """Write the cards after those moves that lead into a block; tell whether all are there."""
    is_whole = True
    for number in range(count):
        placement = int(room.placements[number])
        if run.first <= placement < run.last:
            pattern = int(room.patterns[number])
            cards = cards_at(root, run, packed, placement, pattern, peek)
            room.cards[number] = cards
            is_whole &= cards != NOT_REACHABLE
    return is_whole


@kernel
def cards_at(root: Root, run: Run, packed: Packed, placement: int, pattern: int, peek: Peek) -> int:
    """Return the starter's cards at the end, or NOT_REACHABLE."""
    ply = run.ply
    group = (placement - run.first) // run.group
    place = int(packed.offsets[group])
    for earlier in range(run.first + group * run.group, placement):
        place += _states_of(root, ply, earlier, peek)
    code = code_at(root, ply, placement, peek.numbers)
    if not is_arranged(root, code):
        return NOT_REACHABLE
    replay(root, code, ply, peek.sets)
    patterns = peek.sets[ply]
    if not has_pattern(patterns, pattern):
        return NOT_REACHABLE
    word = pattern >> WORD_DIMENSIONS
    for number in range(word):
        place += bit_count(int(patterns[number]))
    place += bit_count(int(patterns[word]) & ((1 << (pattern & (WORD_BITS - 1))) - 1))
    return (int(packed.nibbles[place >> 1]) >> (4 * (place & 1))) & NIBBLE


@kernel
def _states_of(root: Root, ply: int, placement: int, peek: Peek) -> int:
    """Return the number of reachable states of a placement."""
    code = code_at(root, ply, placement, peek.numbers)
    if not is_arranged(root, code):
        return 0
    replay(root, code, ply, peek.sets)
    states = 0
    for number in range(words_of(ply)):
        states += bit_count(int(peek.sets[ply, number]))
    return states
