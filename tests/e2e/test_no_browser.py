"""Tests of the page on a machine without a browser: skipped, unless they must not be."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.browsers import SETTING
from tests.conftest import IS_JIT_OFF

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="tests of the page are skipped anyway")

ROOT = Path(__file__).parent.parent.parent


def run_without_browser(folder: Path, **settings: str) -> subprocess.CompletedProcess[str]:
    """Run one test of the page where no browser can be found."""
    kept = {name: value for name, value in os.environ.items() if name not in ("CI", SETTING)}
    return subprocess.run(
        [sys.executable, "-m", "pytest", "tests/e2e/page/test_browse.py", "-k", "searched"],
        cwd=ROOT,
        env={**kept, "PATH": str(folder), **settings},
        capture_output=True,
        text=True,
        check=False,
    )


def test_tests_of_the_page_are_skipped_and_say_why(tmp_path: Path) -> None:
    done = run_without_browser(tmp_path)
    assert done.returncode == 0
    assert "1 skipped" in done.stdout
    assert "no browser: none of chromium, chromium-browser, google-chrome" in done.stdout


def test_tests_of_the_page_are_not_skipped_in_ci(tmp_path: Path) -> None:
    done = run_without_browser(tmp_path, CI="true")
    assert done.returncode == 1
    assert "no browser" in done.stdout
    assert "1 error" in done.stdout.splitlines()[-1]
