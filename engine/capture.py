"""Which cards change owner when a card is placed, in both variants.

A placement is an AND of two duel words (see `engine.duels`): what the placed card
does to every card that may lie around it, and which cards do lie around it. The plain
path is `captured`; `tell_captures` takes the same steps and writes down which rule
took which card and from where.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.board import (
    CELLS,
    EMPTY,
    NEIGHBOURS,
    SIDES,
    WALL,
    owner_at,
    slot_at,
    with_captures,
    with_card,
)
from engine.duels import FF8, LANE, LANE_BITS, PLUS, SAME, Duels
from engine.kernel import bit_count, kernel, lowest_bit

Story: TypeAlias = npt.NDArray[np.int64]  # [8, 3]: cell, rule, by_cell of each capture

BY_SAME, BY_PLUS, BY_BASIC, BY_COMBO = range(4)
LONGEST_STORY = CELLS - 1
PLUS_SCAN = np.array([0, 2, 3, 1], dtype=np.int64)  # the game looks up, down, left, right


@kernel
def cards_around(code: int, cell: int, mover: int) -> tuple[int, int]:
    """Return the duel words of all cards around `cell` and of the opponent's."""
    everyone = 0
    opponents = 0
    for side in range(SIDES):
        other = int(NEIGHBOURS[cell, side])
        if other == WALL:
            continue
        slot = slot_at(code, other)
        if slot == EMPTY:
            continue
        bit = 1 << (LANE_BITS * side + slot)
        everyone |= bit
        if owner_at(code, other) != mover:
            opponents |= bit
    return everyone, opponents


@kernel
def cells_of(word: int, cell: int) -> int:
    """Return the mask of cells around `cell` whose lane in the duel `word` is not empty."""
    cells = 0
    for side in range(SIDES):
        if (word >> (LANE_BITS * side)) & LANE:
            cells |= 1 << int(NEIGHBOURS[cell, side])
    return cells


@kernel
def taken_by_same(duels: Duels, slot: int, cell: int, everyone: int, opponents: int) -> int:
    """Return the duel word of the cards that Same takes."""
    if not duels.options & SAME:
        return 0
    equal = int(duels.equals[cell, slot])
    walls = int(duels.walls[cell, slot])
    if duels.options & FF8:
        fires = bit_count(equal & everyone) + walls >= 2
        return int(duels.reaches[cell, slot]) & opponents if fires else 0
    fires = bit_count(equal & opponents) + walls >= 2
    return equal & opponents if fires else 0


@kernel
def sums_around(duels: Duels, slot: int, cell: int, around: int) -> int:
    """Return, lane by lane, the sums of touching ranks with the cards in the word `around`.

    A lane without a card stays 0, which is no sum of two ranks.
    """
    sums = 0
    while around:
        place = lowest_bit(around)
        around &= around - 1
        side = place // LANE_BITS
        other = int(NEIGHBOURS[cell, side])
        facing = duels.touch[other, place % LANE_BITS, (side + 2) % SIDES]
        sums |= int(duels.touch[cell, slot, side] + facing) << (LANE_BITS * side)
    return sums


@kernel
def lanes_with(sums: int, wanted: int) -> int:
    """Return the word whose lanes are full where `sums` has the sum `wanted`."""
    lanes = 0
    for side in range(SIDES):
        if (sums >> (LANE_BITS * side)) & LANE == wanted:
            lanes |= LANE << (LANE_BITS * side)
    return lanes


@kernel
def favoured_sum(sums: int) -> int:
    """Return the one sum that Plus goes by under `ff8`, or 0 when no two agree.

    It is the first to reach the highest count in the order of the game's scan.
    """
    favoured = 0
    highest = 1
    for last in range(1, SIDES):
        wanted = (sums >> (LANE_BITS * int(PLUS_SCAN[last]))) & LANE
        count = 0
        for earlier in range(last + 1):
            if (sums >> (LANE_BITS * int(PLUS_SCAN[earlier]))) & LANE == wanted:
                count += 1
        if wanted and count > highest:
            favoured, highest = wanted, count
    return favoured


