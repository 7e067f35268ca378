"""The states of a solved layer one by one: code, cards at the end, best move, every move.

States come in the order of their index (see `engine.tablebase.index`). What a move is worth is
looked up in the layer after; to find the first best move, moves are looked up in the documented
order until one keeps what the state is worth, and the last needs no look.
"""

from __future__ import annotations

import numpy as np

from engine.game.board import (
    ALL_CELLS,
    CELLS,
    HAND_SIZE,
    Codes,
    empty_cells,
    owners_of,
    with_captures,
)
from engine.game.moves import MOST_MOVES, NO_MOVE, code_after, list_moves
from engine.game.score import cards_of
from engine.kernel import Numbers, bit_count, drop_lowest, kernel, lowest_bit
from engine.tablebase.blocks import locate
from engine.tablebase.index import code_at, owners_at
from engine.tablebase.patterns import PLANES, WORD_BITS, number_at
from engine.tablebase.root import arranged
from engine.tablebase.transition import Below, Layer


def count_states(layer: Layer, first: int = 0, last: int | None = None) -> int:
    """Return the number of states of a layer, or of its placements from `first` up to `last`."""
    end = None if last is None else last * layer.words
    words = layer.reachable[first * layer.words : end]
    return int(np.bitwise_count(words.view(np.uint64)).sum(dtype=np.int64))


def states_of(below: Below, layer: Layer, first: int, last: int) -> tuple[Codes, Codes]:
    """Return codes and the starter's cards at the end, placements `first` up to `last`.

    A layer without cards is that of the finished games.
    """
    codes = np.empty(count_states(layer, first, last), dtype=np.int64)
    cards = np.empty_like(codes)
    list_states(below, layer, (first, last), np.zeros(HAND_SIZE, dtype=np.int64), codes, cards)
    return codes, cards


def best_moves_of(below: Below, after: Layer, codes: Codes, cards: Codes) -> Codes:
    """Return the first best move, packed, of each state of one ply before the last."""
    best = np.empty_like(codes)
    find_best(below, after, codes, cards, np.zeros(MOST_MOVES, dtype=np.int64), best)
    return best


def all_moves_of(below: Below, after: Layer, codes: Codes) -> Codes:
    """Return the mover's cards at the end after each move [n, 45]; NO_MOVE where there is none."""
    cards = np.empty((len(codes), MOST_MOVES), dtype=np.int64)
    look_up_moves(below, after, codes, np.zeros(MOST_MOVES, dtype=np.int64), cards)
    return cards


@kernel
def list_states(
    below: Below,
    layer: Layer,
    run: tuple[int, int],
    numbers: Numbers,
    codes: Codes,
    cards: Codes,
) -> None:
    """Write the states of a run of placements; `numbers` [5] is scratch."""
    words, count = layer.words, 0
    for placement in range(run[0], run[1]):
        board, occupied = -1, 0
        for word in range(words):
            left = int(layer.reachable[placement * words + word])
            if left and board < 0:
                board = code_at(below.root, layer.ply, placement, numbers)
                occupied = ALL_CELLS & ~empty_cells(board)
            while left:
                pattern = word * WORD_BITS + lowest_bit(left)
                left = drop_lowest(left)
                codes[count] = with_captures(board, owners_at(occupied, pattern))
                if len(layer.cards):
                    at = placement * PLANES * words
                    cards[count] = number_at(layer.cards, at, words, pattern)
                else:
                    cards[count] = CELLS - bit_count(pattern)
                count += 1


@kernel
def cards_after(below: Below, after: Layer, code: int, move: int) -> int:
    """Return the starter's cards at the end after a packed move."""
    child = code_after(below.duels, code, move)
    if after.ply == CELLS:
        return CELLS - bit_count(owners_of(child))
    placement, pattern = locate(below.root, arranged(below.root, child))
    return number_at(after.cards, placement * PLANES * after.words, after.words, pattern)


@kernel
def find_best(
    below: Below, after: Layer, codes: Codes, cards: Codes, moves: Numbers, best: Codes
) -> None:
    """Write each state's first best move; `cards` is what the states are worth."""
    for number in range(len(codes)):
        code = int(codes[number])
        count = list_moves(below.duels, code, moves)
        choice = 0
        while choice < count - 1:
            if cards_after(below, after, code, int(moves[choice])) == cards[number]:
                break
            choice += 1
        best[number] = moves[choice]


@kernel
def look_up_moves(below: Below, after: Layer, codes: Codes, moves: Numbers, cards: Codes) -> None:
    """Write the mover's cards at the end after each move into `cards` [n, 45]."""
    mover = (after.ply - 1) & 1
    for number in range(len(codes)):
        cards[number, :] = NO_MOVE
        code = int(codes[number])
        for choice in range(list_moves(below.duels, code, moves)):
            found = cards_after(below, after, code, int(moves[choice]))
            cards[number, choice] = cards_of(mover, found)
