"""What this machine has: cores and memory, and what a job plans to take of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from engine.cards import Catalogue
from engine.errors import TriadError
from engine.notation import parse_state
from engine.retrograde import bytes_needed
from engine.root import make_root
from store.records import PlannedRoot

MEBIBYTE = 1 << 20
PROGRAM_BYTES = 400 * MEBIBYTE  # compiler, kernels, the blocks of one root: measured 170 to 300
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")
CGROUP_USED = Path("/sys/fs/cgroup/memory.current")


class NotEnoughMemoryError(TriadError):
    """The ceiling is too low for the plan."""


def count_cores() -> int:
    """Return the cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def default_ceiling() -> int:
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


def memory_needed(plan: Iterable[PlannedRoot], catalogue: Catalogue) -> int:
    """Return the MiB that the largest root of a plan takes."""
    needed = PROGRAM_BYTES + max(
        (bytes_needed(make_root(parse_state(planned.root, catalogue))) for planned in plan),
        default=0,
    )
    return -(-needed // MEBIBYTE)


def check_ceiling(needed: int, ceiling: int, setting: str = "--memory") -> None:
    """Refuse a ceiling, in MiB, that is below what is needed; say what sets it."""
    if needed > ceiling:
        raise NotEnoughMemoryError(
            f"memory: found a ceiling of {ceiling:,} MiB; allowed: {needed:,} MiB or more, "
            f"which the largest deal of this job takes ({setting} sets the ceiling)"
        )
