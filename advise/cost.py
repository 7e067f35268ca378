"""How many worlds are looked at, and how long that takes, before it begins.

Seconds are those of one core, with all rules on, and leave room for a slower one.
"""

from __future__ import annotations

from collections.abc import Mapping

from advise.belief import Belief
from advise.open_tables import FIRST_PLY, LAST_PLY, TWO_DECISIONS
from advise.view import View

# Before ply 4: seconds a world, all moves.
WORLD_SECONDS: Mapping[int, float] = {0: 0.29, 1: 0.028, 2: 0.004, 3: 0.0006}
# From ply 4 on tables make worlds cheap, and their size counts: seconds for a card squared.
TABLE_SECONDS: Mapping[int, float] = {4: 6e-5, 5: 6e-6}
FINAL_SECONDS: Mapping[int, float] = {4: 5e-6, 5: 2e-6}  # a world, all moves
BRACKET_SECONDS: Mapping[int, float] = {4: 7e-6, 5: 2e-6}  # a world and move
LATE_SECONDS = 1e-6  # a world, from ply 6 on
FALLIBLE_SECONDS = 0.3  # at most

# How many worlds are looked at when nobody says; from ply 4 on all.
DEFAULT_WORLDS: Mapping[int, int] = {0: 16, 1: 40, 2: 200, 3: 500}
MOST_ENUMERATED = {3: 2_000}  # up to so many all are
LARGE_POOL = 30  # cards; above it, at ply 4, only the best moves are bracketed
MOST_MOVES = 20  # at ply 4
BRACKETED = 3


def default_worlds(view: View, total: int) -> int:
    """Return how many worlds are looked at when nobody says."""
    if view.ply >= FIRST_PLY or total <= MOST_ENUMERATED.get(view.ply, 0):
        return total
    return min(total, DEFAULT_WORLDS[view.ply])


def bracketed_moves(view: View, belief: Belief, moves: int) -> int:
    """Return for how many moves `guaranteed` is computed when all worlds are looked at."""
    if view.ply == FIRST_PLY and pool_size(belief) > LARGE_POOL:
        return min(BRACKETED, moves)
    return moves


def pool_size(belief: Belief) -> int:
    """Return how many different cards the opponent may hold."""
    return len(belief.cards)


def seconds_for(view: View, belief: Belief, worlds: int) -> float:
    """Return about how long it takes to look at so many worlds."""
    ply = view.ply
    if ply < FIRST_PLY:
        return worlds * WORLD_SECONDS[ply] + FALLIBLE_SECONDS * (ply == FIRST_PLY - 1)
    if ply > TWO_DECISIONS or ply > LAST_PLY:
        return worlds * LATE_SECONDS
    cards = pool_size(belief)
    seconds = TABLE_SECONDS[ply] * cards * cards + FINAL_SECONDS[ply] * worlds
    if worlds == belief.total:
        count = bracketed_moves(view, belief, MOST_MOVES)
        seconds += BRACKET_SECONDS[ply] * worlds * count
    return seconds


def fitting_worlds(view: View, belief: Belief, limit: float) -> int:
    """Return how many worlds can be looked at within so many seconds."""
    low, high = 0, belief.total
    while low < high:
        middle = (low + high + 1) // 2
        if seconds_for(view, belief, middle) <= limit:
            low = middle
        else:
            high = middle - 1
    return low
