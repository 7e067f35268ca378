"""`make image-test`: build the image for real, run it as Docker would, and ask it."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec import convert
from msgspec.structs import astuple, replace

from app.client import Answer, Client
from engine.game.cards import default_catalogue
from engine.text.objects import StateObject
from engine.text.wire import state_to_dict
from precompute.demo import demo_states
from tests.image.base import ROOT, local_places, pip_settings
from tests.image.buildah import Container, Workshop
from tests.servers import PATIENCE, Server, free_port, given

STATE = json.loads((ROOT / "docs" / "state.json").read_text(encoding="utf-8"))
TOOLS = ("buildah", "debootstrap", "unshare")
JOB_PATIENCE = 1800  # seconds for the demonstration database on a busy machine

# A root that cannot be written to, and a /tmp in memory: `docker run --read-only --tmpfs /tmp`
# does that, and buildah cannot.
READ_ONLY = """
user=$1 root=$2; shift 2
mount --bind $root $root
mount -o remount,bind,ro $root
mount -t tmpfs tmpfs $root/tmp
mount -t proc proc $root/proc
mount --rbind /dev $root/dev
exec chroot --userspec=$user $root env -i "$@"
"""


@pytest.fixture(scope="module")
def workshop() -> Iterator[Workshop]:
    """Have all that the image is built from; nothing of it is left behind."""
    missing = [tool for tool in TOOLS if not shutil.which(tool)]
    if missing or os.geteuid() != 0:
        pytest.exit(f"make image-test needs root, {', '.join(TOOLS)}", returncode=2)
    folder = Path(tempfile.mkdtemp(prefix="triad-image-", dir="/var/tmp"))
    workshop = Workshop(folder)
    try:
        workshop.prepare_base()
        yield workshop
    finally:
        workshop.do("rm", "--all")
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def container(workshop: Workshop) -> Container:
    """Build the image."""
    workshop.build()
    return Container(workshop)


@pytest.fixture(scope="module")
def database(container: Container) -> Path:
    """Return an empty folder that belongs to the image's user, as a named volume does."""
    folder = container.workshop.folder / "database"
    shutil.copytree(container.files / "data" / "db", folder)
    owner = (container.files / "data" / "db").stat()
    os.chown(folder, owner.st_uid, owner.st_gid)
    return folder


@contextmanager
def served(process: subprocess.Popen[bytes], port: int, log: Path) -> Iterator[Server]:
    """Give a server that is ready; tell all of it to stop at the end."""
    server = Server(process, f"http://127.0.0.1:{port}", log)
    try:
        server.wait_until_ready()
        yield server
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGTERM)
        process.wait(timeout=PATIENCE)


@pytest.fixture(scope="module")
def server(container: Container, database: Path) -> Iterator[Server]:
    """Run the image as it comes, with an empty database mounted read-only."""
    port = free_port()
    command = container.through_entry_point()
    process = container.start(command, {database: "/data/db:ro"}, TRIAD_PORT=str(port))
    with served(process, port, container.log) as server:
        yield server


def ask(server: Server, state: dict[str, Any]) -> Answer:
    """Return the answer to a state, after asking for it in every other way as well."""
    with Client(server.url) as client:
        answer = client.evaluate(state, moves=True)
        assert client.evaluate_batch([state], moves=True) == [answer]
        assert client.position(answer.notation, moves=True).state == convert(state, StateObject)
        client.apply(state, *astuple(given(answer.best_move)))
        return answer


def compiled_below(temporary: Path) -> list[Path]:
    """Return the kernels below a /tmp that were compiled there, and are not the image's."""
    kernels = list(temporary.glob("kernels/**/*.nb[ci]"))
    assert kernels
    return [path for path in kernels if not path.is_symlink()]


def test_tests_pass_in_the_image(workshop: Workshop) -> None:
    assert " passed" in workshop.build("test")


def test_nothing_of_this_machine_is_in_the_image(container: Container) -> None:
    settings = pip_settings()
    settings.pop("cert", None)  # a base may have certificates, at the usual place
    places = ["/source", "/checks", *local_places(settings.values())]
    folders = [container.files / place.lstrip("/") for place in places]
    assert not [path for folder in folders for path in folder.glob("*")]
    assert not (container.files / "etc/pip.conf").exists()


def test_service_answers_and_compiles_nothing(container: Container, server: Server) -> None:
    answer = ask(server, STATE)
    assert (answer.margin, answer.source) == (-4, "search")
    for path in ("/", "/docs", "/static/swagger/swagger-ui.css", "/cards"):
        assert httpx.get(server.url + path).status_code == 200
    assert "triad_requests" in httpx.get(f"{server.url}/metrics").text
    assert compiled_below(container.files / "tmp") == []


def test_service_runs_as_an_ordinary_user(container: Container, server: Server) -> None:
    assert server.process.poll() is None
    owners = {path.stat().st_uid for path in (container.files / "tmp").glob("triad-metrics-*/*")}
    assert owners == {int(container.config["User"])}


@pytest.mark.parametrize("is_up", [True, False])
def test_health_check_tells_whether_the_service_is_ready(
    container: Container, server: Server, is_up: bool
) -> None:
    form, *command = container.config["Healthcheck"]["Test"]
    assert form == "CMD"
    port = httpx.URL(server.url).port if is_up else free_port()
    check = container.start(command, TRIAD_PORT=str(port))
    assert (check.wait(timeout=PATIENCE) == 0) is is_up


def test_demonstration_is_built_and_taken_over(
    container: Container, server: Server, database: Path
) -> None:
    opening = state_to_dict(next(demo_states(default_catalogue())))
    searched = ask(server, opening)
    job = container.through_entry_point("precompute", "--demo", "--resume")
    for _ in range(2):  # once it is built, it only says so
        assert container.start(job, {database: "/data/db"}).wait(timeout=JOB_PATIENCE) == 0
    until = time.monotonic() + PATIENCE
    while (answer := ask(server, opening)).source != "database":
        assert time.monotonic() < until, container.log.read_text()
    assert replace(answer, source="search", nodes=searched.nodes) == searched
    assert compiled_below(container.files / "tmp") == []


def test_service_starts_with_a_read_only_root(container: Container) -> None:
    port = free_port()
    config = container.config
    environment = [*config["Env"], f"TRIAD_PORT={port}"]
    arguments = [config["User"], str(container.files), *environment]
    command = ["unshare", "--mount", "sh", "-ec", READ_ONLY, "sh", *arguments]
    process = container.spawn([*command, *container.through_entry_point()])
    with served(process, port, container.log) as server:
        assert ask(server, STATE)["margin"] == -4
        assert compiled_below(Path(f"/proc/{process.pid}/root/tmp")) == []
    assert process.returncode == 0
