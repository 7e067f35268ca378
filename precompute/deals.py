"""`precompute info --deals`: the deals of a database, a line for each, as they are found."""

from __future__ import annotations

from pathlib import Path

import typer

from engine.errors import DamagedError, counted
from engine.game.cards import Catalogue
from engine.text.notation import FIELD
from engine.text.objects import StoredDeal, encode
from store.deals import DealFilter, pages
from store.reader import Reader


def list_deals(path: Path, catalogue: Catalogue, wanted: DealFilter, *, json_output: bool) -> None:
    """Write the deals of the database at `path` that are wanted."""
    reader = Reader(path, catalogue)
    try:
        for page in pages(reader, wanted, on_damage=tell_damage):
            for deal in page.deals:
                typer.echo(encode(deal) if json_output else line_of(deal, catalogue))
    finally:
        reader.close()


def tell_damage(error: DamagedError) -> None:
    """Say what cannot be read, and go on."""
    typer.echo(f"precompute: {error}", err=True)


def line_of(deal: StoredDeal, catalogue: Catalogue) -> str:
    """Return a deal in one line: rules, elements, depth, margin, and who has which cards."""
    columns = (
        f"{deal.notation.partition(FIELD)[0]:8}",
        "".join(letter or "-" for letter in deal.elements or [None] * 9),
        f"ply {deal.ply} to {deal.plies}",
        f"{counted(deal.states, 'state'):>18}",
        f"A {margin_text(deal.margin):>3}",
        " : ".join(names_of(hand, catalogue) for hand in (deal.hands.A, deal.hands.B)),
        *([f"on the board: {names_of(placed, catalogue)}"] if (placed := placed_in(deal)) else []),
    )
    return "  ".join(columns)


def margin_text(margin: int | None) -> str:
    """Return a margin with its sign, zero without; a question mark where it is not known."""
    if margin is None:
        return "?"
    return f"{margin:+d}" if margin else "0"


def placed_in(deal: StoredDeal) -> list[int]:
    """Return the cards that lie on the board."""
    return [cell.card_id for cell in deal.board or () if cell.card_id is not None]


def names_of(card_ids: list[int], catalogue: Catalogue) -> str:
    """Return the names of cards."""
    return ", ".join(catalogue[card_id].name for card_id in card_ids)
