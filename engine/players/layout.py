"""What the computer player is asked, and what it works with, each in one flat array.

    asked  [ASKED_LENGTH]   a state with its slots in order, and how the player plays
    work   [WORK_LENGTH]    scratch; from FOUND on, what was found

Cards are ids here, NO_CARD where there is none: on an empty cell, in a slot that was played.
Own slots are 0 to 4, the other player's 5 to 9; ten cards and those on the board are more than
the ten slots of a deal, because the guess repeats what has been played.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import CELLS, HAND_SIZE, SLOTS
from engine.game.moves import MOST_MOVES
from engine.players.placement import PLACES
from engine.players.tables import GREATEST_DEPTH

Asked: TypeAlias = npt.NDArray[np.int64]  # [..., ASKED_LENGTH]
Work: TypeAlias = npt.NDArray[np.int64]  # [WORK_LENGTH]
Found: TypeAlias = npt.NDArray[np.int64]  # [..., FOUND_LENGTH]

# Asked.
BOARD = 0  # [9]: cards
ELEMENTS = BOARD + CELLS  # [9]: the cells', NO_ELEMENT throughout when Elemental is off
HELD = ELEMENTS + CELLS  # [10]: both hands by slot
DEALT = HELD + SLOTS  # [5]: what the player was dealt, in order; only levels matter
OWNED = DEALT + HAND_SIZE  # mask of the cells that the player owns
OPTIONS = OWNED + 1  # SAME | PLUS | SAME_WALL; the variant is `ff8`
SEARCH = OPTIONS + 1  # the row of depths, with SEES_HAND when there is nothing to guess
STRATEGY = SEARCH + 1  # the row of weights
ASKED_LENGTH = STRATEGY + 1

# A frame.
OCCUPIED = 0  # mask of cells
MINE = 1  # mask of those that the computer player owns
HANDS_LEFT = 2  # mask of slots
SLOTS_LEFT = 3  # mask of the mover's slots to be tried, the one at hand last
CELLS_LEFT = 4  # mask of the cells to be tried with the slot at hand
SLOT = 5  # of the move that is being tried
CELL = 6
TAKEN = 7  # what it takes
BEST_RAW = 8
BEST_WEIGHTED = 9
FRAME_LENGTH = 10

# Work. What faces each place stands first, so that `work` is also what `placement` takes.
WORDS = PLACES  # [10, 9]: a slot's card as it lies on a cell
SLOT_VALUES = WORDS + SLOTS * CELLS  # [10]: what a slot's card is worth beyond its cell
CELL_VALUES = SLOT_VALUES + SLOTS  # [9]: the same of the card on a cell
BOUNDS = CELL_VALUES + CELLS  # [4]: by ply of the search
FRAMES = BOUNDS + GREATEST_DEPTH  # [4, FRAME_LENGTH]: a node by ply of the search, its last move
RULES = FRAMES + GREATEST_DEPTH * FRAME_LENGTH
TILE_WEIGHT = RULES + 1
SAME_WEIGHT = TILE_WEIGHT + 1
HAND_WEIGHT = SAME_WEIGHT + 1
NOISE_WEIGHT = HAND_WEIGHT + 1
HAS_VALUES = NOISE_WEIGHT + 1  # whether any card is worth something beyond its cell
ROOT = HAS_VALUES + 1  # [45, 4]: slot, cell, weighted, raw of every move, as they were tried
ROOT_LENGTH = 4
FOUND = ROOT + MOST_MOVES * ROOT_LENGTH

# Found, counted from FOUND.
MOVE = 0  # packed
DEPTH = 1
RAW = 2
WEIGHTED = 3
PLACEMENTS = 4  # cards put down on the way
RANDOM = 5  # the state of the random numbers afterwards
MOVES = 6  # how many rows of ROOT there are
GUESS = 7  # [5]: the other player's cards, guessed or seen
FOUND_LENGTH = GUESS + HAND_SIZE

WORK_LENGTH = FOUND + FOUND_LENGTH


def make_work() -> Work:
    """Return fresh scratch; each thread needs its own."""
    return np.zeros(WORK_LENGTH, dtype=np.int64)
