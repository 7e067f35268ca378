"""Fallible values are what plain Python finds by looking at everything."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from advise.fallible import ERROR, fallible_moves, fallible_values
from advise.open_values import payoff_of, value_moves
from advise.worlds import Worlds
from engine.game.deal import Player
from engine.game.rules import Rules
from tests import naive
from tests.advise.closed import (
    ALL_RULES,
    EXAMPLES,
    PLAIN,
    POINTS,
    Closed,
    closed_at,
    closed_views,
    document_of,
    held_in,
    state_of,
)
from tests.conftest import IS_JIT_OFF


def naive_expected(document: dict[str, Any], viewer: Player, error: float) -> float:
    """Return what the viewer expects, by looking at everything."""
    moves = naive.legal_moves(document)
    if not moves:
        margin = naive.margin(document)
        return POINTS[int(np.sign(margin if viewer is Player.A else -margin))]
    values = [naive_expected(naive.play(document, *move), viewer, error) for move in moves]
    if document["to_move"] == viewer.name:
        return max(values)
    return (1 - error) * min(values) + error * sum(values) / len(values)


def values_in(closed: Closed, error: float = ERROR, threads: int = 1) -> list[float]:
    payoff = payoff_of(closed.view)
    found = fallible_values(*closed, payoff, error=error, threads=threads)
    return [float(value) for value in found]


@pytest.mark.parametrize("rules", [PLAIN, ALL_RULES])
@pytest.mark.parametrize(("ply", "pool"), [(5, 3), (6, 4), (7, 4), (8, 2)])
def test_values_are_what_plain_python_finds(ply: int, pool: int, rules: Rules) -> None:
    closed = closed_at(ply, seed=ply, rules=rules, pool=pool)
    moves = value_moves(*closed).moves
    documents = [document_of(closed, held) for held in held_in(closed)]
    for move, found in list(zip(moves, values_in(closed), strict=True))[::4]:
        each = [
            naive_expected(naive.play(document, *move), closed.view.viewer, ERROR)
            for document in documents
        ]
        assert found == pytest.approx(sum(each) / len(each), abs=1e-12)


@settings(max_examples=EXAMPLES)
@given(closed_views(4))
def test_who_never_errs_is_perfect_and_errors_never_hurt(closed: Closed) -> None:
    expected = value_moves(*closed).means(payoff_of(closed.view))
    assert np.allclose(values_in(closed, error=0.0), expected, atol=1e-12)
    assert (np.array(values_in(closed)) >= expected - 1e-12).all()


@settings(max_examples=EXAMPLES)
@given(closed_views(4))
def test_a_state_is_a_view_of_one_world(closed: Closed) -> None:
    state = state_of(closed, 0)
    view = replace(closed.view, unseen=0, known=state.hands[closed.view.opponent])
    seen = Closed(view, Worlds.of([], [[]]))
    found = fallible_moves(state)
    assert list(found) == state.legal_moves()
    assert list(found.values()) == pytest.approx(values_in(seen), abs=1e-12)


@pytest.mark.skipif(IS_JIT_OFF, reason="takes minutes")
def test_ply_three_and_any_number_of_threads_agree() -> None:
    closed = closed_at(3, seed=1, rules=ALL_RULES, pool=5)
    assert values_in(closed, threads=3) == values_in(closed)
    expected = value_moves(*closed).means(payoff_of(closed.view))
    assert np.allclose(values_in(closed, error=0.0), expected, atol=1e-12)


def test_named_moves_alone_are_valued() -> None:
    closed = closed_at(5, seed=1, rules=PLAIN, pool=4)
    every = values_in(closed)
    some = fallible_values(*closed, payoff_of(closed.view), moves=[5, 0]).tolist()
    assert some == [every[5], every[0]]


def test_what_takes_too_long_is_refused() -> None:
    early = closed_at(2, seed=1, rules=PLAIN, pool=5)
    with pytest.raises(ValueError, match="ply 2"):
        fallible_values(*early, payoff_of(early.view))
    with pytest.raises(ValueError, match="ply 2"):
        fallible_moves(state_of(early, 0))
    many = closed_at(5, seed=1, rules=PLAIN, pool=16)
    with pytest.raises(ValueError, match="120 worlds"):
        fallible_values(*many, payoff_of(many.view))


@pytest.mark.skipif(IS_JIT_OFF, reason="takes minutes")
def test_three_moves_of_ply_two_are_valued() -> None:
    closed = closed_at(2, seed=1, rules=PLAIN, pool=4)
    found = fallible_values(*closed, payoff_of(closed.view), moves=[0, 1, 2], error=0.0)
    expected = value_moves(*closed).means(payoff_of(closed.view))[:3]
    assert np.allclose(found, expected, atol=1e-12)
