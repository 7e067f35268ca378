"""Kernels: what each world is worth, from the tables of `advise.tables`.

From here on a card is its place in the pool, and nothing is left of the game but minima, which
are the opponent's, and maxima, which are yours.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from advise.tables import Ends, Finals
from advise.worlds import Members
from engine.kernel import kernel

Bytes: TypeAlias = npt.NDArray[np.uint8]


@kernel
def write_late_finals(ends: Ends, members: Members, finals: Finals) -> None:
    """Write the values of plies 6 and 7: the opponent plays the card that is worst for you."""
    worlds, held = members.shape
    for move in range(len(finals)):
        row = ends[0, move, 0, 0]
        for world in range(worlds):
            lowest = row[members[world, 0]]
            for place in range(1, held):
                lowest = min(lowest, row[members[world, place]])
            finals[move, world] = lowest


@kernel
def write_best_after(ends: Ends, move: int, after: Bytes, best: Bytes) -> None:
    """Write what you reach after a move when c is played first and {d, e} are left.

    Into `after` [c, d, e]; `best` [e] is scratch. You choose the reply knowing both, which is
    what open hands are. Where one card is left, at ply 5, its place is d, and e is the same.
    """
    cards, _, cells, replies, _ = ends.shape
    after[:] = np.uint8(255)
    for first in range(cards):
        for second in range(cards):
            line = after[first, second]
            for cell in range(cells):
                best[:] = np.uint8(0)
                for reply in range(replies):
                    row = ends[first, move, cell, reply]
                    mine = row[second]
                    for third in range(cards):
                        low = row[third] if row[third] < mine else mine
                        best[third] = low if low > best[third] else best[third]
                for third in range(cards):
                    line[third] = best[third] if best[third] < line[third] else line[third]


@kernel
def write_finals_of_three(after: Bytes, members: Members, finals: Bytes) -> None:
    """Write what a move is worth at ply 4 in each world: the opponent chooses what comes first."""
    for world in range(len(members)):
        a, b, c = members[world, 0], members[world, 1], members[world, 2]
        finals[world] = min(after[a, b, c], after[b, a, c], after[c, a, b])


@kernel
def write_finals_of_two(ends: Ends, move: int, members: Members, finals: Bytes) -> None:
    """Write what a move is worth at ply 5 in each world."""
    for world in range(len(members)):
        one, other = int(members[world, 0]), int(members[world, 1])
        finals[world] = min(
            best_of_two(ends, move, one, other), best_of_two(ends, move, other, one)
        )


@kernel
def best_of_two(ends: Ends, move: int, first: int, last: int) -> int:
    """Return what you reach at ply 5 when these cards are played in this order."""
    _, _, cells, replies, _ = ends.shape
    lowest = 255
    for cell in range(cells):
        best = 0
        for reply in range(replies):
            best = max(best, int(ends[first, move, cell, reply, last]))
        lowest = min(lowest, best)
    return lowest
