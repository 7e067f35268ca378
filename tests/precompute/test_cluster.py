"""`precompute --cluster`: a real scheduler, real workers, killed at the worst moment."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import psutil  # type: ignore[import-untyped]
import pytest

from engine.game.cards import CARD_FILE
from store.generations import Folder
from tests.clusters import PATIENCE, Cluster, JobProcess, job_on
from tests.commands import command
from tests.conftest import IS_JIT_OFF
from tests.databases import Unwatched
from tests.precompute.conftest import ROOTS
from tests.testament import Bequeath
from work.cluster.crew import ClusterCrew, connect_to

DASHBOARD_PORT = 8787  # that Dask would like to have, and complains about when it is taken


def test_worker_killed_at_work_has_its_deal_done_again(
    plan: str, digest: str, cluster: Cluster, tmp_path: Path
) -> None:
    cluster.start_worker()
    cluster.start_worker()
    cluster.await_workers(2)
    job = job_on(cluster, tmp_path / "db", "--state", plan)
    killed, left = cluster.catch(1), cluster.workers[0]
    left.send_signal(signal.SIGSTOP)  # so that the job cannot end before it has looked round
    killed.kill()
    job.read_until("precompute: 1 worker")
    left.send_signal(signal.SIGCONT)
    tasks = []
    while job.process.poll() is None:
        tasks.append(cluster.count_tasks())
        time.sleep(0.02)
    facts = job.end()
    assert job.process.returncode == 0, job.errors
    assert facts["digest"] == digest
    assert facts["deals"] == len(ROOTS)
    assert max(tasks) <= 2 * 2  # a root at work and another at hand, for each worker
    assert cluster.count_tasks() == 0


def test_killed_job_is_resumed_on_the_cluster(
    plan: str, digest: str, cluster: Cluster, tmp_path: Path
) -> None:
    cluster.start_worker()
    job = job_on(cluster, tmp_path / "db", "--state", plan)
    job.read_until("deal 1/")
    worker_process = cluster.catch(0)
    job.process.kill()
    job.process.communicate()
    worker_process.send_signal(signal.SIGCONT)
    assert Folder(tmp_path / "db").unfinished() is not None
    resumed = job_on(cluster, tmp_path / "db", "--resume")
    facts = resumed.end()
    assert resumed.process.returncode == 0, resumed.errors
    assert facts["digest"] == digest
    assert 0 < facts["deals"] < len(ROOTS)


def test_two_jobs_share_a_cluster(plan: str, digest: str, cluster: Cluster, tmp_path: Path) -> None:
    cluster.start_worker()
    jobs = [job_on(cluster, tmp_path / name, "--state", plan) for name in ("one", "other")]
    assert [job.end()["digest"] for job in jobs] == [digest, digest]


def test_lost_scheduler_ends_the_job_and_loses_nothing(
    plan: str, digest: str, cluster: Cluster, tmp_path: Path
) -> None:
    cluster.start_worker()
    path = tmp_path / "db"
    job = job_on(cluster, path, "--state", plan)
    job.read_until("deal 1/")
    cluster.catch(0)
    cluster.scheduler.kill()
    job.end()
    assert job.process.returncode == 1
    way_on = f"go on with: precompute --resume --db {path} --cluster {cluster.address}"
    assert re.fullmatch(
        f"precompute: the Dask scheduler at {cluster.address} is gone; "
        rf"\d+ of {len(ROOTS)} deals are stored; {way_on}",
        job.errors[-1],
    )
    resumed = command("precompute", "--resume", "--db", str(path), "--json")
    assert resumed.returncode == 0, resumed.stderr
    facts = json.loads(resumed.stdout)
    assert facts["digest"] == digest
    assert facts["deals"] < len(ROOTS)


def test_deal_that_workers_die_of_ends_the_job(cluster: Cluster, tmp_path: Path) -> None:
    job = job_on(cluster, tmp_path / "db", "--hands", "1,2,3,4,5:6,7,8,9,10")
    for number in range(4):  # Dask's own limit is three that may die
        cluster.start_worker()
        cluster.catch(number).kill()
    job.end()
    assert job.process.returncode == 1
    assert job.errors[-1].startswith("precompute: 4 workers died over tc_9_1.2.3.4.5_6.7.8.9.10_A")
    assert "0 of 1 deals are stored" in job.errors[-1]


def test_result_that_is_lost_before_it_is_fetched_is_worked_out_by_who_comes(
    cluster: Cluster, tmp_path: Path
) -> None:
    first = cluster.start_worker()
    results: list[object] = []

    def take() -> None:
        crew = ClusterCrew(connect_to(cluster.address))
        with crew.engaged(Bequeath(tmp_path / "mark"), Unwatched()) as engaged:
            results.extend(engaged.results(["all I have"]))

    taker = threading.Thread(target=take, daemon=True)
    taker.start()
    first.wait(PATIENCE)
    cluster.start_worker()  # nobody else is there
    taker.join(PATIENCE)
    assert results == ["all I have"]


@contextmanager
def port_in_use(port: int) -> Iterator[None]:
    """Have somebody listen on a port, if nobody does."""
    with ExitStack() as stack:
        with suppress(OSError):
            stack.enter_context(socket.create_server(("127.0.0.1", port)))
        yield


def test_own_cluster_gives_the_same_content(plan: str, digest: str, tmp_path: Path) -> None:
    cards = tmp_path / "cards.json"  # workers find a card file by its path
    shutil.copyfile(CARD_FILE, cards)
    with port_in_use(DASHBOARD_PORT):
        job = JobProcess(
            *("--cluster", "local", "--threads", "2", "--memory", "1000", "--cards", str(cards)),
            *("--state", plan, "--db", str(tmp_path / "db"), "--json"),
        )
        facts = job.end()
    assert job.process.returncode == 0, job.errors
    assert facts["digest"] == digest
    assert "2 workers with 2 threads at tcp://127.0.0.1:" in job.errors[0]


def test_interrupted_own_cluster_ends_with_its_workers(plan: str, tmp_path: Path) -> None:
    path = tmp_path / "db"
    job = JobProcess("--cluster", "local", "--state", plan, "--db", str(path))
    job.read_until("deal 1/")
    workers = psutil.Process(job.process.pid).children(recursive=True)
    os.killpg(job.process.pid, signal.SIGINT)  # as a terminal does: to the workers as well
    job.end()
    assert job.process.returncode == 130
    assert job.errors[-1] == "precompute: interrupted"
    assert f"go on with: precompute --resume --db {path} --cluster local" in job.errors[-2]
    assert len(workers) >= 2
    until = time.monotonic() + PATIENCE
    while not all(map(is_over, workers)):
        assert time.monotonic() < until
        time.sleep(0.05)


def is_over(process: psutil.Process) -> bool:
    """Tell whether a process has ended, though perhaps nobody has asked it how."""
    try:
        return bool(process.status() == psutil.STATUS_ZOMBIE)
    except psutil.NoSuchProcess:
        return True


@pytest.mark.slow
@pytest.mark.skipif(IS_JIT_OFF, reason="a whole deal takes the compiler")
def test_real_deals_survive_a_killed_worker(cluster: Cluster, tmp_path: Path) -> None:
    deals = ("--sample", "2", "--rules", "same,plus", "--variant", "ff8")
    local = command("precompute", *deals, "--db", str(tmp_path / "local"), "--json")
    assert local.returncode == 0, local.stderr
    cluster.start_worker("--memory-limit", "4GiB")
    cluster.start_worker("--memory-limit", "4GiB")
    cluster.await_workers(2)
    job = job_on(cluster, tmp_path / "db", *deals)
    cluster.catch(1).kill()
    facts = job.end()
    assert job.process.returncode == 0, job.errors
    assert facts["digest"] == json.loads(local.stdout)["digest"]
    assert facts["total"]["states"] == json.loads(local.stdout)["total"]["states"]
