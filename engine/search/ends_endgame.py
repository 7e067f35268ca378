"""The last three plies of a search by ends, written out.

As `engine.search.endgame`, but a finished board is looked up instead of counted: what the set of
cards that the starter owns is worth stands in `ends` (see `engine.search.ends`).
"""

from __future__ import annotations

from engine.game.board import ALL_CELLS, owners_of, slot_at, with_captures, with_card
from engine.game.capture import taken_by
from engine.game.duels import Duels, shadow
from engine.kernel import Numbers, inline_kernel, kernel, lowest_bit
from engine.search.endgame import LAST_THREE, list_last_choices
from engine.search.ordering import cell_of, code_after_choice, slot_of
from engine.search.workspace import NODES, Node, Workspace, choice_place, contacts_at

SETS = 1 << 10  # of ten cards, as masks of slots
LEAST_AT, TOTAL_AT = SETS, 2 * SETS
ENDS_LENGTH = TOTAL_AT + 1
NOTHING = -1  # below every worth

_FIRST_HAND = 0b11111

Window = tuple[int, int]
Owned = tuple[int, int]  # code, mask of the slots that the starter owns


@inline_kernel
def slots_on(code: int, cells: int) -> int:
    """Return the mask of slots that lie on a mask of cells."""
    slots = 0
    while cells:
        slots |= 1 << slot_at(code, lowest_bit(cells))
        cells &= cells - 1
    return slots


@inline_kernel
def end_after_last(duels: Duels, owned: Owned, cell: int, everyone: int, slot: int) -> int:
    """Return the slots the starter owns after it puts `slot` on the last `cell`."""
    code, slots = owned
    taken = taken_by(duels, code, slot, cell, everyone, owners_of(code))
    return slots | slots_on(code, taken)


@kernel
def last_two(
    duels: Duels,
    ends: Numbers,
    owned: Owned,
    hands: int,
    places: tuple[int, int, int, int],
    window: Window,
) -> int:
    """Answer for the second player, with two cells left: both, and the contacts of both."""
    code, slots_owned = owned
    here, there, around_here, around_there = places
    low, high = window
    total = int(ends[TOTAL_AT])
    theirs = ALL_CELLS & ~(owners_of(code) | 1 << here | 1 << there)
    last = lowest_bit(hands & _FIRST_HAND)
    best = NOTHING
    for _ in range(2):
        slots = hands & ~_FIRST_HAND
        while slots:
            slot = lowest_bit(slots)
            slots &= slots - 1
            taken = taken_by(duels, code, slot, here, around_here, theirs)
            kept = slots_owned & ~slots_on(code, taken)
            worth = total - int(ends[LEAST_AT + kept])  # the last card only adds to what is kept
            if worth > max(best, low):
                after = with_captures(with_card(code, slot, here, 1), taken)
                everyone = around_there | shadow(duels, here, slot, there)
                end = end_after_last(duels, (after, kept), there, everyone, last)
                worth = total - int(ends[end])
            if worth > best:
                best = worth
                if best >= high:
                    return best
        here, there = there, here
        around_here, around_there = around_there, around_here
    return best


@kernel
def last_three(work: Workspace, ends: Numbers, node: Node, owned: int, window: Window) -> int:
    """Answer for the starter at ply 6, whose row has its contacts set."""
    duels, scratch = work.duels, work.scratch
    code, empty, hands = node
    low, high = window
    total = int(ends[TOTAL_AT])
    best = NOTHING
    for number in range(list_last_choices(duels, scratch, node)):
        choice = int(scratch[choice_place(LAST_THREE, number)])
        cell, slot = cell_of(choice), slot_of(choice)
        left = empty & ~(1 << cell)
        here, there = lowest_bit(left), lowest_bit(left & (left - 1))
        around_here = contacts_at(scratch, LAST_THREE, here) | shadow(duels, cell, slot, here)
        around_there = contacts_at(scratch, LAST_THREE, there) | shadow(duels, cell, slot, there)
        after = code_after_choice(code, choice, 0)
        gained = slots_on(code, owners_of(code) & ~owners_of(after))
        work.control[NODES] += 1
        worth = total - last_two(
            duels,
            ends,
            (after, owned | gained),
            hands & ~(1 << slot),
            (here, there, around_here, around_there),
            (total - high, total - max(low, best)),
        )
        if worth > best:
            best = worth
            if best >= high:
                break
    return best
