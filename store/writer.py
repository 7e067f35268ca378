"""Write a generation: each root in one synced transaction, so it is there whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from engine.game.cards import Catalogue
from store.environment import Entry, Environment
from store.format import (
    BLOCKS,
    DIRECTORY,
    MANIFEST_KEY,
    META,
    PLAN_KEY,
    ROOTS,
    as_key,
    directory_key,
    root_key,
)
from store.records import (
    Manifest,
    PlannedRoot,
    RootRecord,
    digest_roots,
    plan_from_json,
    plan_to_json,
    read_manifest,
    read_roots,
    to_json,
)


class SealedBlock(NamedTuple):
    """A block ready to be written."""

    key: bytes
    frame: bytes
    digest: bytes  # of its content
    ply: int
    states: int


class Writer:
    """Writes one generation; the folder's lock must be held."""

    def __init__(self, generation: Path, catalogue: Catalogue) -> None:
        """Open a generation that has been begun, or a copy of a finished one."""
        self.catalogue = catalogue
        self._environment = Environment(generation, writes=True)
        if self._environment.read(META, MANIFEST_KEY) is None:
            self._write_manifest(Manifest.begun(catalogue))
        read_manifest(self._environment).check(catalogue)

    def __enter__(self) -> Writer:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the file; what has been committed stays."""
        self._environment.close()

    def begin(self, plan: Sequence[PlannedRoot]) -> None:
        """Store a new plan; until it is carried out the generation is half-built."""
        manifest = Manifest.begun(self.catalogue)
        self._environment.commit(
            [
                Entry.of(META, PLAN_KEY, plan_to_json(plan)),
                Entry.of(META, MANIFEST_KEY, to_json(manifest)),
            ]
        )

    def write_root(
        self, planned: PlannedRoot, record: RootRecord, blocks: Sequence[SealedBlock]
    ) -> None:
        """Commit a root: its blocks, its record and its place in the directory."""
        key, directory = as_key(root_key(planned.root)), as_key(directory_key(planned.root))
        listed = plan_from_json(self._environment.read(DIRECTORY, directory), self.catalogue)
        others = [entry for entry in listed if entry.root != planned.root]
        entries = sorted([*others, planned], key=lambda entry: entry.notation)
        self._environment.commit(
            [
                *(Entry(BLOCKS, block.key, block.frame) for block in sorted(blocks)),
                Entry.of(ROOTS, key, to_json(record)),
                Entry.of(DIRECTORY, directory, plan_to_json(entries)),
            ]
        )

    def finish(self) -> Manifest:
        """Write the completion record: from now on the generation may be served."""
        manifest = replace(
            Manifest.begun(self.catalogue),
            complete=True,
            entries=self._environment.count_entries(),
            digest=digest_roots(read_roots(self._environment)),
        )
        self._write_manifest(manifest)
        return manifest

    def _write_manifest(self, manifest: Manifest) -> None:
        self._environment.commit([Entry.of(META, MANIFEST_KEY, to_json(manifest))])
