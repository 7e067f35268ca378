"""Which cards change owner when a card is placed, in both variants.

A placement is an AND of two duel words (see `engine.game.duels`): what the placed card
does to every card that may lie around it, and which cards do lie around it.
`engine.game.told_captures` takes the same steps and tells which rule took which card.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import (
    CELLS,
    EMPTY,
    NEIGHBOURS,
    SIDES,
    WALL,
    owners_of,
    slot_at,
    with_captures,
    with_card,
)
from engine.game.duels import (
    BEATS,
    EQUALS,
    FF8,
    PLUS,
    RANK_AT,
    RANKS_OF_LANES,
    REACHES,
    SAME,
    TOUCH,
    WALLS,
    Duels,
    options_of,
    shadow,
    word,
)
from engine.game.lanes import (
    EVERY_LANE,
    LANE,
    LANE_BITS,
    LANES,
    SLOTS_OF_LANES,
    cells_of,
    full_lanes,
    lane_flags,
    lanes_towards,
)
from engine.kernel import bit_count, inline_kernel, kernel, lowest_bit

Masks: TypeAlias = npt.NDArray[np.int64]  # masks of cells

PLUS_SCAN = np.array([0, 3, 1, 2], dtype=np.int64)  # lanes: the game looks up, down, left, right

CHAINS = 1 << CELLS  # beside a mask of cells
NO_SUMS = 0x0100_00C0_0080_0040  # four numbers, all different, that no two ranks add up to


@kernel
def contacts(duels: Duels, code: int, cell: int) -> int:
    """Return the contacts of `cell`: the cards around it and their touching ranks."""
    around = 0
    for side in range(SIDES):
        other = int(NEIGHBOURS[cell, side])
        if other != WALL:
            slot = slot_at(code, other)
            if slot != EMPTY:
                around |= shadow(duels, other, slot, cell)
    return around


@inline_kernel
def opposing(code: int, mover: int) -> int:
    """Return a mask of cells with all that `mover`'s opponent owns; empty cells may be in it."""
    owners = owners_of(code)
    return owners if mover == 0 else ~owners


@inline_kernel
def sums_of(around: int, touch: int) -> int:
    """Return, lane by lane, the sums of touching ranks; where no card is, a number of its own."""
    facing = (around >> RANK_AT) & RANKS_OF_LANES
    cards = full_lanes(lane_flags(facing))
    return ((facing + touch) & cards) | (NO_SUMS & ~cards)


@inline_kernel
def shared_sums(around: int, touch: int) -> int:
    """Return the flags of the lanes whose sum another lane has too."""
    return repeated(sums_of(around, touch))


@inline_kernel
def repeated(sums: int) -> int:
    """Return the flags of the lanes whose number another lane has too."""
    after = sums ^ ((sums << 16) | ((sums >> 48) & 0xFFFF))
    across = sums ^ ((sums << 32) | ((sums >> 32) & 0xFFFF_FFFF))
    before = sums ^ ((sums << 48) | ((sums >> 16) & 0xFFFF_FFFF_FFFF))
    return lane_flags(after) & lane_flags(across) & lane_flags(before) ^ EVERY_LANE


@kernel
def lanes_with(sums: int, wanted: int) -> int:
    """Return the word whose lanes are full where `sums` has the sum `wanted`."""
    return full_lanes(lane_flags(sums ^ (wanted * EVERY_LANE)) ^ EVERY_LANE)


@kernel
def favoured_sum(sums: int) -> int:
    """Return the one sum that Plus goes by under `ff8`, or 0 when no two agree.

    It is the first to reach the highest count in the order of the game's scan.
    """
    favoured = 0
    highest = 1
    for last in range(1, LANES):
        wanted = (sums >> (LANE_BITS * int(PLUS_SCAN[last]))) & LANE
        count = 1
        for earlier in range(last):
            if (sums >> (LANE_BITS * int(PLUS_SCAN[earlier]))) & LANE == wanted:
                count += 1
        if count > highest:
            favoured, highest = wanted, count
    return favoured


@kernel
def taken_by_same(duels: Duels, slot: int, cell: int, everyone: int, opponents: int) -> int:
    """Return the mask of cells that Same takes, of the contacts `everyone` and `opponents`."""
    options = options_of(duels)
    if not options & SAME:
        return 0
    equal = word(duels, EQUALS, cell, slot)
    matches = bit_count(equal & (everyone if options & FF8 else opponents))
    if matches + word(duels, WALLS, cell, slot) < 2:
        return 0
    taken = word(duels, REACHES, cell, slot) if options & FF8 else equal
    return cells_of(taken & opponents, cell)


