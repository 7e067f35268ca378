"""The list of parts that a generation is: a small sealed file, the same for the same parts."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from engine.errors import DamagedError, MismatchError
from engine.game.cards import Catalogue
from store.environment import FILE
from store.format import FORMAT, OLD_FORMAT
from store.records import DIGEST_BYTES, Kind, from_json, of_another_kind, to_json
from store.totals import Totals

DEALS = "deals"  # what a part holds


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
        return self.folder / part.name / FILE

    def marks(self) -> tuple[object, ...]:
        """Return what would be different if anything of it were, its files included."""
        files = (self.file_of(part) for part in self.parts)
        return (self.identity, *(marks_of(file) if file.exists() else None for file in files))

    def check(self, catalogue: Catalogue) -> None:
        """Raise `MismatchError` unless this program and this card file can read it."""
        if difference := self.kind.difference(Kind.of(catalogue)):
            raise MismatchError(of_another_kind(difference))


def list_content(kind: Kind, parts: Sequence[Part], totals: Totals) -> bytes:
    """Return the list of some parts, sealed."""
    ordered = sorted(parts, key=lambda part: part.name)
    plain = {
        **asdict(kind),
        "parts": [asdict(part) for part in ordered],
        "totals": totals.to_dict(),
    }
    return to_json({**plain, "seal": _seal_of(plain)})


def read_list(folder: Path, name: str, content: bytes) -> Generation:
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


def _seal_of(plain: object) -> str:
    return hashlib.blake2b(to_json(plain), digest_size=DIGEST_BYTES).hexdigest()
