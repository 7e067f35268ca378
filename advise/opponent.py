"""An opponent: a model of a player, which says what it replies, with probabilities.

Whoever asks sees a view, in which it is the opponent's turn; a world says what is hidden there.
A model that sees both hands looks at both; another looks at what it would see in the game, which
is its own hand (the world's) and the board, and never at the viewer's hand.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, TypeAlias, runtime_checkable

from advise.view import View
from advise.world import World
from engine.game.moves import Move

Replies: TypeAlias = Mapping[Move, float]  # of positive probability; they add up to 1


@runtime_checkable
class Opponent(Protocol):
    """A model of a player. It never changes, and is equal to another of the same text."""

    @property
    def name(self) -> str:
        """Return its kind, a word: `tremble`."""

    @property
    def sees_hand(self) -> bool:
        """Tell whether it looks at the viewer's hand even when the rule Open is off."""

    @property
    def is_deterministic(self) -> bool:
        """Tell whether its reply follows from what it sees, without chance."""

    def replies(self, world: World, view: View) -> Replies:
        """Return what it replies in a world, with probabilities; it is its turn in the view."""

    def __str__(self) -> str:
        """Return it as text, as options and requests name it: `tremble:0.1`."""
