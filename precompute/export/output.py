"""The output of an export: files under temporary names, renamed when all is there.

    out.jsonl                or, sharded, out-00000.jsonl, out-00001.jsonl, ...
    out.jsonl.manifest.json  written last: without it an output is not complete

What is not a regular file (stdout, a pipe, a device) is written to as it comes, and has no
manifest.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, BinaryIO, Protocol, Self, TypeVar

import numpy as np
import numpy.typing as npt

from precompute.export.sink import Sink, naming
from store.exported import COMPRESSED, MANIFEST_ENDING

STDOUT = "-"
PART = ".part"
SYSTEM_FOLDERS = (("/", "dev"), ("/", "proc"))


class Encoded(Protocol):
    """Rows as a format takes them."""

    @property
    def plies(self) -> npt.NDArray[np.int64]:
        """Return the ply of each row."""

    def __len__(self) -> int:
        """Return the number of rows."""

    def cut(self, first: int, last: int) -> Self:
        """Return some of the rows."""


E_contra = TypeVar("E_contra", bound=Encoded, contravariant=True)


class FileWriter(Protocol[E_contra]):
    """A file of some format that is being written."""

    def write(self, rows: E_contra) -> None:
        """Take rows."""

    def finish(self) -> None:
        """Write what is left."""

    def close(self) -> None:
        """Let go of everything, finished or not."""


@dataclass(frozen=True)
class WrittenFile:
    """A finished file, as its manifest tells it."""

    name: str
    rows: int
    bytes: int
    sha256: str


E = TypeVar("E", bound=Encoded)
Opener = Callable[[Sink, Path | None], FileWriter[E]]  # the folder is for temporary files


def _is_regular(path: Path) -> bool:
    """Tell whether a path may be replaced: /dev/stdout must not, whatever it leads to."""
    return (path.is_file() or not path.exists()) and path.parts[:2] not in SYSTEM_FOLDERS


class Output:
    """All files of one export; leaving it without `finish` removes them."""

    def __init__(self, out: str, shard_rows: int | None, opener: Opener[E]) -> None:
        """Write to a path, or to stdout, with so many rows in a file."""
        self._path = None if out == STDOUT else Path(out)
        self._is_regular = self._path is not None and _is_regular(self._path)
        self._out, self._shard_rows, self._opener = out, shard_rows, opener
        self._writer: FileWriter[Any] | None = None
        self._sink: Sink | None = None
        self._file: BinaryIO | None = None
        self._rows = 0  # of the file at hand
        self.files: list[WrittenFile] = []
        self.rows = 0

    def __enter__(self) -> Output:
        """Open the first file, so that a path that cannot be written to is told at once."""
        self._open()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Remove what is not finished."""
        if kind is None:
            return
        with suppress(Exception):
            if self._writer:
                self._writer.close()
        if self._file and self._path:
            with suppress(OSError):
                self._file.close()
        if self._is_regular:
            for number in range(len(self.files) + 1):
                self._part(number).unlink(missing_ok=True)

    def write(self, rows: Encoded) -> None:
        """Take rows; begin another file when one is full."""
        first = 0
        while first < len(rows):
            if self._shard_rows and self._rows == self._shard_rows:
                self._close()
                self._open()
            room = self._shard_rows - self._rows if self._shard_rows else len(rows)
            last = min(first + room, len(rows))
            assert self._writer
            self._writer.write(rows.cut(first, last))
            self._rows += last - first
            self.rows += last - first
            first = last

    def finish(self, facts: dict[str, Any]) -> Path | None:
        """End the last file, give all their names, and write the manifest; return its path."""
        self._close()
        if not self._path or not self._is_regular:
            return None
        manifest = self._path.with_name(self._path.name + MANIFEST_ENDING)
        manifest.unlink(missing_ok=True)  # what it told of is about to be replaced
        for number, file in enumerate(self.files):
            self._part(number).replace(self._path.with_name(file.name))
        part = manifest.with_name(manifest.name + PART)
        files = [asdict(file) for file in self.files]
        text = json.dumps({**facts, "rows": self.rows, "files": files}, indent=2)
        with naming(str(manifest)):
            part.write_text(text + "\n", encoding="utf-8")
        part.replace(manifest)
        return manifest

    def _name(self, number: int) -> str:
        """Return the name of a file: a shard has its number before the endings."""
        assert self._path
        if not self._shard_rows:
            return self._path.name
        bare = self._path.name.removesuffix(COMPRESSED)
        stem, ending = Path(bare).stem, self._path.name[len(Path(bare).stem) :]
        return f"{stem}-{number:05d}{ending}"

    def _part(self, number: int) -> Path:
        assert self._path
        return self._path.with_name(self._name(number) + PART)

    def _open(self) -> None:
        if self._path is None:
            self._file = sys.stdout.buffer
        else:
            path = self._part(len(self.files)) if self._is_regular else self._path
            self._file = path.open("wb")
        name = "standard output" if self._path is None else str(self._path)
        is_compressed = self._out.endswith(COMPRESSED)
        self._sink = Sink(self._file, name, is_compressed=is_compressed)
        folder = self._path.parent if self._path and self._is_regular else None
        self._writer = self._opener(self._sink, folder)
        self._rows = 0

    def _close(self) -> None:
        assert self._writer
        assert self._sink
        assert self._file
        self._writer.finish()
        self._sink.close()
        if self._path:
            with naming(str(self._path)):
                if self._is_regular:
                    os.fsync(self._file.fileno())  # a file is whole before it is called so
                self._file.close()
        name = self._name(len(self.files)) if self._path else STDOUT
        self.files.append(WrittenFile(name, self._rows, self._sink.bytes, self._sink.sha256))
        self._writer = None
