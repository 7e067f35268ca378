"""Open values of all worlds at once are those of each world alone."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from advise.open_values import OpenValues, margin_payoff, payoff_of, value_moves, worst_mean
from advise.worlds import Combinations, Shuffle, Worlds
from engine.errors import SearchStoppedError
from engine.game.moves import Move
from engine.game.score import score_for
from engine.search.solver import Solver
from engine.search.transpositions import TranspositionTable
from engine.search.workspace import Query
from tests import naive
from tests.advise.closed import (
    ALL_RULES,
    EXAMPLES,
    PLAIN,
    Closed,
    closed_at,
    closed_of_row,
    closed_views,
    document_of,
    held_in,
    mirrored,
    points,
    state_of,
)
from tests.conftest import IS_JIT_OFF
from tests.vectors import load

ROWS = load("hidden/closed")
EARLY = 3 if not IS_JIT_OFF else 6


def values_in(closed: Closed, threads: int = 1) -> OpenValues:
    return value_moves(*closed, threads=threads)


def margins_alone(closed: Closed) -> list[dict[Move, int]]:
    """Return each world's margins after each move, from the viewer, as the solver finds them."""
    solver, viewer = Solver(TranspositionTable(1)), closed.view.viewer
    return [
        {
            ranked.move: score_for(viewer, ranked.margin)
            for ranked in solver.rank(state_of(closed, world))
        }
        for world in range(len(closed.worlds.members))
    ]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["n"]))
def test_counts_are_those_of_the_vectors(row: dict[str, Any]) -> None:
    found = value_moves(*closed_of_row(row))
    assert found.finals.shape[1] == row["worlds"]
    counts = dict(zip(found.moves, found.counts().tolist(), strict=True))
    assert counts == {
        Move(move["card_id"], move["cell"]): [move["loss"], move["draw"], move["win"]]
        for move in row["moves"]
    }


def assert_equal_to_each_alone(closed: Closed) -> None:
    found = values_in(closed)
    margins = np.array(found.scores)[found.finals].T.tolist()
    assert [dict(zip(found.moves, row, strict=True)) for row in margins] == margins_alone(closed)
    assert list(found.moves) == state_of(closed, 0).legal_moves()


@settings(max_examples=EXAMPLES)
@given(closed_views())
def test_tables_are_what_each_world_is_alone(closed: Closed) -> None:
    assert_equal_to_each_alone(closed)


