"""What a search works with: the deal, the table, scratch memory, control words.

Scratch memory has a row of 64 words for each ply, so that a search allocates nothing:

    words 0..8    contacts of the nine cells (see `engine.game.duels`)
          9..53   choices: the state's moves (see `engine.search.ordering`)
         54..55   killers: the moves that last settled a state of this ply, packed
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.errors import SearchStoppedError
from engine.game.board import CELLS
from engine.game.capture import contacts
from engine.game.duels import Duels, shadow
from engine.kernel import inline_kernel, kernel
from engine.search.transpositions import Entries

Node: TypeAlias = tuple[int, int, int]  # code, mask of empty cells, mask of slots in hand
Scratch: TypeAlias = npt.NDArray[np.int64]  # [SCRATCH_LENGTH]
Control: TypeAlias = npt.NDArray[np.int64]  # [CONTROL_LENGTH]

_ROW_BITS = 6
_CHOICES_AT = CELLS
_KILLERS_AT = 54
SCRATCH_LENGTH = (CELLS + 1) << _ROW_BITS

NODES = 0  # states looked at so far
STOP = 1  # anybody may set it to 1, from any thread; the search looks at it now and then
CONTROL_LENGTH = 2


class Query:
    """What a search has looked at, and whether it is to end: made by who asks, and may stop.

    A stop holds for every search that is given the query, also for those yet to begin.
    """

    def __init__(self) -> None:
        """Begin with nothing looked at."""
        self.control: Control = np.zeros(CONTROL_LENGTH, dtype=np.int64)

    def stop(self) -> None:
        """Make searches end with `SearchStoppedError`; from any thread."""
        self.control[STOP] = 1

    @property
    def is_stopped(self) -> bool:
        """Tell whether it was stopped."""
        return bool(self.control[STOP])

    def check(self) -> None:
        """Raise `SearchStoppedError` when it was stopped: what was found is worth nothing."""
        if self.is_stopped:
            raise SearchStoppedError(f"the search was stopped after {self.nodes} nodes")

    @property
    def nodes(self) -> int:
        """Return the number of states looked at, by all searches together."""
        return int(self.control[NODES])


class Workspace(NamedTuple):
    """The arrays of one search; no two searches may share one at the same time."""

    duels: Duels
    entries: Entries
    scratch: Scratch
    control: Control


@inline_kernel
def contacts_at(scratch: Scratch, ply: int, cell: int) -> int:
    """Return the contacts of a cell at a ply."""
    return int(scratch[(ply << _ROW_BITS) + cell])


@kernel
def set_contacts(work: Workspace, code: int, ply: int) -> None:
    """Write the contacts of all cells into the row of a ply."""
    for cell in range(CELLS):
        work.scratch[(ply << _ROW_BITS) + cell] = contacts(work.duels, code, cell)


@inline_kernel
def add_contacts(work: Workspace, ply: int, slot: int, cell: int) -> None:
    """Write the contacts after `slot` is put on `cell` into the row of the next ply."""
    scratch = work.scratch
    row = ply << _ROW_BITS
    following = (ply + 1) << _ROW_BITS
    for other in range(CELLS):
        scratch[following + other] = scratch[row + other] | shadow(work.duels, cell, slot, other)


@inline_kernel
def choice_place(ply: int, number: int) -> int:
    """Return where a ply's choice stands."""
    return (ply << _ROW_BITS) + _CHOICES_AT + number


@inline_kernel
def is_stopped(control: Control) -> bool:
    """Tell whether the search is to end."""
    return bool(control[STOP] != 0)


@inline_kernel
def killers_at(scratch: Scratch, ply: int) -> tuple[int, int]:
    """Return the last two different moves that settled a state of this ply."""
    row = (ply << _ROW_BITS) + _KILLERS_AT
    return int(scratch[row]), int(scratch[row + 1])


@inline_kernel
def note_killer(scratch: Scratch, ply: int, move: int) -> None:
    """Note that `move` settled a state of this ply."""
    row = (ply << _ROW_BITS) + _KILLERS_AT
    if scratch[row] != move:
        scratch[row + 1] = scratch[row]
        scratch[row] = move
