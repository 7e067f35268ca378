"""A database folder: generations, the one to serve, and the lock of the job at work.

    data/db/
      CURRENT            "gen-000002": the generation to serve; replaced by a rename
      gen-000001/        an LMDB environment; the one before stays for who still reads it
      gen-000002/
      gen-000003/        newer than CURRENT: begun, not yet published
      gen-000004.part/   a copy that never finished; worth nothing
      lock               held by the job at work, for as long as it lives

What is published never changes. Readers open it without locks, from a read-only disk too.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.errors import (
    DamagedError,
    HalfBuiltError,
    LockedError,
    NoDatabaseError,
    StoreError,
    shown,
)

CURRENT, LOCK, DATA = "CURRENT", "lock", "data.mdb"
PART = ".part"
DEFAULT_DATABASE = Path("data/db")
KEPT = 2  # published generations: the current one and the one before it
_NAME = re.compile(r"gen-(\d{6})")


class Folder:
    """The folder of a database."""

    def __init__(self, path: Path) -> None:
        """Look at `path`, which need not exist."""
        self.path = path

    def current(self) -> Path | None:
        """Return the generation to serve, or None when nothing has been published."""
        try:
            name = (self.path / CURRENT).read_text(encoding="ascii").strip()
        except FileNotFoundError:
            return None
        except UnicodeDecodeError as error:
            raise DamagedError(f"{self.path / CURRENT} names no generation") from error
        except OSError as error:
            raise StoreError(f"{self.path / CURRENT} cannot be read: {error.strerror}") from error
        if not _NAME.fullmatch(name):
            raise DamagedError(f"{self.path / CURRENT} names no generation: {shown(name)}")
        return self._whole(self.path / name)

    def served(self) -> Path:
        """Return the generation to serve, or raise `NoDatabaseError`."""
        current = self.current()
        if current:
            return current
        unfinished = self.unfinished()
        if unfinished:
            raise HalfBuiltError(
                f"{unfinished} is half-built: a job is at work, or precompute --resume goes on"
            )
        raise NoDatabaseError(f"there is no database at {self.path}")

    def unfinished(self) -> Path | None:
        """Return the generation that has been begun and not published, if there is one."""
        current = self.current()
        newest = max(self._generations(), default=None)
        is_newer = newest and (current is None or newest > current)
        return self._whole(newest) if newest and is_newer else None

    def _whole(self, generation: Path) -> Path:
        """Return a generation that has its file, or raise `DamagedError`."""
        if not (generation / DATA).is_file():
            raise DamagedError(f"{generation} is damaged: it has no {DATA}")
        return generation

    def _generations(self) -> list[Path]:
        if not self.path.is_dir():
            return []
        return sorted(path for path in self.path.iterdir() if _NAME.fullmatch(path.name))

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the one job that may work here; the folder is made if need be.

        The lock is the kernel's: it is gone with the process, however that ends.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            file = (self.path / LOCK).open("a")
        except OSError as error:
            raise StoreError(f"{self.path} cannot be written: {error.strerror}") from error
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError as error:
                raise LockedError(f"another job is at work on {self.path}") from error
            yield

    def begin(self, prepare: Callable[[Path], None]) -> Path:
        """Return a new generation: a copy of the current one, or empty, after `prepare`.

        It gets its name when it is whole; what earlier jobs left in parts goes.
        """
        for left in self.path.glob(f"gen-*{PART}"):
            shutil.rmtree(left)
        current = self.current()
        number = int(_NAME.fullmatch(current.name)[1]) + 1 if current else 1  # type: ignore[index]
        generation = self.path / f"gen-{number:06d}"
        part = generation.with_name(generation.name + PART)
        part.mkdir()
        if current:
            shutil.copyfile(current / DATA, part / DATA)
        prepare(part)
        sync(part / DATA)
        sync(part)
        part.rename(generation)
        sync(self.path)
        return generation

    def publish(self, generation: Path) -> None:
        """Make a finished generation the one to serve, and remove those long out of use."""
        for path in (generation / DATA, generation):
            sync(path)
        fresh = self.path / f"{CURRENT}{PART}"
        fresh.write_text(f"{generation.name}\n", encoding="ascii")
        sync(fresh)
        fresh.replace(self.path / CURRENT)
        sync(self.path)
        for old in self._generations()[:-KEPT]:
            shutil.rmtree(old)


def sync(path: Path) -> None:
    """Have a file, or a folder's entries, on the disk before going on."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
