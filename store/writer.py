"""Write a part: each root in one synced transaction, so it is there whole or not at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from engine.game.cards import Catalogue
from store.environment import Entry, Environment
from store.format import (
    BLOCKS,
    DIRECTORY,
    INDEX_KEY,
    MANIFEST_KEY,
    META,
    PLAN_KEY,
    ROOTS,
    as_key,
    directory_key,
    root_key,
)
from store.generations import DATA, sync
from store.part_list import DEALS, Part
from store.records import (
    Manifest,
    PlannedRoot,
    RootRecord,
    plan_from_json,
    plan_to_json,
    read_manifest,
    read_plan,
    read_root,
    read_roots,
    to_json,
)
from store.totals import Totals
from store.trust import file_digest


class SealedBlock(NamedTuple):
    """A block ready to be written."""

    key: bytes
    frame: bytes
    digest: bytes  # of its content
    ply: int
    states: int


class Writer:
    """Writes one part; the folder's lock must be held."""

    def __init__(self, path: Path, catalogue: Catalogue) -> None:
        """Open a part that has been begun, or begin one."""
        self.path, self.catalogue = path, catalogue
        self._environment = Environment(path, writes=True)
        if self._environment.read(META, MANIFEST_KEY) is None:
            self._environment.commit([_entry_of(Manifest.begun(catalogue))])
        read_manifest(self._environment).check(catalogue)

    def __enter__(self) -> Writer:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file; what has been committed stays."""
        self._environment.close()

    def begin(self, plan: Sequence[PlannedRoot]) -> None:
        """Store the plan of the job that writes it."""
        self._environment.commit([Entry.of(META, PLAN_KEY, plan_to_json(plan))])

    def plan(self) -> list[PlannedRoot]:
        """Return the plan of the job that writes it."""
        return read_plan(self._environment, self.catalogue)

    def has(self, planned: PlannedRoot) -> bool:
        """Tell whether a root of the plan is stored."""
        record = read_root(self._environment, planned.root)
        return record is not None and record.plies >= planned.plies

    def write_root(
        self, planned: PlannedRoot, record: RootRecord, blocks: Sequence[SealedBlock]
    ) -> None:
        """Commit a root: its blocks, its record and its place in the directory."""
        key, directory = as_key(root_key(planned.root)), as_key(directory_key(planned.root))
        listed = plan_from_json(self._environment.read(DIRECTORY, directory), self.catalogue)
        others = [entry for entry in listed if entry.root != planned.root]
        self._environment.commit(
            [
                *(Entry(BLOCKS, block.key, block.frame) for block in sorted(blocks)),
                Entry.of(ROOTS, key, to_json(record)),
                Entry.of(DIRECTORY, directory, plan_to_json(in_order([*others, planned]))),
            ]
        )

    def note(self, key: bytes, content: bytes) -> None:
        """Commit how far something is that is not finished."""
        self._environment.commit([Entry.of(META, key, content)])

    def noted(self, key: bytes) -> bytes | None:
        """Return what was noted last, None when nothing was."""
        return self._environment.read(META, key)

    def append(self, entries: Iterable[Entry]) -> None:
        """Write entries, those of a table in the order of their keys, beyond what is there."""
        self._environment.append(entries)

    def records(self) -> Iterator[RootRecord]:
        """Return the records of all roots."""
        for _, record in read_roots(self._environment):
            yield record

    def finish(self) -> Totals:
        """Write the completion record: from now on the part may get its name."""
        totals = Totals.of(self.records())
        entries = self._environment.count_entries()
        if self._environment.read(META, INDEX_KEY) is None:  # else it was finished before
            entries[META.decode()] += 1
        begun = Manifest.begun(self.catalogue)
        manifest = replace(begun, complete=True, entries=entries, digest=totals.digest)
        index = b"".join(self._environment.keys(DIRECTORY))
        self._environment.commit([Entry.of(META, INDEX_KEY, index), _entry_of(manifest)])
        return totals


def _entry_of(manifest: Manifest) -> Entry:
    return Entry.of(META, MANIFEST_KEY, to_json(manifest))


def in_order(planned: Iterable[PlannedRoot]) -> list[PlannedRoot]:
    """Return roots as a directory lists them."""
    return sorted(planned, key=lambda entry: entry.notation)


def part_of(path: Path, totals: Totals) -> Part:
    """Return what a generation says of a finished part; its file is read once."""
    file = path / DATA
    for place in (file, path):
        sync(place)
    digest, states = file_digest(file), totals.total()["states"]
    size = file.stat().st_size
    return Part(f"part-{digest}", DEALS, totals.deals, states, size, totals.digest, digest)
