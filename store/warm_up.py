"""Run every kernel that answers once, so that all are compiled; needs no database."""

from __future__ import annotations

import numpy as np

from engine.game.board import CELLS
from engine.game.state import State
from engine.search.solver import Solver
from engine.tablebase.blocks import (
    list_children,
    make_offspring,
    make_peek,
    read_children,
    run_at,
)
from engine.tablebase.lookup import find_cards, find_codes, make_finds
from engine.tablebase.root import make_root, row_of
from store.format import block_content, block_from


def warm_up(opening: State) -> None:
    """Look an opening up, and what follows, in a block that is made up.

    Every placement of the first ply has one state in it, which is worth nothing.
    """
    first = opening.play(opening.legal_moves()[0])
    root, finds, peek, room = make_root(opening), make_finds(1), make_peek(), make_offspring()
    find_codes(root, np.array([row_of(first.facts)]), finds)
    run = run_at(root, first.ply, 0)
    ones = np.ones(run.last - run.first, dtype=np.uint16)
    packed = block_from(run, block_content(ones, bytes((len(ones) + 1) // 2)))
    find_cards(root, run, packed, np.zeros(1, dtype=np.int64), finds, peek)
    read_children(root, run, packed, room, list_children(root, opening.code, room), peek)
    last = opening
    while last.ply < CELLS - 1:
        last = last.play(last.legal_moves()[0])
    codes, nothing = np.array([last.code]), np.zeros(1, dtype=np.int64)
    Solver().lines(last.deal, codes, nothing, np.zeros((1, 1), dtype=np.int64))
    last.captured_cells()
