"""Random games with all rules on, one core."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from advise.models import any_move
from app.terminal.simulate import simulate
from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer, ElementSource, game_random
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from tests.bench.figures import Figure, measure_rate

COMPILED_GAMES = 300_000
OBJECT_GAMES = 1_000
GAMES_PER_DEAL = 10


def compiled_rate(dealer: Dealer) -> float:
    """Return the games per second inside compiled code."""
    return simulate(dealer, COMPILED_GAMES).games_per_second


def object_rate(dealer: Dealer) -> float:
    """Return the games per second through the public objects, a new deal every ten games."""
    opening = State.start(dealer.deal(0))
    opening.play(opening.legal_moves()[0])  # compiles
    began = time.perf_counter()
    for number in range(OBJECT_GAMES // GAMES_PER_DEAL):
        start = State.start(dealer.deal(number))
        random = game_random(dealer.seed, number, 0)
        for _ in range(GAMES_PER_DEAL):
            state = start
            while not state.is_over:
                state = state.play(any_move(state, random))
    return OBJECT_GAMES / (time.perf_counter() - began)


def figures() -> Iterator[Figure]:
    """Measure both variants, compiled and through the public objects."""
    for variant in Variant:
        dealer = Dealer(
            default_catalogue(), 0, Rules.of(SWITCHES, variant), elements=ElementSource.FF8
        )
        yield measure_rate(
            f"random games, compiled, {variant.value}",
            "games",
            partial(compiled_rate, dealer),
        )
        yield measure_rate(
            f"random games, public objects, {variant.value}",
            "games",
            partial(object_rate, dealer),
        )
