"""Options that several commands have, spelled alike in each.

Whoever asks for help waits for this file, so it loads little: what options say is made into deals
by `console.deals`.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Annotated

import typer

from engine.errors import DealError
from engine.game.cards import CARD_FILE
from engine.game.rules import Variant
from engine.game.strategy import Strategy

CardsOption = Annotated[
    Path, typer.Option("--cards", help="The card file.", show_default="the project's own")
]
DEFAULT_CARDS = CARD_FILE
DEFAULT_DATABASE = Path("data/db")
HandsOption = Annotated[
    str | None,
    typer.Option(help="Two hands, ids or names: 1,2,3,4,5:6,7,8,9,10. Sampled when left out."),
]
SeedOption = Annotated[int, typer.Option(help="Seed of everything that is drawn.")]
NumberOption = Annotated[int, typer.Option(help="Number of the sampled deal.")]
StrategyOption = Annotated[Strategy, typer.Option(help="How hands are sampled.")]
RulesOption = Annotated[
    str, typer.Option(help="none, or some of elemental,same,plus,same_wall,sudden_death.")
]
VariantOption = Annotated[Variant, typer.Option(help="Whose reading of the rules is in force.")]
ElementsOption = Annotated[
    str, typer.Option(help="none, random, ff8 (as the game deals), or nine: F,-,-,I,-,-,-,-,-.")
]
ClosedOption = Annotated[
    bool, typer.Option("--closed", help="Hands are hidden: the rule Open is off.")
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
