"""Random games in compiled code."""

from __future__ import annotations

from numpy.random import Generator

from engine.game.board import CELLS, EMPTY_BOARD, empty_cells, hand_of, owners_of
from engine.game.capture import place
from engine.game.duels import Duels, playable_slots
from engine.game.moves import ply_of
from engine.kernel import bit_count, kernel, lowest_bit


@kernel
def random_bit(random: Generator, word: int) -> int:
    """Return the place of one of the ones in `word`, each equally likely."""
    for _ in range(int(random.random() * bit_count(word))):
        word &= word - 1
    return lowest_bit(word)


@kernel
def play_out(duels: Duels, code: int, random: Generator) -> int:
    """Return the final code of a game that goes on with uniformly random moves.

    Every playable card fits on every empty cell, so drawing both apart is uniform
    over the legal moves.
    """
    for ply in range(ply_of(code), CELLS):
        mover = ply & 1
        cell = random_bit(random, empty_cells(code))
        slot = random_bit(random, playable_slots(duels, hand_of(code, mover)))
        code = place(duels, code, slot, cell, mover)
    return code


@kernel
def play_random_games(duels: Duels, games: int, random: Generator) -> int:
    """Play whole random games of one deal; return the board cards the starter won in all."""
    won = 0
    for _ in range(games):
        won += CELLS - bit_count(owners_of(play_out(duels, EMPTY_BOARD, random)))
    return won
