"""Sampled games, every state of each labelled by perfect play."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from engine.board import CELLS
from engine.dealing import Dealer, game_random
from engine.search import MOST_MOVES
from engine.state import Move, State
from precompute.export.recipe import PolicyFormat, Stepping
from precompute.export.rows import ONEHOT, Rows
from precompute.export.stepping import Crossing, choose, is_off_line
from precompute.export.worker import Worker


@dataclass(frozen=True)
class Games:
    """Plays games by number; a game is a function of its number, the dealer and the stepping."""

    dealer: Dealer
    stepping: Stepping
    has_terminal: bool = False
    games: int = 1
    chunk_size: int = 1  # games that a worker takes at a time

    def jobs(self) -> Iterator[range]:
        """Return the numbers of the games, chunk by chunk."""
        for first in range(0, self.games, self.chunk_size):
            yield range(first, min(first + self.chunk_size, self.games))

    def label(self, worker: Worker, chunk: range) -> Iterator[Rows]:
        """Return the rows of some games, one after another."""
        return (self.play(game, worker) for game in chunk)

    def play(self, game: int, worker: Worker) -> Rows:
        """Return the labelled states of a game."""
        return self.play_on(State.start(self.dealer.deal(game)), game, worker)

    def play_on(self, state: State, game: int, worker: Worker) -> Rows:
        """Return the labelled states of a game from some state on."""
        is_off = is_off_line(self.stepping, self.dealer.seed, game)
        parts = []
        while not state.is_over:
            rows, crossing = self._look(state, game, worker)
            parts.append(rows)
            slot, cell = divmod(choose(self.stepping, crossing, worker, is_off=is_off), CELLS)
            state = state.play(Move(state.deal.slots[slot].id, cell))
        if self.has_terminal:
            parts.append(_finished(state, worker))
        return Rows(
            state.deal,
            np.concatenate([rows.codes for rows in parts]),
            np.concatenate([rows.best for rows in parts]),
            np.concatenate([rows.cards for rows in parts]),
            np.concatenate([rows.policy for rows in parts]),
            game_id=game,
            off_pv=is_off,
        )

    def _look(self, state: State, game: int, worker: Worker) -> tuple[Rows, Crossing]:
        """Label a state of a game, and return all that its next step may depend on."""
        deal, codes = state.deal, np.array([state.code])
        random = game_random(self.dealer.seed, game, state.ply)
        part, move = random.random(2).tolist()
        visits = worker.visits(deal, codes, lambda _: random)
        policy = worker.policy(visits, lambda: worker.scores(deal, codes))
        best, cards = worker.best(deal, codes)
        seen = visits[0] if visits else None
        crossing = Crossing(state, int(best[0]), seen, random, part, move)
        return Rows(deal, codes, best, cards, policy), crossing


def _finished(state: State, worker: Worker) -> Rows:
    """Return the row of a finished game."""
    codes = np.array([state.code])
    is_onehot = worker.labels.policy is PolicyFormat.ONEHOT
    policy = ONEHOT if is_onehot else np.zeros((1, MOST_MOVES), dtype=np.int32)
    return Rows(state.deal, codes, *worker.best(state.deal, codes), policy)
