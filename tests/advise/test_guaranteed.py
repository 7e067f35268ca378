"""Guaranteed values lie where vectors, linear programs and every pure plan say."""

from __future__ import annotations

from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from scipy.optimize import linprog

from advise.guaranteed import WIDTH, Guaranteed, bracket_moves, make_minds, unsettled
from advise.iteration import ITERATIONS, LOWER, UPPER, iterate
from advise.open_tables import finals_of, make_tables
from advise.open_values import margin_payoff, payoff_of, value_moves, values_of
from engine.game.moves import Move
from engine.game.rules import Rules
from tests.advise.closed import (
    ALL_RULES,
    EXAMPLES,
    PLAIN,
    Closed,
    Stake,
    closed_at,
    closed_of_row,
    closed_views,
    held_in,
    mirrored,
    naive_stakes,
)
from tests.conftest import IS_JIT_OFF
from tests.vectors import load

ROWS = load("hidden/closed")[:: 6 if IS_JIT_OFF else 1]
NEARLY = 1e-6  # as the vectors are rounded
Brackets = list[tuple[Move, float, float]]


def brackets_in(closed: Closed, threads: int = 1) -> list[tuple[Move, Guaranteed]]:
    tables = make_tables(*closed)
    moves = values_of(closed.view, tables).moves
    found = bracket_moves(tables, payoff_of(closed.view), threads=threads)
    return list(zip(moves, found, strict=True))


def brackets(closed: Closed) -> Brackets:
    return [(move, found.lower, found.upper) for move, found in brackets_in(closed)]


def fused_brackets(closed: Closed) -> Brackets:
    """Return brackets by a broken twin: your next move may depend on the world, unseen as it is."""
    found = value_moves(*closed)
    means = found.means(payoff_of(closed.view)).tolist()
    return [(move, mean, mean) for move, mean in zip(found.moves, means, strict=True)]


def pure_brackets(closed: Closed) -> Brackets:
    """Return brackets by a broken twin: the likeliest move of the plan, never one by chance."""
    found = []
    for move, bracket in brackets_in(closed):
        stakes = naive_stakes(closed, move) if bracket.plan else []
        pure = {reply: max(plan, key=plan.__getitem__) for reply, plan in bracket.plan.items()}
        secured = sum(
            min(replies[pure[reply]] for reply, replies in stake.items()) for stake in stakes
        )
        value = secured / len(stakes) if stakes else bracket.lower
        found.append((move, value, value))
    return found


def misses(rows: list[dict[str, Any]], solve: Callable[[Closed], Brackets]) -> list[int]:
    """Return the rows in which a bracket does not meet the vector's, or is too wide."""
    missed = []
    for row in rows:
        told = {Move(move["card_id"], move["cell"]): move["guaranteed"] for move in row["moves"]}
        found = solve(closed_of_row(row))
        assert {move for move, _, _ in found} == set(told)
        if any(
            lower > told[move][1] + NEARLY
            or upper < told[move][0] - NEARLY
            or upper - lower > WIDTH
            for move, lower, upper in found
        ):
            missed.append(row["n"])
    return missed


def test_brackets_meet_those_of_the_vectors() -> None:
    assert misses(ROWS, brackets) == []


def test_who_sees_the_world_at_the_second_move_is_found_out() -> None:
    assert len(misses(ROWS, fused_brackets)) > len(ROWS) // 6


@pytest.mark.skipif(IS_JIT_OFF, reason="a row is not enough, and takes long")
def test_who_never_leaves_a_move_to_chance_is_found_out() -> None:
    assert misses([row for row in ROWS if row["unseen"] == 2][:12], pure_brackets)


def linear_value(stakes: list[Stake], shares: list[float]) -> float:
    """Return the value of the game of two moves as a linear program's."""
    replies = sorted({reply for stake in stakes for reply in stake})
    mine = {reply: sorted(next(s[reply] for s in stakes if reply in s)) for reply in replies}
    columns = {pair: n for n, pair in enumerate((r, own) for r in replies for own in mine[r])}
    width = len(columns) + len(stakes)
    rows = []
    for world, stake in enumerate(stakes):
        for reply, values in stake.items():
            row = np.zeros(width)
            row[len(columns) + world] = 1.0
            for own, value in values.items():
                row[columns[reply, own]] = -value
            rows.append(row)
    sums = np.zeros((len(replies), width))
    for (reply, _), column in columns.items():
        sums[replies.index(reply), column] = 1.0
    cost = np.concatenate([np.zeros(len(columns)), -np.array(shares)])
    solved = linprog(
        cost, np.array(rows), np.zeros(len(rows)), sums, np.ones(len(replies)), method="highs"
    )
    assert solved.success
    return -float(solved.fun)


