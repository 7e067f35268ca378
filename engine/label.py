"""Labels for many states of one deal at once: best moves, or what every move is worth."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.board import CELLS, empty_cells, owners_of
from engine.kernel import bit_count, kernel
from engine.search import Moves, best_move, rank
from engine.table import NO_MOVE
from engine.workspace import Workspace

Codes: TypeAlias = npt.NDArray[np.int64]


@kernel
def label_best(work: Workspace, codes: Codes, moves: Moves, best: Codes, cards: Codes) -> None:
    """Write each state's first best move, and the starter's cards at the end.

    A finished game has NO_MOVE. `moves` [45] is scratch.
    """
    for number in range(len(codes)):
        code = int(codes[number])
        empty = empty_cells(code)
        best[number] = NO_MOVE
        cards[number] = CELLS - bit_count(owners_of(code))
        if empty:
            move, found = best_move(work, code, moves)
            best[number] = move
            cards[number] = found if bit_count(empty) & 1 else CELLS - found


@kernel
def label_moves(work: Workspace, codes: Codes, moves: Moves, cards: Codes) -> None:
    """Write the mover's cards at the end after each move into `cards` [n, 45].

    Moves are in the documented order; where there is none stands NO_MOVE. `moves` [45] is
    scratch.
    """
    for number in range(len(codes)):
        cards[number, :] = NO_MOVE
        rank(work, int(codes[number]), moves, cards[number])
