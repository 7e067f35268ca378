"""What is counted, for Prometheus; right with several workers.

With PROMETHEUS_MULTIPROC_DIR set, which `triad serve` sees to, each worker writes its counts
to a file there, and /metrics adds up those of all.
"""

from __future__ import annotations

import os
from functools import cache

from prometheus_client import (
    CONTENT_TYPE_LATEST,
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
    multiprocess,
)

MULTIPROC = "PROMETHEUS_MULTIPROC_DIR"
CONTENT_TYPE = CONTENT_TYPE_LATEST
_LATENCIES = (0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10)


class _Metrics:
    """All counters."""

    def __init__(self) -> None:
        names = ("route", "status")
        self.requests = Counter("triad_requests", "Requests by route and status", names)
        self.seconds = Histogram(
            "triad_request_seconds", "Time to answer by route", ["route"], buckets=_LATENCIES
        )
        self.errors = Counter("triad_errors", "Problems by kind", ["kind"])
        self.hits = Counter("triad_database_hits", "States answered from the database")
        self.misses = Counter("triad_database_misses", "States that the database does not have")
        self.damage = Counter("triad_database_damage", "Damage met in the database")
        self.taken_over = Counter("triad_database_taken_over", "New databases taken over")
        self.solve_seconds = Histogram(
            "triad_solve_seconds", "Time of live searches", buckets=_LATENCIES
        )
        self.kept = Counter("triad_answers_kept", "States answered from earlier searches")
        self.refused = Counter("triad_searches_refused", "Searches refused: the queue was full")
        self.stopped = Counter("triad_searches_stopped", "Searches stopped: time was up")
        self.queue = Gauge(
            "triad_searches", "Searches running or waiting", multiprocess_mode="livesum"
        )
        self.advice = Gauge(
            "triad_advice", "Advice running or waiting", multiprocess_mode="livesum"
        )
        self.streams = Gauge(
            "triad_advice_streams", "Streams of advice open", multiprocess_mode="livesum"
        )
        self.left_out = Gauge(
            "triad_database_left_out", "Damaged parts left out", multiprocess_mode="livemax"
        )
        self._of_requests: dict[tuple[str, int], tuple[Counter, Histogram]] = {}

    def count(self, route: str, status: int, seconds: float) -> None:
        """Count a request."""
        kept = self._of_requests.get((route, status))
        if kept is None:
            kept = self.requests.labels(route, str(status)), self.seconds.labels(route)
            self._of_requests[route, status] = kept
        counter, histogram = kept
        counter.inc()
        histogram.observe(seconds)


@cache
def Metrics() -> _Metrics:  # noqa: N802  there is one of it in a process
    """Return the counters of this process."""
    return _Metrics()


def forget(pid: int) -> None:
    """Leave out what a dead worker was doing; what it has counted stays."""
    if os.environ.get(MULTIPROC):
        multiprocess.mark_process_dead(pid)  # type: ignore[no-untyped-call]


def exposition() -> bytes:
    """Return all counts as Prometheus reads them."""
    if not os.environ.get(MULTIPROC):
        return generate_latest(REGISTRY)
    registry = CollectorRegistry()
    multiprocess.MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return generate_latest(registry)
