"""Advice: the laws that hold whatever the view, and how sure samples are."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from advise import View, World, state_in
from advise.advice import GUARANTEED, OPEN, Advice
from advise.adviser import Adviser, Wish, checkpoints
from advise.belief import Belief, Listed
from advise.objective import Kind, Objective, Style
from advise.prior import Deck, Decks, Pool
from advise.world import World as Hidden
from engine.errors import StateError
from engine.game.rules import Rules
from engine.search.solver import Solver
from tests.advise.closed import (
    ALL_RULES,
    EXAMPLES,
    PLAIN,
    Closed,
    closed_at,
    closed_views,
    mirrored,
)
from tests.conftest import IS_JIT_OFF

POINTS = {-1: 0.0, 0: 0.5, 1: 1.0}
SEEDS = 200


def belief_of(closed: Closed) -> Belief:
    """Return a belief in the worlds of a closed view."""
    return Belief(closed.view, Listed(closed.worlds), ["prior: listed"])


def advise(closed: Closed, wish: Wish | None = None, threads: int = 1) -> Advice:
    """Return the last advice."""
    return Adviser(threads=threads).last(closed.view, belief_of(closed), wish)


@settings(max_examples=EXAMPLES, deadline=None)
@given(closed_views(min_ply=4, max_ply=8))
def test_brackets_lie_below_open_values(closed: Closed) -> None:
    advice = advise(closed)
    assert advice.method == GUARANTEED
    assert advice.worlds.is_exact
    for each in advice.moves:
        assert each.guaranteed is not None
        low, high = each.guaranteed
        assert low <= high <= each.worth.points + 1e-9
        assert each.worth.win + each.worth.draw + each.worth.loss == pytest.approx(1)
        if closed.view.ply >= 6:
            assert low == pytest.approx(each.worth.points)


@settings(max_examples=EXAMPLES, deadline=None)
@given(closed_views(min_ply=4, max_ply=8))
def test_one_world_is_the_open_game(closed: Closed) -> None:
    one = Closed(
        closed.view,
        closed.worlds._replace(
            members=closed.worlds.members[:1], weights=closed.worlds.weights[:1]
        ),
    )
    advice = advise(one, Wish(objective=Objective(Kind.MARGIN)))
    cards = [one.worlds.pool[place] for place in one.worlds.members[0].tolist()]
    state = state_in(one.view, World.of(cards))
    ranked = {move: (value, margin) for move, value, margin in Solver().rank(state)}
    sign = 1 if one.view.viewer.value == 0 else -1
    for each in advice.moves:
        value, margin = ranked[each.move]
        assert {each.worth.win, each.worth.draw, each.worth.loss} <= {0.0, 1.0}
        assert each.worth.points == POINTS[value]
        assert each.worth.margin == sign * margin
        if each.guaranteed:
            assert each.guaranteed == pytest.approx((sign * margin,) * 2)
    assert advice.best_move == Solver().solve(state).line[0]


@settings(max_examples=EXAMPLES, deadline=None)
@given(closed_views(min_ply=4, max_ply=7))
def test_renaming_players_changes_no_number(closed: Closed) -> None:
    there, back = advise(closed), advise(Closed(mirrored(closed.view), closed.worlds))
    assert [each._replace(captures=()) for each in there.moves] == [
        each._replace(captures=()) for each in back.moves
    ]


@settings(max_examples=EXAMPLES, deadline=None)
@given(closed_views(min_ply=4, max_ply=7))
def test_sampling_everything_is_exact_for_any_seed(closed: Closed) -> None:
    total = len(closed.worlds.members)
    first = advise(closed, Wish(worlds=total, seed=1))
    for seed in (2, 3):
        again = advise(closed, Wish(worlds=10**6, seed=seed))
        assert replace(again) == first
    assert first == advise(closed, threads=2)


def test_mixture_of_priors_is_the_mixture_of_open_values() -> None:
    closed = closed_at(4, 3, ALL_RULES, 8)
    ids = [[closed.worlds.pool[p].id for p in row] for row in closed.worlds.members.tolist()]
    played = [card.id for card in closed.view.played or ()]
    decks = [(*played, *row) for row in ids]
    halves = decks[: len(decks) // 3], decks[len(decks) // 3 :]
    weights = (1.0, 2.5)
    whole = [
        Deck(deck, weight) for half, weight in zip(halves, weights, strict=True) for deck in half
    ]
    parts = [
        Adviser().last(closed.view, Belief.of(closed.view, Decks(tuple(map(Deck, half)))))
        for half in halves
    ]
    mixed = Adviser().last(closed.view, Belief.of(closed.view, Decks(tuple(whole))))
    shares = [len(half) * weight for half, weight in zip(halves, weights, strict=True)]
    for each in mixed.moves:
        points = [
            next(other.worth.points for other in part.moves if other.move == each.move)
            for part in parts
        ]
        expected = sum(s * p for s, p in zip(shares, points, strict=True)) / sum(shares)
        assert each.worth.points == pytest.approx(expected)


@pytest.mark.skipif(IS_JIT_OFF, reason="thousands of worlds")
@pytest.mark.parametrize(("ply", "rules"), [(4, PLAIN), (4, ALL_RULES)])
def test_intervals_hold_as_often_as_they_say(ply: int, rules: Rules) -> None:
    closed = closed_at(ply, 5, rules, 14)
    belief = belief_of(closed)
    exact = {each.move: each.worth.points for each in advise(closed).moves}
    held, asked = 0, 0
    chosen = 0
    for seed in range(SEEDS):
        found = Adviser().last(closed.view, belief, Wish(worlds=100, seed=seed))
        assert not found.worlds.is_exact
        assert found.is_validated
        low, high = found.value.interval
        chosen += low <= exact[found.best_move] <= high
        for each in found.moves:
            if 0 < exact[each.move] < 1:
                low, high = each.worth.interval
                held += low <= exact[each.move] <= high
                asked += 1
    assert 0.90 <= held / asked <= 0.99
    assert 0.90 <= chosen / SEEDS


def test_paired_lead_of_the_first_move_is_nothing() -> None:
    advice = advise(closed_at(4, 5, ALL_RULES, 10), Wish(worlds=30, seed=3))
    assert advice.moves[0].behind == 0
    assert all(each.behind >= -1e-9 for each in advice.moves)
    assert advice.method == OPEN
    assert all(each.guaranteed is None for each in advice.moves)


@pytest.mark.skipif(IS_JIT_OFF, reason="searches of early plies")
def test_racing_drops_moves_and_keeps_the_answer_the_same() -> None:
    closed = closed_at(1, 2, PLAIN, 18)
    stream = list(Adviser().advise(closed.view, belief_of(closed), Wish(worlds=20, seed=1)))
    alone = Adviser().last(closed.view, belief_of(closed), Wish(worlds=20, seed=1))
    assert stream[-1] == alone
    assert [advice.worlds.evaluated for advice in stream] == list(checkpoints(20))
    assert [advice.is_complete for advice in stream] == [False] * 5 + [True]
    assert alone == Adviser(threads=2).last(closed.view, belief_of(closed), Wish(worlds=20, seed=1))


def test_robust_looks_at_the_worst_quarter() -> None:
    closed = closed_at(4, 9, ALL_RULES, 10)
    robust = advise(closed, Wish(style=Style.ROBUST))
    worst = [round(each.worst_quarter, 9) for each in robust.moves]
    assert worst == sorted(worst, reverse=True)
    assert worst[0] == max(round(each.worst_quarter, 9) for each in advise(closed).moves)
    assert robust.moves[1].behind == pytest.approx(worst[0] - worst[1])


@pytest.mark.parametrize("kind", Kind)
def test_objective_is_what_is_maximised(kind: Kind) -> None:
    closed = closed_at(6, 4, ALL_RULES, 9)
    advice = advise(closed, Wish(objective=Objective(kind)))
    measures = {
        Kind.POINTS: lambda worth: worth.points,
        Kind.WIN: lambda worth: worth.win,
        Kind.NOT_LOSE: lambda worth: worth.win + worth.draw,
        Kind.MARGIN: lambda worth: worth.margin,
    }
    values = [measures[kind](each.worth) for each in advice.moves]
    assert values[0] == pytest.approx(max(values))


def test_worth_of_a_draw_is_in_the_points() -> None:
    advice = advise(closed_at(6, 4, PLAIN, 9), Wish(objective=Objective(draw=0.8)))
    for each in advice.moves:
        assert each.worth.points == pytest.approx(each.worth.win + 0.8 * each.worth.draw)


def test_humanlike_is_drawn_by_its_seed_and_is_optimal_at_full_strength() -> None:
    closed = closed_at(4, 6, PLAIN, 8)
    best = advise(closed).best_move
    wish = Wish(style=Style.HUMANLIKE, strength=100)
    assert advise(closed, wish).best_move == best
    drawn = {advise(closed, replace(wish, strength=0, seed=seed)).best_move for seed in range(20)}
    assert len(drawn) > 3
    again = replace(wish, strength=40, seed=9)
    assert advise(closed, again) == advise(closed, again)


def test_plan_is_told_for_every_reply_that_can_come() -> None:
    closed = closed_at(5, 6, ALL_RULES, 7)
    advice = advise(closed, Wish(plan=True))
    assert advice.plan is not None
    cards = {card.id for card in closed.worlds.pool}
    for each in advice.plan:
        assert each.reply.card_id in cards
        assert sum(each.moves.values()) == pytest.approx(1)


def test_opponents_turn_is_refused() -> None:
    view = mirrored(closed_at(4, 6, PLAIN, 8).view)
    turned = replace(view, viewer=view.viewer.opponent)
    with pytest.raises(StateError, match="apply the opponent's move first"):
        next(Adviser().advise(turned, Belief(turned, Listed(closed_at(4, 6, PLAIN, 8).worlds), [])))


class Sealed(Hidden):
    """A world that nobody may read."""

    def __getattribute__(self, name: str) -> object:
        raise AssertionError(f"{name} of a hidden world was read")


def test_no_hidden_card_is_read() -> None:
    """The view of a state has no way to the hidden hand, and advice has no other source."""
    closed = closed_at(4, 6, ALL_RULES, 8)
    assert not any(isinstance(value, World) for value in vars(closed.view).values())
    sealed = object.__new__(Sealed)
    watched = replace(closed.view)
    object.__setattr__(watched, "world", sealed)
    pool = Pool.of([card.id for card in (*closed.worlds.pool, *(closed.view.played or ()))])
    assert Adviser().last(watched, Belief.of(watched, pool)).best_move
    with pytest.raises(AssertionError, match="hidden world"):
        state_in(watched, sealed)


def test_view_of_two_states_that_look_alike_is_the_same() -> None:
    closed = closed_at(4, 6, ALL_RULES, 8)
    views = [
        View.seen_by(
            state_in(closed.view, World.of([closed.worlds.pool[p] for p in row])),
            closed.view.viewer,
        )
        for row in closed.worlds.members[:5].tolist()
    ]
    assert all(view == closed.view for view in views)
