"""Backward: what the states of a layer are worth, from the layer after.

A frame collects from all frames one card after it, so each is written by one caller alone,
and frames can be shared out among threads in any way.
"""

from __future__ import annotations

import numpy as np

from engine.game.board import CELLS, HANDS, slots_down, with_card
from engine.game.capture import may_be_special
from engine.game.duels import BEATS, Duels, word
from engine.game.lanes import LANE, LANE_BITS, LANES
from engine.kernel import (
    allocating_kernel,
    bit_count,
    drop_lowest,
    inline_kernel,
    kernel,
    lowest_bit,
)
from engine.tablebase.index import frame_at, frame_of, orders_at, placement_of
from engine.tablebase.patterns import (
    PLANES,
    WORD_BITS,
    keep_better,
    number_at,
    set_number,
    take_half,
    unfold,
    words_of,
)
from engine.tablebase.root import NO_CODE, arranged
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

Widths = tuple[int, int]  # words of a set before and after a move


@allocating_kernel
def final_layer() -> Layer:
    """Return what stands for the layer of finished games: the cards after the last move.

    The last card is the starter's, and only what it takes matters: for each set of cards
    taken, of the eight that were there, a row of planes.
    """
    words = words_of(CELLS - 1)
    cards = np.zeros(PLANES * words << (CELLS - 1), dtype=np.int64)
    for taken in range(1 << (CELLS - 1)):
        for pattern in range(1 << (CELLS - 1)):
            number = CELLS - bit_count(pattern & ~taken)
            set_number(cards, taken * PLANES * words, words, pattern, number)
    return Layer(CELLS, words_of(CELLS), np.zeros(0, dtype=np.int64), cards)


@allocating_kernel
def solve_frames(below: Below, before: Layer, after: Layer, first: int, last: int) -> None:
    """Write what the states in the frames from `first` up to `last` of a layer are worth."""
    root = below.root
    scratch = make_scratch()
    seat = before.ply & 1
    size = orders_at(root, before.ply, 0) * orders_at(root, before.ply, 1) * PLANES * before.words
    before.cards[first * size : last * size] = -seat  # the worst for the mover: 0 or 15
    for frame in range(first, last):
        down, firsts = frame_at(root, before.ply, frame)
        cells = root.free & ~down
        while cells:
            cell = lowest_bit(cells)
            cells &= cells - 1
            later = (down | 1 << cell, firsts | (1 - seat) << cell)
            fill_parts(below, after.ply, later[0], later[1], scratch)
            frame_after = frame_of(root, later[0], later[1])
            step = start_step(below, after.ply, frame_after, cell, scratch)
            _solve_by_step(below, step, scratch, (before, after))


@kernel
def _solve_by_step(below: Below, step: Step, scratch: Scratch, layers: Layers) -> None:
    """Go back along a step from all placements of a frame.

    The numbers of words are constants in each loop, so that loops over words vanish.
    """
    _, after = layers
    orders_0 = orders_at(below.root, after.ply, 0)
    orders_1 = orders_at(below.root, after.ply, 1)
    for rank_0 in range(orders_0):
        if after.words == 1:
            for rank_1 in range(orders_1):
                link = link_at(below, step, scratch, after.ply, rank_0, rank_1)
                _solve_placement(below, step, scratch, layers, link, (1, 1))
        elif after.words == 2:
            for rank_1 in range(orders_1):
                link = link_at(below, step, scratch, after.ply, rank_0, rank_1)
                _solve_placement(below, step, scratch, layers, link, (1, 2))
        elif after.words == 4:
            for rank_1 in range(orders_1):
                link = link_at(below, step, scratch, after.ply, rank_0, rank_1)
                _solve_placement(below, step, scratch, layers, link, (2, 4))
        else:
            for rank_1 in range(orders_1):
                link = link_at(below, step, scratch, after.ply, rank_0, rank_1)
                _solve_last(below, step, scratch, layers, link)


@inline_kernel
def _is_reachable(before: Layer, placement: int, words: int) -> bool:
    """Tell whether any pattern of a placement is."""
    anything = 0
    for number in range(words):
        anything |= before.reachable[placement * words + number]
    return anything != 0


@inline_kernel
def _solve_placement(
    below: Below, step: Step, scratch: Scratch, layers: Layers, link: Link, widths: Widths
) -> None:
    """Let the mover choose, for each pattern of a placement, what a move brings, if better."""
    before, after = layers
    words, words_after = widths
    if not _is_reachable(before, link.before, words):
        return
    later = _placement_after(below, step, link) if below.root.copied else link.after
    if later == NO_CODE:
        return
    row = scratch.row
    source = later * PLANES * words_after
    take_half(after.cards, source, words_after, (step.dimension, step.seat), row, scratch.half)
    beaten = word(below.duels, BEATS, step.cell, link.slot) & link.everyone
    for lane in range(LANES):
        if (beaten >> (LANE_BITS * lane)) & LANE:
            unfold(row, PLANES * words, scratch.dimensions[lane], step.seat)
    if may_be_special(below.duels, link.slot, step.cell, link.everyone):
        _solve_one_by_one(below.duels, step, scratch, layers, link, source)
    keep_better(before.cards, link.before * PLANES * words, words, row, step.seat)


@inline_kernel
def _solve_last(below: Below, step: Step, scratch: Scratch, layers: Layers, link: Link) -> None:
    """Write what the patterns of a placement are worth, whose only move is the game's last."""
    before, after = layers
    words = words_of(CELLS - 1)
    if not _is_reachable(before, link.before, words):
        return
    taken = 0
    beaten = word(below.duels, BEATS, step.cell, link.slot) & link.everyone
    for lane in range(LANES):
        if (beaten >> (LANE_BITS * lane)) & LANE:
            taken |= 1 << scratch.dimensions[lane]
    target = link.before * PLANES * words
    for number in range(PLANES * words):
        before.cards[target + number] = after.cards[taken * PLANES * words + number]
    if may_be_special(below.duels, link.slot, step.cell, link.everyone):
        _solve_one_by_one(below.duels, step, scratch, layers, link, NO_CODE)


@kernel
def _solve_one_by_one(
    duels: Duels, step: Step, scratch: Scratch, layers: Layers, link: Link, source: int
) -> None:
    """Write, for each reachable pattern, what a move brings."""
    before, after = layers
    forget_beats(scratch)
    for number in range(before.words):
        left = int(before.reachable[link.before * before.words + number])
        while left:
            pattern = number * WORD_BITS + lowest_bit(left)
            left = drop_lowest(left)
            owners = owners_after(duels, step, scratch, link, pattern)
            if after.ply == CELLS:
                cards = CELLS - bit_count(owners)
                target = link.before * PLANES * before.words
                set_number(before.cards, target, before.words, pattern, cards)
            else:
                later = int(scratch.patterns[owners])
                cards = number_at(after.cards, source, after.words, later)
                set_number(scratch.row, 0, before.words, pattern, cards)


@inline_kernel
def _placement_after(below: Below, step: Step, link: Link) -> int:
    """Return the placement after a move where there are copies; NO_CODE if it is no move.

    Of equal cards in a hand the lowest slot is played.
    """
    root = below.root
    alike = int(root.alike[link.slot])
    used = slots_down(link.code)
    if alike & int(HANDS[step.seat]) & ~used & ((1 << link.slot) - 1):
        return NO_CODE
    if alike & used == 0:
        return link.after
    return placement_of(root, arranged(root, with_card(link.code, link.slot, step.cell, 0)))
