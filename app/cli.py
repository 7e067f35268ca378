"""The commands for people: play, simulate, serve."""

from __future__ import annotations

import io
import json
import sys
from typing import Annotated

import typer

from app.play import GivenUpError, Table
from app.players import PlayerKind
from app.simulate import simulate
from console.options import (
    DEFAULT_CARDS,
    CardsOption,
    ElementsOption,
    FirstOption,
    HandsOption,
    JsonOption,
    NumberOption,
    RulesOption,
    SeedOption,
    StrategyOption,
    VariantOption,
    chosen_deal,
    make_dealer,
)
from console.progress import progress_bar
from console.run import FAILED
from engine.cards import load_cards
from engine.deal import Player
from engine.dealing import Strategy
from engine.rules import Variant
from engine.solve import Solver
from engine.state import State

KindOption = Annotated[PlayerKind, typer.Option(help="Who plays this side.")]


def play(  # noqa: PLR0913  one parameter for each option
    *,
    hands: HandsOption = None,
    seed: SeedOption = 0,
    number: NumberOption = 0,
    strategy: StrategyOption = Strategy.RANDOM,
    rules: RulesOption = "none",
    variant: VariantOption = Variant.TRIPLECARGO,
    elements: ElementsOption = "ff8",
    first: FirstOption = "random",
    a: KindOption = PlayerKind.HUMAN,
    b: KindOption = PlayerKind.GREEDY,
    hints: Annotated[bool, typer.Option("--hints", help="Show what each move is worth.")] = False,
    review: Annotated[
        bool, typer.Option("--review", help="After the game, what each move gave away.")
    ] = False,
    cards: CardsOption = DEFAULT_CARDS,
) -> None:
    """Play a game in the terminal.

    Example: triad play --seed 7 --rules same,plus --variant ff8 --b perfect --review
    """
    catalogue = load_cards(cards)
    dealer = make_dealer(
        catalogue,
        seed=seed,
        strategy=strategy,
        rules=rules,
        variant=variant,
        elements=elements,
        first=first,
    )
    state = State.start(chosen_deal(dealer, hands, number))
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # bytes that are no text are a wrong answer
    kinds = {Player.A: a, Player.B: b}
    table = Table(catalogue, kinds, typer.echo, ask_person, Solver(), hints, seed, number)
    try:
        turns = table.play(state)
        if review:
            table.say_review(turns)
    except GivenUpError:
        typer.echo("the game was left unfinished")


def ask_person(question: str) -> str:
    """Return a line from the terminal; the end of input leaves the game."""
    if sys.stdin is None:
        raise GivenUpError
    try:
        return input(question)
    except EOFError:
        raise GivenUpError from None


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


def serve() -> None:
    """Say what is missing: the service is not part of this version."""
    typer.echo("triad: the service is not part of this version; `triad play` is", err=True)
    raise typer.Exit(FAILED)


def mount(commands: typer.Typer) -> None:
    """Add this package's commands to `commands`."""
    commands.command("play")(play)
    commands.command("simulate")(simulate_games)
    commands.command("serve")(serve)
