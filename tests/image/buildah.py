"""Images built and run by buildah alone: no Docker engine, and no registry if there is none.

    base     pulled, else made by debootstrap of the same Debian release, with its python3
    image    the Dockerfile, by buildah's chroot isolation
    run      a process in a container, as the user and with the environment of the image

All of it lives in one folder.
"""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.image.base import (
    LONGEST_TOLD,
    ROOT,
    base_name,
    bootstrap,
    local_places,
    pip_settings,
    write_pip_settings,
)

CHROOT = "--isolation=chroot"
IMAGE = "triadbase"


class BuildahError(Exception):
    """A buildah command failed; the message ends as its output did."""


class Workshop:
    """A folder in which the image is made and run."""

    def __init__(self, folder: Path) -> None:
        """Work in `folder`."""
        self.folder = folder
        self.environment = {**os.environ, "TMPDIR": str(folder)}
        store = [f"--root={folder / 'storage'}", f"--runroot={folder / 'run'}"]
        self.buildah = ["buildah", "--storage-driver=vfs", *store]

    def do(self, *arguments: str) -> str:
        """Run a buildah command; return what it printed, or show it when it failed."""
        done = subprocess.run(
            [*self.buildah, *arguments],
            env=self.environment,
            stdout=subprocess.PIPE,
            text=True,
            check=False,
        )
        if done.returncode:
            raise BuildahError(f"buildah {arguments[0]}: {done.stdout[-LONGEST_TOLD:]}")
        return done.stdout.strip()

    def prepare_base(self) -> None:
        """Have the image that the Dockerfile begins with."""
        name = f"docker.io/library/{base_name()}"
        try:
            self.do("pull", "--quiet", name)
        except BuildahError:
            self._make_base(name)

    def _make_base(self, name: str) -> None:
        system = self.folder / "system"
        bootstrap(system)
        container = self.do("from", "scratch")
        self.do("add", "--quiet", container, str(system), "/")
        self.do("commit", "--quiet", "--rm", container, name)

    def build(self, stage: str = "runtime") -> str:
        """Build the image, or a stage of its Dockerfile; return what was printed.

        What one build made serves the next.
        """
        tag = IMAGE if stage == "runtime" else f"{IMAGE}-{stage}"
        options = [CHROOT, "--format=docker", "--pull-never", "--layers"]
        options += [f"--target={stage}", f"--tag={tag}"]
        return self.do("build", *options, *self._pip_options(), str(ROOT))

    def _pip_options(self) -> list[str]:
        """Return what lets pip in there find packages as it does here, and leaves no trace."""
        found = pip_settings()
        settings = self.folder / "pip.conf"
        write_pip_settings(found, settings)
        volumes = [f"--volume={place}:{place}:ro" for place in local_places(found.values())]
        return [f"--secret=id=pip,src={settings}", *volumes]


class Container:
    """A container of the image."""

    def __init__(self, workshop: Workshop) -> None:
        """Make one, with its files out here for all to see."""
        self.workshop = workshop
        self.name = workshop.do("from", "--pull-never", IMAGE)
        self.files = Path(workshop.do("mount", self.name))
        self.log = workshop.folder / "log"
        facts = json.loads(workshop.do("inspect", "--type=image", IMAGE))
        self.config: dict[str, Any] = facts["Docker"]["config"]

    def through_entry_point(self, *command: str) -> list[str]:
        """Return what Docker would start for a command, or for none."""
        return [*self.config["Entrypoint"], *(command or self.config["Cmd"])]

    def start(
        self, command: Sequence[str], volumes: Mapping[Path, str] = {}, **environment: str
    ) -> subprocess.Popen[bytes]:
        """Start a command; the network is this machine's."""
        options = [f"--volume={outside}:{inside}" for outside, inside in volumes.items()]
        options += [f"--env={name}={value}" for name, value in environment.items()]
        return self.spawn(
            [*self.workshop.buildah, "run", CHROOT, *options, self.name, "--", *command]
        )

    def spawn(self, command: Sequence[str]) -> subprocess.Popen[bytes]:
        """Start a process of this machine; what it prints goes into the log."""
        with self.log.open("ab") as output:
            return subprocess.Popen(
                command,
                stdout=output,
                stderr=output,
                env=self.workshop.environment,
                start_new_session=True,  # so that all of it can be told to stop
            )
