"""One LMDB environment: its tables, sealed values in and out, errors as ours.

A part has one writer, which holds the folder's lock, or any number of readers, after it was
published; never both. So LMDB's own locks are not needed, and a read-only disk will do.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import lmdb

from engine.errors import DamagedError, StoreError
from store.format import TABLES, seal, unseal

SMALLEST_MAP = 1 << 28  # bytes; doubled whenever it is full
FILE = "data.mdb"  # as LMDB calls it
APPENDED_BYTES = 1 << 25  # in one transaction


FileId = tuple[int, ...]


class Entry(NamedTuple):
    """A value to be written, sealed."""

    table: bytes
    key: bytes
    frame: bytes

    @classmethod
    def of(cls, table: bytes, key: bytes, content: bytes) -> Entry:
        """Return the entry of a content."""
        return cls(table, key, seal(key, content))


# Open files, by device and number, and how many use each: a path may come to name another file.
_shared: dict[FileId, tuple[lmdb.Environment, int]] = {}
_shared_lock = Lock()


def file_id(path: Path) -> FileId:
    """Return what tells the file of a part from all others; nothing when it is not there."""
    try:
        found = (path / FILE).stat()
    except FileNotFoundError:
        return ()
    return (found.st_dev, found.st_ino)


class Environment:
    """An open LMDB environment.

    LMDB wants a file to be opened once in a process, so those who read the same one share it.
    """

    def __init__(self, path: Path, *, writes: bool = False) -> None:
        """Open a part; only a writer makes what is missing."""
        self.path = path.resolve()
        with self._told(), _shared_lock:
            opened, users = _shared.get(file_id(path), (None, 0))
            self._environment = opened or lmdb.open(
                str(path),
                map_size=SMALLEST_MAP,
                max_dbs=len(TABLES),
                readonly=not writes,
                create=writes,
                lock=False,
                readahead=writes,
            )
            self._id = file_id(path)
            _shared[self._id] = self._environment, users + 1
            # One transaction makes all tables: each one more leaves pages behind.
            with self._environment.begin(write=True) if writes else nullcontext() as transaction:
                self._tables = {
                    name: self._environment.open_db(name, transaction, create=writes)
                    for name in TABLES
                }

    def close(self) -> None:
        """Close the file, unless others read it; nothing may be read any more."""
        with _shared_lock:
            environment, users = _shared.pop(self._id)
            if users > 1:
                _shared[self._id] = environment, users - 1
            else:
                environment.close()

    def read(self, table: bytes, key: bytes) -> bytes | None:
        """Return the content under a key, None when there is nothing."""
        with self._told(), self._environment.begin(buffers=True) as transaction:
            frame = transaction.get(key, db=self._tables[table])
            return None if frame is None else unseal(key, frame)

    def items(self, table: bytes, after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Return keys and contents of a table, in the order of the keys, beyond `after`."""
        for key, frame in self.frames(table, after):
            yield key, unseal(key, frame)

    def frames(self, table: bytes, after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        """Return keys and sealed values of a table, in the order of the keys, beyond `after`."""
        with self._told(), self._environment.begin() as transaction:
            cursor = transaction.cursor(self._tables[table])
            if cursor.set_range(after + b"\0") if after else cursor.first():
                yield from cursor

    def keys(self, table: bytes) -> Iterator[bytes]:
        """Return all keys of a table, in their order."""
        with self._told(), self._environment.begin() as transaction:
            yield from transaction.cursor(self._tables[table]).iternext(values=False)

    def count_entries(self) -> dict[str, int]:
        """Return the number of entries in each table."""
        with self._told(), self._environment.begin() as transaction:
            return {
                name.decode(): transaction.stat(table)["entries"]
                for name, table in self._tables.items()
            }

    def commit(self, entries: Sequence[Entry]) -> None:
        """Write all entries in one synced transaction, or none of them."""
        self._write(entries)

    def append(self, entries: Iterable[Entry]) -> None:
        """Write many entries whose keys ascend beyond those of their table, in large steps.

        Each step is synced and writes some pages anew, so a few values are one step.
        """
        step: list[Entry] = []
        size = 0
        for entry in entries:
            step.append(entry)
            size += len(entry.frame)
            if size >= APPENDED_BYTES:
                self._write(step, append=True)
                step, size = [], 0
        self._write(step, append=True)

    def _write(self, entries: Sequence[Entry], *, append: bool = False) -> None:
        while True:
            try:
                with self._environment.begin(write=True) as transaction:
                    for entry in entries:
                        table = self._tables[entry.table]
                        transaction.put(entry.key, entry.frame, db=table, append=append)
                return
            except lmdb.MapFullError:
                self._environment.set_mapsize(2 * self._environment.info()["map_size"])
            except lmdb.Error as error:
                free = shutil.disk_usage(self.path).free
                raise StoreError(
                    f"{self.path} cannot be written: {error} ({free:,} bytes are free on the "
                    "disk); what was finished before is safe, go on with --resume"
                ) from error

    @contextmanager
    def _told(self) -> Iterator[None]:
        """Turn LMDB's errors into ours."""
        try:
            yield
        except lmdb.Error as error:  # any of them may be what a damaged page looks like
            raise DamagedError(f"{self.path} is damaged: {error}") from error
