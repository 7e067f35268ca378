"""Who solves the roots of a plan: a crew. The usual one is this machine's threads."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple, Protocol

from console.progress import counted
from engine.cards import Catalogue
from engine.errors import TriadError
from engine.notation import parse_state
from engine.retrograde import Phase, Retrograde
from engine.state import State
from precompute.resources import check_ceiling, memory_needed
from precompute.roots import SolvedRoot, solve_root
from store.records import PlannedRoot


class ClusterError(TriadError):
    """A cluster cannot be used, or not any more."""


class Watch(Protocol):
    """Who is told how a job is going."""

    def begin(self, done: int, left: Sequence[PlannedRoot], means: str) -> None:
        """Hear what the plan is, and with what it is carried out."""

    def tell(self, text: str) -> None:
        """Hear of something out of the ordinary."""

    def phase(self, root: State, phase: Phase) -> None:
        """Hear what the solve is at, on this machine."""

    def staff(self, workers: int) -> None:
        """Hear how many workers a cluster has for the plan."""

    def finish(self, solved: SolvedRoot) -> None:
        """Hear of a root that has been committed."""


class Work(NamedTuple):
    """A plan that is being carried out."""

    means: str  # what it takes, in words
    roots: Iterator[SolvedRoot]  # in whatever order suits; each is solved when it is asked for


class Crew(Protocol):
    """Solves the roots of a plan."""

    def engaged(
        self, plan: Sequence[PlannedRoot], catalogue: Catalogue, watch: Watch
    ) -> AbstractContextManager[Work]:
        """Make ready for a plan, or raise; let go of everything at the end."""


@dataclass(frozen=True)
class LocalCrew:
    """This machine's threads: one root at a time, in the order of the plan."""

    threads: int
    memory: int  # ceiling, in MiB

    @contextmanager
    def engaged(
        self, plan: Sequence[PlannedRoot], catalogue: Catalogue, watch: Watch
    ) -> Iterator[Work]:
        """Start the threads, once it is sure that the largest root fits into the memory."""
        needed = memory_needed(plan, catalogue)
        check_ceiling(needed, self.memory)

        def solve(planned: PlannedRoot) -> SolvedRoot:
            root = parse_state(planned.root, catalogue)
            return solve_root(root, planned.plies, retrograde, partial(watch.phase, root))

        with Retrograde(self.threads) as retrograde:
            threads = counted(self.threads, "thread")
            yield Work(f"{threads}, {needed:,} MiB of at most {self.memory:,}", map(solve, plan))
