"""Rows as columns (see `store.exported`), filled in compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import CELLS, EMPTY, HAND_SIZE, SEATS, Codes, hand_of, owner_at, slot_at
from engine.game.cards import element_number
from engine.game.chances import Chances
from engine.game.deal import Deal
from engine.game.duels import Duels
from engine.game.moves import MOST_MOVES, NO_MOVE, list_moves, unpack_move
from engine.kernel import Numbers, bit_count, inline_kernel, kernel, lowest_bit
from precompute.export.recipe import ValueMode
from precompute.export.rows import Rows, derive
from store.exported import ELEMENT, MARGIN, MOVES, NO_CARD, NO_OWNER, POLICY, POLICY_MOVE, Column

Array: TypeAlias = npt.NDArray[Any]
Small: TypeAlias = npt.NDArray[np.int8]
Ids: TypeAlias = npt.NDArray[np.int16]


@dataclass(frozen=True)
class Columns:
    """Encoded rows: an array for each column."""

    arrays: dict[str, Array]

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self.plies)

    @property
    def plies(self) -> Array:
        """Return the ply of each row."""
        return self.arrays["turn"]

    def cut(self, first: int, last: int) -> Columns:
        """Return the rows from `first` up to `last`."""
        return Columns({name: array[first:last] for name, array in self.arrays.items()})


def join(parts: Sequence[Columns]) -> Columns:
    """Return columns one after another."""
    return Columns(
        {name: np.concatenate([part.arrays[name] for part in parts]) for name in parts[0].arrays}
    )


class Seats(NamedTuple):
    """Whose the slots of a deal are."""

    ids: Ids  # [10]: by slot
    players: Small  # [2]: by seat
    duels: Duels


class Visible(NamedTuple):
    """What players see of states."""

    cards: Ids  # [n, 9]
    owners: Small  # [n, 9]
    hands: Ids  # [n, 2, 5]


def encode_columns(columns: Sequence[Column], value: ValueMode, rows: Rows) -> Columns:
    """Return rows as columns."""
    derived, count = derive(rows), len(rows.codes)
    seats = _seats(rows.deal)
    visible = Visible(
        np.empty((count, CELLS), dtype=np.int16),
        np.empty((count, CELLS), dtype=np.int8),
        np.empty((count, SEATS, HAND_SIZE), dtype=np.int16),
    )
    write_visible(seats, rows.codes, visible)
    arrays: dict[str, Array] = {
        "game_id": np.full(count, rows.game_id, dtype=np.int64),
        "turn": derived.plies,
        "to_move": seats.players[derived.plies & 1],
        "board_card": visible.cards,
        "board_owner": visible.owners,
        "hands": visible.hands,
        "value_target": derived.values if value is ValueMode.WINLOSS else derived.margins,
        "off_pv": np.full(count, rows.off_pv),
        "state_hash": derived.hashes,
        MARGIN.name: derived.margins,
    }
    names = {column.name for column in columns}
    if ELEMENT.name in names:
        layout = [element_number(element) for element in rows.deal.elements]
        arrays[ELEMENT.name] = np.tile(np.array(layout, dtype=np.int8), (count, 1))
    if POLICY.name in names:
        arrays[POLICY.name] = np.zeros((count, MOVES), dtype=np.int32)
        room = np.zeros(MOST_MOVES, dtype=np.int64)
        write_policy(seats, rows.codes, rows.policy, room, arrays[POLICY.name])
    else:
        arrays[POLICY_MOVE.name] = np.empty(count, dtype=np.int8)
        write_moves(rows.codes, rows.best, arrays[POLICY_MOVE.name])
    return Columns(
        {column.name: arrays[column.name].astype(column.dtype, copy=False) for column in columns}
    )


def _seats(deal: Deal) -> Seats:
    return Seats(
        np.array([card.id for card in deal.slots], dtype=np.int16),
        np.array(deal.players, dtype=np.int8),
        deal.duels,
    )


@kernel
def write_visible(seats: Seats, codes: Codes, visible: Visible) -> None:
    """Write the board and the hands of each state."""
    for number in range(len(codes)):
        code = int(codes[number])
        for cell in range(CELLS):
            slot = slot_at(code, cell)
            is_empty = slot == EMPTY
            visible.cards[number, cell] = NO_CARD if is_empty else seats.ids[slot]
            owner = NO_OWNER if is_empty else seats.players[owner_at(code, cell)]
            visible.owners[number, cell] = owner
        for seat in range(SEATS):
            hand, held = visible.hands[number, seats.players[seat]], hand_of(code, seat)
            for place in range(HAND_SIZE):
                hand[place] = seats.ids[lowest_bit(held)] if held else NO_CARD
                held &= held - 1


@inline_kernel
def move_place(code: int, move: int) -> int:
    """Return a packed move as its card's place in the mover's hand, and its cell."""
    slot, cell = unpack_move(move)
    lower = hand_of(code, slot // HAND_SIZE) & ((1 << slot) - 1)
    return bit_count(lower) * CELLS + cell


@kernel
def write_moves(codes: Codes, best: Codes, moves: Small) -> None:
    """Write each best move by its place; NO_MOVE stays what it is."""
    for number in range(len(codes)):
        move = int(best[number])
        moves[number] = move if move == NO_MOVE else move_place(int(codes[number]), move)


@kernel
def write_policy(
    seats: Seats, codes: Codes, policy: Chances, moves: Numbers, into: Chances
) -> None:
    """Write each move's chance by the move's place into `into` [n, 45], which must be 0."""
    for number in range(len(codes)):
        code = int(codes[number])
        for choice in range(list_moves(seats.duels, code, moves)):
            into[number, move_place(code, int(moves[choice]))] = policy[number, choice]
