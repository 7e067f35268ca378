"""A line about what a command is doing, on stderr."""

from __future__ import annotations

import typer


def say(text: str) -> None:
    """Write one line on stderr."""
    typer.echo(f"precompute: {text}", err=True)
