"""What a cluster is refused for, or a worker of it: one clear line each."""

from __future__ import annotations

import re
import shutil
import signal
import socket
import subprocess
import sys
from pathlib import Path
from typing import NamedTuple

import pytest

from engine.errors import NotationError
from engine.game.cards import default_catalogue
from engine.tablebase.blocks import REVISION
from precompute.plan import plan_roots
from precompute.roots import SolveRoots, memory_needed
from store.format import FORMAT
from store.generations import Folder
from store.records import Kind
from tests.clusters import Cluster, JobProcess, job_on, wait_until, without_project
from tests.commands import command
from tests.databases import ROOT_PLY, Unwatched
from tests.precompute.conftest import ROOTS
from tests.servers import free_port
from work.cluster.crew import ClusterCrew, connect_to
from work.crews import check_address
from work.tasks import ClusterError

PROJECT = Path(__file__).parent.parent.parent


class Change(NamedTuple):
    """What another version of this project may have different."""

    path: str
    old: str
    new: str


def foreign_code(folder: Path, change: Change) -> Path:
    """Copy this project with one file of it changed."""
    for name in ("console", "data", "engine", "precompute", "store", "work"):
        ignored = shutil.ignore_patterns("__pycache__", "db", "exports")
        shutil.copytree(PROJECT / name, folder / name, ignore=ignored)
    text = (folder / change.path).read_text(encoding="utf-8")
    assert change.old in text
    changed = text.replace(change.old, change.new, 1)
    (folder / change.path).write_text(changed, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            Change("engine/tablebase/blocks.py", f"REVISION = {REVISION}", "REVISION = 99"),
            f"has another engine revision: found 99, allowed: {REVISION}",
        ),
        (
            Change("store/format.py", f"FORMAT = {FORMAT}", "FORMAT = 99"),
            f"has another format: found 99, allowed: {FORMAT}",
        ),
    ],
)
def test_only_foreign_workers_end_the_job_before_it_begins(
    plan: str, cluster: Cluster, tmp_path: Path, change: Change, message: str
) -> None:
    cluster.start_worker(code=foreign_code(tmp_path / "code", change))
    job = job_on(cluster, tmp_path / "db", "--state", plan)
    job.end()
    assert job.process.returncode == 1
    assert "no worker can be used; of 1 worker, tcp://127.0.0.1:" in job.errors[-1]
    assert message in job.errors[-1]
    assert Folder(tmp_path / "db").unfinished() is None


def test_worker_without_the_project_is_refused_and_lives(
    plan: str, cluster: Cluster, tmp_path: Path
) -> None:
    process = cluster.start_worker(code=without_project(tmp_path / "none"))
    job = job_on(cluster, tmp_path / "db", "--state", plan)
    job.end()
    assert job.process.returncode == 1
    assert "cannot say what it is: ModuleNotFoundError('work')" in job.errors[-1]
    cluster.await_workers(1)
    assert process.poll() is None


def test_worker_with_other_cards_that_comes_later_is_refused(
    plan: str, digest: str, cluster: Cluster, tmp_path: Path
) -> None:
    code = foreign_code(tmp_path / "code", Change("data/cards.json", '"Geezard"', '"Gizzard"'))
    cluster.start_worker()
    job = job_on(cluster, tmp_path / "db", "--state", plan)
    job.read_until("deal 1/")
    worker_process = cluster.catch(0)
    cluster.start_worker(code=code)
    job.read_until("worker refused: tcp://127.0.0.1:")
    worker_process.send_signal(signal.SIGCONT)
    (refusal,) = (line for line in job.errors if "refused" in line)
    ours = default_catalogue().digest
    assert re.search(rf"has another card file: found \w{{32}}, allowed: {ours}$", refusal)
    assert job.end()["digest"] == digest


def test_worker_that_comes_back_goes_on_beside_a_foreign_one(
    plan: str, digest: str, cluster: Cluster, tmp_path: Path
) -> None:
    code = foreign_code(
        tmp_path / "code", Change("store/format.py", f"FORMAT = {FORMAT}", "FORMAT = 0")
    )
    cluster.start_worker()
    cluster.start_worker(code=code)
    cluster.await_workers(2)
    job = job_on(cluster, tmp_path / "db", "--state", plan)
    cluster.catch(0).kill()
    job.read_until("0 workers")
    cluster.start_worker()
    assert job.end()["digest"] == digest


def test_worker_with_too_little_memory_is_refused(cluster: Cluster, tmp_path: Path) -> None:
    cluster.start_worker("--memory-limit", "2GiB")
    job = job_on(cluster, tmp_path / "db", "--hands", "1,2,3,4,5:6,7,8,9,10")
    job.end()
    assert job.process.returncode == 1
    assert "has too little memory: found a ceiling of 1,638 MiB; allowed: 2," in job.errors[-1]
    assert Folder(tmp_path / "db").unfinished() is None


