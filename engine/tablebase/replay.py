"""Which owner patterns of one placement are reachable, by playing every order again.

The same question as `engine.tablebase.forward` answers for whole layers, asked of one placement:
at most 12 orders of moves lead to ply 5, and each is followed for all patterns at once.
"""

from __future__ import annotations

from engine.game.board import ALL_CELLS, empty_cells, owners_of, slot_at
from engine.game.capture import contacts, may_be_special, taken_by
from engine.game.duels import BEATS, Duels, word
from engine.game.lanes import cells_of
from engine.kernel import bit_count, drop_lowest, kernel, lowest_bit
from engine.tablebase.index import owners_at, pattern_of
from engine.tablebase.patterns import WORD_BITS, Bits, add_pattern, fold, insert, words_of
from engine.tablebase.root import NO_CODE, Root, code_before


@kernel
def replay(root: Root, code: int, ply: int, sets: Bits) -> None:
    """Write the reachable patterns of a placement into `sets[ply]`.

    `code` is arranged and has no owners; `sets` [10, 4] is scratch for the plies before.
    """
    sets[ply, :] = 0
    if ply == root.ply:
        add_pattern(sets[ply], pattern_of(ALL_CELLS & ~root.free, owners_of(root.code)))
        return
    seat = (ply - 1) & 1
    cells = root.free & ~empty_cells(code)
    while cells:
        cell = lowest_bit(cells)
        cells &= cells - 1
        earlier = code_before(root, code, cell, seat)
        if earlier != NO_CODE:
            replay(root, earlier, ply - 1, sets)
            _follow(root.duels, earlier, slot_at(code, cell), cell, ply, sets)


@kernel
def _follow(duels: Duels, code: int, slot: int, cell: int, ply: int, sets: Bits) -> None:
    """Add the patterns that a move makes of those of the ply before."""
    before, words = sets[ply - 1], words_of(ply - 1)
    seat = (ply - 1) & 1
    occupied = ALL_CELLS & ~empty_cells(code)
    everyone = contacts(duels, code, cell)
    if not may_be_special(duels, slot, cell, everyone):
        beaten = cells_of(word(duels, BEATS, cell, slot) & everyone, cell)
        while beaten:
            other = lowest_bit(beaten)
            beaten &= beaten - 1
            fold(before, words, bit_count(occupied & ((1 << other) - 1)), seat)
        dimension = bit_count(occupied & ((1 << cell) - 1))
        insert(before, words, dimension, seat, sets[ply], 0)
        return
    for number in range(words):
        left = int(before[number])
        while left:
            owners = owners_at(occupied, number * WORD_BITS + lowest_bit(left))
            left = drop_lowest(left)
            theirs = ~owners if seat else owners
            taken = taken_by(duels, code, slot, cell, everyone, theirs)
            after = (owners ^ taken) | (seat << cell)
            add_pattern(sets[ply], pattern_of(occupied | 1 << cell, after))
