"""One LMDB environment: its tables, sealed values in and out, errors as ours.

A generation has one writer, which holds the folder's lock, or any number of readers, after
it was published; never both. So LMDB's own locks are not needed, and a read-only disk will do.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock
from typing import NamedTuple

import lmdb

from engine.errors import DamagedError, StoreError
from store.format import TABLES, seal, unseal

SMALLEST_MAP = 1 << 28  # bytes; doubled whenever it is full


class Entry(NamedTuple):
    """A value to be written, sealed."""

    table: bytes
    key: bytes
    frame: bytes

    @classmethod
    def of(cls, table: bytes, key: bytes, content: bytes) -> Entry:
        """Return the entry of a content."""
        return cls(table, key, seal(key, content))


_shared: dict[Path, tuple[lmdb.Environment, int]] = {}  # open files, and how many use each
_shared_lock = Lock()


class Environment:
    """An open LMDB environment.

    LMDB wants a file to be opened once in a process, so those who read the same one share it.
    """

    def __init__(self, path: Path, *, writes: bool = False) -> None:
        """Open a generation; only a writer makes what is missing."""
        self.path = path.resolve()
        with self._told(), _shared_lock:
            opened, users = _shared.get(self.path, (None, 0))
            self._environment = opened or lmdb.open(
                str(path),
                map_size=SMALLEST_MAP,
                max_dbs=len(TABLES),
                readonly=not writes,
                create=writes,
                lock=False,
                readahead=writes,
            )
            _shared[self.path] = self._environment, users + 1
            self._tables = {name: self._environment.open_db(name, create=writes) for name in TABLES}

    def close(self) -> None:
        """Close the file, unless others read it; nothing may be read any more."""
        with _shared_lock:
            environment, users = _shared.pop(self.path)
            if users > 1:
                _shared[self.path] = environment, users - 1
            else:
                environment.close()

    def read(self, table: bytes, key: bytes) -> bytes | None:
        """Return the content under a key, None when there is nothing."""
        with self._told(), self._environment.begin(buffers=True) as transaction:
            frame = transaction.get(key, db=self._tables[table])
            return None if frame is None else unseal(key, frame)

    def items(self, table: bytes) -> Iterator[tuple[bytes, bytes]]:
        """Return all keys and contents of a table, in the order of the keys."""
        with self._told(), self._environment.begin() as transaction:
            for key, frame in transaction.cursor(self._tables[table]):
                yield key, unseal(key, frame)

    def frames(self, table: bytes) -> Iterator[tuple[bytes, memoryview]]:
        """Return all keys and sealed values of a table; a value holds until the next."""
        with self._told(), self._environment.begin(buffers=True) as transaction:
            for key, frame in transaction.cursor(self._tables[table]):
                yield bytes(key), frame

    def count_entries(self) -> dict[str, int]:
        """Return the number of entries in each table."""
        with self._told(), self._environment.begin() as transaction:
            return {
                name.decode(): transaction.stat(table)["entries"]
                for name, table in self._tables.items()
            }

    def commit(self, entries: Sequence[Entry]) -> None:
        """Write all entries in one synced transaction, or none of them."""
        while True:
            try:
                with self._environment.begin(write=True) as transaction:
                    for entry in entries:
                        transaction.put(entry.key, entry.frame, db=self._tables[entry.table])
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
        except (
            lmdb.CorruptedError,
            lmdb.InvalidError,
            lmdb.NotFoundError,
            lmdb.PageNotFoundError,
            lmdb.VersionMismatchError,
            lmdb.BadValsizeError,
        ) as error:
            raise DamagedError(f"{self.path} is damaged: {error}") from error
        except lmdb.Error as error:
            raise StoreError(f"{self.path}: {error}") from error
