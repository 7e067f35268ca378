from __future__ import annotations

import json
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

from engine.errors import DamagedError, RulesError
from engine.game.cards import Catalogue, default_catalogue
from engine.game.deal import Deal, Player
from engine.game.moves import Move
from engine.game.rules import Rules, Variant
from engine.game.splits import SPLITS, hands_of, next_round, opening_of, split_of
from engine.game.state import State
from engine.search.solver import Solver
from engine.search.sudden_death import (
    MOST_ROUNDS,
    UNDECIDED,
    RoundMove,
    RoundSolver,
    RoundTable,
    next_decisions,
    pack_decision,
    round_in,
    solve_rounds,
    undecided,
    value_in,
)
from tests.conftest import IS_JIT_OFF
from tests.vectors import DIRECTORY

RULES = Rules(variant=Variant.FF8, sudden_death=True)
TINY = [4] * 8 + [7, 24]  # decided within three rounds; few different splits
SOLVER = RoundSolver()
compiled = pytest.mark.skipif(IS_JIT_OFF, reason="takes minutes without the compiler")


@cache
def vector() -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DIRECTORY / "hidden/sudden_death.json").read_text())
    return found


def opening(entry: dict[str, Any]) -> State:
    """Return an opening of the vector, by the names that it has there."""
    catalogue = default_catalogue()
    hands = [[catalogue[card] for card in entry[name]] for name in "AB"]
    return State.start(Deal.of(*hands, rules=RULES, first=Player[entry["first"]]))


@cache
def told_table() -> RoundTable:
    """Return the table that the vector tells, from those of its openings that A starts."""
    decisions = bytearray(len(SPLITS))
    for entry in vector()["openings"]:
        if entry["first"] == "A" and entry["value_for_A"]:
            packed = pack_decision(entry["value_for_A"] > 0, entry["round"])
            decisions[split_of(opening(entry).deal)] = packed
    return RoundTable(tuple(vector()["cards"]), RULES, bytes(decisions))


@cache
def tiny_table() -> RoundTable:
    catalogue = default_catalogue()
    return solve_rounds([catalogue[card] for card in TINY], RULES)


@compiled
def test_table_of_ten_cards_equals_the_vector(catalogue: Catalogue) -> None:
    table = solve_rounds([catalogue[card] for card in vector()["cards"]], RULES)
    assert len(vector()["openings"]) == 2 * len(SPLITS)
    for entry in vector()["openings"]:
        decision = table.decision(opening(entry).deal)
        sign = 1 if entry["first"] == "A" else -1
        assert sign * value_in(decision) == entry["value_for_A"]
        assert (round_in(decision) or None) == entry["round"]


@compiled
@pytest.mark.parametrize("number", range(0, 504, 21))
def test_openings_are_worth_the_same_by_any_names(number: int) -> None:
    """The table knows starters only: here openings are searched by the names of the players."""
    entry = vector()["openings"][number]
    swapped = entry | {"A": entry["B"], "B": entry["A"], "first": "AB"[entry["first"] == "A"]}
    found, other = (SOLVER.solve(opening(one), told_table()) for one in (entry, swapped))
    assert found == other
    sign = 1 if entry["first"] == "A" else -1
    assert (sign * found.value, found.round) == (entry["value_for_A"], entry["round"])
    assert found.rounds == "all"


def test_swapping_names_negates_every_value_of_the_vector() -> None:
    values = {
        (tuple(sorted(entry["A"])), entry["first"]): (entry["value_for_A"], entry["round"])
        for entry in vector()["openings"]
    }
    for entry in vector()["openings"]:
        swapped = tuple(sorted(entry["B"])), "AB"[entry["first"] == "A"]
        assert values[swapped] == (-entry["value_for_A"], entry["round"])


# Plain minimax, by names: what a state is worth on any scale, with a table for what follows.

Plain = dict[tuple[Any, ...], tuple[int, int]]  # value for A and round, by hands and starter


def ladder(value: int, number: int | None) -> float:
    """Return a number that grows with what is better for whose value it is."""
    return value / (number or 1)


def plain_worth(state: State, table: RoundTable | None) -> tuple[int, int | None]:
    """Return value for A and round, by trying everything to the end of this round."""
    if state.is_over:
        if state.margin:
            return (1 if state.margin > 0 else -1), 1
        if table is None:
            return 0, None
        following = next_round(state).deal
        decision = table.decision(following)
        if decision == UNDECIDED:
            return 0, None
        sign = 1 if following.first is Player.A else -1
        return sign * value_in(decision), round_in(decision) + 1
    found = [plain_worth(state.play(move), table) for move in state.legal_moves()]
    choose = max if state.to_move is Player.A else min
    return choose(found, key=lambda worth: ladder(*worth))


