"""Sampled games: labels, determinism, and how often which move is played."""

from __future__ import annotations

from collections import Counter
from math import exp
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.game.board import CELLS
from engine.game.cards import Catalogue
from engine.game.dealing import Dealer, ElementSource, game_random
from engine.game.moves import Move, move_of
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.search.solver import Solver
from engine.text.wire import state_to_dict
from precompute.export.heuristic import move_scores
from precompute.export.job import ExportMeans
from precompute.export.labellers import Labeller
from precompute.export.recipe import (
    Labels,
    Mix,
    Mode,
    OffLine,
    Play,
    PolicyFormat,
    Recipe,
    Stepping,
    ValueMode,
    Weights,
)
from precompute.export.stepping import MoveContext, choose, is_off_line
from precompute.export.trajectory import Games
from tests import naive
from tests.chi_square import agrees
from tests.conftest import IS_JIT_OFF
from tests.databases import later
from tests.exports import FF8, check_labels, dealer, lines_of, recipe_of_games, state_of, written

compiled = pytest.mark.skipif(IS_JIT_OFF, reason="openings take the compiler")
MEANS = [ExportMeans(1, 1, 1), ExportMeans(2, 3, 1), ExportMeans(4, 2, 32), ExportMeans(2, 10, 8)]


@pytest.fixture(scope="module")
def lines(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Any]]:
    path = tmp_path_factory.mktemp("games") / "games.jsonl"
    return lines_of(written(path, recipe_of_games(10)))


@compiled
def test_ten_games_are_ninety_lines_in_ascending_order(lines: list[dict[str, Any]]) -> None:
    numbers = [(line["game_id"], line["state_idx"]) for line in lines]
    assert numbers == [(game, turn) for game in range(10) for turn in range(9)]
    assert {line["off_pv"] for line in lines} == {False}
    assert "margin" not in lines[0]


@compiled
def test_every_line_has_the_labels_of_perfect_play(lines: list[dict[str, Any]]) -> None:
    solver = Solver()
    for line in lines:
        check_labels(line, solver)


@compiled
def test_lines_of_a_game_follow_from_each_other(lines: list[dict[str, Any]]) -> None:
    for game in range(10):
        states = [state_of(line) for line in lines if line["game_id"] == game]
        assert states[0] == State.start(dealer().deal(game))
        for before, after in zip(states, states[1:], strict=False):
            assert after in [before.play(move) for move in before.legal_moves()]


RECIPES = {
    "mix": recipe_of_games(6),
    "mcts": recipe_of_games(6, Labels(PolicyFormat.MCTS, mcts_rollouts=40)),
    "soft, off line": recipe_of_games(
        3,
        Labels(PolicyFormat.SOFT, value=ValueMode.MARGIN),
        Stepping(Play.HEURISTIC, off_rate=0.5, off_strategy=OffLine.MCTS),
        has_terminal=True,
    ),
    "weighted": recipe_of_games(
        3, stepping=Stepping(Play.PV, off_rate=0.5, off_strategy=OffLine.WEIGHTED)
    ),
}


@compiled
@pytest.mark.parametrize("name", RECIPES)
def test_bytes_do_not_depend_on_threads_chunks_tables_or_runs(name: str, tmp_path: Path) -> None:
    contents = set()
    for number, means in enumerate([*MEANS, MEANS[0]]):
        path = written(tmp_path / f"{number}.jsonl", RECIPES[name], means)
        contents.add(path.read_bytes())
    assert len(contents) == 1


@compiled
def test_another_seed_gives_other_games(tmp_path: Path) -> None:
    contents = {
        written(tmp_path / f"{seed}.jsonl", Recipe(Mode.TRAJECTORY, dealer(seed=seed))).read_bytes()
        for seed in range(3)
    }
    assert len(contents) == 3


@compiled
def test_game_does_not_depend_on_how_many_there_are(tmp_path: Path) -> None:
    few = written(tmp_path / "few.jsonl", recipe_of_games(2)).read_bytes()
    more = written(tmp_path / "more.jsonl", recipe_of_games(4)).read_bytes()
    assert more.startswith(few)


@compiled
def test_finished_states_are_added_on_request(tmp_path: Path) -> None:
    found = lines_of(written(tmp_path / "x.jsonl", recipe_of_games(2, has_terminal=True)))
    assert [line["turn"] for line in found] == [*range(10)] * 2
    for line in (found[9], found[19]):
        check_labels(line, Solver())
        assert sorted(map(len, line["hands"].values())) == [0, 1]


