"""The last three plies, written out: most of a search is spent here.

At ply 6 the starter has two cards for three cells, at ply 7 the other player two for two,
at ply 8 the starter's last card goes to the last cell. Each function answers for its mover
like `engine.search.exact.search`: it returns n, and the mover ends with at least n cards when
n >= goal, and with at most n when n < goal.
"""

from __future__ import annotations

from engine.game.board import ALL_CELLS, CELLS, HAND_SIZE, owners_of, with_captures, with_card
from engine.game.capture import taken_by
from engine.game.duels import Duels, shadow
from engine.kernel import bit_count, inline_kernel, kernel, lowest_bit
from engine.search.ordering import cell_of, code_after_choice, insert_choice, pack_choice, slot_of
from engine.search.workspace import NODES, Node, Scratch, Workspace, choice_place, contacts_at

_FIRST_HAND = (1 << HAND_SIZE) - 1
LAST_THREE = CELLS - 3  # the ply at which three cells are left


@inline_kernel
def last_card(duels: Duels, code: int, cell: int, everyone: int, slot: int) -> int:
    """Return the cards the starter ends with, putting `slot` on the last `cell`."""
    theirs = owners_of(code)
    taken = taken_by(duels, code, slot, cell, everyone, theirs)
    return CELLS - bit_count(theirs) + bit_count(taken)


@kernel
def last_two(
    duels: Duels, code: int, cells: tuple[int, int], around: tuple[int, int], hands: int, goal: int
) -> int:
    """Answer for the second player, who has two cells left with the contacts `around`."""
    here, there = cells
    around_here, around_there = around
    owners = owners_of(code)
    theirs = ALL_CELLS & ~(owners | 1 << here | 1 << there)
    owned = bit_count(owners) + 1
    last = lowest_bit(hands & _FIRST_HAND)
    best = 0
    for _ in range(2):
        slots = hands & ~_FIRST_HAND
        while slots:
            slot = lowest_bit(slots)
            slots &= slots - 1
            taken = taken_by(duels, code, slot, here, around_here, theirs)
            cards = owned + bit_count(taken)
            if cards >= goal:  # the last card can only take some of them back
                after = with_captures(with_card(code, slot, here, 1), taken)
                everyone = around_there | shadow(duels, here, slot, there)
                cards = CELLS - last_card(duels, after, there, everyone, last)
            if cards > best:
                best = cards
                if best >= goal:
                    return best
        here, there = there, here
        around_here, around_there = around_there, around_here
    return best


@inline_kernel
def list_last_choices(duels: Duels, scratch: Scratch, node: Node) -> int:
    """Write the starter's moves at ply 6 into its row, most captures first; return how many."""
    code, empty, hands = node
    theirs = owners_of(code)
    count = 0
    cells = empty
    while cells:
        cell = lowest_bit(cells)
        cells &= cells - 1
        everyone = contacts_at(scratch, LAST_THREE, cell)
        slots = hands & _FIRST_HAND
        while slots:
            slot = lowest_bit(slots)
            slots &= slots - 1
            taken = taken_by(duels, code, slot, cell, everyone, theirs)
            choice = pack_choice(bit_count(taken), taken, slot, cell)
            insert_choice(scratch, LAST_THREE, count, choice)
            count += 1
    return count


@kernel
def last_three(work: Workspace, node: Node, goal: int) -> int:
    """Answer for the starter at ply 6, whose row has its contacts set."""
    duels, scratch = work.duels, work.scratch
    code, empty, hands = node
    best = 0
    for number in range(list_last_choices(duels, scratch, node)):
        choice = int(scratch[choice_place(LAST_THREE, number)])
        cell, slot = cell_of(choice), slot_of(choice)
        left = empty & ~(1 << cell)
        here, there = lowest_bit(left), lowest_bit(left & (left - 1))
        around_here = contacts_at(scratch, LAST_THREE, here) | shadow(duels, cell, slot, here)
        around_there = contacts_at(scratch, LAST_THREE, there) | shadow(duels, cell, slot, there)
        after = code_after_choice(code, choice, 0)
        work.control[NODES] += 1
        cards = CELLS - last_two(
            duels,
            after,
            (here, there),
            (around_here, around_there),
            hands & ~(1 << slot),
            CELLS + 1 - goal,
        )
        if cards > best:
            best = cards
            if best >= goal:
                break
    return best
