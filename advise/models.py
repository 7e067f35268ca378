"""Models whose replies follow from the state: random, greedy, perfect, tremble, softmax.

Random and greedy look at the board and their own hand, the others at both hands. Those who see
both hands know what each move leads to with perfect play after it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from math import exp
from typing import ClassVar

from numpy.random import Generator

from advise.opponent import Replies
from advise.solvers import best_of, exact_cards, points_of, worths_of
from advise.table import TableTurn, drawn
from advise.view import View
from advise.world import World, state_in
from engine.game.cards import Card, Catalogue
from engine.game.moves import Move
from engine.game.state import State


class Model(ABC):
    """What most models have in common: they play any hand, and expect nothing."""

    name: ClassVar[str]
    needs_open: ClassVar[bool] = False

    def forecast(self, turn: TableTurn) -> float | None:  # noqa: ARG002  see `TablePlayer`
        """Return the points it expects before its move; None when it has no idea."""
        return None

    def draw_hand(
        self,
        catalogue: Catalogue,  # noqa: ARG002
        random: Generator,  # noqa: ARG002
        held: Sequence[Card],  # noqa: ARG002
    ) -> tuple[Card, ...] | None:
        """Return five cards that it plays with, in slot order; None for those of the deal."""
        return None


class StateModel(Model):
    """A model whose replies are a function of the state, or of the part of it that it sees."""

    sees_hand: ClassVar[bool] = True

    @property
    def is_deterministic(self) -> bool:
        """Tell whether its reply follows from what it sees, without chance."""
        return False

    @abstractmethod
    def chances(self, state: State) -> Replies:
        """Return the mover's replies in a state, in the documented order."""

    def replies(self, world: World, view: View) -> Replies:
        """Return what it replies in a world, with probabilities."""
        return self.chances(state_in(view, world))

    def choose(self, turn: TableTurn) -> Move:
        """Return the move that it makes."""
        if self.is_deterministic:
            return next(iter(self.chances(turn.state)))
        return drawn(self.chances(turn.state), turn.random)


@dataclass(frozen=True)
class Random(StateModel):
    """Any legal move, each equally likely."""

    name = "random"
    sees_hand = False

    def chances(self, state: State) -> Replies:
        """Return the mover's replies in a state."""
        moves = state.legal_moves()
        return dict.fromkeys(moves, 1 / len(moves))

    def choose(self, turn: TableTurn) -> Move:
        """Return the move that it makes."""
        return any_move(turn.state, turn.random)

    def __str__(self) -> str:
        """Return it as text."""
        return self.name


@dataclass(frozen=True)
class Greedy(StateModel):
    """The move that captures most at once, the first in order when several do."""

    name = "greedy"
    sees_hand = False

    @property
    def is_deterministic(self) -> bool:
        """Tell whether its reply follows from what it sees, without chance."""
        return True

    def chances(self, state: State) -> Replies:
        """Return the mover's replies in a state."""
        taken = state.captured_cells()
        return {max(state.legal_moves(), key=lambda move: len(taken[move])): 1.0}

    def __str__(self) -> str:
        """Return it as text."""
        return self.name


@dataclass(frozen=True)
class Perfect(StateModel):
    """The best move, the first in order of those with the best margin."""

    name = "perfect"

    @property
    def is_deterministic(self) -> bool:
        """Tell whether its reply follows from what it sees, without chance."""
        return True

    def chances(self, state: State) -> Replies:
        """Return the mover's replies in a state."""
        return {best_of(state)[0]: 1.0}

    def forecast(self, turn: TableTurn) -> float | None:
        """Return what perfect play of both makes of the state."""
        return points_of(best_of(turn.state)[1])

    def __str__(self) -> str:
        """Return it as text."""
        return self.name


@dataclass(frozen=True)
class Tremble(StateModel):
    """Perfect, but with probability `error` any legal move."""

    error: float = 0.1
    name = "tremble"

    @property
    def is_deterministic(self) -> bool:
        """Tell whether its reply follows from what it sees, without chance."""
        return self.error == 0

    def chances(self, state: State) -> Replies:
        """Return the mover's replies in a state."""
        best, _ = best_of(state)
        if self.error == 0:
            return {best: 1.0}
        moves = state.legal_moves()
        slip = self.error / len(moves)
        replies = {move: slip + (1 - self.error) * (move == best) for move in moves}
        return {move: chance for move, chance in replies.items() if chance}

    def __str__(self) -> str:
        """Return it as text."""
        return f"{self.name}:{self.error:.12g}"


@dataclass(frozen=True)
class Softmax(StateModel):
    """A move by softmax over its exact points with open hands: 1, ½, 0."""

    temperature: float = 0.1
    name = "softmax"

    def chances(self, state: State) -> Replies:
        """Return the mover's replies in a state."""
        worth = worths_of(state)
        points = [points_of(worth[cards][0]) for cards in exact_cards(state)]
        return softened(state.legal_moves(), points, self.temperature)

    def __str__(self) -> str:
        """Return it as text."""
        return f"{self.name}:{self.temperature:.12g}"


def any_move(state: State, random: Generator) -> Move:
    """Return any legal move, each equally likely."""
    moves = state.legal_moves()
    return moves[int(random.integers(len(moves)))]


def softened(moves: Sequence[Move], points: Sequence[float], temperature: float) -> Replies:
    """Return moves by softmax of their points; those too far behind for a number are left out."""
    highest = max(points)
    weights = [exp((worth - highest) / temperature) for worth in points]
    total = sum(weights)
    return {move: weight / total for move, weight in zip(moves, weights, strict=True) if weight}
