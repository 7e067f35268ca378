"""Commands that are loaded when they are named, so that each waits for what it needs alone."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any, NamedTuple

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command, get_group


class Named(NamedTuple):
    """A command by its name: where it is, and what the list of commands says of it."""

    name: str
    path: str  # module:function
    summary: str  # the first line of its own help, which is not loaded for the list


class LazyCommand(TyperCommand):
    """Stands for a command in its group, until it is run, or asked for its own help."""

    def __init__(self, named: Named) -> None:
        """Say no more than its name and summary."""
        super().__init__(named.name, help=named.summary, rich_markup_mode=None)
        self.named = named

    def make_context(self, *arguments: Any, **named: Any) -> Any:
        """Load the command and have it read its arguments."""
        return self.load().make_context(*arguments, **named)

    def load(self) -> Any:
        """Return the command itself."""
        module, _, function = self.named.path.partition(":")
        return get_command(_typer_of(getattr(import_module(module), function)))


def make_group(
    callback: Callable[..., None], *commands: Named, is_command: bool = False
) -> TyperGroup:
    """Return commands as a group; its callback may be a command too, when no other is named."""
    group = typer.Typer(add_completion=False, rich_markup_mode=None)
    group.callback(invoke_without_command=is_command)(callback)
    result = get_group(group)
    for named in commands:
        result.add_command(LazyCommand(named))
    return result


def _typer_of(function: Callable[..., None]) -> typer.Typer:
    single = typer.Typer(add_completion=False, rich_markup_mode=None)
    single.command()(function)
    return single