@st.composite
def late_rounds(draw: st.DrawFn) -> State:
    """Draw a late state of the vector's ten cards; or with equal cards."""
    catalogue = default_catalogue()
    ids = draw(st.sampled_from([vector()["cards"], TINY, [1] * 5 + [2] * 5]))
    order = draw(st.permutations(ids))
    hands = [[catalogue[card] for card in part] for part in (order[:5], order[5:])]
    rules = RULES._replace(same=draw(st.booleans()), plus=draw(st.booleans()))
    state = State.start(Deal.of(*hands, rules=rules, first=draw(st.sampled_from(Player))))
    for _ in range(draw(st.integers(5, 9))):
        state = state.play(draw(st.sampled_from(state.legal_moves())))
    return state


@st.composite
def tables_of(draw: st.DrawFn, state: State) -> RoundTable:
    """Draw any table for a state's cards, equal for splits that are."""
    catalogue = default_catalogue()
    ids = tuple(sorted(state.deal.ids))
    random = np.random.default_rng(draw(st.integers(0, 1 << 30)))
    by_cards: dict[tuple[int, ...], int] = {}
    decisions = []
    for split in range(len(SPLITS)):
        starter, _ = hands_of(split, [catalogue[card] for card in ids])
        key = tuple(card.id for card in starter)
        choice = int(random.choice([0, 2, 3, 4, 5, 8, 9, 2 * MOST_ROUNDS]))
        decisions.append(by_cards.setdefault(key, choice))
    return RoundTable(ids, state.rules, bytes(decisions))


@settings(deadline=None, max_examples=40 if IS_JIT_OFF else 150)
@given(late_rounds(), st.data())
def test_late_states_equal_plain_minimax(state: State, data: st.DataObject) -> None:
    table = data.draw(st.none() | tables_of(state))
    found = SOLVER.solve(state, table)
    sign = 1 if state.to_move is Player.A else -1
    assert (sign * found.value, found.round) == plain_worth(state, table)
    assert found.rounds == ("all" if table else 1)
    after = {move: plain_worth(state.play(move), table) for move in state.legal_moves()}
    order = sorted(after, key=lambda move: -sign * ladder(*after[move]))
    ranked = SOLVER.rank(state, table)
    assert ranked == tuple(
        RoundMove(move, sign * after[move][0], after[move][1])  # type: ignore[arg-type]
        for move in order
    )
    assert found.best_move == (order[0] if order else None)


@settings(deadline=None, max_examples=30)
@given(late_rounds())
def test_one_round_has_the_value_of_the_margin(state: State) -> None:
    plain = Solver().solve(state)
    found = SOLVER.solve(state)
    assert found.value == plain.value
    assert found.round == (1 if plain.value else None)


# Play by the table.


def outcome(
    state: State,
    winner: Player,
    choose: Callable[[State], Move],
    random: np.random.Generator,
    most: int,
) -> int:
    """Return in which round the winner wins, choosing; the other plays anything. 0: not within."""
    for number in range(1, most + 1):
        while not state.is_over:
            moves = state.legal_moves()
            any_move = moves[int(random.integers(len(moves)))]
            state = state.play(choose(state) if state.to_move is winner else any_move)
        if state.margin:
            return number if (state.margin > 0) == (winner is Player.A) else 0
        state = next_round(state)
    return 0


def best_by(table: RoundTable) -> Callable[[State], Move]:
    def choose(state: State) -> Move:
        best = SOLVER.solve(state, table).best_move
        assert best is not None
        return best

    return choose


def failures(entries: list[dict[str, Any]], choose: Callable[[State], Move]) -> int:
    """Return in how many decided openings play does not end within the round."""
    failed = 0
    for number, entry in enumerate(entries):
        winner = Player.A if entry["value_for_A"] > 0 else Player.B
        random = np.random.default_rng(number)
        failed += not outcome(opening(entry), winner, choose, random, entry["round"])
    return failed


def decided() -> list[dict[str, Any]]:
    return [entry for entry in vector()["openings"] if entry["value_for_A"]]


@compiled
def test_play_by_the_table_ends_within_the_round_when_sampled() -> None:
    assert failures(decided()[::31], best_by(told_table())) == 0


@pytest.mark.slow
@compiled
def test_play_by_the_table_ends_within_the_round_from_every_opening() -> None:
    assert len(decided()) == 496
    assert failures(decided(), best_by(told_table())) == 0


def resisting(table: RoundTable, entry: dict[str, Any], choose: Callable[[State], Move]) -> int:
    """Return the round of a game in which the loser holds out as long as it can."""
    winner = Player.A if entry["value_for_A"] > 0 else Player.B
    state = opening(entry)
    resist = best_by(table)
    for number in range(1, entry["round"] + 1):
        while not state.is_over:
            state = state.play((choose if state.to_move is winner else resist)(state))
        if state.margin:
            return number
        state = next_round(state)
    return 0


@compiled
def test_a_draw_that_ignores_the_round_is_found_out() -> None:
    table = told_table()
    flat = bytes(byte and pack_decision(value_in(byte) > 0, 1) for byte in table.decisions)
    broken = best_by(RoundTable(table.cards, table.rules, flat))
    late = [entry for entry in decided() if entry["round"] >= 3][::12]
    assert all(resisting(table, entry, best_by(table)) == entry["round"] for entry in late)
    assert not all(resisting(table, entry, broken) for entry in late)


# Plain iteration, in the slow twin.


