"""The `precompute` command."""

from __future__ import annotations

import sys
from typing import NoReturn

import typer

from console.run import run
from precompute.build import build
from precompute.evaluate import evaluate
from precompute.export.command import export
from precompute.info import info
from precompute.verify import verify

# The spellings of the program this one grew from: subcommands, and options of one.
ALIASES = {"--eval-state": "eval"}
EXPORT_ALIASES = {"--export": "--out", "--export-mode": "--mode"}

commands = typer.Typer(add_completion=False, rich_markup_mode=None)
commands.callback(invoke_without_command=True)(build)
commands.command("eval")(evaluate)
commands.command("export")(export)
commands.command("info")(info)
commands.command("verify")(verify)


def main() -> NoReturn:
    """Run the command line."""
    run(commands, "precompute", with_subcommand(sys.argv[1:]))


def with_subcommand(arguments: list[str]) -> list[str]:
    """Return the arguments with aliased options made the subcommand they stand for."""
    for alias, subcommand in ALIASES.items():
        if alias in arguments:
            return [subcommand, *(argument for argument in arguments if argument != alias)]
    names = [argument.partition("=")[0] for argument in arguments]
    if EXPORT_ALIASES.keys() & names:
        spelled = [
            EXPORT_ALIASES.get(name, name) + argument[len(name) :]
            for name, argument in zip(names, arguments, strict=True)
        ]
        return ["export", *spelled]
    return arguments
