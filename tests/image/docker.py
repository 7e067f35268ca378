"""A Docker engine for a while: its daemon, its socket and all that it stores in one folder.

    base      pulled, else made by debootstrap of the same Debian release, with its python3
    project   the compose file, with containers, a network and volumes of its own

The machine's firewall and routes stay as they are, so a port is published by Docker's proxy,
containers reach each other and nothing else, and builds use the network of the machine. A
firewall of its own must let bridges be.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from tests.image.base import (
    LONGEST_TOLD,
    ROOT,
    base_name,
    bootstrap,
    local_places,
    pip_settings,
    write_pip_settings,
)

COMPOSE = ROOT / "docker-compose.yml"
CERTIFICATES = Path("etc/ssl/certs/ca-certificates.crt")  # which the registry's base has too
NETWORK = ("--bridge=none", "--iptables=false", "--ip-forward=false", "--ip-masq=false")
PATIENCE = 180  # seconds for whatever is no build and no job
GLANCE_SECONDS = 0.5  # seldom enough to leave the cores to who is waited for


class DockerError(Exception):
    """A docker command failed; the message ends as its output did."""


def wait_until(is_so: Callable[[], object], patience: float = PATIENCE) -> None:
    """Wait for something."""
    until = time.monotonic() + patience
    while not is_so():
        if time.monotonic() > until:
            raise TimeoutError(f"not within {patience} s")
        time.sleep(GLANCE_SECONDS)


class Engine:
    """A running daemon."""

    def __init__(self, folder: Path) -> None:
        """Start it in `folder`."""
        self.folder = folder
        self.log = folder / "log"
        host = f"unix://{folder / 'socket'}"
        # The builder is the engine's own, whichever is in use otherwise: it knows its images.
        own = {"DOCKER_HOST": host, "BUILDX_BUILDER": "default"}
        self.environment = {**os.environ, **own}
        places = {"data-root": "data", "exec-root": "run", "pidfile": "pid"}
        options = [f"--{option}={folder / place}" for option, place in places.items()]
        with self.log.open("wb") as output:
            self._daemon = subprocess.Popen(
                ["dockerd", f"--host={host}", *options, *NETWORK],
                stdout=output,
                stderr=output,
                start_new_session=True,  # whoever interrupts the tests still needs it to tidy up
            )

    def await_socket(self) -> None:
        """Wait until it can be asked."""
        wait_until(self._is_up)

    def _is_up(self) -> bool:
        if self._daemon.poll() is not None:
            raise DockerError(f"dockerd: {self.log.read_text()[-LONGEST_TOLD:]}")
        try:
            self.do("version")
        except DockerError:
            return False
        return True

    def do(self, *arguments: str, stderr: int = subprocess.PIPE) -> str:
        """Run a docker command; return what it printed, or show all of it when it failed."""
        done = subprocess.run(
            ["docker", *arguments],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=stderr,
            text=True,
            check=False,
        )
        if done.returncode:
            told = (done.stdout + (done.stderr or ""))[-LONGEST_TOLD:]
            raise DockerError(f"docker {' '.join(arguments)}: {told}")
        return done.stdout.strip()

    def prepare_base(self) -> None:
        """Have the image that the Dockerfile begins with."""
        try:
            self.do("pull", "--quiet", base_name())
        except DockerError:
            self._make_base()

    def _make_base(self) -> None:
        system, archive = self.folder / "system", self.folder / "system.tar"
        bootstrap(system)
        (system / CERTIFICATES.parent).mkdir(parents=True, exist_ok=True)
        shutil.copy("/" / CERTIFICATES, system / CERTIFICATES)
        subprocess.run(["tar", "-C", str(system), "-cf", str(archive), "."], check=True)
        self.do("import", str(archive), base_name())

    def stop(self) -> None:
        """End the daemon, and with it every container."""
        self._daemon.terminate()
        self._daemon.wait(timeout=PATIENCE)


class Project:
    """The compose file at work."""

    def __init__(self, engine: Engine, name: str, *options: str) -> None:
        """Share leave it out with projects of other names but the images."""
        self._engine = engine
        self.name = name
        files = [f"--file={path}" for path in (COMPOSE, self._write_additions())]
        self._compose = ["compose", f"--project-name={name}", *files, *options]

    def _write_additions(self) -> Path:
        """Return a compose file of what builds need here: a network, and pip's settings.

        Builds see no files of this machine: settings that name any are left out.
        """
        known = {str("/" / CERTIFICATES)}
        found = pip_settings().items()
        settings = {name: value for name, value in found if known.issuperset(local_places([value]))}
        write_pip_settings(settings, self._engine.folder / "pip.conf")
        build = {"network": "host", "secrets": ["pip"]}
        names = yaml.safe_load(COMPOSE.read_text(encoding="utf-8"))["services"]
        path = self._engine.folder / "additions.json"
        path.write_text(
            json.dumps(
                {
                    "services": {name: {"build": build} for name in names},
                    "secrets": {"pip": {"file": str(self._engine.folder / "pip.conf")}},
                }
            )
        )
        return path

    def do(self, *arguments: str) -> str:
        """Run a command of compose."""
        return self._engine.do(*self._compose, *arguments)

    def start(self, *options: str) -> None:
        """Start what is named, or all of it."""
        self._began = time.monotonic()
        self.do("up", "--detach", *options)

    @property
    def age(self) -> str:
        """Return how long ago it was started."""
        return f"{time.monotonic() - self._began:.0f} s after the start"

    def containers(self, service: str) -> list[str]:
        """Return the containers of a service, also those that have ended."""
        return self.do("ps", "--all", "--quiet", service).split()

    def inspect(self, service: str, fact: str) -> str:
        """Return a fact of a service's only container."""
        (container,) = self.containers(service)
        return self._engine.do("inspect", "--format", "{{" + fact + "}}", container)

    def log(self, service: str) -> str:
        """Return all that a service's only container has written."""
        (container,) = self.containers(service)
        return self._engine.do("logs", container, stderr=subprocess.STDOUT)

    def kill(self, container: str) -> None:
        """Kill a container, as a machine that is switched off would."""
        self._engine.do("kill", container)
