"""Styles as players of the table: they advise themselves from what they see."""

from __future__ import annotations

from dataclasses import dataclass

from advise.advice import Advice
from advise.adviser import Adviser, Wish
from advise.belief import Belief
from advise.models import Model
from advise.objective import Style
from advise.opponent import Replies
from advise.prior import Levels, Pool, Prior
from advise.table import TableTurn
from advise.view import View
from advise.world import World, state_in
from engine.game.cards import Catalogue, default_catalogue
from engine.game.moves import Move
from engine.players.dealing import Dealing


@dataclass(frozen=True)
class StylePlayer(Model):
    """Plays by a style; of the other's hand it believes that it is of some levels, or any."""

    style: Style
    levels: tuple[int, ...] = ()  # of the other's cards; any card when left out
    worlds: int | None = None  # that it looks at; by ply when left out
    catalogue: Catalogue | None = None  # the project's own when left out
    sees_hand = False
    is_deterministic = True

    @property
    def name(self) -> str:  # type: ignore[override]
        """Return its kind."""
        return self.style.value

    def replies(self, world: World, view: View) -> Replies:
        """Return what it replies in a world: it sees its own hand, which is the world's."""
        state = state_in(view, world)
        return {self.advice(View.seen_by(state, state.to_move)).best_move: 1.0}

    def choose(self, turn: TableTurn) -> Move:
        """Return the move that it makes."""
        return self.advice(turn.own_view).best_move

    def forecast(self, turn: TableTurn) -> float | None:
        """Return what it secures, where that is computed; else what it is worth, open."""
        if turn.mover is not turn.own_view.viewer:
            return None
        advice = self.advice(turn.own_view)
        best = advice.best
        return best.guaranteed.low if best.guaranteed else advice.value.points

    def advice(self, view: View) -> Advice:
        """Return what it tells itself."""
        belief = Belief.of(view, self._prior(), self.catalogue)
        return Adviser().last(view, belief, Wish(style=self.style, worlds=self.worlds))

    def _prior(self) -> Prior:
        if self.levels:
            return Levels(Dealing.of(self.levels))
        return Pool.of(card.id for card in self.catalogue or default_catalogue())

    def __str__(self) -> str:
        """Return it as text."""
        parts = [f"levels={'.'.join(map(str, self.levels))}"] if self.levels else []
        parts += [f"worlds={self.worlds}"] if self.worlds else []
        return ":".join([self.name, *([",".join(parts)] if parts else [])])
