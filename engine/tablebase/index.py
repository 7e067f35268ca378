"""A dense number for every state below a root, ply by ply.

At a ply an index is made of, the slowest part first:

    cells     which of the free cells are occupied
    firsts    which of those hold the starter's cards     } frame     }
    order     of the starter's cards on their cells                   } placement
    order     of the other player's cards on theirs                   }
    pattern   a bit for each card on the board, the lowest cell's lowest: its owner

Sets of cells are ranked by `rank_subset`, orders as in `engine.tablebase.orders`. Placements whose
equal cards are not arranged (see `engine.tablebase.root`) belong to no state.
"""

from __future__ import annotations

from math import comb

import numpy as np

from engine.game.board import (
    CELLS,
    EMPTY,
    EMPTY_BOARD,
    HANDS,
    SLOT_BITS,
    empty_cells,
    slot_at,
)
from engine.kernel import Numbers, bit_count, inline_kernel, kernel, lowest_bit
from engine.tablebase.orders import order_count, rank_with, write_order
from engine.tablebase.root import Root, hand_size, placed_by

CHOOSE = np.array(  # [10, 10]: CHOOSE[n, k] subsets of k out of n
    [[comb(n, k) for k in range(CELLS + 1)] for n in range(CELLS + 1)], dtype=np.int64
)


@inline_kernel
def orders_at(root: Root, ply: int, seat: int) -> int:
    """Return the number of a seat's orders at a ply."""
    return order_count(hand_size(root, seat), placed_by(root, ply, seat))


@kernel
def frames_at(root: Root, ply: int) -> int:
    """Return the number of frames at a ply."""
    down = ply - root.ply
    return int(CHOOSE[bit_count(root.free), down] * CHOOSE[down, placed_by(root, ply, 0)])


@kernel
def placements_at(root: Root, ply: int) -> int:
    """Return the number of placements at a ply."""
    return frames_at(root, ply) * orders_at(root, ply, 0) * orders_at(root, ply, 1)


@kernel
def rank_subset(universe: int, subset: int) -> int:
    """Return the rank of a subset among those of its size, of the mask `universe`.

    Subsets are ranked as numbers are: the highest member counts first.
    """
    rank, count = 0, 0
    while subset:
        member = lowest_bit(subset)
        subset &= subset - 1
        count += 1
        rank += int(CHOOSE[bit_count(universe & ((1 << member) - 1)), count])
    return rank


@kernel
def subset_at(universe: int, size: int, rank: int) -> int:
    """Return the subset of `size` members that has a rank."""
    subset = 0
    place = bit_count(universe)
    for count in range(size, 0, -1):
        place -= 1
        while CHOOSE[place, count] > rank:
            place -= 1
        rank -= int(CHOOSE[place, count])
        members = universe
        for _ in range(place):
            members &= members - 1
        subset |= members & -members
    return subset


@inline_kernel
def frame_of(root: Root, down: int, firsts: int) -> int:
    """Return the number of a frame: the cells filled below the root, and the starter's of them."""
    kinds = int(CHOOSE[bit_count(down), bit_count(firsts)])
    return rank_subset(root.free, down) * kinds + rank_subset(down, firsts)


@kernel
def frame_at(root: Root, ply: int, frame: int) -> tuple[int, int]:
    """Return the cells filled below the root, and those of them with the starter's cards."""
    count = ply - root.ply
    firsts = placed_by(root, ply, 0)
    kinds = int(CHOOSE[count, firsts])
    down = subset_at(root.free, count, frame // kinds)
    return down, subset_at(down, firsts, frame % kinds)


@inline_kernel
def placement_of(root: Root, code: int) -> int:
    """Return the placement of a code below the root."""
    down = root.free & ~empty_cells(code)
    firsts, rank, first_orders = 0, 0, 0
    for seat in range(2):
        hand = root.hands & int(HANDS[seat])
        order, used = 0, 0
        cells = down
        while cells:
            cell = lowest_bit(cells)
            cells &= cells - 1
            slot = slot_at(code, cell)
            if (hand >> slot) & 1:
                number = bit_count(hand & ((1 << slot) - 1))
                order = rank_with(order, bit_count(hand), used, number)
                used |= 1 << number
                firsts |= (1 - seat) << cell
        first_orders = rank
        rank = order
    ply = root.ply + bit_count(down)
    frame = frame_of(root, down, firsts)
    return (frame * orders_at(root, ply, 0) + first_orders) * orders_at(root, ply, 1) + rank


@kernel
def code_of_orders(root: Root, cells: int, seat: int, numbers: Numbers) -> int:
    """Return the bits that change in the root's code when a seat's cards lie on `cells`."""
    hand = root.hands & int(HANDS[seat])
    bits, position = 0, 0
    while cells:
        cell = lowest_bit(cells)
        cells &= cells - 1
        slots = hand
        for _ in range(numbers[position]):
            slots &= slots - 1
        bits |= (EMPTY ^ lowest_bit(slots)) << (SLOT_BITS * cell)
        position += 1
    return bits


@kernel
def code_at(root: Root, ply: int, placement: int, numbers: Numbers) -> int:
    """Return the code of a placement, all cards the starter's; `numbers` [5] is scratch."""
    seconds = orders_at(root, ply, 1)
    firsts = orders_at(root, ply, 0)
    down, first_cells = frame_at(root, ply, placement // (firsts * seconds))
    code = root.code & EMPTY_BOARD
    for seat in range(2):
        rank = placement % seconds if seat else placement // seconds % firsts
        cells = down & ~first_cells if seat else first_cells
        write_order(hand_size(root, seat), bit_count(cells), rank, numbers)
        code ^= code_of_orders(root, cells, seat, numbers)
    return code


@kernel
def pattern_of(occupied: int, owners: int) -> int:
    """Return the pattern of a mask of owners: a bit for each occupied cell."""
    pattern, place = 0, 0
    while occupied:
        cell = lowest_bit(occupied)
        occupied &= occupied - 1
        pattern |= ((owners >> cell) & 1) << place
        place += 1
    return pattern


@kernel
def owners_at(occupied: int, pattern: int) -> int:
    """Return the mask of owners of a pattern."""
    owners = 0
    while occupied:
        cell = lowest_bit(occupied)
        occupied &= occupied - 1
        owners |= (pattern & 1) << cell
        pattern >>= 1
    return owners
