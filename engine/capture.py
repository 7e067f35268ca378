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
    SLOTS,
    WALL,
    owners_of,
    slot_at,
    with_captures,
    with_card,
)
from engine.duels import (
    BEATS,
    EQUALS,
    FF8,
    LANE,
    LANE_BITS,
    LANE_OF_SIDE,
    LANES,
    PLUS,
    REACHES,
    SAME,
    TOUCH,
    WALLS,
    Duels,
)
from engine.kernel import bit_count, kernel, lowest_bit

Story: TypeAlias = npt.NDArray[np.int64]  # [8, 3]: cell, rule, by_cell of each capture

BY_SAME, BY_PLUS, BY_BASIC, BY_COMBO = range(4)
LONGEST_STORY = CELLS - 1
PLUS_SCAN = np.array([0, 3, 1, 2], dtype=np.int64)  # lanes: the game looks up, down, left, right

# A cell's neighbours are cell - 3, - 1, + 1 and + 3: in a mask of cells shifted up by 3 and
# down by the cell's number they are bits 0, 2, 4 and 6, in the order of the lanes.
_ROW = 3
_NEAR_BITS = 0b1010101
_TEN_ONES = 0x03FF_03FF_03FF_03FF
_LOWEST_BITS = 0x0001_0001_0001_0001


def _near_masks() -> npt.NDArray[np.int64]:
    """Return for each cell which of the four bits are neighbours on the board."""
    near = np.zeros(CELLS, dtype=np.int64)
    for cell in range(CELLS):
        for other in NEIGHBOURS[cell].tolist():
            near[cell] |= (1 << (other + _ROW) >> cell) if other != WALL else 0
    return near


def _spread_lanes() -> npt.NDArray[np.int64]:
    """Return for each choice of the four bits the word whose lanes are full."""
    lanes = np.zeros(_NEAR_BITS + 1, dtype=np.uint64)
    for bits in range(_NEAR_BITS + 1):
        lanes[bits] = sum(
            LANE << (LANE_BITS * lane) for lane in range(LANES) if (bits >> (2 * lane)) & 1
        )
    return lanes.view(np.int64)


NEAR = _near_masks()  # [9]
FULL_LANES = _spread_lanes()  # [86]


@kernel
def lanes_towards(cells: int, cell: int) -> int:
    """Return the word whose lanes are full where a neighbour of `cell` is in the mask `cells`."""
    return int(FULL_LANES[((cells << _ROW) >> cell) & int(NEAR[cell])])


@kernel
def cells_of(word: int, cell: int) -> int:
    """Return the mask of cells around `cell` whose lane in the duel `word` is not empty.

    A lane holds ten slots, so adding ten ones carries into its eleventh bit just when it
    is not empty; these four bits are then brought together.
    """
    flags = ((word + _TEN_ONES) >> SLOTS) & _LOWEST_BITS
    near = (flags | flags >> 14 | flags >> 28 | flags >> 42) & _NEAR_BITS
    return (near << cell) >> _ROW


@kernel
def cards_around(code: int, cell: int) -> int:
    """Return the duel word of the cards around `cell`."""
    around = 0
    for side in range(SIDES):
        other = int(NEIGHBOURS[cell, side])
        if other != WALL:
            slot = slot_at(code, other)
            if slot != EMPTY:
                around |= 1 << (LANE_BITS * int(LANE_OF_SIDE[side]) + slot)
    return around


@kernel
def opposing(code: int, mover: int) -> int:
    """Return a mask of cells with all that `mover`'s opponent owns; empty cells may be in it."""
    owners = owners_of(code)
    return owners if mover == 0 else ~owners


@kernel
def taken_by_same(duels: Duels, slot: int, cell: int, everyone: int, opponents: int) -> int:
    """Return the duel word of the cards that Same takes."""
    if not duels.options & SAME:
        return 0
    equal = int(duels.words[EQUALS, cell, slot])
    walls = int(duels.words[WALLS, cell, slot])
    if duels.options & FF8:
        fires = bit_count(equal & everyone) + walls >= 2
        return int(duels.words[REACHES, cell, slot]) & opponents if fires else 0
    fires = bit_count(equal & opponents) + walls >= 2
    return equal & opponents if fires else 0


