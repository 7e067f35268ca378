"""A solver for each thread: models are values that never change, and searches need scratch."""

from __future__ import annotations

from threading import local

import numpy as np

from engine.game.moves import MOST_MOVES, NO_MOVE, Move, move_of
from engine.game.score import Worth, seat_cards, worths
from engine.game.shape import Value
from engine.game.state import State
from engine.search.solver import Solver

_kept = local()


def own_solver() -> Solver:
    """Return this thread's solver. It keeps its table, which makes the states of a game cheaper."""
    solver: Solver | None = getattr(_kept, "solver", None)
    if solver is None:
        solver = _kept.solver = Solver(keeps_table=True)
    return solver


def best_of(state: State) -> tuple[Move, Value]:
    """Return the first best move of a state that has moves, and what it is worth to the mover."""
    packed, starter_cards = own_solver().label(state.deal, np.array([state.code]))
    cards = seat_cards(state.ply & 1, int(starter_cards[0]))
    return move_of(state.deal, int(packed[0])), worths_of(state)[cards][0]


def exact_cards(state: State) -> list[int]:
    """Return the mover's cards at the end after each legal move, in the documented order."""
    cards = own_solver().label_moves(state.deal, np.array([state.code]))[0]
    return [count for count in cards[:MOST_MOVES].tolist() if count != NO_MOVE]


def worths_of(state: State) -> tuple[Worth, ...]:
    """Return value and margin for each number of cards the mover may end with."""
    return worths(state.rules.variant, state.to_move, state.ply)


def points_of(value: Value) -> float:
    """Return won, drawn, lost as points: 1, ½, 0."""
    return (value + 1) / 2
