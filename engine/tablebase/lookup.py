"""Look many states up at once: where they are below a root, and what blocks say of them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from engine.kernel import Numbers, kernel
from engine.tablebase.blocks import NOT_REACHABLE, Packed, Peek, Run, cards_at, locate
from engine.tablebase.root import NO_CODE, Root, code_below


class Finds(NamedTuple):
    """Room for what is known of states below one root."""

    codes: Numbers  # [states]: NO_CODE when the state's cards are not the root's
    placements: Numbers  # [states]
    patterns: Numbers  # [states]
    starter_cards: Numbers  # [states]: at the end, or NOT_REACHABLE


def make_finds(count: int) -> Finds:
    """Return room for so many states."""
    return Finds(*np.zeros((len(Finds._fields), count), dtype=np.int64))


@kernel
def find_codes(root: Root, rows: Numbers, finds: Finds) -> None:
    """Write code, placement and pattern of the states of `rows` below a root.

    `rows` [states, ROW_LENGTH] are states with the root's rules, elements and ten cards.
    """
    for number in range(len(rows)):
        code = code_below(root, rows[number])
        finds.codes[number] = code
        finds.starter_cards[number] = NOT_REACHABLE
        if code != NO_CODE:
            finds.placements[number], finds.patterns[number] = locate(root, code)


@kernel
def find_cards(
    root: Root, run: Run, packed: Packed, numbers: Numbers, finds: Finds, peek: Peek
) -> None:
    """Write what one block says of those states of which it is asked."""
    for number in numbers:
        placement, pattern = int(finds.placements[number]), int(finds.patterns[number])
        finds.starter_cards[number] = cards_at(root, run, packed, placement, pattern, peek)
