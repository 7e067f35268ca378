"""Options by which a deal is asked for, spelled alike in every command."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import DealError, NotationError
from engine.game.cards import CARD_FILE, Catalogue
from engine.game.deal import Deal, Elements, Player
from engine.game.dealing import Dealer, ElementSource, Strategy
from engine.game.rules import Rules, Variant
from engine.text.notation import parse_hands, parse_layout, parse_rules

CardsOption = Annotated[
    Path, typer.Option("--cards", help="The card file.", show_default="the project's own")
]
DEFAULT_CARDS = CARD_FILE
HandsOption = Annotated[
    str | None,
    typer.Option(help="Two hands, ids or names: 1,2,3,4,5:6,7,8,9,10. Sampled when left out."),
]
SeedOption = Annotated[int, typer.Option(help="Seed of everything that is drawn.")]
NumberOption = Annotated[int, typer.Option(help="Number of the sampled deal.")]
StrategyOption = Annotated[Strategy, typer.Option(help="How hands are sampled.")]
RulesOption = Annotated[str, typer.Option(help="none, or some of elemental,same,plus,same_wall.")]
VariantOption = Annotated[Variant, typer.Option(help="Whose reading of the rules is in force.")]
ElementsOption = Annotated[
    str, typer.Option(help="none, random, ff8 (as the game deals), or nine: F,-,-,I,-,-,-,-,-.")
]
FirstOption = Annotated[str, typer.Option(help="Who starts: A, B or random.")]
DatabaseOption = Annotated[Path, typer.Option("--db", help="The folder of the database.")]
JsonOption = Annotated[bool, typer.Option("--json", help="One JSON object for a program to read.")]


def is_given(context: typer.Context, name: str) -> bool:
    """Tell whether an option stands on the command line."""
    source = context.get_parameter_source(name)
    return source is not None and source.name == "COMMANDLINE"


def spelled(name: str) -> str:
    """Return an option as it is written: --hand-strategy."""
    return "--" + name.replace("_", "-")


def refuse_given(context: typer.Context, names: Iterable[str], allowed: str) -> None:
    """Raise `DealError` for the first of these options that was given, though it has no say."""
    for name in names:
        if is_given(context, name):
            raise DealError.of(spelled(name), context.params[name], allowed)


def parse_elements(text: str) -> ElementSource | Elements:
    """Return how the elements are chosen: drawn, or as given."""
    names = [source.value for source in ElementSource]
    return ElementSource(text) if text in names else parse_layout(text)


def parse_first(text: str, allowed: str = "A, B or random") -> Player | None:
    """Return who starts; None when it is to be drawn."""
    if text == "random":
        return None
    if text not in Player.__members__:
        raise NotationError.of("first", text, allowed)
    return Player[text]


def chosen_deal(dealer: Dealer, hands: str | None, number: int) -> Deal:
    """Return the given hands as a deal, or the sampled deal `number`."""
    return dealer.deal(number, parse_hands(hands, dealer.catalogue) if hands else None)


def make_dealer(  # noqa: PLR0913  one parameter for each option
    catalogue: Catalogue,
    *,
    seed: int,
    strategy: Strategy,
    rules: str,
    variant: Variant,
    elements: str,
    first: str,
) -> Dealer:
    """Return the dealer that the options describe."""
    in_force: Rules = parse_rules(rules, variant)
    return Dealer(catalogue, seed, in_force, strategy, parse_elements(elements), parse_first(first))
