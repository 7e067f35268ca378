"""Kernels: every world at once, from ply 4 on. Worlds share the pool, so tables do too.

Unseen cards are alike until they are played: after known moves a state is the same in all
worlds that hold the cards played. So it is worked out once for each card, or pair of cards:

    ply 4   you   c on a cell   you   d on one of two cells   you, forced
    ply 5   you   c on a cell   you   d on the last cell
    ply 6   you                       d on one of two cells   you, forced
    ply 7   you                       d on the last cell
            m     cell          r

`ends[c, m, cell, r, d]` is how many cards you have at the end; at plies 6 and 7 there is one c,
which is nobody, one cell and one r. Both of the last lines are the opponent's to choose, so a
world's value is a minimum and a maximum over its cards of what stands in the table.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from advise.view_arrays import ViewArrays
from engine.game.board import (
    CELLS,
    HANDS,
    empty_cells,
    slots_down,
    with_captures,
    with_card,
)
from engine.game.capture import contacts, opposing, place, taken_by
from engine.game.duels import Duels, Room, shadow, write_duels
from engine.game.moves import Moves, unpack_move
from engine.kernel import Numbers, inline_kernel, kernel, lowest_bit
from engine.search.endgame import last_card

Ends: TypeAlias = npt.NDArray[np.uint8]  # [first cards, moves, cells, replies, last cards]
Finals: TypeAlias = npt.NDArray[np.uint8]  # [moves, worlds]: the viewer's cards at the end

NODE_WORDS = 6  # of a state before the opponent's last card: see `write_node`
_CODE, _HERE, _THERE, _AROUND_HERE, _AROUND_THERE, _LAST = range(NODE_WORDS)
NOWHERE = -1


class Bench(NamedTuple):
    """What tables are made with; each thread has its own."""

    duels: Duels
    room: Room
    ids: Numbers  # [10]
    cards: Numbers  # [10, 5]
    nodes: Numbers  # [moves * cells * replies, NODE_WORDS]


@kernel
def fill_slot(bench: Bench, view: ViewArrays, slot: int, card: Numbers) -> None:
    """Put a card, four ranks and an element, into a slot; the duels are then as it has it."""
    for column in range(len(card)):
        bench.cards[slot, column] = card[column]
    write_duels(bench.duels, bench.room, bench.ids, bench.cards, view.elements, view.options)


@kernel
def write_node(duels: Duels, code: int, seat: int, node: Numbers) -> None:
    """Write all that is needed of a state with at most two empty cells, the opponent to move."""
    empty = empty_cells(code)
    here, others = lowest_bit(empty), empty & (empty - 1)
    there = lowest_bit(others) if others else NOWHERE
    node[_CODE], node[_HERE], node[_THERE] = code, here, there
    node[_AROUND_HERE] = contacts(duels, code, here)
    node[_AROUND_THERE] = contacts(duels, code, there) if others else 0
    node[_LAST] = lowest_bit(int(HANDS[seat]) & ~slots_down(code))


@inline_kernel
def end_after(
    duels: Duels, node: Numbers, slot: int, cells: tuple[int, int], around: tuple[int, int]
) -> int:
    """Return the starter's cards after the other puts `slot` on the first of two cells."""
    code = int(node[_CODE])
    taken = taken_by(duels, code, slot, cells[0], around[0], opposing(code, 1))
    after = with_captures(with_card(code, slot, cells[0], 1), taken)
    everyone = around[1] | shadow(duels, cells[0], slot, cells[1])
    return last_card(duels, after, cells[1], everyone, int(node[_LAST]))


@kernel
def end_of(duels: Duels, node: Numbers, slot: int) -> int:
    """Return the viewer's cards at the end when the opponent makes the most of `slot`."""
    here, there = int(node[_HERE]), int(node[_THERE])
    around_here, around_there = int(node[_AROUND_HERE]), int(node[_AROUND_THERE])
    if there == NOWHERE:  # the opponent is the starter, and puts down the last card
        return CELLS - last_card(duels, int(node[_CODE]), here, around_here, slot)
    one = end_after(duels, node, slot, (here, there), (around_here, around_there))
    other = end_after(duels, node, slot, (there, here), (around_there, around_here))
    return min(one, other)


@kernel
def write_replies(duels: Duels, code: int, seat: int, nodes: Numbers) -> int:
    """Write the nodes after each move of the viewer, by slot and cell; return how many."""
    hand, empty = int(HANDS[seat]) & ~slots_down(code), empty_cells(code)
    count = 0
    while hand:
        slot = lowest_bit(hand)
        hand &= hand - 1
        cells = empty
        while cells:
            after = place(duels, code, slot, lowest_bit(cells), seat)
            cells &= cells - 1
            write_node(duels, after, seat, nodes[count])
            count += 1
    return count


@kernel
def write_lines(bench: Bench, view: ViewArrays, moves: Moves, slot: int) -> None:
    """Write the nodes of an early table: after each move, cell of `slot`, and reply."""
    duels, count = bench.duels, 0
    for number in range(len(moves)):
        own_slot, own_cell = unpack_move(int(moves[number]))
        code = place(duels, view.code, own_slot, own_cell, view.seat)
        cells = empty_cells(code)
        while cells:
            after = place(duels, code, slot, lowest_bit(cells), 1 - view.seat)
            cells &= cells - 1
            count += write_replies(duels, after, view.seat, bench.nodes[count:])


@kernel
def write_late_ends(
    bench: Bench, view: ViewArrays, moves: Moves, pool: Numbers, ends: Ends
) -> None:
    """Write the table of plies 6 and 7. `pool` [cards, 5]."""
    last = int(view.slots[0])
    for number in range(len(moves)):
        slot, cell = unpack_move(int(moves[number]))
        fill_slot(bench, view, last, pool[0])
        code = place(bench.duels, view.code, slot, cell, view.seat)
        write_node(bench.duels, code, view.seat, bench.nodes[number])
    for card in range(len(pool)):
        fill_slot(bench, view, last, pool[card])
        for number in range(len(moves)):
            ends[0, number, 0, 0, card] = end_of(bench.duels, bench.nodes[number], last)


@kernel
def write_early_ends(
    bench: Bench,
    view: ViewArrays,
    moves: Moves,
    pool: Numbers,
    firsts: tuple[int, int],
    ends: Ends,
) -> None:
    """Write the table of plies 4 and 5, for the first cards of this range of places."""
    slot, last = int(view.slots[0]), int(view.slots[1])
    _, _, cells, replies, _ = ends.shape
    for card in range(firsts[0], firsts[1]):
        fill_slot(bench, view, slot, pool[card])
        write_lines(bench, view, moves, slot)
        for other in range(len(pool)):
            fill_slot(bench, view, last, pool[other])
            for line in range(len(bench.nodes)):
                number, rest = line // (cells * replies), line % (cells * replies)
                end = end_of(bench.duels, bench.nodes[line], last)
                ends[card, number, rest // replies, rest % replies, other] = end