@compiled
def test_principal_play_follows_the_best_line(tmp_path: Path) -> None:
    recipe = recipe_of_games(2, stepping=Stepping(Play.PV))
    found = lines_of(written(tmp_path / "x.jsonl", recipe))
    for game in range(2):
        line = Solver().solve(State.start(dealer().deal(game))).line
        played = [row["policy_target"] for row in found if row["game_id"] == game]
        assert played == [move._asdict() for move in line]


# From here on, late states: how often each move is played, against the documented chances.

DRAWS = 40 if IS_JIT_OFF else 1_500


def late_state(catalogue: Catalogue, rules: Rules, number: int = 0, ply: int = 5) -> State:
    deals = Dealer(catalogue, 8, rules, elements=ElementSource.RANDOM)
    return later(State.start(deals.deal(number)), ply, choice=number)


def best_of(state: State) -> Move:
    best = Solver().solve(state).best_move
    assert best is not None
    return best


def played(
    state: State, stepping: Stepping, labels: Labels | None = None, *, is_off: bool = False
) -> Counter[Move]:
    """Return how often each move advances a game, over many numbers of games."""
    labeller, counts = Labeller(labels or Labels(), 1), Counter[Move]()
    best, _ = labeller.best(state.deal, np.array([state.code]))
    for game in range(DRAWS):
        random = game_random(11, game, state.ply)
        part, move = random.random(2).tolist()
        is_searched = labeller.labels.policy is PolicyFormat.MCTS
        seen = labeller.search(state, random) if is_searched else None
        context = MoveContext(state, int(best[0]), seen, random, part, move)
        packed = choose(stepping, context, labeller, is_off=is_off)
        counts[move_of(state.deal, packed)] += 1
    return counts


def soft_chances(state: State) -> dict[Move, float]:
    sign = 1 if state.to_move == 0 else -1
    return {entry.move: exp(sign * entry.margin) for entry in Solver().rank(state)}


def plain_heuristic(state: State, weights: Weights) -> dict[Move, float]:
    """Return the heuristic's chances from the text of the documentation and the slow twin."""
    document = state_to_dict(state)
    letters = [cell.get("element") for cell in document["board"]]
    chances = {}
    for move in state.legal_moves():
        card, cell = naive.CARDS[move.card_id], move.cell
        shift = 0
        if letters[cell]:
            shift = 1 if card["element"] == naive.LETTERS[letters[cell]] else -1
        score = {4: weights.center, **dict.fromkeys((0, 2, 6, 8), weights.corner)}.get(
            cell, weights.edge
        )
        score += weights.greedy * 2 * len(naive.captures(document, *move)) + weights.element * shift
        for side in ("top", "right", "bottom", "left"):
            other = naive.beyond(cell, side)
            if other is not None and document["board"][other]["card_id"] is None:
                rank = card[side] + shift
                if state.rules.variant is Variant.TRIPLECARGO:
                    rank = min(10, max(1, rank))
                score += weights.defense * (rank - 10) / 10
        chances[move] = exp(score)
    return chances


