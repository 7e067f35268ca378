"""`make audit`: known vulnerabilities of what a lock file pins.

The advisories are asked for over the network. Where they cannot be had, that is said in one
line and is no failure: whoever has no network should still be able to run `make check`.
"""

from __future__ import annotations

import json
import subprocess
import sys

AUDIT = ["-m", "pip_audit", "--require-hashes", "--disable-pip", "--progress-spinner=off"]
UNREACHABLE = ("requests.exceptions.", "ERROR:pip_audit._cli:Could not connect")


def audit(lock: str, *options: str) -> int:
    """Say what is known of a lock file's packages; return the exit code."""
    done = subprocess.run(
        [sys.executable, *AUDIT, "--format=json", "--requirement", lock, *options],
        capture_output=True,
        text=True,
        check=False,
    )
    if not done.stdout and not is_unreachable(done.stderr):
        sys.stderr.write(done.stderr)
        return 1
    packages = json.loads(done.stdout)["dependencies"] if done.stdout else []
    audited = [package for package in packages if "vulns" in package]
    if not audited:
        print(f"{lock}: nothing could be audited: there is no way to the advisories")
        return 0
    found = [
        f"{package['name']} {package['version']}: {vulnerability['id']}"
        for package in audited
        for vulnerability in package["vulns"]
    ]
    print(*found, sep="\n", end="\n" if found else "")
    told = f"{len(audited)} of {len(packages)} packages audited"
    print(f"{lock}: {told}, {len(found)} known vulnerabilities")
    return 1 if found else 0


def is_unreachable(stderr: str) -> bool:
    """Tell whether pip-audit ended for want of a connection, and of nothing else."""
    return stderr.rstrip().rpartition("\n")[2].startswith(UNREACHABLE)


if __name__ == "__main__":
    sys.exit(audit(*sys.argv[1:]))
