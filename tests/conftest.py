"""Fixtures and settings for all tests."""

from __future__ import annotations

import os

import pytest
from hypothesis import HealthCheck, settings

from engine.cards import Catalogue, default_catalogue

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


@pytest.fixture(scope="session")
def catalogue() -> Catalogue:
    """Return the project's own cards."""
    return default_catalogue()
