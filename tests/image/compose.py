"""`make compose-test`: the compose file on a Docker engine, as README says to run it.

The demonstration is built three times: beside the service, by two workers of a cluster, and by
two of which one is killed.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import pytest
from msgspec.structs import replace

from app.client import Answer, Client
from engine.game.cards import default_catalogue
from engine.text.wire import state_to_dict
from precompute.demo import demo_states
from tests.image.base import ROOT
from tests.image.docker import Engine, Project, wait_until

URL = "http://127.0.0.1:8000"  # as the compose file publishes it
STATE = json.loads((ROOT / "docs" / "state.json").read_text(encoding="utf-8"))
TOOLS = ("docker", "dockerd", "iptables", "debootstrap")
JOB_PATIENCE = 1800  # seconds for the demonstration database on a busy machine


@pytest.fixture(scope="module")
def engine() -> Iterator[Engine]:
    """Have an engine and a base; nothing of them is left behind."""
    if not is_equipped():
        needs = f"root, {', '.join(TOOLS)} and docker compose"
        pytest.exit(f"make compose-test needs {needs}", returncode=2)
    folder = Path(tempfile.mkdtemp(prefix="triad-compose-", dir="/var/tmp"))
    engine = Engine(folder)
    try:
        engine.await_socket()
        engine.prepare_base()
        yield engine
    finally:
        engine.stop()
        shutil.rmtree(folder)  # which fails where something is still mounted


def is_equipped() -> bool:
    """Tell whether an engine can be started here, and compose with it."""
    if os.geteuid() != 0 or not all(map(shutil.which, TOOLS)):
        return False
    asked = ["docker", "compose", "version"]
    return subprocess.run(asked, capture_output=True, check=False).returncode == 0


def build(project: Project, service: str) -> None:
    """Build the image of a service."""
    began = time.monotonic()
    project.do("build", service)
    print(f"{project.name}: built in {time.monotonic() - began:.0f} s")


@contextmanager
def up(project: Project, *options: str) -> Iterator[None]:
    """Have the service ready; at the end nothing of the project is left but its image."""
    try:
        project.start(*options)
        wait_until(is_ready)
        print(f"{project.name}: ready {project.age}")
        yield
    finally:
        project.do("down", "--volumes")


def is_ready() -> bool:
    """Tell whether the service is."""
    try:
        return httpx.get(f"{URL}/readyz").status_code == 200
    except httpx.TransportError:
        return False


def await_database(project: Project, job: str) -> str:
    """Wait until the service has the database of a job; return the content digest."""
    wait_until(lambda: project.inspect(job, ".State.Status") == "exited", JOB_PATIENCE)
    assert project.inspect(job, ".State.ExitCode") == "0", project.log(job)
    wait_until(lambda: httpx.get(f"{URL}/database").json()["generation"])
    digest = str(httpx.get(f"{URL}/database").json()["digest"])
    print(f"{project.name}: taken over {project.age}, content {digest}")
    return digest


@dataclass(frozen=True)
class Visit:
    """What was found of the service and the job beside it."""

    answer: Answer
    searched: Answer  # an opening of the demonstration, before it is built
    found: Answer  # and after
    digest: str
    exit_code: str


@pytest.fixture(scope="module")
def visit(engine: Engine) -> Visit:
    """Run `docker compose up`, ask the service before and after, and stop it."""
    opening = state_to_dict(next(demo_states(default_catalogue())))
    project = Project(engine, "alone")
    build(project, "service")
    with up(project), Client(URL) as client:
        answer, searched = client.evaluate(STATE), client.evaluate(opening)
        digest = await_database(project, "precompute")
        found = client.evaluate(opening)
        wait_until(lambda: project.inspect("service", ".State.Health.Status") == "healthy")
        project.do("stop", "service")
        exit_code = project.inspect("service", ".State.ExitCode")
    return Visit(answer, searched, found, digest, exit_code)


@pytest.fixture(scope="module")
def cluster(engine: Engine) -> Project:
    """Have the image with Dask."""
    project = Project(engine, "cluster", "--profile=cluster")
    build(project, "job")
    return project


def test_service_answers_at_once(visit: Visit) -> None:
    assert (visit.answer.margin, visit.answer.source) == (-4, "search")


def test_demonstration_is_taken_over(visit: Visit) -> None:
    searched, found = visit.searched, visit.found
    assert (searched.source, found.source) == ("search", "database")
    assert replace(found, source="search", nodes=searched.nodes) == searched


def test_service_stops_when_told_to(visit: Visit) -> None:
    assert visit.exit_code == "0"


@pytest.mark.parametrize("is_one_killed", [False, True])
def test_cluster_builds_the_same_content(
    visit: Visit, cluster: Project, is_one_killed: bool
) -> None:
    with up(cluster, "--scale=worker=2", "service", "job"):
        # A deal of four is done: both workers have another.
        wait_until(lambda: "on 2 workers" in cluster.log("job"), JOB_PATIENCE)
        if is_one_killed:
            cluster.kill(cluster.containers("worker")[0])
        digest = await_database(cluster, "job")
        assert ("precompute: 1 worker" in cluster.log("job").splitlines()) is is_one_killed
    assert digest == visit.digest
