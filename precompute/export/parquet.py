"""Parquet files, written by pyarrow: row groups of one size, however the rows come.

A column of several numbers becomes as many flat ones, `board_card_0` to `board_card_8`, which
pyarrow writes five times as fast as nested lists and every reader understands.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from engine.errors import MissingExtraError
from precompute.export.columns import Columns, join
from precompute.export.sink import Sink
from store.exported import COMMON, Column, flat_names

GROUP_ROWS = 1 << 17


def load_pyarrow() -> tuple[ModuleType, ModuleType]:
    """Return pyarrow and its Parquet module, or say how to get them."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("Parquet", "parquet", error) from error
    return pyarrow, pyarrow.parquet


class ParquetFile:
    """A Parquet file that is being written."""

    def __init__(self, sink: Sink, columns: Sequence[Column], common: dict[str, Any]) -> None:
        """Write the header."""
        self._arrow, parquet = load_pyarrow()
        self._waiting: list[Columns] = []
        self._schema = self._arrow.schema(
            [
                (name, self._arrow.from_numpy_dtype(column.dtype))
                for column in columns
                for name in flat_names(column)
            ],
            metadata={COMMON: json.dumps(common)},
        )
        self._writer = parquet.ParquetWriter(sink, self._schema)

    def write(self, rows: Columns) -> None:
        """Take rows."""
        self._waiting.append(rows)
        if sum(map(len, self._waiting)) >= GROUP_ROWS:
            waiting = join(self._waiting)
            whole = len(waiting) - len(waiting) % GROUP_ROWS
            for first in range(0, whole, GROUP_ROWS):
                self._write_group(waiting.cut(first, first + GROUP_ROWS))
            self._waiting = [waiting.cut(whole, len(waiting))]

    def finish(self) -> None:
        """Write the last group and the footer."""
        if self._waiting:
            self._write_group(join(self._waiting))
        self.close()

    def close(self) -> None:
        """End the file, whole or not."""
        self._writer.close()

    def _write_group(self, rows: Columns) -> None:
        flat = [
            self._arrow.array(numbers)
            for array in rows.arrays.values()
            for numbers in array.reshape(len(rows), -1).T
        ]
        table = self._arrow.Table.from_arrays(flat, schema=self._schema)
        self._writer.write_table(table, row_group_size=GROUP_ROWS)
