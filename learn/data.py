"""Exported states as batches of arrays, from JSON lines, NPZ or Parquet.

A move is a number from 0 to 44: the place of its card in the mover's hand, times 9, plus its
cell. Hands ascend by card id; of equal cards it is the first that is played. The files are
read as they come, so they may be larger than memory. docs/export.md has the shapes.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.errors import MissingExtraError
from learn.files import ExportFileError, files_of, read_chunks
from learn.lines import Chunk
from store.exported import ELEMENT, MARGIN, MILLION, MOVES, NO_CARD, NO_MOVE, POLICY, POLICY_MOVE

if TYPE_CHECKING:
    from learn.torch_data import StateDataset

Ids: TypeAlias = npt.NDArray[np.int16]
Small: TypeAlias = npt.NDArray[np.int8]
Mask: TypeAlias = npt.NDArray[np.bool_]
Floats: TypeAlias = npt.NDArray[np.float32]

BATCH_ROWS = 4_096


class Batch(NamedTuple):
    """Labelled states."""

    board_card: Ids  # [n, 9]: id, 0 where there is none
    board_owner: Small  # [n, 9]: 0 A, 1 B, -1 where there is no card
    board_element: Small  # [n, 9]: 0 none, 1 to 8 the letters FITWEPHL
    hands: Ids  # [n, 2, 5]: A's ids and B's, ascending, then 0
    to_move: Small  # [n]: 0 A, 1 B
    turn: Small  # [n]: cards on the board
    legal: Mask  # [n, 45]: by move
    policy: Floats  # [n, 45]: by move; all 0 when the game is over
    value: Floats  # [n]: as the export's value mode says
    margin: Small | None  # [n]: A's view; only in exports of everything below a root
    game_id: npt.NDArray[np.int64]  # [n]
    off_pv: Mask  # [n]
    state_hash: npt.NDArray[np.uint64]  # [n, 2]: high half, low half


def read_batches(path: str | Path, size: int = BATCH_ROWS) -> Iterator[Batch]:
    """Return the rows of an export, so many at a time; the last batch of a file may have fewer.

    `path` is what `--out` was given. Where a manifest lies beside it, the files that it lists
    are read, and must have the sizes that it says.
    """
    return map(batch_of, _chunks(path, size))


def read_all(path: str | Path) -> Batch:
    """Return all rows of an export, which must fit in memory."""
    chunks = list(_chunks(path, BATCH_ROWS))
    if not chunks:
        raise ExportFileError(f"{path}: there are no rows in it")
    return batch_of({name: np.concatenate([chunk[name] for chunk in chunks]) for name in chunks[0]})


def _chunks(path: str | Path, size: int) -> Iterator[Chunk]:
    return (chunk for file in files_of(Path(path)) for chunk in read_chunks(file, size))


def dataset(path: str | Path) -> StateDataset:
    """Return an export as a PyTorch Dataset, or raise `MissingExtraError` without PyTorch."""
    try:
        from learn.torch_data import StateDataset
    except ImportError as error:
        raise MissingExtraError("a PyTorch dataset", "learn", error) from error
    return StateDataset(read_all(path))


def batch_of(chunk: Chunk) -> Batch:
    """Return columns as a batch: policy as shares, and which moves are legal."""
    cards, hands, to_move = chunk["board_card"], chunk["hands"], chunk["to_move"]
    no_elements = np.zeros(cards.shape, dtype=np.int8)
    return Batch(
        cards,
        chunk["board_owner"],
        chunk.get(ELEMENT.name, no_elements),
        hands,
        to_move,
        chunk["turn"],
        legal_moves(cards, hands, to_move),
        _policy(chunk),
        chunk["value_target"].astype(np.float32),
        chunk.get(MARGIN.name),
        chunk["game_id"],
        chunk["off_pv"],
        chunk["state_hash"],
    )


def legal_moves(board_card: Ids, hands: Ids, to_move: Small) -> Mask:
    """Return which moves are legal [n, 45], from boards [n, 9], hands [n, 2, 5], movers [n].

    Equal cards in a hand are one move per cell: that of the first.
    """
    hand = hands[np.arange(len(hands)), to_move]
    before = np.pad(hand, ((0, 0), (1, 0)), constant_values=NO_CARD)[:, :-1]
    is_playable = (hand != NO_CARD) & (hand != before)
    is_empty = board_card == NO_CARD
    legal: Mask = is_playable[:, :, None] & is_empty[:, None, :]
    return legal.reshape(-1, MOVES)


def _policy(chunk: Chunk) -> Floats:
    if POLICY.name in chunk:
        return (chunk[POLICY.name] / MILLION).astype(np.float32)
    moves = chunk[POLICY_MOVE.name]
    policy = np.zeros((len(moves), MOVES), dtype=np.float32)
    rows = np.flatnonzero(moves != NO_MOVE)
    policy[rows, moves[rows]] = 1
    return policy
