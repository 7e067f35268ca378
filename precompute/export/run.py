"""Run an export: threads label and encode, one writer writes, in an order that is fixed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from itertools import chain
from typing import Generic, Protocol, TypeVar

import numpy as np

from precompute.export.labellers import Labeller, Labellers
from precompute.export.output import Encoded, Output
from precompute.export.rows import Rows
from precompute.export.watch import ExportWatch
from work.tasks import Task
from work.threads import ThreadCrew

J = TypeVar("J")


class Source(Protocol[J]):
    """Where rows come from, job by job."""

    def jobs(self) -> Iterator[J]:
        """Return the jobs, in the order of their rows."""

    def label(self, labeller: Labeller, job: J) -> Iterator[Rows]:
        """Return the rows of a job."""


@dataclass(frozen=True)
class LabelRows(Task[J, list[Encoded]], Generic[J]):
    """Labels and encodes the rows of a job."""

    source: Source[J]
    labellers: Labellers
    encode: Callable[[Rows], Encoded]
    name = "export"

    def run(self, item: J, threads: int) -> list[Encoded]:  # noqa: ARG002  a labeller is one thread
        """Return a job's rows, part by part."""
        with self.labellers.lend() as labeller:
            return [self.encode(rows) for rows in self.source.label(labeller, item)]

    def stop(self) -> None:
        """End every search."""
        self.labellers.stop()


def run_export(
    task: LabelRows[J], output: Output, watch: ExportWatch, max_rows: int | None = None
) -> dict[int, int]:
    """Write all rows of a source, or the first so many; return how many there are by ply."""
    by_ply: Counter[int] = Counter()
    crew = ThreadCrew(len(task.labellers.all))
    with (
        crew.engaged(task, watch) as engaged,
        closing(engaged.results(task.source.jobs())) as results,
    ):
        for part in chain.from_iterable(results):
            left = len(part) if max_rows is None else max_rows - output.rows
            kept = part.cut(0, min(left, len(part)))
            output.write(kept)
            by_ply.update(_counts(kept))
            watch.wrote(len(kept))
            if output.rows == max_rows:
                break
    return dict(sorted(by_ply.items()))


def _counts(rows: Encoded) -> dict[int, int]:
    counts = np.bincount(rows.plies)
    return {ply: int(count) for ply, count in enumerate(counts.tolist()) if count}
