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
import hashlib
import json
import os
import re
import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import (
    DamagedError,
    HalfBuiltError,
    LockedError,
    MismatchError,
    NoDatabaseError,
    StoreError,
    shown,
)
from engine.game.cards import Catalogue
from store.environment import FILE
from store.format import FORMAT, OLD_FORMAT
from store.records import DIGEST_BYTES, Kind, from_json, of_another_kind, to_json
from store.totals import Totals

CURRENT, LOCK, JOB, DATA = "CURRENT", "lock", "job", FILE
FRESH = ".new"  # behind what has not got its name yet
DEALS = "deals"  # what a part holds
KEPT = 2  # published generations: the current one and the one before it
_NAME = re.compile(r"gen-(\d{6})")
_PART = re.compile(r"part-[0-9a-f]{32}")


@dataclass(frozen=True)
class Part:
    """What a generation says of one of its parts."""

    name: str  # of its folder
    kind: str  # DEALS; other tables may come
    deals: int
    states: int
    bytes: int  # of its file
    digest: str  # of its deals
    file: str  # the digest of its file; "" in a folder of an earlier version, which had none


@dataclass(frozen=True)
class Generation:
    """A list of parts."""

    folder: Path
    name: str
    kind: Kind
    parts: tuple[Part, ...]
    totals: dict[str, Any] = field(hash=False)  # what all of them take; {} when none were taken
    identity: str  # differs when anything does

    @property
    def number(self) -> int:
        """Return its place among the generations of the folder."""
        return int(self.name.removeprefix("gen-"))

    @property
    def is_old(self) -> bool:
        """Tell whether an earlier version wrote it."""
        return self.kind.format == OLD_FORMAT

    @property
    def format_note(self) -> str:
        """Return what is to be said of a database of an earlier version; else nothing."""
        note = f"{self.folder / self.name} is of format {OLD_FORMAT}, an earlier version's"
        return note if self.is_old else ""

    def file_of(self, part: Part) -> Path:
        """Return the file of a part."""
        return self.folder / part.name / DATA

    def marks(self) -> tuple[object, ...]:
        """Return what would be different if anything of it were, its files included."""
        files = (self.file_of(part) for part in self.parts)
        return (self.identity, *(marks_of(file) if file.exists() else None for file in files))

    def check(self, catalogue: Catalogue) -> None:
        """Raise `MismatchError` unless this program and this card file can read it."""
        if difference := self.kind.difference(Kind.of(catalogue)):
            raise MismatchError(of_another_kind(difference))


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
        return _generation_from(self.path, name, content)

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
        ordered = sorted(parts, key=lambda part: part.name)
        plain = {
            **asdict(kind),
            "parts": [asdict(part) for part in ordered],
            "totals": totals.to_dict(),
        }
        content = to_json({**plain, "seal": _seal_of(plain)})
        self._replace(f"{name}.json", content + b"\n")
        return _generation_from(self.path, name, content)

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


def _seal_of(plain: object) -> str:
    return hashlib.blake2b(to_json(plain), digest_size=DIGEST_BYTES).hexdigest()


def _generation_from(folder: Path, name: str, content: bytes) -> Generation:
    """Return the generation that a file describes, or raise `DamagedError`."""
    try:
        plain = json.loads(content)
        seal = plain.pop("seal")
        if seal != _seal_of(plain):
            raise DamagedError(f"{folder / name}.json is damaged: its seal does not fit")
        kind = Kind(*(plain[key] for key in ("format", "revision", "cards")))
        if kind.format != FORMAT:
            raise MismatchError(of_another_kind(f"another format: found {kind.format}"))
        parts = tuple(from_json(Part, to_json(part)) for part in plain["parts"])
        Totals.from_dict(plain["totals"])
        return Generation(folder, name, kind, parts, plain["totals"], seal)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise DamagedError(f"{folder / name}.json is damaged: {error!r}") from error


def marks_of(file: Path) -> tuple[int, ...]:
    """Return what would be different if a file were."""
    found = file.stat()
    return (found.st_dev, found.st_ino, found.st_size, found.st_mtime_ns, found.st_ctime_ns)


def sync(path: Path) -> None:
    """Have a file, or a folder's entries, on the disk before going on."""
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)
