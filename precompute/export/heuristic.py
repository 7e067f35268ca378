"""A heuristic: features of a move, weighted, for games that look like people's.

    corner, edge, center   1 when the cell is one
    greedy                 what the mover's margin gains at once by captures: two for each
    defense                how little the card is exposed: for each side that faces an empty cell,
                           its rank less 10, over 10
    element                1 on a cell of the card's own element, -1 on another's, else 0

Ranks are those that the basic rule compares: shifted by the cell's element.
"""

from __future__ import annotations

from engine.game.board import EMPTY, NEIGHBOURS, WALL, slot_at
from engine.game.capture import captured
from engine.game.cards import Card, Element
from engine.game.duels import HIGHEST_RANK, LOWEST_RANK
from engine.game.moves import unpack_move
from engine.game.rules import Variant
from engine.game.state import State
from precompute.export.recipe import Weights

CORNERS, CENTER = (0, 2, 6, 8), 4
_NEIGHBOURS: list[list[int]] = NEIGHBOURS.tolist()


def move_scores(state: State, moves: list[int], weights: Weights) -> list[float]:
    """Return the weighted features of packed moves."""
    return [_score(state, *unpack_move(move), weights) for move in moves]


def _score(state: State, slot: int, cell: int, weights: Weights) -> float:
    card, element = state.deal.slots[slot], state.elements[cell]
    shift = element_shift(card, element)
    taken = int(captured(state.deal.duels, state.code, slot, cell, state.ply & 1))
    return (
        _cell_weight(cell, weights)
        + weights.greedy * 2 * taken.bit_count()
        + weights.defense * _defense(state, card, cell, shift)
        + weights.element * shift
    )


def _cell_weight(cell: int, weights: Weights) -> float:
    if cell in CORNERS:
        return weights.corner
    return weights.center if cell == CENTER else weights.edge


def element_shift(card: Card, element: Element | None) -> int:
    """Return what a cell's element does to a card's ranks."""
    if element is None:
        return 0
    return 1 if card.element is element else -1


def _defense(state: State, card: Card, cell: int, shift: int) -> float:
    total = 0.0
    for side, other in enumerate(_NEIGHBOURS[cell]):
        if other != WALL and slot_at(state.code, other) == EMPTY:
            rank = card.ranks[side] + shift
            if state.rules.variant is Variant.TRIPLECARGO:
                rank = min(max(rank, LOWEST_RANK), HIGHEST_RANK)
            total += (rank - HIGHEST_RANK) / HIGHEST_RANK
    return total