def secured_by(plan: Any, stakes: list[Stake], shares: list[float]) -> float:
    """Return what a plan gets when the opponent, who knows it, does its best in every world."""
    secured: float = sum(
        share
        * min(
            sum(chance * values[own] for own, chance in plan[reply].items())
            for reply, values in stake.items()
        )
        for stake, share in zip(stakes, shares, strict=True)
    )
    return secured


CASES = [
    (ply, seed, rules, pool)
    for ply, pools in ((5, (3, 4, 5)), (4, (3, 4)))
    for seed, (rules, pool) in enumerate(product((PLAIN, ALL_RULES), pools))
][:: 5 if IS_JIT_OFF else 1]


@pytest.mark.parametrize(("ply", "seed", "rules", "pool"), CASES)
def test_brackets_hold_the_linear_programs_value_and_plans_keep_it(
    ply: int, seed: int, rules: Rules, pool: int
) -> None:
    closed = closed_at(ply, seed, rules, pool)
    shares = closed.worlds.shares.tolist()
    for move, found in brackets_in(closed)[:: 1 if ply == 5 else 5]:
        stakes = naive_stakes(closed, move)
        assert found.lower - 1e-9 <= linear_value(stakes, shares) <= found.upper + 1e-9
        assert secured_by(found.plan, stakes, shares) == pytest.approx(found.lower, abs=1e-6)
        assert all(sum(plan.values()) == pytest.approx(1.0) for plan in found.plan.values())


@pytest.mark.skipif(IS_JIT_OFF, reason="no kernel is in what takes long")
@pytest.mark.parametrize("rules", [PLAIN, ALL_RULES])
@pytest.mark.parametrize("seed", range(3))
def test_no_pure_plan_secures_more_than_the_upper_bound(seed: int, rules: Rules) -> None:
    closed = closed_at(5, seed, rules, pool=3)
    for move, found in brackets_in(closed)[::3]:
        stakes = naive_stakes(closed, move)
        replies = sorted({reply for stake in stakes for reply in stake})
        mine = {reply: sorted(next(s[reply] for s in stakes if reply in s)) for reply in replies}
        plans = np.indices([len(mine[reply]) for reply in replies]).reshape(len(replies), -1)
        assert plans.shape[1] == 4**9
        total = np.zeros(plans.shape[1])
        for stake in stakes:
            lowest = np.full(plans.shape[1], np.inf)
            for reply, values in stake.items():
                row = np.array([values[own] for own in mine[reply]])
                lowest = np.minimum(lowest, row[plans[replies.index(reply)]])
            total += lowest / len(stakes)
        assert total.max() <= found.upper + 1e-9


@settings(max_examples=EXAMPLES)
@given(closed_views(4, 7))
def test_bounds_are_in_order_below_open(closed: Closed) -> None:
    means = value_moves(*closed).means(payoff_of(closed.view)).tolist()
    for (_, lower, upper), mean in zip(brackets(closed), means, strict=True):
        assert lower <= upper <= mean
        assert upper - lower <= WIDTH
        if closed.view.ply >= 6:
            assert lower == upper == mean


@settings(max_examples=EXAMPLES)
@given(closed_views(4, 7))
def test_one_world_is_worth_what_it_is_with_open_hands(closed: Closed) -> None:
    worlds = closed.worlds
    alone = closed._replace(
        worlds=worlds._replace(members=worlds.members[:1], weights=worlds.weights[:1])
    )
    values = value_moves(*alone).values(payoff_of(closed.view))[:, 0].tolist()
    for (_, lower, upper), value in zip(brackets(alone), values, strict=True):
        assert value in (0.0, 0.5, 1.0)
        assert upper <= value
        assert lower >= value - WIDTH


