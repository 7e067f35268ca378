"""`triad match`: two players, many games, and how sure the result is."""

from __future__ import annotations

import json
import time
from typing import Annotated

import typer

from advise.match import GAMES_PER_DEAL, Match, check_plies
from advise.opponents import parse_player
from app.terminal.match import match_object, match_text, play_match
from console.deals import make_dealer
from console.options import (
    DEFAULT_CARDS,
    CardsOption,
    ClosedOption,
    ElementsOption,
    FirstOption,
    JsonOption,
    RulesOption,
    SeedOption,
    StrategyOption,
    VariantOption,
)
from console.progress import progress_bar
from engine.errors import DealError
from engine.game.cards import load_cards
from engine.game.rules import Variant
from engine.game.strategy import Strategy
from work.machine import count_cores

PlayerOption = Annotated[
    str,
    typer.Option(
        help="perfect, random, greedy, tremble:0.1, softmax:0.05, humanlike:60, "
        "ff8:search=2,strategy=0,levels=1-3, optimal:levels=1-2 or robust."
    ),
]


def match_games(  # noqa: PLR0913  one parameter for each option
    *,
    a: PlayerOption,
    b: PlayerOption,
    games: Annotated[
        int, typer.Option(min=2, help="How many games: an even number, two of each deal.")
    ] = 1_000,
    seed: SeedOption = 0,
    strategy: StrategyOption = Strategy.RANDOM,
    rules: RulesOption = "none",
    variant: VariantOption = Variant.TRIPLECARGO,
    elements: ElementsOption = "ff8",
    first: FirstOption = "random",
    closed: ClosedOption = False,
    from_ply: Annotated[int, typer.Option(help="Random play before this ply.")] = 0,
    forecast_ply: Annotated[
        int | None, typer.Option(help="Note what players expect from this ply on, and show it.")
    ] = None,
    threads: Annotated[
        int | None, typer.Option(min=1, help="Threads.", show_default="one per core")
    ] = None,
    as_json: JsonOption = False,
    cards: CardsOption = DEFAULT_CARDS,
) -> None:
    """Play two players against each other, each deal from both sides.

    Example: triad match --a humanlike:60 --b greedy --games 2000 --seed 7 --variant ff8
    """
    if games % GAMES_PER_DEAL:
        raise DealError.of("games", games, "an even number: each deal is played from both sides")
    check_plies(from_ply, forecast_ply)
    dealer = make_dealer(
        load_cards(cards),
        is_open=not closed,
        seed=seed,
        strategy=strategy,
        rules=rules,
        variant=variant,
        elements=elements,
        first=first,
    )
    first_player, second_player = (
        parse_player(text, name, dealer.catalogue) for name, text in (("--a", a), ("--b", b))
    )
    match = Match(dealer, first_player, second_player, from_ply=from_ply, forecast_ply=forecast_ply)
    began = time.perf_counter()
    with progress_bar() as progress:
        task = progress.add_task("games", total=games)
        results = play_match(
            match,
            range(games // GAMES_PER_DEAL),
            threads or count_cores(),
            lambda count: progress.advance(task, count),
        )
    rate = games / (time.perf_counter() - began)
    typer.echo(f"{rate:,.1f} games/s", err=True)
    if as_json:
        typer.echo(json.dumps(match_object(match, results)))
    else:
        typer.echo(match_text(match, results))
