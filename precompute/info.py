"""`precompute info`: what a database holds and what it takes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer

from console.options import (
    DEFAULT_CARDS,
    DEFAULT_DATABASE,
    CardsOption,
    DatabaseOption,
    JsonOption,
    refuse_given,
)
from engine.errors import counted
from engine.game.cards import load_cards
from engine.game.rules import SWITCHES, Variant
from store.generations import Folder
from store.parts import Parts
from store.summary import summarise

OF_DEALS = ("variant", *SWITCHES, "card")
SwitchOption = Annotated[
    bool | None, typer.Option(help="With --deals: those with it on, or off.", show_default="any")
]


def info(  # noqa: PLR0913  one parameter for each option
    context: typer.Context,
    *,
    db: DatabaseOption = DEFAULT_DATABASE,
    deals: Annotated[
        bool, typer.Option("--deals", help="The deals instead, a line for each.")
    ] = False,
    sudden_death: Annotated[
        bool,
        typer.Option("--sudden-death", help="The tables of Sudden Death instead, one a line."),
    ] = False,
    variant: Annotated[
        Variant | None, typer.Option(help="With --deals: those of a variant.", show_default="any")
    ] = None,
    elemental: SwitchOption = None,
    same: SwitchOption = None,
    plus: SwitchOption = None,
    same_wall: SwitchOption = None,
    card: Annotated[
        str | None,
        typer.Option(help="With --deals: those with a card, its id or name.", show_default="any"),
    ] = None,
    json_output: JsonOption = False,
    cards: CardsOption = DEFAULT_CARDS,
) -> None:
    """Show what a database holds: versions, deals, states and bytes by ply, digest.

    Examples:
      precompute info --db data/db

      precompute info --deals --variant ff8 --no-elemental --card Squall
    """
    if sudden_death:
        from precompute.tables import list_tables

        refuse_given(context, ("deals", *OF_DEALS), "leave it out with --sudden-death")
        list_tables(db, load_cards(cards), json_output=json_output)
        return
    if deals:
        from precompute.deals import list_deals  # reads blocks, which a summary does not wait for
        from store.deals import DealFilter

        catalogue = load_cards(cards)
        card_id = catalogue.find(card).id if card is not None else None
        wanted = DealFilter(elemental, same, plus, same_wall, variant, card_id)
        list_deals(db, catalogue, wanted, json_output=json_output)
        return
    refuse_given(context, OF_DEALS, "only with --deals")
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
    from precompute.report import print_layers  # tables are rich's, which JSON does not wait for

    print_layers(facts["layers"], facts["total"])
    if facts["unfinished"]:
        typer.echo(f"half-built beside it: {facts['unfinished']} (go on with --resume)")


def describe(path: Path, cards: Path) -> dict[str, Any]:
    """Return the facts of the published database at `path`."""
    unfinished = Folder(path).unfinished()
    return {
        "path": str(path),
        "unfinished": unfinished.name if unfinished else None,
        **summarise(Parts([path], load_cards(cards))),
    }
