"""Rows as lines and as columns: byte for byte, number for number."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from engine.game.cards import default_catalogue
from engine.game.chances import millionths
from engine.game.state import State
from engine.game.zobrist import hash_text, state_hash
from engine.search.solver import Solver
from engine.text.document import state_from_dict
from engine.text.wire import state_to_dict
from learn.lines import columns_from
from precompute.export.columns import encode_columns, join
from precompute.export.lines import Lines, Wording, encode_lines
from precompute.export.recipe import ValueMode
from precompute.export.rows import Rows
from store.exported import columns_of
from tests.conftest import IS_JIT_OFF
from tests.databases import copied_root, small_roots, states_below
from tests.strategies import states

EARLIEST = 6 if IS_JIT_OFF else 4


class Decimal(float):
    """A number that is written with six decimals."""

    def __repr__(self) -> str:
        return f"{self:.6f}"


def rows_of(found: list[State], *, game_id: int = 0, off_pv: bool = False) -> Rows:
    """Return labelled rows of states of one deal."""
    codes = np.array([state.code for state in found])
    deal = found[0].deal
    best, cards = Solver(keeps_table=True).label(deal, codes)
    return Rows(deal, codes, best, cards, game_id=game_id, off_pv=off_pv)


def with_policy(rows: Rows) -> Rows:
    """Return rows with made-up chances, some moves without any."""
    weights = np.zeros((len(rows.codes), 45))
    for number, code in enumerate(rows.codes.tolist()):
        moves = len(State(rows.deal, code).legal_moves())
        weights[number, :moves] = (np.arange(moves) + number) % 4
        weights[number, : min(moves, 1)] += 1
    return rows._replace(policy=millionths(weights))


def document(rows: Rows, number: int, value: ValueMode, has_margin: bool) -> dict[str, Any]:
    """Return a row as a plain dict, from public objects."""
    state = State(rows.deal, int(rows.codes[number]))
    solution = Solver().solve(state)
    policy: dict[str, Any] = {}
    if len(rows.policy):
        policy["policy_target"] = {
            f"{move.card_id}-{move.cell}": Decimal(chance / 1e6)
            for move, chance in zip(state.legal_moves(), rows.policy[number].tolist(), strict=False)
            if chance
        }
    elif solution.best_move:
        policy["policy_target"] = solution.best_move._asdict()
    return {
        **state_to_dict(state),
        "game_id": rows.game_id,
        "state_idx": state.ply,
        **policy,
        "value_target": solution.value if value is ValueMode.WINLOSS else solution.margin,
        "value_mode": value.value,
        "off_pv": rows.off_pv,
        "state_hash": hash_text(state_hash(state)),
        **({"margin": solution.margin} if has_margin else {}),
        "schema": 1,
    }


def dumped(value: dict[str, Any]) -> str:
    """Return what `json.dumps` makes of a row, with chances written by themselves."""
    policy = value.get("policy_target", {})
    text = json.dumps(value, separators=(",", ":"))
    if any(isinstance(chance, Decimal) for chance in policy.values()):
        inside = ",".join(f'"{move}":{chance!r}' for move, chance in policy.items())
        text = text.replace(json.dumps(policy, separators=(",", ":")), "{" + inside + "}")
    return text


def texts(lines: Lines) -> list[str]:
    return lines.text.tobytes().decode("ascii").splitlines()


@settings(max_examples=5 if IS_JIT_OFF else 60)
@given(states(min_ply=EARLIEST))
@pytest.mark.parametrize("value", ValueMode)
@pytest.mark.parametrize("has_margin", [False, True])
def test_lines_are_what_json_makes_of_them(
    value: ValueMode, has_margin: bool, state: State
) -> None:
    plain = rows_of([state], game_id=state.code % 1_000_000, off_pv=state.ply % 2 == 0)
    for rows in (plain, with_policy(plain)):
        lines = encode_lines(Wording(value, has_margin), rows)
        assert texts(lines) == [dumped(document(rows, 0, value, has_margin))]


@settings(max_examples=5 if IS_JIT_OFF else 60)
@given(states(min_ply=EARLIEST, catalogue=default_catalogue()))
def test_lines_can_be_fed_back(state: State) -> None:
    (text,) = texts(encode_lines(Wording(ValueMode.MARGIN, True), rows_of([state])))
    assert state_from_dict(json.loads(text), default_catalogue()) == state


@pytest.mark.parametrize("root", [small_roots(2)[1], copied_root()], ids=["all rules", "copies"])
def test_columns_hold_what_lines_hold(root: State) -> None:
    found = list(states_below(root, 9))[:: 40 if IS_JIT_OFF else 5]
    for is_onehot in (True, False):
        rows = rows_of(found, game_id=7) if is_onehot else with_policy(rows_of(found, game_id=7))
        lines = encode_lines(Wording(ValueMode.WINLOSS, True), rows)
        expected = columns_from(list(map(json.loads, texts(lines))), is_onehot=is_onehot)
        columns = columns_of(
            has_elements=root.rules.elemental, is_onehot=is_onehot, has_margin=True
        )
        encoded = encode_columns(columns, ValueMode.WINLOSS, rows)
        assert list(encoded.arrays) == list(expected) == [column.name for column in columns]
        for column in columns:
            found_array = encoded.arrays[column.name]
            assert found_array.dtype == np.dtype(column.dtype)
            assert found_array.shape == (len(found), *column.shape)
            assert np.array_equal(found_array, expected[column.name]), column.name


def test_encoded_rows_can_be_cut_anywhere() -> None:
    found = list(states_below(small_roots(1, 7)[0], 9))
    rows = rows_of(found)
    lines = encode_lines(Wording(ValueMode.WINLOSS, False), rows)
    columns = encode_columns(
        columns_of(has_elements=True, is_onehot=True, has_margin=True), ValueMode.WINLOSS, rows
    )
    for first in range(0, len(found), 3):
        last = min(first + 4, len(found))
        part = lines.cut(first, last)
        assert texts(part) == texts(lines)[first:last]
        assert texts(part.cut(1, last - first)) == texts(lines)[first + 1 : last]
        assert part.plies.tolist() == [state.ply for state in found[first:last]]
    halves = join([columns.cut(0, 5), columns.cut(5, len(columns))])
    for name, array in columns.arrays.items():
        assert np.array_equal(array, halves.arrays[name])
