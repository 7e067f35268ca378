"""The `triad` command: mounts the packages' commands, nothing else."""

from __future__ import annotations

from typing import NoReturn

from app.cli import COMMANDS
from console.commands import make_group
from console.run import run


def triad() -> None:
    """Triple Triad: play it, and serve its perfect play."""


commands = make_group(triad, *COMMANDS)


def main() -> NoReturn:
    """Run the command line."""
    run(commands, "triad")
