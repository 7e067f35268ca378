"""Which move advances a game. Labels always come from perfect play; this decides the rest.

Every strategy is a distribution over the legal moves, in millionths (see
`precompute.export.chances`), and every ply has two random numbers: the first chooses a part
of a mixture, the second the move. The tree search draws after them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from engine.board import CELLS
from engine.dealing import game_random
from engine.search import MOST_MOVES, list_moves
from engine.state import State
from precompute.export.chances import chances_of, draw, score_weights, softmax_weights, without
from precompute.export.heuristic import move_scores
from precompute.export.recipe import OffLine, Play, Stepping
from precompute.export.worker import Worker

OFF_LINE_TURN = CELLS  # no move is made at it: its random numbers are free for the whole game


class Crossing(NamedTuple):
    """A state of a game, where it may go on in several ways."""

    state: State
    best: int  # packed
    visits: list[int] | None  # how often the policy's tree search chose each move
    random: Generator  # what is left of the ply's random numbers
    part: float  # the first of them
    move: float  # the second

    @property
    def moves(self) -> list[int]:
        """Return the legal moves, packed, in the documented order."""
        room = np.zeros(MOST_MOVES, dtype=np.int64)
        count = list_moves(self.state.deal.duels, self.state.code, room)
        moves: list[int] = room[:count].tolist()
        return moves


def is_off_line(stepping: Stepping, seed: int, game: int) -> bool:
    """Tell whether a game is played off the best line, as a whole."""
    if stepping.play is Play.MIX or not stepping.off_rate:
        return False
    return bool(game_random(seed, game, OFF_LINE_TURN).random() < stepping.off_rate)


def choose(stepping: Stepping, crossing: Crossing, worker: Worker, *, is_off: bool) -> int:
    """Return the packed move that advances the game."""
    if is_off:
        moves = crossing.moves
        weights = _off_line_weights(stepping.off_strategy, crossing, moves, worker)
        others = without(weights, moves.index(crossing.best))
        return moves[draw(chances_of(others), crossing.move)]
    play = _part(stepping, crossing)
    if play is Play.HEURISTIC:
        moves = crossing.moves
        weights = softmax_weights(move_scores(crossing.state, moves, stepping.weights))
        return moves[draw(chances_of(weights), crossing.move)]
    if play is Play.MCTS and crossing.visits:
        return crossing.moves[draw(chances_of(crossing.visits), crossing.move)]
    return crossing.best


def _part(stepping: Stepping, crossing: Crossing) -> Play:
    """Return how this ply is played."""
    if stepping.play is not Play.MIX:
        return stepping.play
    heuristic = stepping.mix.heuristic(crossing.state.ply)
    if crossing.part < heuristic:
        return Play.HEURISTIC
    if crossing.visits and crossing.part < heuristic + stepping.mix.mcts:
        return Play.MCTS
    return Play.PV


def _off_line_weights(
    strategy: OffLine, crossing: Crossing, moves: list[int], worker: Worker
) -> list[float]:
    """Return the weights of all moves, the best one included."""
    state = crossing.state
    if strategy is OffLine.RANDOM:
        return [1.0] * len(moves)
    if strategy is OffLine.WEIGHTED:
        cards = worker.scores(state.deal, np.array([state.code]))
        weights: list[float] = score_weights(cards)[0, : len(moves)].tolist()
        return weights
    return list(map(float, crossing.visits or worker.search(state, crossing.random)))
