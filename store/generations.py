"""A database folder: parts, generations that list them, the one to serve, the lock of the job.

    data/db/
      CURRENT                 "gen-000002": the generation to serve; replaced by a rename
      gen-000001.json         a list of parts; the one before stays for who still reads it
      gen-000002.json
      part-3f0c.../data.mdb   an LMDB environment with the deals of one job, or of several merged;
                              named after the digest of its file
      job/data.mdb            the part that a job is writing, with its plan
      *.new                   worth nothing: what was being written, or merged, when a job ended
      lock                    held by the job at work, for as long as it lives

What has a name never changes. Readers open it without locks, from a read-only disk too. A
folder of an earlier version has gen-000001/data.mdb instead: a generation that is one part.
"""

from __future__ import annotations

import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
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
from store.environment import FILE
from store.format import OLD_FORMAT
from store.part_list import DEALS, Generation, Part, list_content, read_list
from store.records import Kind
from store.totals import Totals

CURRENT, LOCK, JOB, DATA = "CURRENT", "lock", "job", FILE
FRESH = ".new"  # behind what has not got its name yet
KEPT = 2  # published generations: the current one and the one before it
_NAME = re.compile(r"gen-(\d{6})")
_PART = re.compile(r"part-[0-9a-f]{32}")


class Folder:
    """The folder of a database."""

    def __init__(self, path: Path) -> None:
        """Look at `path`, which need not exist."""
        self.path = path

    @property
    def job(self) -> Path:
        """Return where a job writes its part."""
        return self.path / JOB

    @property
    def fresh(self) -> Path:
        """Return where a part is made that has no name yet."""
        return self.path / f"part{FRESH}"

    def current(self) -> Generation | None:
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
        return self.read(name)

    def served(self) -> Generation:
        """Return the generation to serve, or raise `NoDatabaseError`."""
        current = self.current()
        if current:
            return current
        if unfinished := self.unfinished():
            raise HalfBuiltError(
                f"{unfinished} is half-built: a job is at work, or precompute --resume goes on"
            )
        raise NoDatabaseError(f"there is no database at {self.path}")

    def read(self, name: str) -> Generation:
        """Return a generation, or raise `DamagedError`."""
        file = self.path / f"{name}.json"
        try:
            content = file.read_bytes()
        except FileNotFoundError:
            return self._read_old(name)
        except OSError as error:
            raise StoreError(f"{file} cannot be read: {error.strerror}") from error
        return read_list(self.path, name, content)

    def _read_old(self, name: str) -> Generation:
        """Return a generation of an earlier version: one file, of which no digest is known."""
        try:
            size = (self.path / name / DATA).stat().st_size
        except FileNotFoundError:
            missing = f"{self.path / name} is damaged: it has neither a list of parts nor a {DATA}"
            raise DamagedError(missing) from None
        part = Part(name, DEALS, 0, 0, size, "", "")
        return Generation(self.path, name, Kind(OLD_FORMAT, 0, ""), (part,), {}, name)

    def unfinished(self) -> Path | None:
        """Return what has been begun and not published, if there is anything."""
        if (self.job / DATA).is_file():
            return self.job
        if newer := self._newer():
            return self.path / newer[-1]
        return None

    def _newer(self) -> list[str]:
        """Return the names of generations beyond the current one."""
        current = self.current()
        return [name for name in self._generations() if not current or name > current.name]

    def _generations(self) -> list[str]:
        names = [path.name.removesuffix(".json") for path in self._entries()]
        return sorted({name for name in names if _NAME.fullmatch(name)})

    def _entries(self) -> list[Path]:
        return list(self.path.iterdir()) if self.path.is_dir() else []

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Hold the lock of the one job that may work here; the folder is made if need be.

        The lock is the kernel's: it is gone with the process, however that ends. What an
        interrupted job left behind is put in order first.
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
            self._settle()
            yield

    def _settle(self) -> None:
        """Publish a list of parts that are all there; remove what never got its name."""
        for name in self._newer():
            newer = self.read(name)
            if newer.is_old:
                raise HalfBuiltError(
                    f"{self.path / name} is half-built by an earlier version: finish it with that "
                    "version, or remove it"
                )
            if all(newer.file_of(part).is_file() for part in newer.parts):
                self.publish(newer)
            else:
                (self.path / f"{name}.json").unlink()
        for path in self._entries():
            if path.name.endswith(FRESH):
                shutil.rmtree(path) if path.is_dir() else path.unlink()

    def begin(self, prepare: Callable[[Path], None]) -> None:
        """Make the part that a job will write, after `prepare`."""
        fresh = self.fresh
        fresh.mkdir()
        prepare(fresh)
        sync(fresh / DATA)
        sync(fresh)
        fresh.rename(self.job)
        sync(self.path)

    def publish_part(
        self, written: Path, part: Part, kept: Sequence[Part], totals: Totals, kind: Kind
    ) -> Generation:
        """Give a finished part its name, and publish it beside those that are kept."""
        name = f"gen-{self._next_number():06d}"
        generation = self._write_list(name, kind, [*kept, part], totals)
        place = self.path / part.name
        if place.exists():  # it is the same, to the last byte
            shutil.rmtree(written)
        else:
            written.rename(place)
        sync(self.path)
        self.publish(generation)
        return generation

    def _next_number(self) -> int:
        current = self.current()
        return current.number + 1 if current else 1

    def _write_list(
        self, name: str, kind: Kind, parts: Sequence[Part], totals: Totals
    ) -> Generation:
        content = list_content(kind, parts, totals)
        self._replace(f"{name}.json", content + b"\n")
        return read_list(self.path, name, content)

    def publish(self, generation: Generation) -> None:
        """Make a generation the one to serve, and remove those long out of use."""
        self._replace(CURRENT, f"{generation.name}\n".encode())
        self.remove_unlisted()

    def _replace(self, name: str, content: bytes) -> None:
        """Write a small file so that it is there whole, or as it was."""
        fresh = self.path / f"{name}{FRESH}"
        fresh.write_bytes(content)
        sync(fresh)
        fresh.replace(self.path / name)
        sync(self.path)

    def remove_unlisted(self, stay: int = KEPT) -> None:
        """Remove old generations, and parts that none of those that stay lists."""
        names = self._generations()
        kept, old = names[-stay:], names[:-stay]
        for name in old:
            (self.path / f"{name}.json").unlink(missing_ok=True)
            shutil.rmtree(self.path / name, ignore_errors=True)
        listed = {part.name for name in kept for part in self.read(name).parts}
        for path in self._entries():
            if _PART.fullmatch(path.name) and path.name not in listed:
                shutil.rmtree(path)


def sync(path: Path) -> None:
    """Have a file, or a folder's entries, on the disk before going on."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
