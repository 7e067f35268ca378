"""Progress bars, on a terminal, on stderr, for work that takes a while."""

from __future__ import annotations

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TextColumn,
    TimeRemainingColumn,
)
from rich.text import Text


class RateColumn(ProgressColumn):
    """How much is done per second."""

    def render(self, task: Task) -> Text:
        """Return the rate, or nothing while none is known."""
        return Text(f"{task.speed:,.0f}/s" if task.speed else "")


def progress_bar(*columns: ProgressColumn) -> Progress:
    """Return a bar with remaining time; silent when not on a terminal.

    Between the bar and the time stand the columns given, or count and rate.
    """
    console = Console(stderr=True)
    columns = columns or (MofNCompleteColumn(), RateColumn())
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        *columns,
        TimeRemainingColumn(),
        console=console,
        disable=not console.is_terminal,
        transient=True,
    )
