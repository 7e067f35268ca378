"""The retrograde solve against plain enumeration and against the search."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from engine.game.cards import Catalogue, default_catalogue
from engine.game.deal import Deal
from engine.game.dealing import Dealer, ElementSource
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.search.solver import Solver
from engine.tablebase.blocks import (
    NOT_REACHABLE,
    cards_at,
    make_peek,
    pack,
    run_at,
    runs_of,
    unpack,
)
from engine.tablebase.index import code_at, placements_at
from engine.tablebase.patterns import PLANES, has_pattern, number_at
from engine.tablebase.replay import replay
from engine.tablebase.retrograde import Phase, Retrograde, bytes_needed
from engine.tablebase.root import is_arranged, make_root
from engine.tablebase.transition import Layer
from engine.text.wire import state_to_dict
from tests import naive, plain, strategies
from tests.conftest import IS_JIT_OFF
from tests.indices import Index

LEAST_PLY = 6 if IS_JIT_OFF else 4


def successors(layer: set[State]) -> set[State]:
    return {state.play(move) for state in layer for move in state.legal_moves()}


def reachable_at(layer: Layer) -> int:
    return int(np.bitwise_count(layer.reachable.view(np.uint64)).sum())


def cards_of(layer: Layer, index: int) -> int:
    placement, pattern = index >> layer.ply, index & ((1 << layer.ply) - 1)
    assert has_pattern(layer.reachable[placement * layer.words :], pattern)
    return number_at(layer.cards, placement * PLANES * layer.words, layer.words, pattern)


def margin_of(state: State, cards: int) -> int:
    starters = 2 * cards - 9 - int(state.rules.variant.counts_hands)
    return starters if state.deal.first == 0 else -starters


@settings(max_examples=5 if IS_JIT_OFF else 40)
@given(strategies.states(min_ply=LEAST_PLY, max_ply=8))
def test_layers_hold_just_the_reachable_states_and_their_margins(root: State) -> None:
    index, solver = Index(root), Solver()
    states = [{root}]
    for _ in range(root.ply, 8):
        states.append(successors(states[-1]))
    with Retrograde() as retrograde:
        for layer in retrograde.solve(root):
            expected = states[layer.ply - root.ply]
            assert reachable_at(layer) == len(expected)
            for state in sorted(expected, key=lambda state: state.code)[:: 1 + len(expected) // 20]:
                cards = cards_of(layer, index.index_of(state))
                assert margin_of(state, cards) == solver.solve(state).margin


@settings(max_examples=3 if IS_JIT_OFF else 20)
@given(strategies.states(min_ply=6, max_ply=8, catalogue=default_catalogue()))
def test_roots_margin_is_the_slow_twins(root: State) -> None:
    with Retrograde() as retrograde:
        *_, layer = retrograde.solve(root)
    assert margin_of(root, cards_of(layer, Index(root).index_of(root))) == naive.minimax(
        state_to_dict(root)
    )


@settings(max_examples=3 if IS_JIT_OFF else 20)
@given(strategies.states(min_ply=LEAST_PLY, max_ply=8))
def test_every_packed_state_reads_back_and_nothing_else_does(root: State) -> None:
    kernel_root, peek = make_root(root), make_peek()
    with Retrograde() as retrograde:
        for layer in retrograde.solve(root):
            for run in runs_of(kernel_root, layer.ply):
                packed = unpack(*pack(layer, run))
                assert packed.offsets[-1] <= 2 * len(packed.nibbles)
                placements = range(run.first, run.last)
                for placement in placements[:: 1 + len(placements) // 10]:
                    assert run_at(kernel_root, layer.ply, placement) == run
                    for pattern in range(1 << layer.ply):
                        found = cards_at(kernel_root, run, packed, placement, pattern, peek)
                        there = has_pattern(layer.reachable[placement * layer.words :], pattern)
                        index = placement << layer.ply | pattern
                        assert found == (cards_of(layer, index) if there else NOT_REACHABLE)


@settings(max_examples=3 if IS_JIT_OFF else 10)
@given(strategies.states(min_ply=LEAST_PLY, max_ply=7))
def test_threads_do_not_change_anything(root: State) -> None:
    with Retrograde(1) as alone, Retrograde(3) as shared:
        for one, other in zip(alone.solve(root), shared.solve(root), strict=True):
            assert np.array_equal(one.reachable, other.reachable)
            for index in range(0, len(one.cards), PLANES * one.words):
                if one.reachable[index // PLANES]:
                    assert np.array_equal(
                        one.cards[index : index + PLANES * one.words],
                        other.cards[index : index + PLANES * one.words],
                    )


def test_root_whose_board_is_full_has_no_layers(catalogue: Catalogue) -> None:
    state = State.start(Dealer(catalogue).deal(0))
    while not state.is_over:
        state = state.play(state.legal_moves()[0])
    with Retrograde() as retrograde:
        assert list(retrograde.solve(state)) == []


def test_solving_says_what_it_is_at(catalogue: Catalogue) -> None:
    state = State.start(Dealer(catalogue).deal(0))
    while state.ply < 6:
        state = state.play(state.legal_moves()[0])
    seen: list[Phase] = []
    with Retrograde() as retrograde:
        for _ in retrograde.solve(state, seen.append):
            pass
    assert [phase.ply for phase in seen] == [6, 7, 8, 8, 7, 6]
    assert [phase.is_forward for phase in seen] == [True] * 3 + [False] * 3


def test_memory_below_an_opening_is_what_the_layers_take(catalogue: Catalogue) -> None:
    root = make_root(State.start(Dealer(catalogue).deal(0)))
    sets = 1 + 45 + 1_800 + 25_200 + 302_400 + 1_512_000 + 6_048_000 + 2 * 9_072_000 + 4 * 9_072_000
    planes = 4 * (2 + 4) * 9_072_000
    assert bytes_needed(root) == 8 * (sets + planes)


@settings(max_examples=1 if IS_JIT_OFF else 3)
@given(strategies.deals(default_catalogue()))
def test_openings_first_layers_are_the_slow_twins(deal: Deal) -> None:
    root = make_root(State.start(deal))
    states = [state_to_dict(State.start(deal))]
    kernel_root, peek = make_root(State.start(deal)), make_peek()
    for ply in range(3):
        counted = 0
        for placement in range(placements_at(root, ply)):
            code = code_at(root, ply, placement, peek.numbers)
            if is_arranged(root, code):
                replay(kernel_root, code, ply, peek.sets)
                counted += int(np.bitwise_count(peek.sets[ply].view(np.uint64)).sum())
        assert counted == len(states)
        after = [naive.play(state, *move) for state in states for move in naive.legal_moves(state)]
        states = list({naive.key(state): state for state in after}.values())


@pytest.mark.skipif(IS_JIT_OFF, reason="a whole deal takes the compiler")
@pytest.mark.slow
@pytest.mark.parametrize(("variant", "number"), [(Variant.TRIPLECARGO, 0), (Variant.FF8, 1)])
def test_whole_deal_agrees_with_enumeration_and_search(
    catalogue: Catalogue, variant: Variant, number: int
) -> None:
    """Deal 1 has a card in both hands. Over ten thousand states of all plies are searched."""
    dealer = Dealer(catalogue, 0, Rules.of(SWITCHES, variant), elements=ElementSource.RANDOM)
    start = State.start(dealer.deal(number))
    index, solver = Index(start), Solver()
    random = np.random.default_rng(number)
    counts = plain.count_layers(start)
    with Retrograde(2) as retrograde:
        for layer in retrograde.solve(start):
            assert reachable_at(layer) == counts[layer.ply]
            words = np.flatnonzero(layer.reachable)
            for word in random.choice(words, min(2_500, len(words)), replace=False).tolist():
                placement, block = divmod(word, layer.words)
                bits = int(layer.reachable[word]) & (2**64 - 1)
                pattern = block * 64 + (bits & -bits).bit_length() - 1
                state = index.state_at(layer.ply, placement << layer.ply | pattern)
                cards = cards_of(layer, index.index_of(state))
                assert margin_of(state, cards) == solver.solve(state).margin
            if layer.ply == 1:
                for entry in solver.rank(start):
                    after = start.play(entry.move)
                    cards = cards_of(layer, index.index_of(after))
                    assert margin_of(after, cards) == entry.margin