@settings(max_examples=EXAMPLES // 2)
@given(closed_views(4, 5))
def test_names_of_players_and_worlds_without_weight_change_no_bracket(closed: Closed) -> None:
    expected = brackets(closed)
    assert brackets(closed._replace(view=mirrored(closed.view))) == expected
    half = len(closed.worlds.members) // 2
    weights = np.ones(len(closed.worlds.members))
    weights[:half] = 0.0
    light = closed.worlds._replace(weights=weights)
    rest = closed.worlds._replace(members=closed.worlds.members[half:], weights=weights[half:])
    assert brackets(closed._replace(worlds=light)) == brackets(closed._replace(worlds=rest))


@settings(max_examples=EXAMPLES // 2)
@given(closed_views(4, 5), st.integers(0, 2**32 - 1))
def test_the_order_of_hidden_cards_leaves_brackets_where_they_are(
    closed: Closed, seed: int
) -> None:
    columns = np.random.default_rng(seed).permutation(closed.view.unseen)
    turned = closed.worlds._replace(members=closed.worlds.members[:, columns])
    found = brackets(closed._replace(worlds=turned))
    for (_, lower, upper), (_, other_lower, other_upper) in zip(
        found, brackets(closed), strict=True
    ):
        assert lower <= other_upper + 1e-9
        assert other_lower <= upper + 1e-9


def test_any_number_of_threads_finds_the_same_brackets_and_plans() -> None:
    closed = closed_at(5, seed=2, rules=ALL_RULES, pool=8)
    assert brackets_in(closed, threads=3) == brackets_in(closed)


def test_weights_count() -> None:
    closed = closed_at(5, seed=2, rules=ALL_RULES, pool=4)
    weights = np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    weighted = closed._replace(worlds=closed.worlds._replace(weights=weights))
    shares = (weights / weights.sum()).tolist()
    for move, found in brackets_in(weighted):
        value = linear_value(naive_stakes(closed, move), shares)
        assert found.lower - 1e-9 <= value <= found.upper + 1e-9


def test_margins_and_wins_can_be_guaranteed_too() -> None:
    closed = closed_at(5, seed=5, rules=ALL_RULES, pool=6)
    tables = make_tables(*closed)
    by_draw = [bracket_moves(tables, payoff_of(closed.view, draw)) for draw in (0.0, 0.5, 1.0)]
    for win, points, not_lose in zip(*by_draw, strict=True):
        assert win.lower <= points.upper
        assert points.lower <= not_lose.upper
    payoff = margin_payoff(closed.view)
    means = (payoff[finals_of(tables)].mean(axis=1)).tolist()
    for found, mean in zip(bracket_moves(tables, payoff), means, strict=True):
        assert found.lower <= found.upper <= mean + 1e-9


def test_named_moves_alone_are_solved() -> None:
    closed = closed_at(5, seed=5, rules=ALL_RULES, pool=6)
    tables = make_tables(*closed)
    every = bracket_moves(tables, payoff_of(closed.view))
    assert bracket_moves(tables, payoff_of(closed.view), moves=[7, 2]) == [every[7], every[2]]


def test_payoffs_that_fall_are_refused() -> None:
    closed = closed_at(5, seed=5, rules=PLAIN, pool=3)
    tables = make_tables(*closed)
    with pytest.raises(ValueError, match="more cards must not be worse"):
        bracket_moves(tables, -payoff_of(closed.view))


@settings(max_examples=EXAMPLES)
@given(st.integers(1, 4), st.integers(1, 4), st.integers(1, 3), st.integers(0, 2**32 - 1))
def test_any_small_game_is_bracketed(worlds: int, options: int, replies: int, seed: int) -> None:
    draw = np.random.default_rng(seed)
    places = options + 1
    stakes = (draw.integers(0, 3, (worlds, options, replies)) / 2).astype(np.float32)
    sets = np.array([draw.permutation(places)[:options] for _ in range(worlds)])
    shares = draw.dirichlet(np.ones(worlds))
    game = unsettled(stakes.copy(), sets.copy(), shares.copy(), ceiling=1.0)
    bracket = np.zeros(ITERATIONS + 1)
    iterate(game, make_minds(places, game.stakes.shape), WIDTH, 100_000, bracket)
    named: list[Stake] = [
        {
            Move(int(sets[world, option]), 0): {
                Move(reply, 1): float(stakes[world, option, reply]) for reply in range(replies)
            }
            for option in range(options)
        }
        for world in range(worlds)
    ]
    value = linear_value(named, shares.tolist())
    assert bracket[LOWER] - 1e-6 <= value <= bracket[UPPER] + 1e-6
    assert bracket[UPPER] - bracket[LOWER] <= WIDTH


def test_plans_name_every_reply_that_some_world_allows() -> None:
    closed = closed_at(4, seed=2, rules=PLAIN, pool=4)
    cards = {card for held in held_in(closed) for card in held}
    for move, found in brackets_in(closed):
        empty = {cell for cell, placed in enumerate(closed.view.board) if not placed} - {move.cell}
        assert set(found.plan) == {Move(card, cell) for card in cards for cell in empty}
