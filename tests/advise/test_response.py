"""What moves are worth against a model is what plain expectimax says, and obeys the laws."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from advise.dealt import DealtWorlds, Orders
from advise.guaranteed import bracket_moves
from advise.mixture import Mixture
from advise.open_tables import make_tables
from advise.open_values import payoff_of, value_moves
from advise.opponent import Opponent, Replies
from advise.opponents import (
    ComputerModel,
    ComputerPlayer,
    Greedy,
    Perfect,
    Random,
    Softmax,
    Tremble,
)
from advise.posterior import Posterior
from advise.response import Response, respond
from advise.view import View
from advise.world import World
from advise.worlds import Combinations
from engine.game.cards import Catalogue
from engine.game.moves import Move
from engine.game.rules import Rules
from tests.advise import expectimax
from tests.advise.closed import (
    ALL_RULES,
    CATALOGUE,
    EXAMPLES,
    PLAIN,
    Closed,
    closed_at,
    closed_views,
    document_of,
    view_of_row,
)
from tests.conftest import IS_JIT_OFF
from tests.vectors import load

ROWS = load("hidden/response")[:: 10 if IS_JIT_OFF else 1]
FEWER = max(EXAMPLES // 6, 2)


def computer(search: int = 0, strategy: int = 0, *, sees_hand: bool = False) -> ComputerModel:
    player = ComputerPlayer(search=search, strategy=strategy, sees_hand=sees_hand)
    return ComputerModel(player)


class Hidden:
    """A model that nobody knows by its kind, so that it is asked for each reply."""

    def __init__(self, model: Opponent) -> None:
        self._model = model
        self.name, self.sees_hand = "hidden", model.sees_hand
        self.is_deterministic = model.is_deterministic

    def replies(self, world: World, view: View) -> Replies:
        return self._model.replies(world, view)

    def __str__(self) -> str:
        return f"hidden {self._model}"


def ordered(closed: Closed, seed: int, count: int = 6) -> DealtWorlds:
    """Return some worlds of a view in any order of slots."""
    random = np.random.default_rng(seed)
    sets = DealtWorlds.of_sets(closed.view, closed.worlds).dealt
    rows = sets[random.permutation(len(sets))[:count]]
    return DealtWorlds.of(random.permuted(rows, axis=1), random.random(len(rows)) + 0.1)


def answer(view: View, worlds: DealtWorlds, model: Opponent) -> Response:
    found = respond(view, Posterior.by_cards(worlds, model), payoff_of(view), CATALOGUE)
    assert found.is_exact
    return found


def points(found: Response) -> dict[Move, float]:
    return {each.move: each.points for each in found.moves}


def cases(
    closed: Closed, worlds: DealtWorlds, players: list[tuple[float, expectimax.Player]]
) -> list[expectimax.Case]:
    gone = [card.id for card in closed.view.played or ()]
    held = worlds.held(gone)
    return [
        expectimax.Case(
            share * chance,
            document_of(closed, tuple(sorted(card for card in hand if card))),
            dealt,
            player,
        )
        for hand, dealt, share in zip(
            held.tolist(), worlds.dealt.tolist(), worlds.shares.tolist(), strict=True
        )
        for chance, player in players
    ]


def plain_points(
    closed: Closed,
    worlds: DealtWorlds,
    players: list[tuple[float, expectimax.Player]],
    moves: list[Move],
    *,
    sees_worlds: bool = False,
) -> list[float]:
    alike, viewer = cases(closed, worlds, players), closed.view.viewer.name
    return [expectimax.value_after(alike, move, viewer, sees_worlds=sees_worlds) for move in moves]


def assert_plain(
    closed: Closed,
    worlds: DealtWorlds,
    model: Opponent,
    players: list[tuple[float, expectimax.Player]],
) -> None:
    found = points(answer(closed.view, worlds, model))
    moves = list(found)[::2]
    expected = plain_points(closed, worlds, players, moves)
    assert [found[move] for move in moves] == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: str(row["n"]))
def test_points_are_those_of_the_vectors(row: dict[str, Any]) -> None:
    first = row["worlds"][0]
    pairs = zip(first["dealt"], first["hand"], strict=True)
    played = [card for card, left in pairs if left is None]
    view = view_of_row({**row, "played": played, "unseen": 5 - len(played)})
    given = {key: row["opponent"][key] for key in ("search", "strategy", "sees_hand")}
    worlds = DealtWorlds.of([world["dealt"] for world in row["worlds"]])
    found = answer(view, worlds, ComputerModel(ComputerPlayer(**given)))
    halves = {each.move: round(2 * len(row["worlds"]) * each.points, 9) for each in found.moves}
    assert halves == {
        Move(each["card_id"], each["cell"]): each["half_points"] for each in row["moves"]
    }


PLAYERS: list[tuple[Opponent, list[tuple[float, expectimax.Player]]]] = [
    (Random(), [(1.0, expectimax.uniform)]),
    (Greedy(), [(1.0, expectimax.grabbing)]),
    (Perfect(), [(1.0, expectimax.trembling(0.0))]),
    (Tremble(0.3), [(1.0, expectimax.trembling(0.3))]),
    (Softmax(0.4), [(1.0, expectimax.softened(0.4))]),
    (computer(0, 5), [(1.0, expectimax.computer(0, 5))]),
    (computer(2, 2, sees_hand=True), [(1.0, expectimax.computer(18, 2))]),
    (
        Mixture((Random(), computer(1, 4, sees_hand=True)), (1.0, 3.0)),
        [(0.25, expectimax.uniform), (0.75, expectimax.computer(17, 4))],
    ),
]


@pytest.mark.parametrize("rules", [PLAIN, ALL_RULES], ids=["no rules", "all rules"])
@pytest.mark.parametrize(("model", "players"), PLAYERS, ids=lambda item: str(item)[:12])
@pytest.mark.parametrize("ply", [8, 7, 6, 5])
def test_points_are_those_of_plain_expectimax(
    ply: int, model: Opponent, players: list[tuple[float, expectimax.Player]], rules: Any
) -> None:
    closed = closed_at(ply, seed=10 + ply, rules=rules, pool=4)
    assert_plain(closed, ordered(closed, seed=ply, count=3 if ply == 5 else 4), model, players)


@pytest.mark.parametrize(("model", "players"), PLAYERS[5:], ids=lambda item: str(item)[:12])
def test_points_with_two_decisions_are_those_of_plain_expectimax(
    model: Opponent, players: list[tuple[float, expectimax.Player]]
) -> None:
    if IS_JIT_OFF and isinstance(model, Mixture):
        pytest.skip("kernels are too slow without the compiler")
    closed = closed_at(4, seed=3, rules=ALL_RULES, pool=5)
    assert_plain(closed, ordered(closed, seed=4, count=3), model, players)


def test_a_plan_for_each_world_is_found_out() -> None:
    closed = closed_at(5, seed=31, rules=ALL_RULES, pool=6)
    worlds = ordered(closed, seed=2, count=10)
    player: list[tuple[float, expectimax.Player]] = [(1.0, expectimax.uniform)]
    found = points(answer(closed.view, worlds, Random()))
    moves = list(found)
    honest = plain_points(closed, worlds, player, moves)
    fused = plain_points(closed, worlds, player, moves, sees_worlds=True)
    assert [found[move] for move in moves] == pytest.approx(honest, abs=1e-9)
    assert max(np.subtract(fused, honest)) > 0.01


MODELS: list[Opponent] = [Random(), Greedy(), Perfect(), Tremble(0.2), Softmax(0.3)]


def catalogue_of(closed: Closed) -> Catalogue:
    """Return the cards that there are: those of small catalogues have other sides than ours."""
    view = closed.view
    cards = (*closed.worlds.pool, *view.hand, *view.placed, *view.known)
    return Catalogue(tuple({card.id: card for card in cards}.values()))


@settings(max_examples=EXAMPLES)
@given(closed_views(4, 7, most=4), st.sampled_from(MODELS), st.integers(0, 99))
def test_kernels_reply_as_the_models_do(closed: Closed, model: Opponent, seed: int) -> None:
    worlds, payoff = ordered(closed, seed, count=3), payoff_of(closed.view)
    found, expected = (
        respond(closed.view, Posterior.by_cards(worlds, asked), payoff, catalogue_of(closed))
        for asked in (model, Hidden(model))
    )
    for one, other in zip(found.moves, expected.moves, strict=True):
        assert one[1:-1] == pytest.approx(other[1:-1])
        assert {reply.move: pytest.approx(reply.chance) for reply in one.replies} == {
            reply.move: reply.chance for reply in other.replies
        }


@pytest.mark.parametrize("ply", [4, 5, 6, 7])
@pytest.mark.parametrize("search", [0, 1, 2])
def test_the_computer_player_replies_as_its_model_does(ply: int, search: int) -> None:
    if IS_JIT_OFF and ply < 6:
        pytest.skip("kernels are too slow without the compiler")
    closed = closed_at(ply, seed=ply, rules=ALL_RULES, pool=5)
    worlds, model = ordered(closed, seed=search, count=4), computer(search, 2, sees_hand=True)
    assert points(answer(closed.view, worlds, model)) == pytest.approx(
        points(answer(closed.view, worlds, Hidden(model)))
    )


LAWFUL: list[Opponent] = [
    Random(),
    Greedy(),
    Tremble(0.1),
    computer(0),
    computer(1, sees_hand=True),
    computer(2, sees_hand=True),
]


@settings(max_examples=EXAMPLES)
@given(
    st.integers(4, 7),
    st.integers(0, 10**6),
    st.sampled_from([PLAIN, ALL_RULES]),
    st.sampled_from(LAWFUL),
)
def test_no_model_holds_a_move_below_what_it_guarantees(
    ply: int, seed: int, rules: Rules, model: Opponent
) -> None:
    closed = closed_at(ply, seed, rules, pool=5)
    worlds = DealtWorlds.of_sets(closed.view, closed.worlds)
    found = points(answer(closed.view, worlds, model))
    secured = bracket_moves(make_tables(*closed), payoff_of(closed.view))
    for worth, promise in zip(found.values(), secured, strict=True):
        assert worth >= promise.lower - 1e-9


def test_guesses_do_not_hold_a_move_below_what_it_guarantees() -> None:
    closed = closed_at(5, seed=8, rules=ALL_RULES, pool=5)
    worlds = DealtWorlds.of_sets(closed.view, closed.worlds)
    posterior = Posterior.by_cards(worlds, computer(2))
    found = respond(closed.view, posterior, payoff_of(closed.view), CATALOGUE)
    assert not found.is_exact
    assert found.is_validated
    best = bracket_moves(make_tables(*closed), payoff_of(closed.view))[found.best]
    assert found.value is not None
    assert found.value.points >= best.lower - 0.1  # of one plan, which was chosen by guesses


PLANS = [expectimax.grab, expectimax.trust_open]


@pytest.mark.parametrize("plan", PLANS, ids=["greedy", "open"])
@pytest.mark.parametrize("seed", range(4))
def test_no_fixed_plan_scores_more(plan: expectimax.OwnPlan, seed: int) -> None:
    closed = closed_at(5, seed=seed, rules=ALL_RULES, pool=4)
    worlds = ordered(closed, seed, count=4)
    found = points(answer(closed.view, worlds, Random()))
    alike, viewer = cases(closed, worlds, [(1.0, expectimax.uniform)]), closed.view.viewer.name
    for move in list(found)[::3]:
        assert found[move] >= expectimax.value_after(alike, move, viewer, plan=plan) - 1e-9


@settings(max_examples=FEWER)
@given(st.integers(4, 8), st.integers(0, 10**6), st.sampled_from([PLAIN, ALL_RULES]))
def test_one_world_against_the_perfect_player_is_open(ply: int, seed: int, rules: Rules) -> None:
    closed = closed_at(ply, seed, rules, pool=3)
    one = closed.worlds._replace(members=closed.worlds.members[:1], weights=np.ones(1))
    worlds = DealtWorlds.of_sets(closed.view, one)
    found = answer(closed.view, worlds, Perfect())
    expected = value_moves(closed.view, one)
    assert [each.points for each in found.moves] == expected.means(payoff_of(closed.view)).tolist()


def test_worlds_that_a_model_cannot_tell_apart_change_nothing() -> None:
    closed = closed_at(5, seed=5, rules=PLAIN, pool=5)
    sets = DealtWorlds.of_sets(closed.view, closed.worlds)
    orders = Orders(closed.view, Combinations(closed.worlds.pool, closed.view.unseen))
    assert points(answer(closed.view, orders.everything(), Greedy())) == pytest.approx(
        points(answer(closed.view, sets, Greedy()))
    )


def test_slots_matter_to_the_computer_player_alone() -> None:
    closed = closed_at(4, seed=1, rules=PLAIN, pool=6)
    worlds = DealtWorlds.of_sets(closed.view, closed.worlds)
    turned = DealtWorlds(worlds.dealt[:, ::-1], worlds.weights)
    for model, is_same in ((Greedy(), True), (computer(0), False)):
        one, other = (points(answer(closed.view, given, model)) for given in (worlds, turned))
        assert (one == other) is is_same


def test_chances_add_up_and_replies_are_what_they_lead_to() -> None:
    closed = closed_at(4, seed=7, rules=ALL_RULES, pool=5)
    found = answer(closed.view, ordered(closed, seed=1), Tremble(0.5))
    for each in found.moves:
        assert each.win + each.draw + each.loss == pytest.approx(1)
        assert sum(reply.chance for reply in each.replies) == pytest.approx(1)
        led = sum(reply.chance * reply.value for reply in each.replies)
        assert led == pytest.approx(each.points)
    shares = ordered(closed, seed=1).shares
    assert (found.worlds @ shares).tolist() == pytest.approx([move.points for move in found.moves])


def test_a_sampled_value_is_not_that_of_the_worlds_it_was_chosen_by() -> None:
    closed = closed_at(4, seed=9, rules=ALL_RULES, pool=6)
    posterior = Posterior.by_cards(ordered(closed, seed=3, count=8), Random())
    payoff = payoff_of(closed.view)
    chosen = respond(closed.view, posterior, payoff, CATALOGUE)
    judged = respond(closed.view, posterior, payoff, CATALOGUE, is_complete=False)
    assert judged.is_validated
    assert not judged.is_exact
    assert judged.value is not None
    assert chosen.value is not None
    assert judged.value.points < chosen.value.points


def test_one_sampled_world_has_no_value() -> None:
    closed = closed_at(6, seed=9, rules=PLAIN, pool=4)
    posterior = Posterior.by_cards(ordered(closed, seed=3, count=1), Random())
    found = respond(closed.view, posterior, payoff_of(closed.view), CATALOGUE, is_complete=False)
    assert found.value is None
    assert not found.is_validated


def test_any_number_of_threads_finds_the_same() -> None:
    closed = closed_at(5, seed=2, rules=ALL_RULES, pool=5)
    posterior = Posterior.by_cards(ordered(closed, seed=3), computer(2))
    one, three = (
        respond(closed.view, posterior, payoff_of(closed.view), CATALOGUE, threads=threads)
        for threads in (1, 3)
    )
    assert one.moves == three.moves
    assert one.value == three.value
