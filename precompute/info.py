"""`precompute info`: what a database holds and what it takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import typer

from console.options import DEFAULT_CARDS, CardsOption, DatabaseOption, JsonOption
from engine.errors import counted
from engine.game.cards import load_cards
from precompute.report import print_layers
from store.generations import DEFAULT_DATABASE, Folder
from store.reader import Reader
from store.summary import summarise


def info(
    *,
    db: DatabaseOption = DEFAULT_DATABASE,
    json_output: JsonOption = False,
    cards: CardsOption = DEFAULT_CARDS,
) -> None:
    """Show what a database holds: versions, deals, states and bytes by ply, digest.

    Example: precompute info --db data/db
    """
    facts = describe(db, cards)
    if json_output:
        typer.echo(json.dumps(facts))
        return
    typer.echo(
        f"{facts['path']}, {facts['generation']}: {counted(facts['deals'], 'deal')}, "
        f"{facts['total']['states']:,} states, {facts['file_bytes']:,} bytes on disk\n"
        f"format {facts['format']}, engine revision {facts['revision']}, cards {facts['cards']}\n"
        f"content digest {facts['digest']}"
    )
    for kind, count in facts["kinds"].items():
        typer.echo(f"  {count:,} × {kind}")
    print_layers(facts["layers"])
    if facts["unfinished"]:
        typer.echo(f"half-built beside it: {facts['unfinished']} (go on with --resume)")


def describe(path: Path, cards: Path) -> dict[str, Any]:
    """Return the facts of the published database at `path`."""
    unfinished = Folder(path).unfinished()
    return {
        "path": str(path),
        "unfinished": unfinished.name if unfinished else None,
        **summarise(Reader(path, load_cards(cards))),
    }
