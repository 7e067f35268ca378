"""The cache folder: NUMBA_CACHE_DIR, else XDG_CACHE_HOME, else ~/.cache; in it `triadbase/`."""

from __future__ import annotations

import os
import tempfile
from functools import cache
from pathlib import Path


@cache
def cache_home() -> Path | None:
    """Return the folder for what can be made again, or None when none can be written."""
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        directory = Path(home).expanduser() / "triadbase"
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except (OSError, RuntimeError):
        return None