def task() -> SolveRoots:
    plan = plan_roots(ROOTS[:1], ROOT_PLY, default_catalogue())
    return SolveRoots(Kind.of(default_catalogue()), memory_needed(plan))


def test_worker_started_anew_under_an_old_address_is_asked_again(
    plan: str, cluster: Cluster, tmp_path: Path
) -> None:
    """It was fit before, with other cards it is not: what is fit is what the scheduler says."""
    code = foreign_code(tmp_path / "code", Change("data/cards.json", '"Geezard"', '"Gizzard"'))
    address = ("--worker-port", str(free_port()))
    cluster.start_worker(*address)
    job = job_on(cluster, tmp_path / "db", "--state", plan)
    job.read_until("deal 1/")
    cluster.catch(0).kill()
    cluster.start_worker(*address, code=code)
    job.read_until("worker refused: tcp://127.0.0.1:")
    assert "another card file" in job.errors[-1]


def test_cluster_without_workers_is_told(cluster: Cluster) -> None:
    crew = ClusterCrew(connect_to(cluster.address), patience=0.2)
    message = f"the Dask scheduler at {cluster.address} has had no worker for 0 s"
    with pytest.raises(ClusterError, match=message), crew.engaged(task(), Unwatched()):
        pass


def test_silent_workers_are_told(cluster: Cluster) -> None:
    process = cluster.start_worker()
    wait_until(cluster.solving, process)
    process.send_signal(signal.SIGSTOP)
    crew = ClusterCrew(connect_to(cluster.address), patience=0.2)
    with (
        pytest.raises(ClusterError, match="has 1 worker, but no answer from any for 0 s"),
        crew.engaged(task(), Unwatched()),
    ):
        pass


@pytest.mark.parametrize(
    "address",
    [
        "",
        "scheduler:8786",
        "http://scheduler:8786",
        "tcp://scheduler",
        "tcp://a:0",
        "tcp://a:99999",
    ],
)
def test_wrong_address_is_refused(address: str) -> None:
    with pytest.raises(
        NotationError, match="cluster: found .* allowed: local, or .*tcp://host:port"
    ):
        check_address(address)


@pytest.mark.parametrize(
    "address", ["local", "tcp://10.0.0.7:8786", "tcp://a-b.c:1", "tcp://[::1]:1"]
)
def test_address_is_accepted(address: str) -> None:
    check_address(address)


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("scheduler:8786",), 2, 'cluster: found "scheduler:8786"; allowed: local, or'),
        (("tcp://a:1", "--threads", "2"), 2, "--threads: found 2; allowed: leave it out with"),
        (("tcp://a:1", "--memory", "99"), 2, "--memory: found 99; allowed: leave it out with"),
        (("local", "--memory", "300"), 1, "memory: found a ceiling of 300 MiB"),
    ],
)
def test_wrong_cluster_is_told_in_one_line(
    plan: str, tmp_path: Path, arguments: tuple[str, ...], code: int, message: str
) -> None:
    given = ("--state", plan, "--db", str(tmp_path / "db"), "--cluster", *arguments)
    done = command("precompute", *given)
    assert done.returncode == code
    assert message in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert Folder(tmp_path / "db").unfinished() is None


def test_scheduler_that_does_not_answer_is_told(plan: str, tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        hosts = [
            f"127.0.0.1:{free_port()}",
            f"127.0.0.1:{silent.getsockname()[1]}",
            "no.such.host.invalid:8786",
        ]
        jobs = {
            host: JobProcess(
                *("--cluster", f"tcp://{host}"),
                *("--state", plan, "--db", str(tmp_path / str(number))),
            )
            for number, host in enumerate(hosts)
        }
        for host, job in jobs.items():
            job.end()
            assert job.process.returncode == 1
            told = f"precompute: no Dask scheduler answers at tcp://{host} within 10 s"
            assert job.errors == [told]


def test_worker_instead_of_a_scheduler_is_told(plan: str, cluster: Cluster, tmp_path: Path) -> None:
    cluster.start_worker()
    cluster.await_workers(1)
    (address,) = cluster.client.nthreads()
    done = command("precompute", "--state", plan, "--cluster", address, "--db", str(tmp_path))
    assert done.returncode == 1
    assert done.stderr == f"precompute: no Dask scheduler is at {address}, but a Worker\n"


def test_missing_extra_is_told_in_one_line(plan: str, tmp_path: Path) -> None:
    """The commands do without Dask, until a cluster is asked for."""
    code = "import sys; sys.modules['distributed'] = None; from precompute.cli import main; main()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--state", plan, "--cluster", "local", "--db", str(tmp_path)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1
    assert len(done.stderr.splitlines()) == 1
    assert ".venv/bin/pip install -e '.[cluster]'" in done.stderr
