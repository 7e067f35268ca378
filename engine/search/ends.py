"""Exact search by ends: each set of cards that the starter may own at the end has its worth.

    ends  words 0..1023      what the starter has of a set of slots that it owns at the end
          words 1024..2047   the least of all sets that hold a set, which a last card can lead to
          word 2048          the total, which both share: the other has the rest

Direct is such a game (worth: the weights of the cards owned), and so is a round of Sudden Death
(worth: won, lost, or what the next round is). A card in hand is its holder's, the unplayed one too.

A search has a window: low < high. Every answer is a number n for the mover:

    n >= high   the mover reaches at least n
    n <= low    the mover reaches at most n, else exactly n
"""

from __future__ import annotations

import numpy as np

from engine.game.board import (
    ALL_CELLS,
    CELLS,
    HANDS,
    SLOTS,
    empty_cells,
    owners_of,
    slots_down,
)
from engine.game.moves import NO_MOVE, Moves, code_after, list_moves, pack_move
from engine.kernel import Numbers, bit_count, kernel, lowest_bit
from engine.search.bounds import (
    bounds_at,
    bounds_place,
    keep_bounds,
    lower_of,
    move_in,
    upper_of,
)
from engine.search.endgame import LAST_THREE
from engine.search.ends_endgame import (
    ENDS_LENGTH,
    LEAST_AT,
    NOTHING,
    SETS,
    TOTAL_AT,
    Window,
    end_after_last,
    last_three,
    last_two,
    slots_on,
)
from engine.search.ordering import cell_of, code_after_choice, list_choices, next_choice, slot_of
from engine.search.workspace import (
    NODES,
    Node,
    Workspace,
    add_contacts,
    contacts_at,
    is_stopped,
    note_killer,
    set_contacts,
)

_ALL_SLOTS = SETS - 1


def make_ends(worths: Numbers, total: int) -> Numbers:
    """Return the ends in which each set of slots has its worth [1024] for the starter."""
    ends = np.empty(ENDS_LENGTH, dtype=np.int64)
    ends[:SETS], ends[TOTAL_AT] = worths, total
    least = worths.copy()
    for slot in range(SLOTS):  # slot by slot: with it or without, whichever is less
        pairs = least.reshape(-1, 2, 1 << slot)
        pairs[:, 0] = pairs.min(axis=1)
    ends[LEAST_AT:TOTAL_AT] = least
    return ends


@kernel
def owned_slots(code: int) -> int:
    """Return the slots that are the starter's: on the board those it owns, else those it holds."""
    theirs = slots_on(code, owners_of(code))
    ours = slots_on(code, ALL_CELLS & ~(empty_cells(code) | owners_of(code)))
    return (int(HANDS[0]) | ours) & ~theirs


@kernel
def search(work: Workspace, ends: Numbers, node: Node, owned: int, window: Window) -> int:
    """Answer for the mover of a state with at least three empty cells.

    Its ply's row must have its contacts set; `owned` are the slots that are the starter's.
    """
    code, empty, hands = node
    ply = CELLS - bit_count(empty)
    work.control[NODES] += 1
    if ply == LAST_THREE:
        return last_three(work, ends, node, owned, window)
    if is_stopped(work.control):
        return 0
    low, high = window
    place = bounds_place(work.entries, code)
    bounds = bounds_at(work.entries, place, code)
    lower, upper = lower_of(bounds), upper_of(bounds)
    if lower >= high or lower == upper:
        return lower
    if upper <= low:
        return upper
    low, high = max(low, lower), min(high, upper)
    total = int(ends[TOTAL_AT])
    best, best_move = NOTHING, 0
    count = list_choices(work, node, move_in(bounds))
    for number in range(count):
        choice = next_choice(work.scratch, ply, number, count)
        cell, slot = cell_of(choice), slot_of(choice)
        add_contacts(work, ply, slot, cell)
        placed = code_after_choice(code, choice, ply & 1)
        taken = (owners_of(placed) ^ owners_of(code)) & ~(1 << cell)
        after = (placed, empty & ~(1 << cell), hands & ~(1 << slot))
        then = owned ^ slots_on(code, taken)
        floor = max(low, best)
        ceiling = high if number == 0 else floor + 1  # is it better at all?
        worth = total - search(work, ends, after, then, (total - ceiling, total - floor))
        if ceiling <= worth < high:
            worth = total - search(work, ends, after, then, (total - high, total - worth))
        if worth > best:
            best, best_move = worth, pack_move(slot, cell)
            if best >= high:
                note_killer(work.scratch, ply, best_move)
                break
    if not is_stopped(work.control):
        proven = (best if best > low else lower, best if best < high else upper)
        keep_bounds(work.entries, place, code, proven, best_move)
    return best


@kernel
def answer(work: Workspace, ends: Numbers, code: int, window: Window) -> int:
    """Answer for the mover of any state."""
    empty, owned = empty_cells(code), owned_slots(code)
    total = int(ends[TOTAL_AT])
    if empty == 0:  # the second seat's turn, if there were one
        return total - int(ends[owned])
    hands = _ALL_SLOTS & ~slots_down(code)
    ply = CELLS - bit_count(empty)
    set_contacts(work, code, ply)
    if ply <= LAST_THREE:
        return search(work, ends, (code, empty, hands), owned, window)
    work.control[NODES] += 1
    here = lowest_bit(empty)
    around_here = contacts_at(work.scratch, ply, here)
    if ply == CELLS - 1:
        slot = lowest_bit(hands & int(HANDS[0]))
        return int(ends[end_after_last(work.duels, (code, owned), here, around_here, slot)])
    there = lowest_bit(empty & (empty - 1))
    around_there = contacts_at(work.scratch, ply, there)
    places = (here, there, around_here, around_there)
    return last_two(work.duels, ends, (code, owned), hands, places, window)


@kernel
def exact_worth(work: Workspace, ends: Numbers, code: int) -> int:
    """Return what the mover reaches."""
    total = int(ends[TOTAL_AT])
    above = total + 1
    # A constant within the tuple would be a type of its own, and search a pair of functions that
    # call each other, which cannot be loaded from the cache.
    return answer(work, ends, code, (total - above, above))


@kernel
def first_reaching(work: Workspace, ends: Numbers, code: int, goal: int, moves: Moves) -> int:
    """Return the first move in the documented order that reaches `goal`, NO_MOVE if none does."""
    total = int(ends[TOTAL_AT])
    for number in range(list_moves(work.duels, code, moves)):
        move = int(moves[number])
        after = code_after(work.duels, code, move)
        if total - answer(work, ends, after, (total - goal, total - goal + 1)) >= goal:
            return move
    return NO_MOVE


@kernel
def solve(work: Workspace, ends: Numbers, code: int, moves: Moves, line: Moves) -> int:
    """Return what the mover reaches; write the first best moves to the end into `line` [9]."""
    reached = exact_worth(work, ends, code)
    goal, number = reached, 0
    while empty_cells(code) and not is_stopped(work.control):
        move = first_reaching(work, ends, code, goal, moves)
        if move == NO_MOVE:  # stopped
            break
        line[number] = move
        code = code_after(work.duels, code, move)
        goal = int(ends[TOTAL_AT]) - goal
        number += 1
    return reached


@kernel
def rank(work: Workspace, ends: Numbers, code: int, moves: Moves, worths: Numbers) -> int:
    """Write all legal moves, in order, and what the mover reaches by each; return how many."""
    count = list_moves(work.duels, code, moves)
    for number in range(count):
        after = code_after(work.duels, code, int(moves[number]))
        worths[number] = int(ends[TOTAL_AT]) - exact_worth(work, ends, after)
    return count
