"""Look many states up at once: where they are below a root, and what blocks say of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.game.board import CELLS, SLOTS
from engine.game.facts import PLY, Rows, loose_code
from engine.kernel import Numbers, kernel
from engine.tablebase.blocks import NOT_REACHABLE, Packed, Peek, Run, cards_at, locate
from engine.tablebase.root import NO_CODE, Root, code_below
from engine.tablebase.transition import Below


class Finds(NamedTuple):
    """Room for what is known of states below one root, and for how they go on."""

    ids: Numbers  # [10]: scratch
    plies: Numbers  # [states]
    codes: Numbers  # [states]: NO_CODE when the state's cards are not the root's
    placements: Numbers  # [states]
    patterns: Numbers  # [states]
    cards: Numbers  # [states]: the starter's at the end, or NOT_REACHABLE
    lines: Numbers  # [states, 9]: packed moves by ply, filled in by others


def make_finds(count: int) -> Finds:
    """Return room for so many states."""
    plies, codes, placements, patterns, cards = np.zeros((5, count), dtype=np.int64)
    lines = np.zeros((count, CELLS), dtype=np.int64)
    ids = np.zeros(SLOTS, dtype=np.int64)
    return Finds(ids, plies, codes, placements, patterns, cards, lines)


@kernel
def find_codes(root: Root, rows: Rows, finds: Finds) -> None:
    """Write code, placement and pattern of every state below a root that shares their table."""
    for number in range(len(rows)):
        row = rows[number]
        code = NO_CODE
        finds.plies[number] = row[PLY]
        finds.cards[number] = NOT_REACHABLE
        if row[PLY] >= root.ply:
            code = code_below(root, finds.ids, loose_code(row, finds.ids))
        finds.codes[number] = code
        if code != NO_CODE:
            finds.placements[number], finds.patterns[number] = locate(root, code)


@kernel
def find_cards(
    below: Below, run: Run, packed: Packed, numbers: Numbers, finds: Finds, peek: Peek
) -> None:
    """Write what one block says of those states of which it is asked."""
    for number in numbers:
        placement, pattern = int(finds.placements[number]), int(finds.patterns[number])
        finds.cards[number] = cards_at(below, run, packed, placement, pattern, peek)
