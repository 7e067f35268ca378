"""Exported JSON lines, turned into columns (see `store.exported`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import IO, Any, TypeAlias

import numpy as np
import numpy.typing as npt
import orjson

from engine.game.board import CELLS, HAND_SIZE
from engine.game.cards import NO_ELEMENT, Element, element_number
from engine.game.zobrist import HALF, HALF_BITS
from store.exported import (
    ELEMENT,
    MARGIN,
    MILLION,
    MOVES,
    NO_CARD,
    NO_MOVE,
    NO_OWNER,
    POLICY,
    POLICY_MOVE,
    columns_of,
)

Row: TypeAlias = dict[str, Any]
Chunk: TypeAlias = dict[str, npt.NDArray[Any]]  # by column

_PLAYERS = {"A": 0, "B": 1, None: NO_OWNER}
_ELEMENTS = {None: NO_ELEMENT} | {x.value: element_number(x) for x in Element}


def line_chunks(file: IO[bytes], size: int) -> Iterator[Chunk]:
    """Return the rows of a file of lines, at most so many at a time."""
    lines = iter(file)
    is_onehot: bool | None = None
    while taken := list(islice(lines, size)):
        rows = [orjson.loads(line) for line in taken]
        if is_onehot is None:
            is_onehot = _is_onehot(rows)
        yield columns_from(rows, is_onehot=is_onehot)


def columns_from(rows: Sequence[Row], *, is_onehot: bool) -> Chunk:
    """Return rows as columns."""
    columns = columns_of(
        has_elements="element" in rows[0]["board"][0],
        is_onehot=is_onehot,
        has_margin=MARGIN.name in rows[0],
    )
    return {
        column.name: np.array([_read(column.name, row) for row in rows], dtype=column.dtype)
        for column in columns
    }


def _read(name: str, row: Row) -> Any:
    """Return what a row has in a column."""
    reader = _READERS.get(name)
    return reader(row) if reader else row[name]


def _is_onehot(rows: Sequence[Row]) -> bool:
    """Tell how policies are told: by the best move, which a finished game leaves out."""
    policies = [row.get("policy_target") for row in rows]
    return any(policy is None or "card_id" in policy for policy in policies)


def _padded(hand: list[int]) -> list[int]:
    return hand + [NO_CARD] * (HAND_SIZE - len(hand))


def _place(row: Row, card: int, cell: int) -> int:
    """Return a move as a number: its card's place in the mover's hand, and its cell."""
    place: int = row["hands"][row["to_move"]].index(card)
    return place * CELLS + cell


def _best_move(row: Row) -> int:
    move = row.get("policy_target")
    return _place(row, move["card_id"], move["cell"]) if move else NO_MOVE


def _millionths(row: Row) -> list[int]:
    policy = [0] * MOVES
    for move, chance in row["policy_target"].items():
        card, cell = move.split("-")
        policy[_place(row, int(card), int(cell))] = round(chance * MILLION)
    return policy


def _halves(row: Row) -> tuple[int, int]:
    value = int(row["state_hash"], 16)
    return value >> HALF_BITS, value & HALF


_READERS: dict[str, Callable[[Row], Any]] = {
    "to_move": lambda row: _PLAYERS[row["to_move"]],
    "board_card": lambda row: [cell["card_id"] or NO_CARD for cell in row["board"]],
    "board_owner": lambda row: [_PLAYERS[cell["owner"]] for cell in row["board"]],
    ELEMENT.name: lambda row: [_ELEMENTS[cell["element"]] for cell in row["board"]],
    "hands": lambda row: [_padded(row["hands"][player]) for player in "AB"],
    POLICY_MOVE.name: _best_move,
    POLICY.name: _millionths,
    "state_hash": _halves,
}
