"""What a database says of itself: manifest, plan, directory, roots. All are JSON inside."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, TypeVar

from engine.errors import DamagedError, InputError, MismatchError
from engine.game.cards import Catalogue
from engine.game.state import State
from engine.tablebase.blocks import REVISION
from engine.text.notation import format_state, parse_state
from store.environment import Environment
from store.format import FORMAT, MANIFEST_KEY, META, PLAN_KEY, ROOTS, as_key, root_key

T = TypeVar("T")

DIGEST_BYTES = 16


@dataclass(frozen=True)
class Manifest:
    """What a generation is, and whether it is whole."""

    format: int
    revision: int
    cards: str  # the card file's digest
    complete: bool  # written last; nothing without it is served
    entries: dict[str, int]  # in each table, when it is complete
    digest: str  # of the whole content, when it is complete

    @classmethod
    def begun(cls, catalogue: Catalogue) -> Manifest:
        """Return the manifest of a generation that has just been begun."""
        return cls(FORMAT, REVISION, catalogue.digest, False, {}, "")

    def check(self, catalogue: Catalogue) -> None:
        """Raise `MismatchError` unless this program and this card file can read it."""
        difference = self.difference(Manifest.begun(catalogue))
        if difference:
            raise MismatchError(
                f"the database has {difference}; "
                "build it anew with precompute, or use the program and cards it was built with"
            )

    def difference(self, wanted: Manifest) -> str:
        """Return in words in what it is of another kind than `wanted`, if in anything."""
        for what, found, expected in (
            ("format", self.format, wanted.format),
            ("engine revision", self.revision, wanted.revision),
            ("card file", self.cards, wanted.cards),
        ):
            if found != expected:
                return f"another {what}: found {found}, allowed: {expected}"
        return ""


class PlannedRoot(NamedTuple):
    """A root to be solved, and how deep it is to be stored."""

    root: State  # the starter is A
    plies: int  # the deepest that is stored

    @property
    def notation(self) -> str:
        """Return the root as text, which is what is stored of it."""
        return format_state(self.root)

    def __str__(self) -> str:
        """Return it in words."""
        return f"{self.notation} to ply {self.plies}"


@dataclass(frozen=True)
class LayerRecord:
    """What one ply of a root takes."""

    ply: int
    states: int
    blocks: int
    bytes: int  # as stored, without LMDB's own


@dataclass(frozen=True)
class RootRecord:
    """A root that is stored."""

    root: str
    plies: int
    layers: tuple[LayerRecord, ...]
    digest: str  # of the blocks' content, in key order

    @property
    def states(self) -> int:
        """Return the number of stored states."""
        return sum(layer.states for layer in self.layers)


def read_manifest(environment: Environment) -> Manifest:
    """Return what a generation says of itself, or raise `DamagedError`."""
    content = environment.read(META, MANIFEST_KEY)
    if content is None:
        raise DamagedError(f"{environment.path} has no manifest")
    return from_json(Manifest, content)


def read_plan(environment: Environment, catalogue: Catalogue) -> list[PlannedRoot]:
    """Return what the job that builds a generation is to do."""
    return plan_from_json(environment.read(META, PLAN_KEY), catalogue)


def read_roots(environment: Environment) -> Iterator[RootRecord]:
    """Return the records of all roots, in the order of their keys."""
    for _, content in environment.items(ROOTS):
        yield from_json(RootRecord, content)


def is_stored(environment: Environment, planned: PlannedRoot) -> bool:
    """Tell whether a root is stored as deep as planned."""
    content = environment.read(ROOTS, as_key(root_key(planned.root)))
    return content is not None and from_json(RootRecord, content).plies >= planned.plies


def to_json(value: object) -> bytes:
    """Return a record, or a list of them, as bytes: the same for the same record."""
    return json.dumps(value, default=asdict, sort_keys=True, separators=(",", ":")).encode()


def from_json(kind: type[T], content: bytes) -> T:
    """Return a record, or raise `DamagedError`."""
    try:
        return _build(kind, json.loads(content))
    except (ValueError, TypeError, KeyError) as error:
        raise DamagedError(f"a {kind.__name__} cannot be read: {error}") from error


def plan_to_json(plan: Iterable[PlannedRoot]) -> bytes:
    """Return planned roots as bytes."""
    return to_json([{"root": planned.notation, "plies": planned.plies} for planned in plan])


def plan_from_json(content: bytes | None, catalogue: Catalogue) -> list[PlannedRoot]:
    """Return planned roots, none where there is nothing; or raise `DamagedError`."""
    try:
        return [
            PlannedRoot(parse_state(entry["root"], catalogue), entry["plies"])
            for entry in json.loads(content or b"[]")
        ]
    except (ValueError, TypeError, KeyError, InputError) as error:
        raise DamagedError(f"a list of roots cannot be read: {error}") from error


def _build(kind: type[T], fields: dict[str, Any]) -> T:
    if "layers" in fields:
        fields["layers"] = tuple(LayerRecord(**layer) for layer in fields["layers"])
    return kind(**fields)


def digest_blocks(blocks: Iterable[tuple[bytes, bytes]]) -> str:
    """Return the digest of a root's content, from its keys and the digests of their content."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for key, content_digest in sorted(blocks):
        digest.update(key + content_digest)
    return digest.hexdigest()


def digest_content(content: bytes) -> bytes:
    """Return the digest of one block's content."""
    return hashlib.blake2b(content, digest_size=DIGEST_BYTES).digest()


def digest_roots(roots: Iterable[RootRecord]) -> str:
    """Return the digest of a whole database, from its roots in the order of their keys."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for record in roots:
        digest.update(f"{record.root} {record.plies} {record.digest}\n".encode())
    return digest.hexdigest()
