"""The `triad` command: mounts the packages' commands, nothing else."""

from __future__ import annotations

from typing import NoReturn

import typer

import app.cli
from console.run import run

commands = typer.Typer(
    help="Triple Triad: play it, and serve its perfect play.",
    add_completion=False,
    rich_markup_mode=None,
)
app.cli.mount(commands)


def main() -> NoReturn:
    """Run the command line."""
    run(commands, "triad")
