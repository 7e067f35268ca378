"""The `precompute` command."""

from __future__ import annotations

import sys
from typing import NoReturn

from console.commands import Named, make_group
from console.run import run
from precompute.build import build

# The spellings of the program this one grew from: subcommands, and options of one.
ALIASES = {"--eval-state": "eval"}
EXPORT_ALIASES = {"--export": "--out", "--export-mode": "--mode"}

commands = make_group(
    build,
    Named(
        "compact",
        "precompute.compact:compact",
        "Merge all parts of a database into one; one of an earlier version is converted.",
    ),
    Named(
        "eval",
        "precompute.evaluate:evaluate",
        "Read one state as JSON on stdin; write its answer as JSON on stdout.",
    ),
    Named(
        "export",
        "precompute.export.command:export",
        "Write labelled states: the same bytes for the same seed and options, "
        "whatever the threads.",
    ),
    Named(
        "info",
        "precompute.info:info",
        "Show what a database holds: versions, deals, states and bytes by ply, digest.",
    ),
    Named(
        "verify",
        "precompute.verify:verify",
        "Check a database: every block, all counts and digests, sampled states against the search.",
    ),
    is_command=True,
)


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
