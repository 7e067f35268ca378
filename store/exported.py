"""Exported states as columns: their names, types and shapes, shared by writer and readers.

A row is a labelled state. In lines a state is JSON (see `engine.text.document`); in NPZ and
Parquet files it is these columns, and an object with what all rows have in common.
"""

from __future__ import annotations

from math import prod
from typing import Final, NamedTuple

from engine.game.board import CELLS, HAND_SIZE, SEATS
from engine.game.shape import MILLION as MILLION

SCHEMA: Final = 1
MOVES: Final = HAND_SIZE * CELLS  # a move: its card's place in the mover's hand, its cell
NO_CARD, NO_OWNER, NO_MOVE = 0, -1, -1
COMMON: Final = "common"  # the object, as JSON: a member of an NPZ, metadata of a Parquet file
MANIFEST_ENDING: Final = ".manifest.json"
COMPRESSED: Final = ".zst"  # the ending of what zstd has compressed


class Column(NamedTuple):
    """One column: what each row has there."""

    name: str
    dtype: str
    shape: tuple[int, ...] = ()


ELEMENT = Column("board_element", "<i1", (CELLS,))  # 0 none, 1.. the letters FITWEPHL
POLICY_MOVE = Column("policy_move", "<i1")  # place in the mover's hand * 9 + cell, or NO_MOVE
POLICY = Column("policy_millionths", "<i4", (MOVES,))
MARGIN = Column("margin", "<i1")


def flat_names(column: Column) -> list[str]:
    """Return the names a column has in a Parquet file, one for each of its numbers."""
    if not column.shape:
        return [column.name]
    return [f"{column.name}_{number}" for number in range(prod(column.shape))]


def columns_of(*, has_elements: bool, is_onehot: bool, has_margin: bool) -> list[Column]:
    """Return the columns of an export."""
    return [
        Column("game_id", "<i8"),
        Column("turn", "<i1"),  # state_idx is the same number
        Column("to_move", "<i1"),  # 0 A, 1 B
        Column("board_card", "<i2", (CELLS,)),  # id, or NO_CARD
        Column("board_owner", "<i1", (CELLS,)),  # 0 A, 1 B, or NO_OWNER
        *([ELEMENT] if has_elements else []),
        Column("hands", "<i2", (SEATS, HAND_SIZE)),  # A's ids, B's; ascending, then NO_CARD
        POLICY_MOVE if is_onehot else POLICY,
        Column("value_target", "<i1"),
        Column("off_pv", "|b1"),
        Column("state_hash", "<u8", (2,)),  # high half, low half
        *([MARGIN] if has_margin else []),
    ]
