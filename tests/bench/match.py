"""Matches: whole games a second, of players that think little and of those that search."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial

from advise.match import GAMES_PER_DEAL, Match
from advise.opponents import parse_opponent
from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer
from engine.game.rules import Rules, Variant
from tests.bench.figures import Figure, measure_rate

CASES = (  # players, deals
    ("random", "random", 200),
    ("greedy", "random", 200),
    ("humanlike:60", "greedy", 100),
    ("ff8:search=2,levels=1-3", "greedy", 100),
    ("perfect", "greedy", 10),
)


def game_rate(match: Match, deals: int) -> float:
    """Return the games per second of a match, in one thread."""
    match.play(0)  # compiles
    began = time.perf_counter()
    for number in range(deals):
        match.play(number)
    return deals * GAMES_PER_DEAL / (time.perf_counter() - began)


def figures() -> Iterator[Figure]:
    """Measure each pair of players, without rules."""
    dealer = Dealer(default_catalogue(), 0, Rules(variant=Variant.FF8, open=True))
    for first, second, deals in CASES:
        match = Match(dealer, parse_opponent(first), parse_opponent(second))
        name = f"match, {first} against {second}"
        yield measure_rate(name, "games", partial(game_rate, match, deals))
