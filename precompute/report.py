"""What a database takes, ply by ply, as a table."""

from __future__ import annotations

from typing import Any

from rich.console import Console
from rich.table import Table


def print_layers(layers: list[dict[str, Any]], total: dict[str, Any]) -> None:
    """Print the table."""
    table = Table(box=None, header_style="")
    for name in ("ply", "states", "blocks", "bytes", "bits/state"):
        table.add_column(name, justify="right")
    for row in [*layers, {"ply": "all", **total}]:
        numbers = (f"{row[name]:,}" for name in ("states", "blocks", "bytes"))
        table.add_row(str(row["ply"]), *numbers, f"{row['bits_per_state']:.2f}")
    Console().print(table)
