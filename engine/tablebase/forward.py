"""Forward: which states of a layer can be reached from the layer before.

A frame collects from all frames one card before it, so each is written by one caller alone,
and frames can be shared out among threads in any way.
"""

from __future__ import annotations

from engine.game.board import with_card
from engine.game.capture import may_be_special
from engine.game.duels import BEATS, Duels, word
from engine.game.lanes import LANE, LANE_BITS, LANES
from engine.kernel import allocating_kernel, drop_lowest, inline_kernel, kernel, lowest_bit
from engine.tablebase.index import frame_at, orders_at, placement_of
from engine.tablebase.patterns import WORD_BITS, Bits, add_pattern, fold, insert
from engine.tablebase.root import NO_CODE, code_before, is_arranged
from engine.tablebase.transition import (
    Below,
    Layer,
    Layers,
    Link,
    Scratch,
    Step,
    fill_parts,
    forget_beats,
    link_at,
    make_scratch,
    owners_after,
    start_step,
)


@allocating_kernel
def reach_frames(below: Below, before: Layer, after: Layer, first: int, last: int) -> None:
    """Write which patterns are reachable in the frames from `first` up to `last` of a layer."""
    root = below.root
    scratch = make_scratch()
    size = orders_at(root, after.ply, 0) * orders_at(root, after.ply, 1) * after.words
    after.reachable[first * size : last * size] = 0
    for frame in range(first, last):
        down, firsts = frame_at(root, after.ply, frame)
        fill_parts(below, after.ply, down, firsts, scratch)
        # With copies about, a seat may have brought a card that counts as the other's.
        cells = down
        if not root.copied:
            cells = firsts if after.ply & 1 else down & ~firsts
        while cells:
            cell = lowest_bit(cells)
            cells &= cells - 1
            step = start_step(below, after.ply, frame, cell, scratch)
            _reach_by_step(below, step, scratch, (before, after))


@kernel
def _reach_by_step(below: Below, step: Step, scratch: Scratch, layers: Layers) -> None:
    """Follow a step to all placements of a frame.

    The number of words is a constant in each loop, so that loops over words vanish.
    """
    _, after = layers
    orders_0 = orders_at(below.root, after.ply, 0)
    orders_1 = orders_at(below.root, after.ply, 1)
    for rank_0 in range(orders_0):
        if after.words <= 2:
            for rank_1 in range(orders_1):
                link = link_at(below, step, scratch, after.ply, rank_0, rank_1)
                _reach_placement(below, step, scratch, layers, link, 1)
        elif after.words == 4:
            for rank_1 in range(orders_1):
                link = link_at(below, step, scratch, after.ply, rank_0, rank_1)
                _reach_placement(below, step, scratch, layers, link, 2)
        else:
            for rank_1 in range(orders_1):
                link = link_at(below, step, scratch, after.ply, rank_0, rank_1)
                _reach_placement(below, step, scratch, layers, link, 4)


@inline_kernel
def _reach_placement(
    below: Below, step: Step, scratch: Scratch, layers: Layers, link: Link, words: int
) -> None:
    """Add to a placement's reachable patterns those that a move brings."""
    before, after = layers
    source = link.before
    if below.root.copied:
        source = _placement_before(below, step, link)
        if source == NO_CODE:
            return
    row = scratch.row
    anything = 0
    for number in range(words):
        row[number] = before.reachable[source * words + number]
        anything |= row[number]
    if anything == 0:
        return
    target = link.after * after.words
    if may_be_special(below.duels, link.slot, step.cell, link.everyone):
        _reach_one_by_one(below.duels, step, scratch, link, after.reachable[target:], words)
        return
    beaten = word(below.duels, BEATS, step.cell, link.slot) & link.everyone
    for lane in range(LANES):
        if (beaten >> (LANE_BITS * lane)) & LANE:
            fold(row, words, scratch.dimensions[lane], step.seat)
    insert(row, words, step.dimension, step.seat, after.reachable, target)


@kernel
def _reach_one_by_one(
    duels: Duels, step: Step, scratch: Scratch, link: Link, into: Bits, words: int
) -> None:
    """Add the patterns that a move makes of those in the scratch row."""
    forget_beats(scratch)
    for number in range(words):
        left = int(scratch.row[number])
        while left:
            pattern = number * WORD_BITS + lowest_bit(left)
            left = drop_lowest(left)
            owners = owners_after(duels, step, scratch, link, pattern)
            add_pattern(into, int(scratch.patterns[owners]))


@inline_kernel
def _placement_before(below: Below, step: Step, link: Link) -> int:
    """Return the placement before a move where there are copies, or NO_CODE."""
    root = below.root
    code = with_card(link.code, link.slot, step.cell, 0)
    if not is_arranged(root, code):
        return NO_CODE
    earlier = code_before(root, code, step.cell, step.seat)
    if earlier == link.code:
        return link.before
    return NO_CODE if earlier == NO_CODE else placement_of(root, earlier)
