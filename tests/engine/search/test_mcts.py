"""The tree search against a slow twin, forced wins, and exact best moves."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st
from numpy.random import Generator

from engine.game.cards import Catalogue
from engine.game.dealing import Dealer, ElementSource, game_random
from engine.game.moves import Move
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.search.mcts import EXPLORATION, TreeSearch
from engine.search.solver import Solver
from tests.conftest import IS_JIT_OFF
from tests.databases import later
from tests.strategies import states


class TwinNode:
    """A state of the slow twin's tree."""

    def __init__(self, state: State) -> None:
        self.state = state
        self.moves = state.legal_moves()
        self.children: dict[int, TwinNode] = {}  # by number of move, the last added last
        self.visits = 0
        self.cards = 0  # the starter's, at the end

    def share(self, mover: int) -> float:
        total = 9 * self.visits
        return (total - self.cards if mover else self.cards) / total


def starters_cards(state: State) -> int:
    return sum(placed is not None and placed.owner is state.deal.first for placed in state.board)


def drawn(random: Generator, items: list[int]) -> int:
    return items[int(random.random() * len(items))]


def twin_playout(state: State, random: Generator) -> State:
    while not state.is_over:
        cell = drawn(random, sorted({move.cell for move in state.legal_moves()}))
        card = drawn(random, sorted({move.card_id for move in state.legal_moves()}))
        state = state.play(Move(card, cell))
    return state


def twin_choice(node: TwinNode) -> int | None:
    """Return the number of the move to follow, None for one that has not been tried."""
    mover = node.state.ply & 1
    urge = EXPLORATION * sqrt(node.visits) / len(node.moves)
    best, chosen = -1.0, None
    if len(node.children) < len(node.moves):
        best = (node.share(mover) if node.visits else 0.0) + urge
    for number, child in reversed(node.children.items()):
        worth = child.share(mover) + urge / (1 + child.visits)
        if worth > best:
            best, chosen = worth, number
    return chosen


def twin_rollout(node: TwinNode, random: Generator) -> int:
    """Add one rollout below a node; return the starter's cards at its end."""
    if not node.moves:
        cards = starters_cards(node.state)
    else:
        number = twin_choice(node)
        if number is None:
            untried = [n for n in range(len(node.moves)) if n not in node.children]
            number = drawn(random, untried)
            child = TwinNode(node.state.play(node.moves[number]))
            node.children[number] = child
            cards = starters_cards(twin_playout(child.state, random))
            child.visits, child.cards = 1, cards
        else:
            cards = twin_rollout(node.children[number], random)
    node.visits += 1
    node.cards += cards
    return cards


def twin_visits(state: State, rollouts: int, random: Generator) -> list[int]:
    root = TwinNode(state)
    for _ in range(rollouts):
        twin_rollout(root, random)
    return [
        root.children[number].visits if number in root.children else 0
        for number in range(len(root.moves))
    ]


@settings(max_examples=10 if IS_JIT_OFF else 60)
@given(states(max_ply=8), st.integers(1, 150), st.integers(0, 2**32))
def test_visits_are_the_slow_twins(state: State, rollouts: int, seed: int) -> None:
    visits = TreeSearch(rollouts).visits(state, game_random(seed, 0, 0))
    assert visits.tolist() == twin_visits(state, rollouts, game_random(seed, 0, 0))
    assert visits.sum() == rollouts


def test_room_is_used_again_without_a_trace(catalogue: Catalogue) -> None:
    start = State.start(Dealer(catalogue).deal(0))
    search = TreeSearch(60)
    asked = [later(start, ply) for ply in (0, 4, 8, 2, 0)]
    answers = [search.visits(state, game_random(1, 2, 3)).tolist() for state in asked]
    fresh = [TreeSearch(60).visits(state, game_random(1, 2, 3)).tolist() for state in asked]
    assert answers == fresh
    assert answers[0] == answers[-1]


def test_another_seed_searches_another_tree(catalogue: Catalogue) -> None:
    start = State.start(Dealer(catalogue).deal(0))
    trees = {tuple(TreeSearch(60).visits(start, game_random(seed, 0, 0))) for seed in range(4)}
    assert len(trees) == 4


def test_finished_game_has_no_visits(catalogue: Catalogue) -> None:
    over = later(State.start(Dealer(catalogue).deal(0)), 9)
    assert TreeSearch(5).visits(over, game_random(0, 0, 0)).tolist() == []


def late_states(catalogue: Catalogue, ply: int, count: int) -> list[State]:
    """Return states of both variants, reached by random play."""
    found = []
    for number in range(count):
        rules = Rules.of(SWITCHES, list(Variant)[number % 2])
        dealer = Dealer(catalogue, 17, rules, elements=ElementSource.FF8)
        found.append(later(State.start(dealer.deal(number)), ply, choice=number))
    return found


@pytest.mark.parametrize("ply", [6, 7, 8] if IS_JIT_OFF else [5, 6, 7, 8])
def test_most_visited_move_keeps_the_margin_on_late_plies(ply: int, catalogue: Catalogue) -> None:
    search, solver = TreeSearch(300 if IS_JIT_OFF else 5_000), Solver()
    for number, state in enumerate(late_states(catalogue, ply, 3 if IS_JIT_OFF else 40)):
        visits = search.visits(state, game_random(4, number, ply))
        margins = {entry.move: entry.margin for entry in solver.rank(state)}
        chosen = state.legal_moves()[int(np.argmax(visits))]
        assert margins[chosen] == solver.solve(state).margin, state


@pytest.mark.skipif(IS_JIT_OFF, reason="thousands of rollouts take the compiler")
def test_share_of_moves_that_lose_cards_goes_to_nothing(catalogue: Catalogue) -> None:
    solver = Solver()
    for number, state in enumerate(late_states(catalogue, 6, 20)):
        margins = {entry.move: entry.margin for entry in solver.rank(state)}
        best = solver.solve(state).margin
        keeps = np.array([margins[move] == best for move in state.legal_moves()])
        shares = []
        for rollouts in (100, 1_000, 50_000):
            visits = TreeSearch(rollouts).visits(state, game_random(5, number, rollouts))
            shares.append(visits[keeps].sum() / rollouts)
        assert shares[-1] > 0.97
        assert shares[-1] >= shares[0]


@pytest.mark.parametrize("ply", [6] if IS_JIT_OFF else [4, 5, 6])
def test_forced_wins_are_found(ply: int, catalogue: Catalogue) -> None:
    """States of which most moves do not win, some does."""
    search, solver = TreeSearch(300 if IS_JIT_OFF else 5_000), Solver()
    found = 0
    for number, state in enumerate(late_states(catalogue, ply, 20 if IS_JIT_OFF else 100)):
        values = {entry.move: entry.value for entry in solver.rank(state)}
        if 0 < list(values.values()).count(1) <= len(values) / 3:
            visits = search.visits(state, game_random(6, number, ply))
            assert values[state.legal_moves()[int(np.argmax(visits))]] == 1, state
            found += 1
    assert found >= (1 if IS_JIT_OFF else 5)
