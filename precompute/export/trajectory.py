"""Sampled games, every state of each labelled by perfect play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.game.dealing import Dealer, game_random
from engine.game.moves import MOST_MOVES, move_of
from engine.game.state import State
from precompute.export.labellers import Labeller
from precompute.export.recipe import PolicyFormat, Stepping
from precompute.export.rows import ONEHOT, Rows
from precompute.export.stepping import MoveContext, choose, is_off_line


@dataclass(frozen=True)
class Games:
    """Plays games by number; a game is a function of its number, the dealer and the stepping."""

    dealer: Dealer
    stepping: Stepping
    has_terminal: bool = False
    games: int = 1
    chunk_size: int = 1  # games that a labeller takes at a time

    def jobs(self) -> Iterator[range]:
        """Return the numbers of the games, chunk by chunk."""
        for first in range(0, self.games, self.chunk_size):
            yield range(first, min(first + self.chunk_size, self.games))

    def label(self, labeller: Labeller, chunk: range) -> Iterator[Rows]:
        """Return the rows of some games, one after another."""
        return (self.play(game, labeller) for game in chunk)

    def play(self, game: int, labeller: Labeller) -> Rows:
        """Return the labelled states of a game."""
        return self.play_on(State.start(self.dealer.deal(game)), game, labeller)

    def play_on(self, state: State, game: int, labeller: Labeller) -> Rows:
        """Return the labelled states of a game from some state on."""
        is_off = is_off_line(self.stepping, self.dealer.seed, game)
        parts = []
        while not state.is_over:
            rows, context = self._look(state, game, labeller)
            parts.append(rows)
            packed = choose(self.stepping, context, labeller, is_off=is_off)
            state = state.play(move_of(state.deal, packed))
        if self.has_terminal:
            parts.append(_finished(state, labeller))
        return Rows(
            state.deal,
            np.concatenate([rows.codes for rows in parts]),
            np.concatenate([rows.best for rows in parts]),
            np.concatenate([rows.starter_cards for rows in parts]),
            np.concatenate([rows.policy for rows in parts]),
            game_id=game,
            off_pv=is_off,
        )

    def _look(self, state: State, game: int, labeller: Labeller) -> tuple[Rows, MoveContext]:
        """Label a state of a game, and return all that its next step may depend on."""
        deal, codes = state.deal, np.array([state.code])
        random = game_random(self.dealer.seed, game, state.ply)
        part, move = random.random(2).tolist()
        visits = labeller.visits(deal, codes, lambda _: random)
        policy = labeller.policy(visits, lambda: labeller.scores(deal, codes))
        best, cards = labeller.best(deal, codes)
        seen = visits[0] if visits else None
        context = MoveContext(state, int(best[0]), seen, random, part, move)
        return Rows(deal, codes, best, cards, policy), context


def _finished(state: State, labeller: Labeller) -> Rows:
    """Return the row of a finished game."""
    codes = np.array([state.code])
    is_onehot = labeller.labels.policy is PolicyFormat.ONEHOT
    policy = ONEHOT if is_onehot else np.zeros((1, MOST_MOVES), dtype=np.int32)
    return Rows(state.deal, codes, *labeller.best(state.deal, codes), policy)
