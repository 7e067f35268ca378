"""The parts of published generations, open: which there are, and which to ask for a deal.

Asking must not grow with the number of parts. So the keys of all their directories are one
sorted array, eight bytes a deal, beside another that says whose each key is, eight more.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import NamedTuple, NoReturn

import numpy as np

from engine.errors import DamagedError, HalfBuiltError, StoreError
from engine.game.cards import Catalogue
from engine.game.state import State
from store import trust
from store.environment import Environment
from store.format import DIRECTORY, INDEX_KEY, KEY_BYTES, META, ROOTS, directory_key, unseal
from store.generations import Folder
from store.part_list import DEALS, Generation, Part
from store.records import Manifest, RootRecord, from_json, read_manifest, read_root

HALF_BYTES = 8  # of a key: enough, as a part that is asked in vain says so


class OpenPart(NamedTuple):
    """A part that is open for reading."""

    part: Part
    manifest: Manifest
    environment: Environment

    def directory_keys(self) -> bytes:
        """Return all keys of the directory, in order."""
        index = self.environment.read(META, INDEX_KEY)
        return b"".join(self.environment.keys(DIRECTORY)) if index is None else index


class LeftOut(NamedTuple):
    """A part, or a folder, that cannot be read, and why."""

    name: str
    reason: str


def raise_it(error: DamagedError) -> NoReturn:
    """Raise what was found, for who wants everything or nothing."""
    raise error


def _readable(
    key: bytes, frames: Iterable[bytes], on_damage: Callable[[DamagedError], None]
) -> Iterator[RootRecord]:
    """Return the records of a root that can be read."""
    for frame in frames:
        try:
            yield from_json(RootRecord, unseal(key, frame))
        except DamagedError as error:
            on_damage(error)


def _ascending(
    opened: OpenPart, after: bytes, on_damage: Callable[[DamagedError], None]
) -> Iterator[tuple[bytes, bytes]]:
    """Return keys and sealed records of a part's roots, to where its pages are damaged.

    Pages that were overwritten may lead in a circle: keys that do not ascend are damage too.
    """
    try:
        for key, frame in opened.environment.frames(ROOTS, after):
            if key <= after:
                raise DamagedError(f"{opened.environment.path} is damaged: its keys do not ascend")
            yield key, frame
            after = key
    except DamagedError as error:
        on_damage(error)


class Parts:
    """All parts of the databases in some folders."""

    def __init__(
        self,
        paths: Sequence[Path],
        catalogue: Catalogue,
        *,
        anew: bool = False,
        needs_some: bool = True,
    ) -> None:
        """Open the parts; raise `StoreError` when nothing can be read.

        A damaged part is left out; where all are, nothing can be read if it `needs_some`. With
        `anew` files are read, whatever is remembered of them.
        """
        self.generations: list[Generation] = []
        self.left_out: list[LeftOut] = []
        self.opened: list[OpenPart] = []
        self._catalogue, self._anew, self._needs_some = catalogue, anew, needs_some
        self._closing = ExitStack()
        errors: list[StoreError] = []
        for path in paths:
            known = len(self.left_out)
            try:
                self._open_folder(path)
            except StoreError as error:
                errors.append(error)
                if len(self.left_out) == known:  # else its parts say so
                    self.left_out.append(LeftOut(str(path), str(error)))
        if errors and not self.opened:
            self.close()
            raise errors[0]
        self._index()

    def _open_folder(self, path: Path) -> None:
        """Open the parts of a folder; raise `StoreError` when none of them can be."""
        generation = Folder(path).served()
        if not generation.is_old:
            generation.check(self._catalogue)
        damaged: list[DamagedError] = []
        for part in generation.parts:
            try:
                self.opened.append(self._open_part(generation, part))
            except DamagedError as error:
                damaged.append(error)
                self.left_out.append(LeftOut(part.name, str(error)))
        if self._needs_some and len(damaged) == len(generation.parts) > 0:
            raise damaged[0]
        self.generations.append(generation)

    def _open_part(self, generation: Generation, part: Part) -> OpenPart:
        file = generation.file_of(part)
        if part.kind != DEALS:
            raise DamagedError(f"{file.parent} holds {part.kind}, which this version cannot read")
        trust.check(file, part.file, anew=self._anew)
        environment = Environment(file.parent)
        try:
            manifest = read_manifest(environment)
            manifest.check(self._catalogue)
            if not manifest.complete:
                raise HalfBuiltError(f"{file.parent} is half-built: nothing of it is served")
        except StoreError:
            environment.close()
            raise
        self._closing.callback(environment.close)
        return OpenPart(part, manifest, environment)

    def _index(self) -> None:
        """Make one sorted array of all directory keys, and say whose each is."""
        halves = [
            np.frombuffer(opened.directory_keys(), dtype=">u8")[:: KEY_BYTES // HALF_BYTES]
            for opened in self.opened
        ]
        keys = np.concatenate([np.empty(0, dtype=np.uint64), *halves]).astype(np.uint64)
        owners = np.repeat(np.arange(len(halves), dtype=np.int64), [len(half) for half in halves])
        order = np.argsort(keys, kind="stable")
        self._keys, self._owners = keys[order], owners[order]

    @property
    def directory_bytes(self) -> int:
        """Return what the keys of all deals take in memory."""
        return self._keys.nbytes + self._owners.nbytes

    def close(self) -> None:
        """Close the files."""
        self._closing.close()

    def with_directory(self, directory: int) -> list[OpenPart]:
        """Return the parts that may have a key in their directory."""
        half = np.uint64(directory >> (8 * (KEY_BYTES - HALF_BYTES)))
        first, last = np.searchsorted(self._keys, half), np.searchsorted(self._keys, half, "right")
        return [self.opened[owner] for owner in self._owners[first:last]]

    def roots(
        self, after: bytes = b"", on_damage: Callable[[DamagedError], None] = raise_it
    ) -> Iterator[tuple[bytes, RootRecord]]:
        """Return keys and records of all roots beyond `after`, each once, in the order of the keys.

        Whoever hears of damage gets all records that are not damaged, and from a part whose pages
        are, those before it.
        """
        first = itemgetter(0)
        tables = (_ascending(opened, after, on_damage) for opened in self.opened)
        for key, group in groupby(heapq.merge(*tables, key=first), key=first):
            records = _readable(key, (frame for _, frame in group), on_damage)
            deepest = max(records, key=lambda record: record.plies, default=None)
            if deepest:
                yield key, deepest

    def record(self, root: State) -> RootRecord | None:
        """Return the deepest record of a root, None when it is not stored."""
        parts = self.with_directory(directory_key(root))
        records = (read_root(opened.environment, root) for opened in parts)
        return max(filter(None, records), key=lambda record: record.plies, default=None)
