"""Run an export: workers label and encode, one writer writes, in an order that is fixed."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from itertools import chain
from typing import Protocol, TypeVar

import numpy as np

from precompute.export.flight import in_order
from precompute.export.output import Encoded, Output
from precompute.export.rows import Rows
from precompute.export.watch import ExportWatch
from precompute.export.worker import Crew, Worker

J = TypeVar("J")


class Source(Protocol[J]):
    """Where rows come from, job by job."""

    def jobs(self) -> Iterator[J]:
        """Return the jobs, in the order of their rows."""

    def label(self, worker: Worker, job: J) -> Iterator[Rows]:
        """Return the rows of a job."""


def run_export(
    source: Source[J],
    crew: Crew,
    encode: Callable[[Rows], Encoded],
    output: Output,
    watch: ExportWatch,
    max_rows: int | None = None,
) -> dict[int, int]:
    """Write all rows of a source, or the first so many; return how many there are by ply."""
    by_ply: Counter[int] = Counter()

    def encoded(job: J) -> list[Encoded]:
        with crew.lend() as worker:
            return [encode(rows) for rows in source.label(worker, job)]

    with closing(in_order(encoded, source.jobs(), len(crew.workers), crew.stop)) as results:
        for part in chain.from_iterable(results):
            left = len(part) if max_rows is None else max_rows - output.rows
            part = part.cut(0, min(left, len(part)))
            output.write(part)
            by_ply.update(_counts(part))
            watch.wrote(len(part))
            if output.rows == max_rows:
                break
    return dict(sorted(by_ply.items()))


def _counts(rows: Encoded) -> dict[int, int]:
    counts = np.bincount(rows.plies)
    return {ply: int(count) for ply, count in enumerate(counts.tolist()) if count}
