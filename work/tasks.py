"""What a crew is given to do, and what it is asked with."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager
from typing import Generic, NamedTuple, Protocol, TypeVar

from engine.errors import TriadError

T = TypeVar("T")
R = TypeVar("R")
T_contra = TypeVar("T_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


class ClusterError(TriadError):
    """A cluster cannot be used, or not any more."""


class UnfitError(TriadError):
    """This machine cannot carry a task out as it was told to."""


class Means(NamedTuple):
    """What there is for one item."""

    threads: int
    mebibytes: int  # of memory, at most
    setting: str  # what sets that limit, in words


class Task(ABC, Generic[T, R]):
    """The same work for every item. It travels to workers, so it is small and can be pickled."""

    name: str  # a word; what a cluster shows of it
    mebibytes: int = 0  # of memory that an item takes, at most

    def objection(self, means: Means) -> str:
        """Return why it cannot be done with these means; nothing when it can."""
        if self.mebibytes <= means.mebibytes:
            return ""
        return (
            f"too little memory: found a ceiling of {means.mebibytes:,} MiB; allowed: "
            f"{self.mebibytes:,} MiB or more, which one item of this job takes "
            f"({means.setting} sets the ceiling)"
        )

    @abstractmethod
    def run(self, item: T, threads: int) -> R:
        """Return the result for one item, worked out with so many threads."""

    def stop(self) -> None:  # noqa: B027  most tasks are over soon
        """Make an end of what is being worked out in this process; from any thread."""


class Watch(Protocol):
    """Who is told how it goes on."""

    def tell(self, text: str) -> None:
        """Hear of something out of the ordinary."""

    def staff(self, workers: int) -> None:
        """Hear how many workers of a cluster there are."""


class Engagement(Protocol[T_contra, R_co]):
    """A crew that is ready for a task."""

    @property
    def means(self) -> str:
        """Return with what it works, in words."""

    def results(self, items: Iterable[T_contra], *, in_order: bool = True) -> Iterator[R_co]:
        """Return the result of every item, in their order or as they come.

        Whoever stops asking half-way closes the iterator: what has not begun never does.
        """


class Crew(Protocol):
    """Carries tasks out."""

    def engaged(self, task: Task[T, R], watch: Watch) -> AbstractContextManager[Engagement[T, R]]:
        """Make ready for a task, or raise; let go of everything at the end."""
