"""Who solves the roots of a plan: this machine's threads, or the workers of a cluster."""

from __future__ import annotations

from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TypeVar

from engine.errors import DealError
from work.crews import OWN_CLUSTER, check_address, cluster_crew
from work.machine import count_cores, free_mebibytes
from work.tasks import Crew, Engagement, Task, Watch
from work.threads import ThreadCrew

T = TypeVar("T")
R = TypeVar("R")


@dataclass(frozen=True)
class LocalCrew:
    """This machine: one root at a time, with so many threads and so much memory."""

    threads: int
    memory: int  # ceiling, in MiB

    def engaged(self, task: Task[T, R], watch: Watch) -> AbstractContextManager[Engagement[T, R]]:
        """Make ready, once it is sure that the largest root fits into the memory."""
        return ThreadCrew(1, self.threads, self.memory).engaged(task, watch)


def choose_crew(cluster: str | None, threads: int | None, memory: int | None) -> Crew:
    """Return the crew that the options ask for."""
    if cluster not in (None, OWN_CLUSTER):
        check_address(cluster)
        for option, found in {"--threads": threads, "--memory": memory}.items():
            if found is not None:
                allowed = "leave it out with --cluster, whose workers plan with what they have"
                raise DealError.of(option, found, allowed)
    threads, memory = threads or count_cores(), memory or free_mebibytes()
    return cluster_crew(cluster, threads, memory) if cluster else LocalCrew(threads, memory)
