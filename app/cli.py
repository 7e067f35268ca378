"""The commands for people: play, simulate, serve."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Annotated, Any

import typer

from app.serve import bind, serve
from app.settings import Settings, load_settings, parse_origins
from app.terminal.play import GivenUpError, TerminalGame
from app.terminal.players import PlayerKind
from app.terminal.simulate import simulate
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
from engine.game.cards import load_cards
from engine.game.deal import Player
from engine.game.dealing import Strategy
from engine.game.rules import Variant
from engine.game.state import State
from engine.search.solver import Solver


def setting(name: str) -> Any:
    """Return the option of a setting of the service."""
    field = Settings.model_fields[name]
    shown = field.get_default(call_default_factory=True)
    text = ",".join(shown) if isinstance(shown, list) else str(shown)
    return typer.Option(help=f"{field.description}.", show_default=text)


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
    game = TerminalGame(catalogue, kinds, typer.echo, ask_person, Solver(), hints, seed, number)
    try:
        turns = game.play(state)
        if review:
            game.say_review(turns)
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


def serve_command(  # noqa: PLR0913  one parameter for each setting
    *,
    host: Annotated[str | None, setting("host")] = None,
    port: Annotated[int | None, setting("port")] = None,
    workers: Annotated[int | None, setting("workers")] = None,
    db: Annotated[Path | None, setting("db")] = None,
    cards: Annotated[Path | None, setting("cards")] = None,
    solver_threads: Annotated[int | None, setting("solver_threads")] = None,
    queue: Annotated[int | None, setting("queue")] = None,
    time_limit: Annotated[float | None, setting("time_limit")] = None,
    answers_kept: Annotated[int | None, setting("answers_kept")] = None,
    blocks_kept: Annotated[int | None, setting("blocks_kept")] = None,
    body_limit: Annotated[int | None, setting("body_limit")] = None,
    batch_limit: Annotated[int | None, setting("batch_limit")] = None,
    poll_seconds: Annotated[float | None, setting("poll_seconds")] = None,
    drain_seconds: Annotated[int | None, setting("drain_seconds")] = None,
    cors_origins: Annotated[str | None, setting("cors_origins")] = None,
    log_level: Annotated[str | None, setting("log_level")] = None,
    access_log: Annotated[bool | None, setting("access_log")] = None,
    slow_seconds: Annotated[float | None, setting("slow_seconds")] = None,
) -> None:
    """Serve answers over HTTP, from the database and by search.

    Example: triad serve --port 8000 --workers 2 --db data/db
    """
    given = {name: value for name, value in locals().items() if value is not None}
    if "cors_origins" in given:
        given["cors_origins"] = parse_origins(given["cors_origins"])
    settings = load_settings(given)
    load_cards(settings.cards)
    listener = bind(settings.host, settings.port)
    port = listener.getsockname()[1]
    typer.echo(f"triad: serving at http://{settings.host}:{port}", err=True)
    serve(settings, listener)


def mount(commands: typer.Typer) -> None:
    """Add this package's commands to `commands`."""
    commands.command("play")(play)
    commands.command("simulate")(simulate_games)
    commands.command("serve")(serve_command)
