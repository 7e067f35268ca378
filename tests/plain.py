"""Whole layers of a deal by plain enumeration: compiled, but without a single short cut.

Shares the placing of a card with the engine (which `tests/naive.py` checks), and nothing of
its search: no bounds, no table, no order.
"""

from __future__ import annotations

from itertools import combinations
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import CELLS, HAND_SIZE, empty_cells, owners_of, slots_down
from engine.game.capture import place
from engine.game.duels import Duels
from engine.game.state import State
from engine.game.zobrist import Tokens, make_tokens, write_hash
from engine.kernel import allocating_kernel, bit_count, kernel, lowest_bit

Codes: TypeAlias = npt.NDArray[np.int64]
Hashes: TypeAlias = npt.NDArray[np.uint64]
Cards: TypeAlias = npt.NDArray[np.int8]  # the mover's cards at the end, for each code


@allocating_kernel
def successors(duels: Duels, codes: Codes, ply: int) -> Codes:
    """Return the codes after every move of every slot, repeats included."""
    mover = ply & 1
    width = (CELLS - ply) * (HAND_SIZE - ply // 2)
    result = np.empty(len(codes) * width, dtype=np.int64)
    length = 0
    for code in codes:
        cells, down = empty_cells(code), slots_down(code)
        for cell in range(CELLS):
            for slot in range(HAND_SIZE * mover, HAND_SIZE * (mover + 1)):
                if (cells >> cell) & 1 and not (down >> slot) & 1:
                    result[length] = place(duels, code, slot, cell, mover)
                    length += 1
    return result[:length]


@kernel
def plain_cards(duels: Duels, code: int, ply: int) -> int:
    """Return the cards the mover ends with, by looking at everything."""
    if ply == CELLS:
        return bit_count(owners_of(code))
    mover = ply & 1
    cells, down = empty_cells(code), slots_down(code)
    best = 0
    for cell in range(CELLS):
        for slot in range(HAND_SIZE * mover, HAND_SIZE * (mover + 1)):
            if (cells >> cell) & 1 and not (down >> slot) & 1:
                after = place(duels, code, slot, cell, mover)
                best = max(best, CELLS - plain_cards(duels, after, ply + 1))
    return best


@allocating_kernel
def cards_of_layer(duels: Duels, codes: Codes, ply: int) -> Cards:
    """Return the cards of every code of a layer."""
    cards = np.empty(len(codes), dtype=np.int8)
    for number in range(len(codes)):
        cards[number] = plain_cards(duels, codes[number], ply)
    return cards


@allocating_kernel
def cards_from_next(
    duels: Duels, codes: Codes, ply: int, next_codes: Codes, next_cards: Cards
) -> Cards:
    """Return the cards of a layer from those of the next, whose codes are sorted."""
    cards = np.zeros(len(codes), dtype=np.int8)
    for number in range(len(codes)):
        for after in successors(duels, codes[number : number + 1], ply):
            found = np.searchsorted(next_codes, after)
            cards[number] = max(int(cards[number]), CELLS - int(next_cards[found]))
    return cards


@allocating_kernel
def codes_with_empty(duels: Duels, codes: Codes, ply: int, empty: int) -> Codes:
    """Return the codes after every move that leaves just the cells `empty`, repeats included."""
    mover = ply & 1
    parents = 0
    for code in codes:
        parents += (empty_cells(code) & empty) == empty
    result = np.empty(parents * (HAND_SIZE - ply // 2), dtype=np.int64)
    length = 0
    for code in codes:
        cells, down = empty_cells(code), slots_down(code)
        if cells & empty == empty:
            for slot in range(HAND_SIZE * mover, HAND_SIZE * (mover + 1)):
                if not (down >> slot) & 1:
                    result[length] = place(duels, code, slot, lowest_bit(cells & ~empty), mover)
                    length += 1
    return result


@allocating_kernel
def half_hashes(tokens: Tokens, codes: Codes, mover: int) -> Hashes:
    """Return half of each code's hash: what players see, whoever brought which card."""
    hashes = np.empty(len(codes), dtype=np.uint64)
    halves = np.empty(2, dtype=np.uint64)
    for number in range(len(codes)):
        write_hash(tokens, codes[number], mover, halves)
        hashes[number] = halves[0]
    return hashes


def count_layers(start: State) -> list[int]:
    """Return the number of states at plies 0 to 8 of an opening: played, hashed, counted."""
    duels, tokens = start.deal.duels, make_tokens(start.deal)
    layer: Codes = np.array([start.code])
    counts = [1]
    for ply in range(CELLS - 1):
        parts = []
        for cells in combinations(range(CELLS), CELLS - 1 - ply):
            empty = sum(1 << cell for cell in cells)
            codes = np.unique(codes_with_empty(duels, layer, ply, empty))
            _, kept = np.unique(half_hashes(tokens, codes, (ply + 1) & 1), return_index=True)
            parts.append(codes[kept])
        layer = np.concatenate(parts)
        counts.append(len(layer))
    return counts
