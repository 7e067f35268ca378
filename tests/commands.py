"""Run the project's commands as a user does: a process of its own."""

from __future__ import annotations

import subprocess
import sys

RUN = "import sys, importlib; importlib.import_module(sys.argv.pop(1)).main()"
MERGING = f"import store.merge; store.merge.FAN = 4; {RUN}"  # jobs merge after every fourth
MODULES = {"triad": "triad", "precompute": "precompute.cli"}


def command(name: str, *arguments: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """Run `triad` or `precompute` and return what it printed and how it ended."""
    return subprocess.run(
        [sys.executable, "-c", RUN, MODULES[name], *arguments],
        input=given,
        capture_output=True,
        text=True,
        check=False,
    )
