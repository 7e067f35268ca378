"""The `precompute` command."""

from __future__ import annotations

from typing import NoReturn

import typer

from console.run import run

commands = typer.Typer(
    help="Solve deals ahead of time.", add_completion=False, rich_markup_mode=None
)


@commands.callback(invoke_without_command=True)
def precompute() -> None:
    """Say what is missing: databases are not part of this version."""
    typer.echo("precompute: databases are not part of this version", err=True)
    raise typer.Exit(1)


def main() -> NoReturn:
    """Run the command line."""
    run(commands, "precompute")