@kernel
def taken_by_plus(duels: Duels, slot: int, cell: int, everyone: int, opponents: int) -> int:
    """Return the duel word of the cards that Plus takes."""
    if not duels.options & PLUS:
        return 0
    if duels.options & FF8:
        if bit_count(everyone) < 2:
            return 0
        sums = sums_around(duels, slot, cell, everyone)
        favoured = favoured_sum(sums)
        return lanes_with(sums, favoured) & opponents if favoured else 0
    if bit_count(opponents) < 2:
        return 0
    sums = sums_around(duels, slot, cell, opponents)
    taken = 0
    for side in range(SIDES):
        wanted = (sums >> (LANE_BITS * side)) & LANE
        sharing = lanes_with(sums, wanted) & opponents
        if wanted and bit_count(sharing) >= 2:
            taken |= sharing
    return taken


@kernel
def spread(duels: Duels, code: int, mover: int, taken: int) -> int:
    """Return the mask `taken` with all that its cards take in turn, by the basic rule."""
    frontier = taken
    while frontier:
        cell = lowest_bit(frontier)
        frontier &= frontier - 1
        _, opponents = cards_around(code, cell, mover)
        beaten = int(duels.beats[cell, slot_at(code, cell)]) & opponents
        fresh = cells_of(beaten, cell) & ~taken
        taken |= fresh
        frontier |= fresh
    return taken


@kernel
def captured(duels: Duels, code: int, slot: int, cell: int, mover: int) -> int:
    """Return the mask of cells that change owner when `mover` puts `slot` on `cell`.

    `code` is the state before the move, so `cell` is still empty in it.
    """
    everyone, opponents = cards_around(code, cell, mover)
    if opponents == 0:
        return 0
    special = taken_by_same(duels, slot, cell, everyone, opponents)
    special |= taken_by_plus(duels, slot, cell, everyone, opponents)
    basic = int(duels.beats[cell, slot]) & opponents
    if special == 0:
        return cells_of(basic, cell)
    if duels.options & FF8:
        special |= basic
    return spread(duels, code, mover, cells_of(special, cell))


@kernel
def place(duels: Duels, code: int, slot: int, cell: int, mover: int) -> int:
    """Return the code after `mover` puts `slot` on the empty `cell`."""
    taken = captured(duels, code, slot, cell, mover)
    return with_captures(with_card(code, slot, cell, mover), taken)


@kernel
def _tell(story: Story, length: int, cells: int, rule: int, by_cell: int) -> int:
    """Add the captures of the mask `cells` by one rule to the story, ascending by cell."""
    while cells:
        cell = lowest_bit(cells)
        cells &= cells - 1
        story[length, 0] = cell
        story[length, 1] = rule
        story[length, 2] = by_cell
        length += 1
    return length


@kernel
def _tell_combo(duels: Duels, code: int, mover: int, taken: int, story: Story, length: int) -> int:
    """Add what spreads from the mask `taken`, in the order of a queue.

    The queue is `taken` ascending and then the story's own combo captures as they are
    added, so it needs no room of its own.
    """
    sources = taken
    head = length
    while True:
        if sources:
            cell = lowest_bit(sources)
            sources &= sources - 1
        elif head < length:
            cell = int(story[head, 0])
            head += 1
        else:
            return length
        _, opponents = cards_around(code, cell, mover)
        beaten = int(duels.beats[cell, slot_at(code, cell)]) & opponents
        for side in range(SIDES):
            if (beaten >> (LANE_BITS * side)) & LANE:
                fresh = (1 << int(NEIGHBOURS[cell, side])) & ~taken
                length = _tell(story, length, fresh, BY_COMBO, cell)
                taken |= fresh


@kernel
def tell_captures(duels: Duels, code: int, slot: int, cell: int, mover: int, story: Story) -> int:
    """Write the captures of a placement into `story` [8, 3]; return how many there are.

    Each row is cell, rule, by_cell: Same, Plus and Basic captures in this order, each
    ascending by cell, then Combo captures as they follow from one another.
    """
    everyone, opponents = cards_around(code, cell, mover)
    same = cells_of(taken_by_same(duels, slot, cell, everyone, opponents), cell)
    plus = cells_of(taken_by_plus(duels, slot, cell, everyone, opponents), cell) & ~same
    basic = cells_of(int(duels.beats[cell, slot]) & opponents, cell) & ~(same | plus)
    if same | plus and not duels.options & FF8:
        basic = 0
    length = _tell(story, 0, same, BY_SAME, cell)
    length = _tell(story, length, plus, BY_PLUS, cell)
    length = _tell(story, length, basic, BY_BASIC, cell)
    if same | plus == 0:
        return length
    return _tell_combo(duels, code, mover, same | plus | basic, story, length)
