"""The captures of a placement, told: by which rule, from which cell, in which order."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import CELLS, NEIGHBOURS, SIDES, WALL
from engine.game.capture import beaten_by, contacts, opposing, taken_by_plus, taken_by_same
from engine.game.duels import BEATS, FF8, Duels, options_of, word
from engine.game.lanes import cells_of, lanes_towards
from engine.kernel import kernel, lowest_bit

Story: TypeAlias = npt.NDArray[np.int64]  # [8, 3]: cell, rule, by_cell of each capture

BY_SAME, BY_PLUS, BY_BASIC, BY_COMBO = range(4)
LONGEST_STORY = CELLS - 1


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
    everyone = contacts(duels, code, cell)
    theirs = opposing(code, mover)
    opponents = everyone & lanes_towards(theirs, cell)
    same = taken_by_same(duels, slot, cell, everyone, opponents)
    plus = taken_by_plus(duels, slot, cell, everyone, opponents) & ~same
    basic = cells_of(word(duels, BEATS, cell, slot) & opponents, cell) & ~(same | plus)
    if same | plus and not options_of(duels) & FF8:
        basic = 0
    length = _tell(story, 0, same, BY_SAME, cell)
    length = _tell(story, length, plus, BY_PLUS, cell)
    length = _tell(story, length, basic, BY_BASIC, cell)
    if same | plus == 0:
        return length
    return _tell_combo(duels, code, theirs, same | plus | basic, story, length)
