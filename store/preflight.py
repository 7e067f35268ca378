"""Have a generation walked through by a process of its own, before it is trusted.

LMDB does not check its own pages: where a damaged one points nowhere, the process that
follows dies. So a short-lived process goes first (see `store.walk_pages`); if it comes back
well, so will readers. What the values hold is checked when they are read (see `store.format`).
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

from engine.errors import DamagedError
from store import walk_pages
from store.environment import Environment
from store.format import KEY_BYTES
from store.generations import DATA
from store.records import read_manifest

PATIENCE = 60.0  # seconds, and more for a large database on a slow disk
BYTES_PER_SECOND = 1 << 24


def check(generation: Path) -> None:
    """Raise `DamagedError` unless a walk through the generation finds all that there should be."""
    counted = walk_through(generation)
    environment = Environment(generation)
    try:
        manifest = read_manifest(environment)
    finally:
        environment.close()
    if manifest.complete and manifest.entries != counted:
        raise DamagedError(
            f"{generation} is damaged: {counted} entries instead of {manifest.entries}"
        )


def walk_through(generation: Path) -> dict[str, int]:
    """Return the entries of each table, as a process of its own counts them."""
    size = (generation / DATA).stat().st_size
    try:
        done = subprocess.run(
            [sys.executable, "-P", walk_pages.__file__, str(generation), str(KEY_BYTES)],
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
    counted: dict[str, int] = json.loads(done.stdout)
    return counted
