"""A step: a move onto one cell, for all placements of a frame at once.

What the placements of a frame share is worked out once: which cards every order of a seat
puts on which cells, what they add to the contacts of the cell, and which dimensions of a
set of patterns (see `engine.tablebase.patterns`) the cards around the cell are.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.game.board import ALL_CELLS, CELLS, EMPTY_BOARD, NEIGHBOURS, SIDES, WALL, slot_at
from engine.game.capture import CHAINS, beaten_by, contacts, seized
from engine.game.duels import PLUS, SAME, Duels, options_of
from engine.game.lanes import LANE_OF_SIDE, LANES
from engine.game.state import State
from engine.kernel import Numbers, allocating_kernel, bit_count, inline_kernel, kernel, lowest_bit
from engine.tablebase.index import code_of_orders, frame_at, frame_of, orders_at, owners_at
from engine.tablebase.orders import MOST_ORDERS, Orders, orders_of
from engine.tablebase.patterns import PLANES, Bits
from engine.tablebase.root import Root, emptied, hand_size, make_root

NO_DIMENSION = -1
MOST_WORDS = 4  # of a set, at the last ply but one
_UNKNOWN = -1


class Below(NamedTuple):
    """All that stays the same below a root."""

    root: Root
    duels: Duels
    first: Orders  # of the starter's hand
    second: Orders  # of the other player's


def make_below(state: State) -> Below:
    """Return all that stays the same below a root."""
    root = make_root(state)
    first, second = (orders_of(hand_size(root, seat)) for seat in range(2))
    return Below(root, state.deal.duels, first, second)


class Layer(NamedTuple):
    """The states of one ply: for each placement a set of reachable patterns, and planes."""

    ply: int
    words: int  # of a set
    reachable: Bits  # [placements, words], flat
    cards: Bits  # [placements, PLANES, words], flat: the starter's cards at the end


Layers = tuple[Layer, Layer]  # before and after a move


class Scratch(NamedTuple):
    """What the placements of one frame share, filled anew for each frame and step."""

    parts: Numbers  # [2, 120]: by seat and order, the bits its cards change in the root's code
    shadows: Numbers  # [2, 120]: by seat and order, what its cards add to the cell's contacts
    shorter: Numbers  # [120]: by the mover's order after the move, its order before it
    dimensions: Numbers  # [4]: by lane, the dimension of the cell's neighbour
    owners: Numbers  # [512]: by pattern before the move, the mask of owners
    patterns: Numbers  # [512]: by mask of owners, the pattern after the move
    beats: Numbers  # [9]: by cell, the cells whose cards its card beats, or _UNKNOWN
    row: Bits  # [16]: one placement's planes, or its set
    half: Bits  # [16]


class Step(NamedTuple):
    """A move onto one cell, from the placements of one frame to those of another."""

    seat: int  # that moves
    cell: int
    dimension: int  # of the placed card among those on the board after the move
    around: int  # contacts of the cell that lie there since the root
    first_before: int  # the frames' first placements
    first_after: int


class Link(NamedTuple):
    """A step of one placement: where it comes from, where it leads."""

    slot: int  # that moves
    code: int  # before the move; all owners 0
    everyone: int  # contacts of the cell
    before: int  # placement
    after: int  # placement


@allocating_kernel
def make_scratch() -> Scratch:
    """Return the arrays, not yet filled."""
    return Scratch(
        np.zeros((2, MOST_ORDERS), dtype=np.int64),
        np.zeros((2, MOST_ORDERS), dtype=np.int64),
        np.zeros(MOST_ORDERS, dtype=np.int64),
        np.zeros(LANES, dtype=np.int64),
        np.zeros(ALL_CELLS + 1, dtype=np.int64),
        np.zeros(ALL_CELLS + 1, dtype=np.int64),
        np.zeros(CELLS, dtype=np.int64),
        np.zeros(PLANES * MOST_WORDS, dtype=np.int64),
        np.zeros(PLANES * MOST_WORDS, dtype=np.int64),
    )


@kernel
def fill_parts(below: Below, ply: int, down: int, firsts: int, scratch: Scratch) -> None:
    """Write the codes' parts for every order of both seats in a frame."""
    for seat in range(2):
        cells = down & ~firsts if seat else firsts
        orders = below.second if seat else below.first
        for rank in range(orders_at(below.root, ply, seat)):
            numbers = orders.numbers[bit_count(cells), rank]
            scratch.parts[seat, rank] = code_of_orders(below.root, cells, seat, numbers)