@settings(max_examples=max(EXAMPLES // 6, 2))
@given(closed_views(EARLY, EARLY, most=4))
def test_early_worlds_are_what_each_is_alone(closed: Closed) -> None:
    assert_equal_to_each_alone(closed)


@pytest.mark.parametrize("ply", [6, 7, 8])
@pytest.mark.parametrize("rules", [PLAIN, ALL_RULES])
def test_late_worlds_are_what_plain_python_plays(ply: int, rules: Any) -> None:
    closed = closed_at(ply, seed=ply, rules=rules, pool=4)
    found = values_in(closed)
    values = found.values(payoff_of(closed.view))
    for world, held in enumerate(held_in(closed)):
        document = document_of(closed, held)
        expected = [points(naive.play(document, *move), closed.view.viewer) for move in found.moves]
        assert values[:, world].tolist() == expected


@settings(max_examples=EXAMPLES)
@given(closed_views())
def test_known_cards_are_in_every_world(closed: Closed) -> None:
    if closed.view.unseen == 0:
        return
    state = state_of(closed, 0)
    known = state.hands[closed.view.opponent]
    view = replace(closed.view, unseen=0, known=known)
    found = value_moves(view, Worlds.of([], [[]]))
    assert found.finals[:, 0].tolist() == values_in(closed).finals[:, 0].tolist()


@settings(max_examples=EXAMPLES)
@given(closed_views())
def test_renaming_the_players_changes_nothing_for_the_viewer(closed: Closed) -> None:
    renamed = closed._replace(view=mirrored(closed.view))
    found, expected = values_in(renamed), values_in(closed)
    assert found.finals.tolist() == expected.finals.tolist()
    assert (found.scores, found.moves) == (expected.scores, expected.moves)


@settings(max_examples=EXAMPLES)
@given(closed_views(), st.randoms(use_true_random=False))
def test_the_order_of_hidden_cards_means_nothing(closed: Closed, draw: Any) -> None:
    columns = list(range(closed.view.unseen))
    draw.shuffle(columns)
    turned = closed.worlds._replace(members=closed.worlds.members[:, columns])
    found = values_in(closed._replace(worlds=turned))
    assert found.finals.tolist() == values_in(closed).finals.tolist()


@settings(max_examples=EXAMPLES)
@given(closed_views(), st.floats(0.0, 1.0), st.integers(0, 2**32 - 1))
def test_a_mixture_of_priors_gives_the_mixture_of_values(
    closed: Closed, share: float, seed: int
) -> None:
    one, other = np.random.default_rng(seed).dirichlet(np.ones(len(closed.worlds.members)), 2)

    def means(weights: Any) -> Any:
        weighted = closed._replace(worlds=closed.worlds._replace(weights=weights))
        return values_in(weighted).means(payoff_of(closed.view))

    mixed = means(share * one + (1 - share) * other)
    assert np.allclose(mixed, share * means(one) + (1 - share) * means(other), atol=1e-12)


@settings(max_examples=EXAMPLES)
@given(closed_views(most=5))
def test_worlds_without_weight_change_nothing(closed: Closed) -> None:
    half = len(closed.worlds.members) // 2
    weights = np.ones(len(closed.worlds.members))
    weights[:half] = 0.0
    found = values_in(closed._replace(worlds=closed.worlds._replace(weights=weights)))
    rest = closed.worlds._replace(members=closed.worlds.members[half:], weights=weights[half:])
    expected = values_in(closed._replace(worlds=rest))
    assert found.finals.tolist() == expected.finals.tolist()
    assert found.chances().tolist() == expected.chances().tolist()


def test_chances_add_up_and_points_follow_from_them() -> None:
    closed = closed_at(4, seed=1, rules=ALL_RULES, pool=7)
    found = values_in(closed)
    loss, draw, win = found.chances().T
    assert np.allclose(loss + draw + win, 1.0)
    assert np.allclose(found.means(payoff_of(closed.view)), win + draw / 2)
    assert np.allclose(found.means(payoff_of(closed.view, draw=0.0)), win)
    assert np.allclose(found.means(payoff_of(closed.view, draw=1.0)), 1 - loss)
    margins = found.means(margin_payoff(closed.view))
    assert np.allclose(margins, np.array(found.scores)[found.finals].mean(axis=1))


@pytest.mark.parametrize("ply", [EARLY, 4, 5])
def test_any_number_of_threads_finds_the_same(ply: int) -> None:
    closed = closed_at(ply, seed=3, rules=ALL_RULES, pool=5)
    assert values_in(closed, threads=3).finals.tolist() == values_in(closed).finals.tolist()


def test_a_sample_of_all_worlds_is_all_of_them() -> None:
    closed = closed_at(5, seed=4, rules=ALL_RULES, pool=9)
    numbered = Combinations(closed.worlds.pool, closed.view.unseen)
    sampled = numbered.sample(0, 10**6, Shuffle(numbered.total, [5]))
    found = values_in(closed._replace(worlds=sampled))
    assert found.counts().tolist() == values_in(closed).counts().tolist()


def test_early_worlds_can_be_stopped() -> None:
    closed = closed_at(3, seed=3, rules=PLAIN, pool=5)
    query = Query()
    query.stop()
    with pytest.raises(SearchStoppedError):
        value_moves(*closed, query=query)


def naive_worst(values: list[float], weights: list[float]) -> float:
    """Return the mean over the worst quarter, world by world."""
    left, total = sum(weights) / 4, 0.0
    for value, weight in sorted(zip(values, weights, strict=True)):
        counted = min(weight, left)
        total, left = total + counted * value, left - counted
    return total / (sum(weights) / 4)


@given(st.lists(st.tuples(st.sampled_from([0.0, 0.5, 1.0]), st.integers(1, 5)), min_size=1))
def test_the_worst_quarter_counts_its_last_world_in_part(pairs: list[tuple[float, int]]) -> None:
    values, weights = [value for value, _ in pairs], [float(weight) for _, weight in pairs]
    found = worst_mean(np.array([values]), np.array(weights))
    assert found[0] == pytest.approx(naive_worst(values, weights))
