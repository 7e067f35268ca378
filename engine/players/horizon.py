"""Cards in sight: what a player who looks a few plies ahead takes a state for.

Beyond the last ply that is looked at, a player counts: cards owned, less those that can be taken
at once. Owned are those on the board and those that are still to be played, so that both players'
together are always nine; at once means by one move, the one that takes most.

    mover's cards = 9 - (the other's owned - most that one move of the mover takes)

Only states before the end are looked at so. Where the horizon reaches the end of the game, the
exact search answers, which is quicker.
"""

from __future__ import annotations

import numpy as np

from engine.game.board import CELLS, HAND_SIZE, empty_cells, hand_of, owners_of
from engine.game.capture import contacts, opposing, place, taken_by
from engine.game.duels import Duels, playable_slots
from engine.game.moves import Moves, code_after, list_moves, mover_of, ply_of
from engine.kernel import Numbers, bit_count, kernel, lowest_bit

# The lowest and highest number of cards there can be. An array, because numba compiles a kernel
# anew for arguments that are literals; the two would call each other, and crash when they are
# loaded from the cache.
_WINDOW = np.array([0, CELLS], dtype=np.int64)  # [2]


@kernel
def owned_by_mover(code: int) -> int:
    """Return the mover's cards on the board and yet to be played there."""
    ply = ply_of(code)
    theirs = bit_count(owners_of(code))
    if ply & 1:
        return theirs + (CELLS - HAND_SIZE) - ply // 2
    return ply - theirs + HAND_SIZE - ply // 2


@kernel
def most_captures(duels: Duels, code: int, enough: int) -> int:
    """Return the most cards that one move of the mover takes; stop looking at `enough`."""
    mover = mover_of(code)
    playable = playable_slots(duels, hand_of(code, mover))
    theirs = opposing(code, mover)
    cells = empty_cells(code)
    most = 0
    while cells and most < enough:
        cell = lowest_bit(cells)
        cells &= cells - 1
        everyone = contacts(duels, code, cell)
        slots = playable if everyone else 0
        while slots:
            slot = lowest_bit(slots)
            slots &= slots - 1
            taken = bit_count(taken_by(duels, code, slot, cell, everyone, theirs))
            most = max(most, taken)
    return most


@kernel
def cards_in_sight(duels: Duels, code: int, plies: int, lower: int, upper: int) -> int:
    """Return the mover's cards `plies` further on, with both players doing their best.

    A number of at most `lower` means so many or fewer, of at least `upper` so many or more. The
    state must not reach the end of the game within `plies`.
    """
    if plies == 0:
        owned = owned_by_mover(code)
        return owned + most_captures(duels, code, upper - owned)
    mover = mover_of(code)
    playable = playable_slots(duels, hand_of(code, mover))
    cells = empty_cells(code)
    best = 0
    while cells:
        cell = lowest_bit(cells)
        cells &= cells - 1
        slots = playable
        while slots:
            slot = lowest_bit(slots)
            slots &= slots - 1
            after = place(duels, code, slot, cell, mover)
            below, above = CELLS - upper, CELLS - max(lower, best)
            cards = CELLS - cards_in_sight(duels, after, plies - 1, below, above)
            best = max(best, cards)
            if best >= upper:
                return best
    return best


@kernel
def rank_in_sight(duels: Duels, code: int, plies: int, moves: Moves, cards: Numbers) -> int:
    """Write the legal moves, in order, and the mover's cards `plies` after each; return how many.

    Each number is exact. `moves` and `cards` have room for 45.
    """
    count = list_moves(duels, code, moves)
    lowest, highest = int(_WINDOW[0]), int(_WINDOW[1])
    for number in range(count):
        after = code_after(duels, code, int(moves[number]))
        cards[number] = CELLS - cards_in_sight(duels, after, plies, lowest, highest)
    return count
