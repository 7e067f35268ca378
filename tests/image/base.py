"""What images are built from, whoever builds them: a base, and pip's settings of this machine."""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Iterable, Mapping
from pathlib import Path

ROOT = Path(__file__).parent.parent.parent
DOCKERFILE = ROOT / "Dockerfile"
LONGEST_TOLD = 10_000  # characters of what a command printed that failed


def base_name() -> str:
    """Return the name of the image that the Dockerfile begins with."""
    (name,) = re.findall(r"^ARG BASE=(.+)$", DOCKERFILE.read_text("utf-8"), re.MULTILINE)
    return str(name)


def bootstrap(system: Path) -> None:
    """Make a folder of the base's Debian release as far as it matters here: it has python3."""
    release = base_name().rpartition("-")[2]
    options = ["--variant=minbase", "--include=python3,python3-venv"]
    subprocess.run(
        ["debootstrap", *options, release, str(system)], check=True, stdout=subprocess.DEVNULL
    )


def pip_settings() -> dict[str, str]:
    """Return pip's settings here, from its files and the environment."""
    listed = subprocess.run(
        [sys.executable, "-m", "pip", "config", "list"], check=True, capture_output=True, text=True
    ).stdout
    return dict(re.findall(r"^[^.]+\.([\w-]+)='(.*)'$", listed, re.MULTILINE))


def write_pip_settings(settings: Mapping[str, str], path: Path) -> None:
    """Write a file that pip reads."""
    lines = [f"{name} = {value}\n" for name, value in settings.items()]
    path.write_text("".join(["[global]\n", *lines]))


def local_places(values: Iterable[str]) -> list[str]:
    """Return the files and folders that settings name; an index has its files beside /simple."""
    paths = re.findall(r"(?:file://)?(/[^\s:]+)", " ".join(values))
    return sorted({path.removesuffix("/simple") for path in paths if Path(path).exists()})