@pytest.mark.parametrize("variant", Variant)
def test_heuristic_is_the_slow_twins(variant: Variant, catalogue: Catalogue) -> None:
    weights = Weights(1.1, 0.4, -0.3, 0.7, 0.5, 0.9)
    for number in range(4 if IS_JIT_OFF else 30):
        state = late_state(catalogue, Rules.of(SWITCHES, variant), number, ply=number % 9)
        slots = state.deal.slots
        packed = [
            next(s for s in range(10) if slots[s].id == move.card_id and s // 5 == state.ply & 1)
            * CELLS
            + move.cell
            for move in state.legal_moves()
        ]
        scores = move_scores(state, packed, weights)
        assert np.allclose(np.exp(scores), list(plain_heuristic(state, weights).values()))


@pytest.mark.parametrize("rules", [Rules.of(SWITCHES), FF8], ids=["triplecargo", "ff8"])
def test_heuristic_play_is_as_frequent_as_documented(rules: Rules, catalogue: Catalogue) -> None:
    state = late_state(catalogue, rules)
    counts = played(state, Stepping(Play.HEURISTIC))
    assert agrees(counts, plain_heuristic(state, Weights()))
    assert IS_JIT_OFF or not agrees(counts, dict.fromkeys(state.legal_moves(), 1.0))


def test_random_moves_off_the_line_are_uniform(catalogue: Catalogue) -> None:
    state = late_state(catalogue, FF8)
    counts = played(state, Stepping(Play.PV, off_rate=1.0), is_off=True)
    others = [move for move in state.legal_moves() if move != best_of(state)]
    assert agrees(counts, dict.fromkeys(others, 1.0))


def test_weighted_moves_off_the_line_are_a_softmax_of_scores(catalogue: Catalogue) -> None:
    state = late_state(catalogue, FF8, 3)
    stepping = Stepping(Play.PV, off_rate=1.0, off_strategy=OffLine.WEIGHTED)
    counts = played(state, stepping, is_off=True)
    chances = soft_chances(state)
    del chances[best_of(state)]
    assert len(set(chances.values())) > 1
    assert agrees(counts, chances)


def tree_chances(state: State, rollouts: int, *, has_best: bool) -> dict[Move, float]:
    """Return the chances of a draw by a tree search that is itself drawn, game by game."""
    labeller, total = Labeller(Labels(mcts_rollouts=rollouts), 1), Counter[Move]()
    best = best_of(state)
    for game in range(DRAWS):
        random = game_random(11, game, state.ply)
        random.random(2)
        visits = dict(zip(state.legal_moves(), labeller.search(state, random), strict=True))
        if not has_best:
            del visits[best]
        share = sum(visits.values())
        total.update({move: count / share for move, count in visits.items()})
    return dict(total)


def test_tree_search_off_the_line_leaves_the_best_move_out(catalogue: Catalogue) -> None:
    state = late_state(catalogue, FF8, 3)
    stepping = Stepping(Play.PV, off_rate=1.0, off_strategy=OffLine.MCTS)
    expected = tree_chances(state, 40, has_best=False)
    for policy in (PolicyFormat.ONEHOT, PolicyFormat.MCTS):  # computed for it, or used again
        labels = Labels(policy, mcts_rollouts=40)
        assert agrees(played(state, stepping, labels, is_off=True), expected)


def test_tree_search_plays_as_it_chose(catalogue: Catalogue) -> None:
    state = late_state(catalogue, FF8, 3)
    labels = Labels(PolicyFormat.MCTS, mcts_rollouts=40)
    counts = played(state, Stepping(Play.MCTS), labels)
    assert agrees(counts, tree_chances(state, 40, has_best=True))
    assert set(played(state, Stepping(Play.MCTS))) == {best_of(state)}  # none: the best move


def mixed(parts: list[tuple[float, dict[Move, float]]]) -> dict[Move, float]:
    total = Counter[Move]()
    for share, chances in parts:
        whole = sum(chances.values())
        total.update({move: share * chance / whole for move, chance in chances.items()})
    return dict(total)


@pytest.mark.parametrize("ply", [4, 6])
def test_mixture_has_the_documented_shares(ply: int, catalogue: Catalogue) -> None:
    state = late_state(catalogue, FF8, 3, ply)
    heuristic = 0.65 + (0.10 - 0.65) * ply / 8
    by_heuristic, best = plain_heuristic(state, Weights()), {best_of(state): 1.0}
    plain = mixed([(heuristic, by_heuristic), (1 - heuristic, best)])
    assert agrees(played(state, Stepping()), plain)
    labels = Labels(PolicyFormat.MCTS, mcts_rollouts=40)
    tree = tree_chances(state, 40, has_best=True)
    three = [(heuristic, by_heuristic), (0.25, tree), (0.75 - heuristic, best)]
    assert agrees(played(state, Stepping(), labels), mixed(three))


def test_shares_of_a_mixture_are_linear_over_the_plies() -> None:
    mix = Mix(0.6, 0.2, 0.0)
    assert [round(mix.heuristic(ply), 3) for ply in range(9)] == [
        0.6,
        0.55,
        0.5,
        0.45,
        0.4,
        0.35,
        0.3,
        0.25,
        0.2,
    ]


def test_games_off_the_line_are_as_many_as_asked_for() -> None:
    stepping = Stepping(Play.PV, off_rate=0.3)
    counts = Counter(is_off_line(stepping, 5, game) for game in range(2_000))
    assert agrees(counts, {True: 0.3, False: 0.7})
    ignored = Stepping(Play.MIX, off_rate=1.0)
    assert not any(is_off_line(ignored, 5, game) for game in range(20))


def test_whole_game_is_off_the_line(catalogue: Catalogue) -> None:
    state, labeller = late_state(catalogue, FF8), Labeller(Labels(), 1)
    stepping = Stepping(Play.PV, off_rate=1.0)
    games = Games(dealer(FF8), stepping)
    for game in range(10):
        rows = games.play_on(state, game, labeller)
        assert rows.off_pv
        states = [State(rows.deal, code) for code in rows.codes.tolist()]
        for before, after in zip(states, states[1:], strict=False):
            is_only = len(before.legal_moves()) == 1
            assert is_only or before.play(best_of(before)) != after
