"""Which move advances a game. Labels always come from perfect play; this decides the rest.

Every strategy is a distribution over the legal moves, in millionths (see
`engine.game.chances`), and every ply has two random numbers: the first chooses a part
of a mixture, the second the move. The tree search draws after them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from engine.game.board import CELLS
from engine.game.chances import chances_of, draw, score_weights, softmax_weights, without
from engine.game.dealing import game_random
from engine.game.moves import MOST_MOVES, list_moves
from engine.game.state import State
from precompute.export.heuristic import move_scores
from precompute.export.labellers import Labeller
from precompute.export.recipe import OffLine, Play, Stepping

OFF_LINE_TURN = CELLS  # no move is made at it: its random numbers are free for the whole game


class MoveContext(NamedTuple):
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


def choose(stepping: Stepping, context: MoveContext, labeller: Labeller, *, is_off: bool) -> int:
    """Return the packed move that advances the game."""
    if is_off:
        moves = context.moves
        weights = _off_line_weights(stepping.off_strategy, context, moves, labeller)
        others = without(weights, moves.index(context.best))
        return moves[draw(chances_of(others), context.move)]
    play = _part(stepping, context)
    if play is Play.HEURISTIC:
        moves = context.moves
        weights = softmax_weights(move_scores(context.state, moves, stepping.weights))
        return moves[draw(chances_of(weights), context.move)]
    if play is Play.MCTS and context.visits:
        return context.moves[draw(chances_of(context.visits), context.move)]
    return context.best


def _part(stepping: Stepping, context: MoveContext) -> Play:
    """Return how this ply is played."""
    if stepping.play is not Play.MIX:
        return stepping.play
    heuristic = stepping.mix.heuristic(context.state.ply)
    if context.part < heuristic:
        return Play.HEURISTIC
    if context.visits and context.part < heuristic + stepping.mix.mcts:
        return Play.MCTS
    return Play.PV


def _off_line_weights(
    strategy: OffLine, context: MoveContext, moves: list[int], labeller: Labeller
) -> list[float]:
    """Return the weights of all moves, the best one included."""
    state = context.state
    if strategy is OffLine.RANDOM:
        return [1.0] * len(moves)
    if strategy is OffLine.WEIGHTED:
        cards = labeller.scores(state.deal, np.array([state.code]))
        weights: list[float] = score_weights(cards)[0, : len(moves)].tolist()
        return weights
    return list(map(float, context.visits or labeller.search(state, context.random)))
