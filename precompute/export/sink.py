"""A sink: where the bytes of one file go, compressed if wanted, hashed and counted.

A compressor gets its bytes in blocks of one size, however they were written, so that what
comes out of it does not depend on who wrote how much at a time.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import BinaryIO

import zstandard

BLOCK_BYTES = 1 << 20
LEVEL = 3

Data = bytes | bytearray | memoryview


class Sink:
    """A file that can be written to from beginning to end."""

    def __init__(self, file: BinaryIO, name: str, *, is_compressed: bool) -> None:
        """Write to an open file, whose name is told in errors."""
        self._file, self.name = file, name
        self._digest = hashlib.sha256()
        self._pending = bytearray()
        self._written = 0  # before compression
        self.bytes = 0
        self.closed = False
        self._compressor = (
            zstandard.ZstdCompressor(level=LEVEL, write_checksum=True).compressobj()
            if is_compressed
            else None
        )

    @property
    def sha256(self) -> str:
        """Return the digest of what has been written, in hex."""
        return self._digest.hexdigest()

    def tell(self) -> int:
        """Return how much has been written; there is no going back."""
        return self._written

    def write(self, data: Data) -> int:
        """Take bytes."""
        size = memoryview(data).nbytes
        self._written += size
        if self._compressor is None:
            self._pass_on(data)
            return size
        self._pending += data
        whole = len(self._pending) - len(self._pending) % BLOCK_BYTES
        for start in range(0, whole, BLOCK_BYTES):
            block = bytes(self._pending[start : start + BLOCK_BYTES])
            self._pass_on(self._compressor.compress(block))
        del self._pending[:whole]
        return size

    def flush(self) -> None:
        """Do nothing: what a compressor holds is passed on when there is a block of it."""

    def close(self) -> None:
        """Write what is left; the file itself stays open."""
        if self.closed:
            return
        self.closed = True
        if self._compressor is not None:
            self._pass_on(self._compressor.compress(bytes(self._pending)))
            self._pass_on(self._compressor.flush())
        with naming(self.name):
            self._file.flush()

    def _pass_on(self, data: Data) -> None:
        self._digest.update(data)
        self.bytes += memoryview(data).nbytes
        with naming(self.name):
            self._file.write(data)


@contextmanager
def naming(name: str) -> Iterator[None]:
    """Name the file in an error of the system that does not name it: a disk that is full."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        error.filename = error.filename or name
        raise
