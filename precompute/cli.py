"""The `precompute` command."""

from __future__ import annotations

import sys
from typing import NoReturn

import typer

from console.run import run
from precompute.build import build
from precompute.evaluate import evaluate
from precompute.info import info
from precompute.verify import verify

# The spellings of the program this one grew from.
ALIASES = {"--eval-state": "eval"}

commands = typer.Typer(add_completion=False, rich_markup_mode=None)
commands.callback(invoke_without_command=True)(build)
commands.command("eval")(evaluate)
commands.command("info")(info)
commands.command("verify")(verify)


def main() -> NoReturn:
    """Run the command line."""
    run(commands, "precompute", with_subcommand(sys.argv[1:]))


def with_subcommand(arguments: list[str]) -> list[str]:
    """Return the arguments with an aliased option made the subcommand it stands for."""
    for alias, subcommand in ALIASES.items():
        if alias in arguments:
            return [subcommand, *(argument for argument in arguments if argument != alias)]
    return arguments
