"""The moves of a state, likely good ones first.

A choice is a move in one word: its order, the cells it captures, its slot and its cell.
Moves are ordered by what they leave behind: cards owned, less those that the opponent's
hand can take at once, plus those of the opponent's that the own hand can take. A move
that has just settled another state of the same ply is likely to settle this one too.
"""

from __future__ import annotations

from engine.game.board import ALL_CELLS, CELLS, HANDS, owners_of, slot_at, with_captures, with_card
from engine.game.capture import opposing, taken_by
from engine.game.duels import LOSES, Duels, playable_slots, word
from engine.game.lanes import EVERY_LANE, lanes_towards
from engine.game.moves import pack_move
from engine.kernel import bit_count, inline_kernel, kernel, lowest_bit
from engine.search.workspace import Node, Scratch, Workspace, choice_place, contacts_at, killers_at

# Weights of the order, tuned by node counts: a card owned, a card of one's own that a card
# of the opponent's hand can take, and the other way round.
_OWNED, _IN_DANGER, _IN_REACH = 40, 10, 4
_TAKEN, _EXPOSED = 20, 12  # near the end, where only the placed card is looked at
_NEAR_END = 5  # the ply from which that is good enough
_LAST_KILLER, _EARLIER_KILLER = 120, 60
_REMEMBERED = 1 << 20
_ORDER_ZERO = 1 << 12  # keeps every order positive

_SLOT_AT, _CAPTURED_AT, _ORDER_AT = 4, 8, 20
_NIBBLE = 0xF


@inline_kernel
def pack_choice(order: int, captured: int, slot: int, cell: int) -> int:
    """Return a choice; a greater one comes first."""
    return (order << _ORDER_AT) | (captured << _CAPTURED_AT) | (slot << _SLOT_AT) | cell


@inline_kernel
def cell_of(choice: int) -> int:
    """Return the cell of a choice."""
    return choice & _NIBBLE


@inline_kernel
def slot_of(choice: int) -> int:
    """Return the slot of a choice."""
    return (choice >> _SLOT_AT) & _NIBBLE


@inline_kernel
def code_after_choice(code: int, choice: int, mover: int) -> int:
    """Return the code after `mover` makes a choice."""
    placed = with_card(code, slot_of(choice), cell_of(choice), mover)
    return with_captures(placed, (choice >> _CAPTURED_AT) & ALL_CELLS)


@kernel
def outlook(duels: Duels, node: Node, mover: int) -> int:
    """Return how good a state looks for the seat that has just moved."""
    code, empty, hands = node
    owners = owners_of(code)
    own_hand = (hands & int(HANDS[mover])) * EVERY_LANE
    other_hand = (hands & int(HANDS[1 - mover])) * EVERY_LANE
    total = 0
    cells = ~empty & ALL_CELLS
    while cells:
        cell = lowest_bit(cells)
        cells &= cells - 1
        beaten = word(duels, LOSES, cell, slot_at(code, cell)) & lanes_towards(empty, cell)
        if (owners >> cell) & 1 == mover:
            total += _OWNED - _IN_DANGER * bit_count(beaten & other_hand)
        else:
            total -= _OWNED - _IN_REACH * bit_count(beaten & own_hand)
    return total


@inline_kernel
def order_of(duels: Duels, node: Node, slot: int, cell: int, taken: int, mover: int) -> int:
    """Return the order of a move that captures the cells `taken`."""
    code, empty, hands = node
    if bit_count(empty) > CELLS - _NEAR_END:
        after = with_captures(with_card(code, slot, cell, mover), taken)
        return outlook(duels, (after, empty & ~(1 << cell), hands & ~(1 << slot)), mover)
    attackers = lanes_towards(empty, cell) & ((hands & int(HANDS[1 - mover])) * EVERY_LANE)
    exposed = bit_count(word(duels, LOSES, cell, slot) & attackers)
    return _TAKEN * bit_count(taken) - _EXPOSED * exposed


@inline_kernel
def _bonus(move: int, killers: tuple[int, int]) -> int:
    """Return what a move's order gains from what it did elsewhere."""
    if move == killers[0]:
        return _LAST_KILLER
    return _EARLIER_KILLER if move == killers[1] else 0


@kernel
def list_choices(work: Workspace, node: Node, remembered: int) -> int:
    """Write the moves of a state into its ply's row; return how many there are.

    The row's contacts must be set. `remembered` is a packed move to come first.
    """
    duels, scratch = work.duels, work.scratch
    code, empty, hands = node
    ply = CELLS - bit_count(empty)
    mover = ply & 1
    theirs = opposing(code, mover)
    playable = playable_slots(duels, hands & int(HANDS[mover]))
    killers = killers_at(scratch, ply)
    count = 0
    cells = empty
    while cells:
        cell = lowest_bit(cells)
        cells &= cells - 1
        everyone = contacts_at(scratch, ply, cell)
        slots = playable
        while slots:
            slot = lowest_bit(slots)
            slots &= slots - 1
            taken = taken_by(duels, code, slot, cell, everyone, theirs)
            move = pack_move(slot, cell)
            order = _REMEMBERED
            if move != remembered:
                order = order_of(duels, node, slot, cell, taken, mover)
                order += _bonus(move, killers) + _ORDER_ZERO
            scratch[choice_place(ply, count)] = pack_choice(order, taken, slot, cell)
            count += 1
    return count


@inline_kernel
def next_choice(scratch: Scratch, ply: int, number: int, count: int) -> int:
    """Return the best choice from `number` on; the one that stood there takes its place."""
    first = choice_place(ply, number)
    best = first
    for place in range(first + 1, choice_place(ply, count)):
        if scratch[place] > scratch[best]:
            best = place
    choice = int(scratch[best])
    scratch[best] = scratch[first]
    return choice


@inline_kernel
def insert_choice(scratch: Scratch, ply: int, count: int, choice: int) -> None:
    """Put a choice among `count` sorted ones, the greatest first."""
    first = choice_place(ply, 0)
    place = first + count
    while place > first and scratch[place - 1] < choice:
        scratch[place] = scratch[place - 1]
        place -= 1
    scratch[place] = choice
