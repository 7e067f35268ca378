"""`triad play`: a game in the terminal."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from app.terminal.judge import Judge
from app.terminal.play import GivenUpError, TerminalGame
from app.terminal.players import PlayerKind
from console.deals import chosen_deal, make_dealer
from console.options import (
    DEFAULT_CARDS,
    CardsOption,
    ElementsOption,
    FirstOption,
    HandsOption,
    NumberOption,
    RulesOption,
    SeedOption,
    StrategyOption,
    VariantOption,
)
from engine.game.cards import Catalogue, load_cards
from engine.game.deal import Player
from engine.game.rules import Variant
from engine.game.state import State
from engine.game.strategy import Strategy

if TYPE_CHECKING:  # a game without a database does not wait for what reads one
    from store.oracle import Oracle

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
    db: Annotated[Path | None, typer.Option(help="A database with tables of Sudden Death.")] = None,
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
    state.rules.check_rounds()
    judge = Judge(open_tables(db, catalogue) if db else None)
    game = TerminalGame(catalogue, kinds, typer.echo, ask_person, judge, hints, seed, number)
    try:
        turns = game.play(state)
        if review:
            game.say_review(turns)
    except GivenUpError:
        typer.echo("the game was left unfinished")


def open_tables(path: Path, catalogue: Catalogue) -> Oracle:
    """Return the database that has tables of Sudden Death."""
    from store.oracle import Oracle
    from store.reader import Reader

    return Oracle(Reader(path, catalogue))


def ask_person(question: str) -> str:
    """Return a line from the terminal; the end of input leaves the game."""
    if sys.stdin is None:
        raise GivenUpError
    try:
        return input(question)
    except EOFError:
        raise GivenUpError from None
