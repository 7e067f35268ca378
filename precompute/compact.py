"""`precompute compact`: make one part of all, and drop what no generation lists any more."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from console.options import DEFAULT_CARDS, DEFAULT_DATABASE, CardsOption, DatabaseOption, JsonOption
from engine.errors import HalfBuiltError, counted
from engine.game.cards import load_cards
from store.generations import Folder
from store.merge import merge


def compact(
    *,
    db: DatabaseOption = DEFAULT_DATABASE,
    drop_damaged: Annotated[
        bool, typer.Option("--drop-damaged", help="Go on without parts that are damaged.")
    ] = False,
    json_output: JsonOption = False,
    cards: CardsOption = DEFAULT_CARDS,
) -> None:
    """Merge all parts of a database into one; one of an earlier version is converted.

    Example: precompute compact --db data/db
    """
    folder, catalogue = Folder(db), load_cards(cards)
    folder.served()
    with folder.locked():
        if folder.unfinished():
            raise HalfBuiltError(
                f"{folder.job} is half-built: precompute --resume goes on with it; compact then"
            )
        before = folder.served()
        if before.is_old:
            typer.echo(f"precompute: {before.format_note}: it is converted", err=True)
        after = merge(folder, catalogue, drops_damaged=drop_damaged)
        folder.remove_unlisted(stay=1)
    facts = {
        "generation": after.name,
        "parts_before": len(before.parts),
        "bytes_before": sum(part.bytes for part in before.parts),
        "bytes": sum(part.bytes for part in after.parts),
        "digest": after.totals["digest"],
    }
    if json_output:
        typer.echo(json.dumps(facts))
        return
    typer.echo(
        f"{counted(len(before.parts), 'part')} with {facts['bytes_before']:,} bytes became one "
        f"with {facts['bytes']:,}; {after.name}, content digest {facts['digest']}"
    )
