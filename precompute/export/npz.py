"""NPZ files: a zip of one .npy for each column, byte for byte the same for the same rows.

A zip holds one member after another, and rows bring all columns at once; so each column is
first gathered in a temporary file of its own. Members are stored, not compressed, with a
fixed date, and the number of rows may be beyond what fits in memory.
"""

from __future__ import annotations

import io
import json
import shutil
import zipfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, BinaryIO

import numpy as np

from precompute.export.columns import Columns
from precompute.export.sink import BLOCK_BYTES, Sink, naming
from store.exported import COMMON, Column

DATE = (1980, 1, 1, 0, 0, 0)  # the first that a zip can tell


class NpzFile:
    """An NPZ file that is being written."""

    def __init__(
        self, sink: Sink, columns: Sequence[Column], common: dict[str, Any], folder: Path | None
    ) -> None:
        """Gather the columns in `folder`, or where the system keeps temporary files."""
        self._sink, self._columns, self._common = sink, columns, common
        self._stack = ExitStack()
        path = Path(self._stack.enter_context(TemporaryDirectory(prefix=".columns-", dir=folder)))
        self._files: dict[str, BinaryIO] = {
            column.name: self._stack.enter_context((path / column.name).open("w+b"))
            for column in columns
        }
        self._rows = 0

    def write(self, rows: Columns) -> None:
        """Take rows."""
        with naming(self._sink.name):
            for name, file in self._files.items():
                file.write(rows.arrays[name].data)
        self._rows += len(rows)

    def finish(self) -> None:
        """Write the zip."""
        with zipfile.ZipFile(self._sink, "w", zipfile.ZIP_STORED) as archive:
            for column in self._columns:
                header = io.BytesIO()
                np.lib.format.write_array_header_1_0(
                    header,
                    {
                        "descr": column.dtype,
                        "fortran_order": False,
                        "shape": (self._rows, *column.shape),
                    },
                )
                self._add(archive, column.name, header.getvalue(), self._files[column.name])
            text = np.frombuffer(json.dumps(self._common).encode(), dtype=np.uint8)
            whole = io.BytesIO()
            np.lib.format.write_array(whole, text, version=(1, 0))
            self._add(archive, COMMON, b"", whole)
        self.close()

    def _add(self, archive: zipfile.ZipFile, name: str, header: bytes, content: BinaryIO) -> None:
        with naming(self._sink.name):
            content.seek(0)
        entry = zipfile.ZipInfo(f"{name}.npy", DATE)
        with archive.open(entry, "w", force_zip64=True) as member:
            member.write(header)
            shutil.copyfileobj(content, member, BLOCK_BYTES)

    def close(self) -> None:
        """Remove the temporary files."""
        self._stack.close()
