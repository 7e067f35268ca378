"""What tests of jobs on a cluster share."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.clusters import Cluster, JobProcess, running_cluster
from tests.conftest import IS_JIT_OFF
from tests.databases import ROOT_PLY, build, small_roots, write_states

ROOTS = small_roots(12 if IS_JIT_OFF else 60, ROOT_PLY if IS_JIT_OFF else 3)


@pytest.fixture(autouse=True)
def no_job_is_left() -> Iterator[None]:
    yield
    for job in JobProcess.started:
        job.process.kill()
        job.process.communicate()
    JobProcess.started.clear()


@pytest.fixture(scope="session")
def plan(tmp_path_factory: pytest.TempPathFactory) -> str:
    return write_states(tmp_path_factory.mktemp("plan") / "states.jsonl", ROOTS)


@pytest.fixture(scope="session")
def digest(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Return the content digest of the plan, carried out by this machine's threads."""
    report = build(tmp_path_factory.mktemp("local"), ROOTS)
    return str(report.generation.totals["digest"])


@pytest.fixture
def cluster(tmp_path: Path) -> Iterator[Cluster]:
    with running_cluster(tmp_path) as cluster:
        yield cluster