@kernel
def start_step(below: Below, ply: int, frame: int, cell: int, scratch: Scratch) -> Step:
    """Return the step onto `cell` that leads to a frame of `ply`.

    The codes' parts must be those of that frame.
    """
    root, duels = below.root, below.duels
    down, firsts = frame_at(root, ply, frame)
    before = ALL_CELLS & ~root.free | down & ~(1 << cell)
    seat = (ply - 1) & 1
    for either in range(2):
        for rank in range(orders_at(root, ply, either)):
            code = EMPTY_BOARD ^ int(scratch.parts[either, rank])
            scratch.shadows[either, rank] = contacts(duels, code, cell)
    _fill_dimensions(before, cell, scratch)
    if options_of(duels) & (SAME | PLUS):
        _fill_patterns(before, cell, scratch)
    own = down & ~firsts if seat else firsts
    position = bit_count(own & ((1 << cell) - 1))
    orders = below.second if seat else below.first
    for rank in range(orders_at(root, ply, seat)):
        scratch.shorter[rank] = orders.shorter[bit_count(own), rank, position]
    frame_before = frame_of(root, down & ~(1 << cell), firsts & ~(1 << cell))
    return Step(
        seat,
        cell,
        bit_count(before & ((1 << cell) - 1)),
        contacts(duels, root.code, cell),
        frame_before * orders_at(root, ply - 1, 0) * orders_at(root, ply - 1, 1),
        frame * orders_at(root, ply, 0) * orders_at(root, ply, 1),
    )


@kernel
def _fill_dimensions(before: int, cell: int, scratch: Scratch) -> None:
    """Write which dimensions the cards around an empty cell are."""
    for side in range(SIDES):
        other = int(NEIGHBOURS[cell, side])
        dimension = NO_DIMENSION
        if other != WALL and (before >> other) & 1:
            dimension = bit_count(before & ((1 << other) - 1))
        scratch.dimensions[LANE_OF_SIDE[side]] = dimension


@kernel
def _fill_patterns(before: int, cell: int, scratch: Scratch) -> None:
    """Write which owners every pattern means before, and every mask of owners after a move."""
    for pattern in range(1 << bit_count(before)):
        scratch.owners[pattern] = owners_at(before, pattern)
    after = before | 1 << cell
    for pattern in range(1 << bit_count(after)):
        scratch.patterns[owners_at(after, pattern)] = pattern


@inline_kernel
def link_at(below: Below, step: Step, scratch: Scratch, ply: int, rank_0: int, rank_1: int) -> Link:
    """Return the link to the placement of two orders at `ply`, after the move."""
    root = below.root
    orders_1 = orders_at(root, ply, 1)
    before_1 = orders_at(root, ply - 1, 1)
    code = root.code & EMPTY_BOARD ^ int(scratch.parts[0, rank_0] ^ scratch.parts[1, rank_1])
    everyone = int(scratch.shadows[0, rank_0] | scratch.shadows[1, rank_1]) | step.around
    if step.seat:
        before = rank_0 * before_1 + int(scratch.shorter[rank_1])
    else:
        before = int(scratch.shorter[rank_0]) * before_1 + rank_1
    return Link(
        slot_at(code, step.cell),
        emptied(code, step.cell),
        everyone,
        step.first_before + before,
        step.first_after + rank_0 * orders_1 + rank_1,
    )


@inline_kernel
def forget_beats(scratch: Scratch) -> None:
    """Forget what beats what: another placement comes."""
    for cell in range(CELLS):
        scratch.beats[cell] = _UNKNOWN


@inline_kernel
def owners_after(duels: Duels, step: Step, scratch: Scratch, link: Link, pattern: int) -> int:
    """Return the mask of owners that a move makes of one pattern, whatever rule is at work.

    What beats what is found out once for all patterns of a placement.
    """
    owners = int(scratch.owners[pattern])
    theirs = ~owners if step.seat else owners
    taken = seized(duels, link.slot, step.cell, link.everyone, theirs)
    if taken & CHAINS:
        taken &= ~CHAINS
        frontier = taken
        while frontier:
            cell = lowest_bit(frontier)
            frontier &= frontier - 1
            if scratch.beats[cell] == _UNKNOWN:
                scratch.beats[cell] = beaten_by(duels, link.code, cell, ALL_CELLS)
            fresh = int(scratch.beats[cell]) & theirs & ~taken
            taken |= fresh
            frontier |= fresh
    return (owners ^ taken) | (step.seat << step.cell)
