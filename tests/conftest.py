"""Fixtures and settings for all tests."""

from __future__ import annotations

import os
import signal
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from engine.game.cards import Catalogue, default_catalogue

# The first example compiles kernels, so no deadline; with the JIT off everything is
# a hundred times slower, so fewer examples.
IS_JIT_OFF = os.environ.get("NUMBA_DISABLE_JIT") == "1"
settings.register_profile(
    "triadbase",
    deadline=None,
    max_examples=20 if IS_JIT_OFF else 200,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
    derandomize="CI" in os.environ,
)
settings.load_profile("triadbase")
MEMORY = Path("/dev/shm")


# A shell that runs tests in the background has them ignore Ctrl-C, and so would every command
# that they start and interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """Return the project's own cards."""
    return default_catalogue()


@pytest.fixture
def quick_path() -> Iterator[Path]:
    """Return an empty folder, in memory where there is such a disk.

    For tests that sync thousands of times, and ask about the order of it, not about the disk.
    """
    with tempfile.TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as folder:
        yield Path(folder)
