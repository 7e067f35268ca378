"""Players that choose a move by themselves."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum

from numpy.random import Generator

from app.terminal.judge import Judge
from engine.game.moves import Move
from engine.game.state import State

Chooser = Callable[[State, Generator], Move]


class PlayerKind(Enum):
    """Who sits at the table."""

    HUMAN = "human"
    RANDOM = "random"
    GREEDY = "greedy"
    PERFECT = "perfect"


def choose_random(state: State, random: Generator) -> Move:
    """Return any legal move, each equally likely."""
    moves = state.legal_moves()
    return moves[int(random.integers(len(moves)))]


def choose_greedy(state: State, _random: Generator) -> Move:
    """Return the move that captures most now; the first in order when several do."""
    return max(state.legal_moves(), key=lambda move: len(state.captures(move)))


def perfect_chooser(judge: Judge) -> Chooser:
    """Return a player that makes the best move."""

    def choose_perfect(state: State, _random: Generator) -> Move:
        best = judge.solve(state).best_move
        assert best is not None, "a finished game has no mover"
        return best

    return choose_perfect


def make_choosers(judge: Judge) -> dict[PlayerKind, Chooser]:
    """Return the players that need nobody to ask."""
    return {
        PlayerKind.RANDOM: choose_random,
        PlayerKind.GREEDY: choose_greedy,
        PlayerKind.PERFECT: perfect_chooser(judge),
    }
