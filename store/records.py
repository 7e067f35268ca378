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
from store.format import (
    FORMAT,
    MANIFEST_KEY,
    META,
    OLD_FORMAT,
    PLAN_KEY,
    ROOTS,
    as_key,
    root_key,
)

T = TypeVar("T")

DIGEST_BYTES = 16


@dataclass(frozen=True)
class Kind:
    """Which program and which cards made something."""

    format: int
    revision: int
    cards: str  # the card file's digest

    @classmethod
    def of(cls, catalogue: Catalogue) -> Kind:
        """Return what this program makes with these cards."""
        return cls(FORMAT, REVISION, catalogue.digest)

    def difference(self, wanted: Kind) -> str:
        """Return in words in what it cannot be read as `wanted`, if in anything."""
        for what, found, readable in (
            ("format", self.format, (wanted.format, OLD_FORMAT)),
            ("engine revision", self.revision, (wanted.revision,)),
            ("card file", self.cards, (wanted.cards,)),
        ):
            if found not in readable:
                return f"another {what}: found {found}, allowed: {readable[0]}"
        return ""


def of_another_kind(difference: str) -> str:
    """Return the message about a database that cannot be read here."""
    return (
        f"the database has {difference}; "
        "build it anew with precompute, or use the program and cards it was built with"
    )


@dataclass(frozen=True)
class Manifest:
    """What a part is, and whether it is whole."""

    format: int
    revision: int
    cards: str
    complete: bool  # written last; nothing without it is served
    entries: dict[str, int]  # in each table, when it is complete
    digest: str  # of its deals, when it is complete

    @classmethod
    def begun(cls, catalogue: Catalogue) -> Manifest:
        """Return the manifest of a part that has just been begun."""
        return cls(**asdict(Kind.of(catalogue)), complete=False, entries={}, digest="")

    @property
    def kind(self) -> Kind:
        """Return which program and which cards made it."""
        return Kind(self.format, self.revision, self.cards)

    def check(self, catalogue: Catalogue) -> None:
        """Raise `MismatchError` unless this program and this card file can read it."""
        if difference := self.kind.difference(Kind.of(catalogue)):
            raise MismatchError(of_another_kind(difference))


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
    """Return what a part says of itself, or raise `DamagedError`."""
    content = environment.read(META, MANIFEST_KEY)
    if content is None:
        raise DamagedError(f"{environment.path} has no manifest")
    return from_json(Manifest, content)


def read_plan(environment: Environment, catalogue: Catalogue) -> list[PlannedRoot]:
    """Return what the job that writes a part is to do."""
    return plan_from_json(environment.read(META, PLAN_KEY), catalogue)


def read_roots(environment: Environment, after: bytes = b"") -> Iterator[tuple[bytes, RootRecord]]:
    """Return keys and records of the roots, in the order of the keys, beyond `after`."""
    for key, content in environment.items(ROOTS, after):
        yield key, from_json(RootRecord, content)


def read_root(environment: Environment, root: State) -> RootRecord | None:
    """Return the record of a root, None when it is not there."""
    content = environment.read(ROOTS, as_key(root_key(root)))
    return None if content is None else from_json(RootRecord, content)


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


def old_digest(roots: Iterable[RootRecord]) -> str:
    """Return the digest of a database of an earlier version, from its roots in key order."""
    digest = hashlib.blake2b(digest_size=DIGEST_BYTES)
    for record in roots:
        digest.update(f"{record.root} {record.plies} {record.digest}\n".encode())
    return digest.hexdigest()
