"""Walk through a generation in a process of its own, before it is trusted.

LMDB does not check its own pages: where a damaged one points nowhere, the process that
follows dies. So a short-lived process goes first. It follows every pointer there is, touches
both ends of every value and counts; if it comes back well, so will readers. What the values
hold is checked when they are read (see `store.format`).
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from engine.errors import DamagedError, StoreError
from store.environment import Environment
from store.format import KEY_BYTES, META, TABLES
from store.generations import DATA
from store.records import read_manifest

PATIENCE = 60.0  # seconds, and more for a large database on a slow disk
BYTES_PER_SECOND = 1 << 24


def check(generation: Path) -> None:
    """Raise `DamagedError` unless a walk through the generation comes back."""
    size = (generation / DATA).stat().st_size
    try:
        done = subprocess.run(
            [sys.executable, "-m", "store.preflight", str(generation)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
            timeout=PATIENCE + size / BYTES_PER_SECOND,
        )
    except subprocess.TimeoutExpired as error:
        raise DamagedError(f"{generation} is damaged: there is no end to it") from error
    if done.returncode != 0:
        ended = f"whoever reads it is ended by signal {-done.returncode}"
        reason = done.stderr.strip().splitlines()[-1:] or [ended]
        raise DamagedError(f"{generation} is damaged: {reason[0]}")


def walk(generation: Path) -> None:
    """Follow every pointer; raise `StoreError` when something is not as it should be."""
    environment = Environment(generation)
    manifest = read_manifest(environment)
    counted = environment.count_entries()
    if manifest.complete and manifest.entries != counted:
        raise DamagedError(f"{counted} entries instead of {manifest.entries}")
    for table in TABLES:
        last = b""
        for number, (key, frame) in enumerate(environment.frames(table)):
            if number >= counted[table.decode()]:
                raise DamagedError(f"table {table.decode()} does not end")
            if table != META and len(key) != KEY_BYTES:
                raise DamagedError(f"a key of {len(key)} bytes")
            if len(frame) == 0 or frame[0] + frame[len(frame) - 1] < 0:
                raise DamagedError("an empty value")
            if key <= last:
                raise DamagedError("keys out of order")
            last = key
    environment.close()


if __name__ == "__main__":
    try:
        walk(Path(sys.argv[1]))
    except StoreError as error:
        sys.exit(str(error.__cause__ or error))
