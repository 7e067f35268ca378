"""Which source files a module is made of: its own, and those of all it imports of this project.

Compiled kernels are kept on disk, and hold what they call and every constant they use. So
they are good for as long as all of these files stay as they are (`digest_of`).
"""

from __future__ import annotations

import hashlib
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]  # of all packages, in a checkout and installed
# This project's packages; installed, those of others lie beside them.
PACKAGES = frozenset(("advise", "app", "console", "engine", "learn", "precompute", "store", "work"))
_IMPORT = re.compile(r"^\s*(?:from ([\w.]+) import (\([^)]*\)|.*)|import ([\w.]+))", re.MULTILINE)
_NAME = re.compile(r"\w+")


@cache
def file_of(module: str) -> Path | None:
    """Return a module's file; None when it is none of this project's."""
    path = ROOT.joinpath(*module.split("."))
    for file in (path.with_suffix(".py"), path / "__init__.py"):
        if file.is_file():
            return file
    return None


@cache
def source_of(module: str) -> bytes:
    """Return what stands in a module's file; nothing when it is none of this project's."""
    file = file_of(module)
    return file.read_bytes() if file else b""


@cache
def imported_by(module: str) -> frozenset[str]:
    """Return the modules of this project that a module imports itself, anywhere in it."""
    names: set[str] = set()
    for source, members, plain in _IMPORT.findall(source_of(module).decode()):
        names.add(source or plain)
        names.update(f"{source}.{member}" for member in _NAME.findall(members) if source)
    ours = (name for name in names if name.partition(".")[0] in PACKAGES)
    return frozenset(name for name in ours if file_of(name))


@cache
def closure_of(module: str) -> frozenset[str]:
    """Return a module and all modules of this project that it stands on."""
    seen = {module}
    waiting = [module]
    while waiting:
        for name in imported_by(waiting.pop()) - seen:
            seen.add(name)
            waiting.append(name)
    return frozenset(seen)


def digest_of(module: str) -> str:
    """Return a digest of all source files that a module stands on."""
    digest = hashlib.blake2b(digest_size=8)
    for name in sorted(closure_of(module)):
        digest.update(name.encode())
        digest.update(source_of(name))
    return digest.hexdigest()


def is_unchanged(module: str, since: float) -> bool:
    """Tell whether no file that a module stands on was changed after a time."""
    files = filter(None, map(file_of, closure_of(module)))
    return all(file.stat().st_mtime <= since for file in files)
