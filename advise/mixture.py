"""A mixture: one of several models, nobody knows which; observed moves tell."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import fsum, isfinite

from advise.models import Model
from advise.opponent import Opponent, Replies
from advise.table import TableTurn, drawn
from advise.view import View
from advise.world import World
from engine.errors import OpponentError
from engine.game.moves import Move


@dataclass(frozen=True)
class Mixture(Model):
    """Weighted models; `observed` weighs them by a move that was made."""

    models: tuple[Opponent, ...]
    weights: tuple[float, ...]  # they need not add up to 1
    name = "mixture"

    def __post_init__(self) -> None:
        """Check the weights."""
        weights = self.weights
        is_wrong = not all(isfinite(weight) and weight >= 0 for weight in weights)
        if is_wrong or not any(weights) or len(weights) != len(self.models):
            allowed = "one for each model, not negative, finite, not all of them 0"
            raise OpponentError.of("weights", list(weights), allowed)

    @property
    def sees_hand(self) -> bool:
        """Tell whether one of its models sees the viewer's hand."""
        return any(model.sees_hand for model, _ in self.likely)

    @property
    def is_deterministic(self) -> bool:
        """Tell whether its reply follows from what it sees, without chance."""
        return len(self.likely) == 1 and self.likely[0][0].is_deterministic

    @property
    def likely(self) -> list[tuple[Opponent, float]]:
        """Return the models of positive weight, with their probabilities."""
        total = fsum(self.weights)
        pairs = zip(self.models, self.weights, strict=True)
        return [(model, weight / total) for model, weight in pairs if weight]

    def replies(self, world: World, view: View) -> Replies:
        """Return what it replies in a world, with probabilities."""
        replies: dict[Move, float] = {}
        for model, share in self.likely:
            for move, chance in model.replies(world, view).items():
                replies[move] = replies.get(move, 0.0) + share * chance
        return replies

    def choose(self, turn: TableTurn) -> Move:
        """Return the move that it makes."""
        return drawn(self.replies(turn.world, turn.view), turn.random)

    def observed(self, world: World, view: View, move: Move) -> Mixture | None:
        """Return the mixture after its move was seen; None when no model can have made it."""
        weights = tuple(
            weight and weight * model.replies(world, view).get(move, 0.0)
            for model, weight in zip(self.models, self.weights, strict=True)
        )
        return replace(self, weights=weights) if any(weights) else None

    def __str__(self) -> str:
        """Return it as text: weights and models, joined by +."""
        parts = zip(self.models, self.weights, strict=True)
        return "+".join(f"{weight:.12g}*{model}" for model, weight in parts)
