"""What this machine has: cores and memory."""

from __future__ import annotations

import os
from pathlib import Path

MEBIBYTE = 1 << 20
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
CGROUP_USED = Path("/sys/fs/cgroup/memory.current")


def count_cores() -> int:
    """Return the cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def free_mebibytes() -> int:
    """Return three quarters of the free memory, in MiB: the machine's, or the container's."""
    return int(min(_free_of_machine(), _free_of_container()) * 3 // 4 // MEBIBYTE)


def _free_of_machine() -> float:
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * 1024
    except OSError:
        pass
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2  # macOS says no more


def _free_of_container() -> float:
    try:
        limit = CGROUP_LIMIT.read_text(encoding="ascii").strip()
        return float("inf") if limit == "max" else int(limit) - int(CGROUP_USED.read_text("ascii"))
    except (OSError, ValueError):
        return float("inf")
