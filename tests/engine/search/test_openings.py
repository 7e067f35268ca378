"""Whole openings against plain enumeration: minutes, not milliseconds."""

from __future__ import annotations

import numpy as np
import pytest

from engine.game.board import EMPTY_BOARD
from engine.game.cards import Catalogue
from engine.game.dealing import Dealer, ElementSource
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.search.solver import Solver
from tests.plain import Codes, cards_from_next, cards_of_layer, successors

DEEPEST = 6  # kept as a layer; below it every state is played out plainly


@pytest.mark.slow
@pytest.mark.parametrize("variant", Variant)
def test_opening_equals_plain_enumeration(variant: Variant, catalogue: Catalogue) -> None:
    rules = Rules.of(SWITCHES, variant)
    state = State.start(
        Dealer(catalogue, 99, rules, elements=ElementSource.RANDOM, first=None).deal(0)
    )
    assert len({card.id for card in state.deal.slots}) == 10
    duels = state.deal.duels
    layers: list[Codes] = [np.array([EMPTY_BOARD])]
    for ply in range(DEEPEST):
        layers.append(np.unique(successors(duels, layers[-1], ply)))
    cards = cards_of_layer(duels, layers[DEEPEST], DEEPEST)
    for ply in range(DEEPEST - 1, 0, -1):
        cards = cards_from_next(duels, layers[ply], ply, layers[ply + 1], cards)
    ends = dict(zip(layers[1].tolist(), cards.tolist(), strict=True))

    unplayed = 1 if variant is Variant.FF8 else 0
    sign = 1 if state.to_move.name == "A" else -1
    margins = {
        move: sign * (9 - 2 * ends[state.play(move).code] - unplayed)
        for move in state.legal_moves()
    }
    solver = Solver()
    assert {entry.move: entry.margin for entry in solver.rank(state)} == margins
    solution = solver.solve(state)
    best = max(margins.values(), key=lambda margin: sign * margin)
    assert solution.margin == best
    assert solution.best_move == next(move for move in state.legal_moves() if margins[move] == best)
