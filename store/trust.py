"""Is the file of a part as it was written? Found out once, and remembered.

LMDB does not check its own pages: where a damaged one points nowhere, the process that
follows dies. So the digest of the whole file, taken when the part was finished, is compared
before the part is first opened, at the speed of the disk. What was found well is remembered in
the cache folder, with all that would change if the file did, so that a restart, or a second
worker, does not read it again. A file of an earlier version has no digest: a process of its
own walks through it instead (see `store.preflight`).
"""

from __future__ import annotations

import hashlib
import json
import os
from pathlib import Path

from engine.cache import cache_home
from engine.errors import DamagedError
from store import preflight
from store.part_list import marks_of
from store.records import DIGEST_BYTES

CHECKED = "checked"  # in the cache folder


def file_digest(file: Path) -> str:
    """Return the digest of a file."""
    with file.open("rb") as stream:
        found = hashlib.file_digest(stream, lambda: hashlib.blake2b(digest_size=DIGEST_BYTES))
    return found.hexdigest()


def check(file: Path, digest: str, *, anew: bool = False) -> None:
    """Raise `DamagedError` unless a file is as it was written; with `anew`, read it in any case."""
    try:
        before = marks_of(file)
        if not anew and _remembered(file) == [digest, *before]:
            return
        if not digest:
            preflight.check(file.parent)
        elif file_digest(file) != digest:
            raise DamagedError(f"{file} is damaged: its digest is not that which was written")
        if marks_of(file) == before:
            _remember(file, [digest, *before])
    except OSError as error:
        raise DamagedError(f"{file} is damaged: {error.strerror}") from error


def forget() -> None:
    """Have every file read again before it is next trusted."""
    folder = _folder()
    for path in folder.iterdir() if folder and folder.is_dir() else ():
        path.unlink(missing_ok=True)


def _folder() -> Path | None:
    home = cache_home()
    return home / CHECKED if home else None


def place_of(file: Path) -> Path | None:
    """Return where it is remembered that a file was found well."""
    folder = _folder()
    name = hashlib.blake2b(os.fsencode(file.resolve()), digest_size=DIGEST_BYTES).hexdigest()
    return folder / name if folder else None


def _remembered(file: Path) -> object:
    place = place_of(file)
    try:
        return json.loads(place.read_bytes()) if place else None
    except (OSError, ValueError):
        return None


def _remember(file: Path, marks: list[str | int]) -> None:
    """Keep what was found, if it can be kept."""
    place = place_of(file)
    if place is None:
        return
    try:
        place.parent.mkdir(exist_ok=True)
        fresh = place.with_name(f"{place.name}.{os.getpid()}")
        fresh.write_text(json.dumps(marks))
        fresh.replace(place)
    except OSError:
        return
