"""Counts of states and of move sequences, ply by ply, for fixed deals.

`vectors/perft.jsonl` was counted by the slow twin to ply 3 and by the compiled
enumeration of `tests/plain.py` at ply 4; each deal has rules, elements or equal cards of its own.
"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest

from engine.game.board import EMPTY_BOARD, SLOTS
from engine.game.cards import Catalogue
from engine.game.state import State
from engine.text.notation import parse_state
from engine.text.wire import state_to_dict
from tests import naive, vectors
from tests.conftest import IS_JIT_OFF
from tests.plain import successors

DEALS = vectors.load("perft")
by_deal = pytest.mark.parametrize("row", DEALS, ids=lambda row: row["notation"])


def count(state: State, plies: int) -> tuple[list[int], list[int]]:
    """Return states and sequences per ply, by the engine's public objects."""
    layer = Counter({state: 1})
    states, sequences = [1], [1]
    for _ in range(plies):
        following: Counter[State] = Counter()
        for reached, ways in layer.items():
            for move in reached.legal_moves():
                following[reached.play(move)] += ways
        layer = following
        states.append(len(layer))
        sequences.append(layer.total())
    return states, sequences


def naive_count(document: dict[str, Any], plies: int) -> tuple[list[int], list[int]]:
    """Return the same counts by the slow twin."""
    layer = {naive.key(document): (document, 1)}
    states, sequences = [1], [1]
    for _ in range(plies):
        following: dict[str, tuple[dict[str, Any], int]] = {}
        for reached, ways in layer.values():
            for card, cell in naive.legal_moves(reached):
                after = naive.play(reached, card, cell)
                seen = following.get(naive.key(after), (after, 0))[1]
                following[naive.key(after)] = (after, seen + ways)
        layer = following
        states.append(len(layer))
        sequences.append(sum(ways for _, ways in layer.values()))
    return states, sequences


@by_deal
def test_counts_to_ply_2(row: dict[str, Any], catalogue: Catalogue) -> None:
    state = parse_state(row["notation"], catalogue)
    states, sequences = count(state, 2)
    assert states == row["states"][:3]
    assert sequences == row["sequences"][:3]
    assert naive_count(state_to_dict(state), 2) == (states, sequences)


@pytest.mark.slow
@by_deal
def test_counts_to_ply_3(row: dict[str, Any], catalogue: Catalogue) -> None:
    state = parse_state(row["notation"], catalogue)
    states, sequences = count(state, 3)
    assert states == row["states"][:4]
    assert sequences == row["sequences"][:4]
    assert naive_count(state_to_dict(state), 3) == (states, sequences)


@by_deal
def test_compiled_counts(row: dict[str, Any], catalogue: Catalogue) -> None:
    deal = parse_state(row["notation"], catalogue).deal
    if len({card.id for card in deal.slots}) < SLOTS:
        pytest.skip("codes tell equal cards apart; states do not")
    expected = row["states"][:3] if IS_JIT_OFF else row["states"]
    codes = np.array([EMPTY_BOARD])
    counts = [1]
    for ply in range(len(expected) - 1):
        codes = np.unique(successors(deal.duels, codes, ply))
        counts.append(len(codes))
    assert counts == expected
