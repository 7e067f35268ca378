"""`triad simulate`: random games, and how fast."""

from __future__ import annotations

import json
from typing import Annotated

import typer

from app.terminal.simulate import simulate
from console.deals import make_dealer
from console.options import (
    DEFAULT_CARDS,
    CardsOption,
    ElementsOption,
    JsonOption,
    RulesOption,
    SeedOption,
    StrategyOption,
    VariantOption,
)
from console.progress import progress_bar
from engine.game.cards import load_cards
from engine.game.rules import Variant
from engine.game.strategy import Strategy


def simulate_games(  # noqa: PLR0913  one parameter for each option
    *,
    games: Annotated[int, typer.Option(min=1, help="How many games.")] = 100_000,
    seed: SeedOption = 0,
    strategy: StrategyOption = Strategy.RANDOM,
    rules: RulesOption = "elemental,same,plus,same_wall",
    variant: VariantOption = Variant.TRIPLECARGO,
    elements: ElementsOption = "ff8",
    as_json: JsonOption = False,
    cards: CardsOption = DEFAULT_CARDS,
) -> None:
    """Play random games in compiled code and report the rate.

    Example: triad simulate --games 1000000 --seed 1 --variant ff8
    """
    dealer = make_dealer(
        load_cards(cards),
        seed=seed,
        strategy=strategy,
        rules=rules,
        variant=variant,
        elements=elements,
        first="random",
    )
    with progress_bar() as progress:
        task = progress.add_task("games", total=games)
        result = simulate(dealer, games, lambda count: progress.advance(task, count))
    figures = {
        "games": result.games,
        "deals": result.deals,
        "seconds": round(result.seconds, 6),
        "games_per_second": round(result.games_per_second),
        "steps_per_second": round(result.steps_per_second),
        "starter_cards": round(result.starter_cards, 4),
    }
    if as_json:
        typer.echo(json.dumps(figures))
        return
    typer.echo(
        f"{result.games:,} games of {result.deals:,} deals in {result.seconds:.2f} s, "
        f"dealing not counted: "
        f"{result.games_per_second:,.0f} games/s, {result.steps_per_second:,.0f} steps/s; "
        f"the starter owns {result.starter_cards:.2f} of nine cards in the mean"
    )
