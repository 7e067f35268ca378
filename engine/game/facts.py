"""The facts of a state: all that players can see of it, in the plainest form.

A board does not say who brought which card, so facts belong to no deal. They are enough for a
state's notation and hash, to find it in a database, and to tell whether two states are equal.
"""

from __future__ import annotations

from typing import NamedTuple

from engine.game.deal import Elements, Player
from engine.game.rules import Rules

NO_CARD = 0  # card ids begin at 1


class Facts(NamedTuple):
    """What a state looks like to its players."""

    rules: Rules
    elements: Elements  # all None when Elemental is off
    board: tuple[int, ...]  # nine card ids, or NO_CARD
    owners: int  # mask of the cells that B owns
    hands: tuple[tuple[int, ...], tuple[int, ...]]  # A's unplayed card ids and B's, ascending
    to_move: Player
    ply: int
    cards: tuple[int, ...]  # all ten ids, ascending

    @property
    def first(self) -> Player:
        """Return who started."""
        return self.to_move.opponent if self.ply & 1 else self.to_move
