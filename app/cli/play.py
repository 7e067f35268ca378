"""`triad play`: a game in the terminal."""

from __future__ import annotations

import io
import sys
from typing import Annotated

import typer

from advise.match import check_seat
from advise.opponents import HUMAN, parse_seat
from advise.table import seat, slots_of
from app.terminal.play import GivenUpError, TerminalGame
from console.deals import chosen_deal, make_dealer
from console.options import (
    DEFAULT_CARDS,
    CardsOption,
    ClosedOption,
    ElementsOption,
    FirstOption,
    HandsOption,
    NumberOption,
    RulesOption,
    SeedOption,
    StrategyOption,
    VariantOption,
)
from engine.errors import DealError
from engine.game.cards import load_cards
from engine.game.deal import Player
from engine.game.rules import Variant
from engine.game.state import State
from engine.game.strategy import Strategy
from engine.search.solver import Solver

SeatOption = Annotated[
    str,
    typer.Option(
        help="human, perfect, random, greedy, tremble:0.1, softmax:0.05, humanlike:60, "
        "ff8:search=2,strategy=0,levels=1-3, optimal:levels=1-2 or robust."
    ),
]


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
    a: SeatOption = HUMAN,
    b: SeatOption = "greedy",
    closed: ClosedOption = False,
    hints: Annotated[bool, typer.Option("--hints", help="Show what each move is worth.")] = False,
    review: Annotated[
        bool, typer.Option("--review", help="After the game, what each move gave away.")
    ] = False,
    cards: CardsOption = DEFAULT_CARDS,
) -> None:
    """Play a game in the terminal.

    Example: triad play --seed 7 --rules same,plus --variant ff8 --b humanlike:60 --review
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
        is_open=not closed,
    )
    if hints and closed:
        raise DealError.of("--hints", True, "open hands, without --closed")
    players = {Player.A: parse_seat(a, "--a", catalogue), Player.B: parse_seat(b, "--b", catalogue)}
    for player, model in players.items():
        if model is not None:
            check_seat(f"--{player.name.lower()}", model, is_open=not closed)
    deal = chosen_deal(dealer, hands, number)
    deal, slots = (deal, slots_of(deal)) if hands else seat(dealer, number, deal, players)
    if isinstance(sys.stdin, io.TextIOWrapper):
        sys.stdin.reconfigure(errors="replace")  # bytes that are no text are a wrong answer
    game = TerminalGame(
        catalogue, players, typer.echo, ask_person, Solver(), hints, seed, number, slots
    )
    try:
        turns = game.play(State.start(deal))
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