@kernel
def taken_by_plus(duels: Duels, slot: int, cell: int, everyone: int, opponents: int) -> int:
    """Return the mask of cells that Plus takes, of the contacts `everyone` and `opponents`."""
    options = options_of(duels)
    touch = word(duels, TOUCH, cell, slot)
    theirs = opponents & SLOTS_OF_LANES
    if not options & PLUS:
        return 0
    if options & FF8:
        sums = sums_of(everyone, touch)
        favoured = favoured_sum(sums)
        return cells_of(lanes_with(sums, favoured) & theirs, cell) if favoured else 0
    return cells_of(full_lanes(shared_sums(opponents, touch)) & theirs, cell)


@kernel
def beaten_by(duels: Duels, code: int, cell: int, opponents: int) -> int:
    """Return the mask of those of the cells `opponents` that the card on `cell` beats."""
    beats = word(duels, BEATS, cell, slot_at(code, cell))
    return cells_of(beats & contacts(duels, code, cell), cell) & opponents


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
def seized(duels: Duels, slot: int, cell: int, everyone: int, theirs: int) -> int:
    """Return the mask of cells that `slot` takes at once from the empty `cell`.

    CHAINS is in it when Same or Plus took something: captures then spread from all of it.
    """
    opponents = everyone & lanes_towards(theirs, cell)
    special = taken_by_same(duels, slot, cell, everyone, opponents)
    special |= taken_by_plus(duels, slot, cell, everyone, opponents)
    basic = cells_of(word(duels, BEATS, cell, slot) & opponents, cell)
    if special == 0:
        return basic
    return special | CHAINS | (basic if options_of(duels) & FF8 else 0)


@kernel
def _taken_with_special(
    duels: Duels, code: int, slot: int, cell: int, everyone: int, theirs: int
) -> int:
    """Return what a placement takes when Same or Plus may be at work."""
    taken = seized(duels, slot, cell, everyone, theirs)
    return spread(duels, code, theirs, taken & ~CHAINS) if taken & CHAINS else taken


@inline_kernel
def taken_by(duels: Duels, code: int, slot: int, cell: int, everyone: int, theirs: int) -> int:
    """Return the mask of cells that `slot` takes from the empty `cell`.

    `everyone` is the contacts of `cell`, and `theirs` a mask with the opponent's cells;
    `code` tells the other contacts, should captures spread. Same and Plus are rare: a few
    operations without a branch tell when they need a look.
    """
    lanes = lanes_towards(theirs, cell)
    opponents = everyone & lanes
    options = options_of(duels)
    seen = everyone if options & FF8 else opponents
    special = 0
    if options & SAME:
        equal = bit_count(word(duels, EQUALS, cell, slot) & seen)
        special = (equal + word(duels, WALLS, cell, slot)) >> 1
    if options & PLUS:
        special |= shared_sums(seen, word(duels, TOUCH, cell, slot)) & lanes
    if special and opponents:
        return _taken_with_special(duels, code, slot, cell, everyone, theirs)
    return cells_of(word(duels, BEATS, cell, slot) & opponents, cell)


@inline_kernel
def may_be_special(duels: Duels, slot: int, cell: int, everyone: int) -> bool:
    """Tell whether Same or Plus can be at work on `cell`, whoever owns the cards around."""
    options = options_of(duels)
    special = 0
    if options & SAME:
        equal = bit_count(word(duels, EQUALS, cell, slot) & everyone)
        special = (equal + word(duels, WALLS, cell, slot)) >> 1
    if options & PLUS:
        special |= shared_sums(everyone, word(duels, TOUCH, cell, slot))
    return special != 0


@kernel
def captured(duels: Duels, code: int, slot: int, cell: int, mover: int) -> int:
    """Return the mask of cells that change owner when `mover` puts `slot` on `cell`.

    `code` is the state before the move, so `cell` is still empty in it.
    """
    everyone = contacts(duels, code, cell)
    return taken_by(duels, code, slot, cell, everyone, opposing(code, mover))


@kernel
def place(duels: Duels, code: int, slot: int, cell: int, mover: int) -> int:
    """Return the code after `mover` puts `slot` on the empty `cell`."""
    taken = captured(duels, code, slot, cell, mover)
    return with_captures(with_card(code, slot, cell, mover), taken)


@kernel
def write_captured(duels: Duels, code: int, slots: int, mover: int, masks: Masks) -> None:
    """Write the cells that each move captures into `masks` [10, 9], by slot and cell.

    `slots` is the mask of those that may be played.
    """
    while slots:
        slot = lowest_bit(slots)
        slots &= slots - 1
        for cell in range(CELLS):
            if slot_at(code, cell) == EMPTY:
                masks[slot, cell] = captured(duels, code, slot, cell, mover)
