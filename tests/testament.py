"""A task for workers of a cluster, whose result ends the first worker that is to send it."""

from __future__ import annotations

import os
from pathlib import Path

from work.tasks import Task


class Testament:
    """A result that arrives as its text, but not from who sends it first."""

    def __init__(self, text: str, mark: Path) -> None:
        """Leave a mark when it is sent for the first time."""
        self.text, self.mark = text, mark

    def __reduce__(self) -> tuple[type[str], tuple[str]]:
        """Pickle the text, or end the process."""
        if not self.mark.exists():
            self.mark.touch()
            os._exit(1)
        return str, (self.text,)


class Bequeath(Task[str, Testament]):
    """Makes a testament of every item."""

    name = "bequeath"

    def __init__(self, mark: Path) -> None:
        """Have all of them share a mark."""
        self.mark = mark

    def run(self, item: str, threads: int) -> Testament:  # noqa: ARG002
        """Return what is worked out, but not easily sent."""
        return Testament(item, self.mark)
