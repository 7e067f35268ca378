"""Exported states as a PyTorch Dataset, in memory, so that a DataLoader may shuffle them.

An item is a dict of tensors, one for each field of `learn.data.Batch` that the export has.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import torch
from torch.utils.data import Dataset

if TYPE_CHECKING:
    from learn.data import Batch

Item = dict[str, torch.Tensor]
LEFT_OUT = ("state_hash",)  # unsigned 64-bit numbers, which torch hardly knows


class StateDataset(Dataset[Item]):
    """The rows of one export."""

    def __init__(self, rows: Batch) -> None:
        """Take all rows."""
        self._fields = {
            name: torch.from_numpy(array.copy())
            for name, array in rows._asdict().items()
            if array is not None and name not in LEFT_OUT
        }

    def __len__(self) -> int:
        """Return the number of rows."""
        return len(self._fields["value"])

    def __getitem__(self, row: int) -> Item:
        """Return one row."""
        return {name: field[row] for name, field in self._fields.items()}

    def __getitems__(self, rows: list[int]) -> list[Item]:
        """Return several rows, as a DataLoader asks for them."""
        return [self[row] for row in rows]
