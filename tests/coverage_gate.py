"""Fail when too little of engine and store was run by their tests: `make cover`."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

LEAST_LINES, LEAST_BRANCHES = 95.0, 90.0  # per cent


def main() -> None:
    """Print what was not run, and the shares; exit with 1 when one is too small."""
    coverage = [sys.executable, "-m", "coverage"]
    subprocess.run([*coverage, "report"], check=True)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "coverage.json"
        subprocess.run([*coverage, "json", "--quiet", "-o", str(path)], check=True)
        totals = json.loads(path.read_text(encoding="utf-8"))["totals"]
    lines = 100 * totals["covered_lines"] / totals["num_statements"]
    branches = 100 * totals["covered_branches"] / totals["num_branches"]
    print(f"lines {lines:.1f} % (at least {LEAST_LINES:g}), ", end="")
    print(f"branches {branches:.1f} % (at least {LEAST_BRANCHES:g})")
    sys.exit(lines < LEAST_LINES or branches < LEAST_BRANCHES)


if __name__ == "__main__":
    main()