@kernel
def sums_around(duels: Duels, slot: int, cell: int, around: int) -> int:
    """Return, lane by lane, the sums of touching ranks with the cards in the word `around`.

    A lane without a card stays 0, which is no sum of two ranks.
    """
    touch = int(duels.words[TOUCH, cell, slot])
    sums = 0
    for side in range(SIDES):
        lane = int(LANE_OF_SIDE[side])
        card = (around >> (LANE_BITS * lane)) & LANE
        if card:
            other = int(NEIGHBOURS[cell, side])
            theirs = int(duels.words[TOUCH, other, lowest_bit(card)])
            facing = (theirs >> (LANE_BITS * (LANES - 1 - lane))) & LANE
            own = (touch >> (LANE_BITS * lane)) & LANE
            sums |= (own + facing) << (LANE_BITS * lane)
    return sums


@kernel
def lanes_with(sums: int, wanted: int) -> int:
    """Return the word whose lanes are full where `sums` has the sum `wanted`."""
    lanes = 0
    for lane in range(LANES):
        if (sums >> (LANE_BITS * lane)) & LANE == wanted:
            lanes |= LANE << (LANE_BITS * lane)
    return lanes


@kernel
def favoured_sum(sums: int) -> int:
    """Return the one sum that Plus goes by under `ff8`, or 0 when no two agree.

    It is the first to reach the highest count in the order of the game's scan.
    """
    favoured = 0
    highest = 1
    for last in range(1, LANES):
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
    for lane in range(LANES):
        wanted = (sums >> (LANE_BITS * lane)) & LANE
        sharing = lanes_with(sums, wanted) & opponents
        if wanted and bit_count(sharing) >= 2:
            taken |= sharing
    return taken


@kernel
def beaten_by(duels: Duels, code: int, cell: int, opponents: int) -> int:
    """Return the mask of those of the cells `opponents` that the card on `cell` beats."""
    beats = int(duels.words[BEATS, cell, slot_at(code, cell)])
    return cells_of(beats & cards_around(code, cell), cell) & opponents


@kernel
def spread(duels: Duels, code: int, opponents: int, taken: int) -> int:
    """Return the mask `taken` with all that its cards take in turn, by the basic rule."""
    frontier = taken
    while frontier:
        cell = lowest_bit(frontier)
        frontier &= frontier - 1
        fresh = beaten_by(duels, code, cell, opponents) & ~taken
        taken |= fresh
        frontier |= fresh
    return taken


@kernel
def captured(duels: Duels, code: int, slot: int, cell: int, mover: int) -> int:
    """Return the mask of cells that change owner when `mover` puts `slot` on `cell`.

    `code` is the state before the move, so `cell` is still empty in it.
    """
    everyone = cards_around(code, cell)
    theirs = opposing(code, mover)
    opponents = everyone & lanes_towards(theirs, cell)
    if opponents == 0:
        return 0
    special = taken_by_same(duels, slot, cell, everyone, opponents)
    special |= taken_by_plus(duels, slot, cell, everyone, opponents)
    basic = int(duels.words[BEATS, cell, slot]) & opponents
    if special == 0:
        return cells_of(basic, cell)
    if duels.options & FF8:
        special |= basic
    return spread(duels, code, theirs, cells_of(special, cell))


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
def _tell_combo(
    duels: Duels, code: int, opponents: int, taken: int, story: Story, length: int
) -> int:
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
        fresh = beaten_by(duels, code, cell, opponents) & ~taken
        taken |= fresh
        for side in range(SIDES):
            other = int(NEIGHBOURS[cell, side])
            if other != WALL:
                length = _tell(story, length, fresh & (1 << other), BY_COMBO, cell)


@kernel
def tell_captures(duels: Duels, code: int, slot: int, cell: int, mover: int, story: Story) -> int:
    """Write the captures of a placement into `story` [8, 3]; return how many there are.

    Each row is cell, rule, by_cell: Same, Plus and Basic captures in this order, each
    ascending by cell, then Combo captures as they follow from one another.
    """
    everyone = cards_around(code, cell)
    theirs = opposing(code, mover)
    opponents = everyone & lanes_towards(theirs, cell)
    same = cells_of(taken_by_same(duels, slot, cell, everyone, opponents), cell)
    plus = cells_of(taken_by_plus(duels, slot, cell, everyone, opponents), cell) & ~same
    basic = cells_of(int(duels.words[BEATS, cell, slot]) & opponents, cell) & ~(same | plus)
    if same | plus and not duels.options & FF8:
        basic = 0
    length = _tell(story, 0, same, BY_SAME, cell)
    length = _tell(story, length, plus, BY_PLUS, cell)
    length = _tell(story, length, basic, BY_BASIC, cell)
    if same | plus == 0:
        return length
    return _tell_combo(duels, code, theirs, same | plus | basic, story, length)
