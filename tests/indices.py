"""The index of states below a root, both ways, for tests: production knows codes alone."""

from __future__ import annotations

import numpy as np

from engine.errors import StateError
from engine.game.board import ALL_CELLS, CELLS, HAND_SIZE, empty_cells, owners_of, with_captures
from engine.game.state import State
from engine.tablebase.index import code_at, owners_at, pattern_of, placement_of, placements_at
from engine.tablebase.root import NO_CODE, code_below, make_root, row_of


class Index:
    """The index below one root."""

    def __init__(self, root: State) -> None:
        """Index the states below `root`, itself included."""
        self.state = root
        self.root = make_root(root)
        self._numbers = np.zeros(HAND_SIZE, dtype=np.int64)

    def size(self, ply: int) -> int:
        """Return the number of indices at a ply, reachable or not."""
        return placements_at(self.root, ply) << ply

    def index_of(self, state: State) -> int:
        """Return the index of a state at its ply, or raise `StateError`.

        A state has one when its cards are those that the root leaves to be played. Who is
        A and who B does not matter: a state is seen from the starter.
        """
        code = NO_CODE
        if (state.rules, state.elements) == (self.state.rules, self.state.elements):
            code = code_below(self.root, np.array(row_of(state.facts)))
        if code == NO_CODE:
            raise StateError.of("state", state.code, "a state below the root")
        occupied = ALL_CELLS & ~empty_cells(code)
        return placement_of(self.root, code) << state.ply | pattern_of(occupied, owners_of(code))

    def state_at(self, ply: int, index: int) -> State:
        """Return the state of an index, which need not be reachable."""
        if not self.root.ply <= ply <= CELLS:
            raise StateError.of("ply", ply, f"{self.root.ply} to {CELLS}")
        if not 0 <= index < self.size(ply):
            raise StateError.of("index", index, f"0 to {self.size(ply) - 1} at ply {ply}")
        code = code_at(self.root, ply, index >> ply, self._numbers)
        occupied = ALL_CELLS & ~empty_cells(code)
        owners = owners_at(occupied, index & ((1 << ply) - 1))
        return State(self.state.deal, with_captures(code, owners))