def plain_rounds(ids: list[int], catalogue: Catalogue) -> Plain:
    """Return value for A and round of all openings, by plain iteration over one-round solves."""
    cards = [catalogue[card] for card in ids]
    openings = {}
    for split in range(len(SPLITS)):
        for first in Player:
            state = State.start(Deal.of(*hands_of(split, cards), rules=RULES, first=first))
            openings[state.facts.hands, first] = state
    trees = {key: _tree(state, {}) for key, state in openings.items()}
    known: Plain = {}
    for number in range(1, 505):
        fresh = {}
        for key, tree in trees.items():
            if key not in known and (value := _evaluate(tree, known, {})):
                fresh[key] = value, number
        if not fresh:
            return known
        known |= fresh
    raise AssertionError("values once decided stay: there are no more than 504 rounds")


def _tree(state: State, seen: dict[Any, Any]) -> Any:
    """Return the round below a state: who moves and what follows; or how it ends."""
    if state.facts not in seen:
        if not state.is_over:
            after = [_tree(state.play(move), seen) for move in state.legal_moves()]
            seen[state.facts] = (state.to_move is Player.A, after)
        elif state.margin:
            seen[state.facts] = (None, 1 if state.margin > 0 else -1)
        else:
            following = next_round(state)
            seen[state.facts] = (None, (following.facts.hands, following.deal.first))
    return seen[state.facts]


def _evaluate(tree: Any, known: Plain, seen: dict[int, int]) -> int:
    if id(tree) not in seen:
        is_max, after = tree
        if is_max is None:
            value = after if isinstance(after, int) else known.get(after, (0, 0))[0]
        else:
            value = (max if is_max else min)(_evaluate(one, known, seen) for one in after)
        seen[id(tree)] = value
    return seen[id(tree)]


@pytest.mark.slow
@compiled
def test_small_table_equals_plain_iteration(catalogue: Catalogue) -> None:
    plain = plain_rounds(TINY, catalogue)
    table = tiny_table()
    cards = [catalogue[card] for card in TINY]
    for split in range(len(SPLITS)):
        for first in Player:
            state = State.start(Deal.of(*hands_of(split, cards), rules=RULES, first=first))
            decision = table.decision(state.deal)
            sign = 1 if first is Player.A else -1
            found = sign * value_in(decision), round_in(decision)
            assert found == plain.get((state.facts.hands, first), (0, 0))


# Tables, bytes, rounds that follow.


@compiled
def test_equal_cards_make_splits_of_equal_worth(catalogue: Catalogue) -> None:
    table = tiny_table()
    assert table.rounds == 3
    worths: dict[tuple[int, ...], set[int]] = {}
    for split, decision in enumerate(table.decisions):
        starter, _ = hands_of(split, [catalogue[card] for card in TINY])
        worths.setdefault(tuple(card.id for card in starter), set()).add(decision)
    assert len(worths) == 4
    assert all(len(found) == 1 for found in worths.values())


@given(st.booleans(), st.integers(1, MOST_ROUNDS))
def test_a_byte_says_who_wins_and_when(starter_wins: bool, rounds: int) -> None:
    decision = pack_decision(starter_wins, rounds)
    assert UNDECIDED < decision < 256
    assert (value_in(decision), round_in(decision)) == (1 if starter_wins else -1, rounds)


@pytest.mark.parametrize("rounds", [0, MOST_ROUNDS + 1])
def test_rounds_that_fit_no_byte_are_refused(rounds: int) -> None:
    with pytest.raises(RulesError, match="rounds"):
        pack_decision(True, rounds)


def test_decisions_once_made_stay() -> None:
    decisions = next_decisions(bytes(len(SPLITS)), [(3, 1), (4, 0), (5, -1)], 2)
    assert undecided(decisions) == [n for n in range(len(SPLITS)) if n not in (3, 5)]
    assert (decisions[3], decisions[5]) == (pack_decision(True, 2), pack_decision(False, 2))


@pytest.mark.parametrize("decisions", [b"", bytes(251), bytes([1]) + bytes(251)])
def test_what_is_no_table_is_refused(decisions: bytes) -> None:
    with pytest.raises(DamagedError, match="252"):
        RoundTable(tuple(TINY), RULES, decisions)


def test_table_of_other_cards_is_refused(catalogue: Catalogue) -> None:
    state = opening_of(0, [catalogue[card] for card in vector()["cards"]], RULES)
    with pytest.raises(RulesError, match="same cards"):
        SOLVER.solve(state, RoundTable(tuple(TINY), RULES, bytes(252)))


@settings(deadline=None)
@given(late_rounds())
def test_next_round_deals_each_the_cards_of_its_colour(state: State) -> None:
    while not state.is_over:
        state = state.play(state.legal_moves()[0])
    if state.margin:
        with pytest.raises(ValueError, match="drawn"):
            next_round(state)
        return
    following = next_round(state)
    for player in Player:
        owned = [placed.card for placed in state.board if placed and placed.owner is player]
        assert following.hands[player] == tuple(sorted([*owned, *state.hands[player]]))
    assert following.to_move is state.deal.first.opponent
    assert following.rules == state.rules
