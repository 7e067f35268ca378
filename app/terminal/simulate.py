"""Random games without a picture: how fast the engine plays."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass

from engine.game.board import CELLS
from engine.game.dealing import Dealer, game_random
from engine.game.playout import play_random_games

GAMES_PER_DEAL = 1_000


@dataclass(frozen=True)
class Simulation:
    """What was played and how long it took, compilation and dealing not counted."""

    games: int
    deals: int
    seconds: float
    starter_cards: float  # on the board at the end, mean

    @property
    def games_per_second(self) -> float:
        """Return the rate of whole games."""
        return self.games / self.seconds

    @property
    def steps_per_second(self) -> float:
        """Return the rate of placements."""
        return self.games_per_second * CELLS


def simulate(
    dealer: Dealer, games: int, advance: Callable[[int], None] = lambda _games: None
) -> Simulation:
    """Play `games` random games, a thousand of each sampled deal; report by `advance`."""
    seconds, won, number = 0.0, 0, 0
    for number, start in enumerate(range(0, games, GAMES_PER_DEAL)):
        deal = dealer.deal(number)
        random = game_random(dealer.seed, number, 0)
        play_random_games(deal.duels, 0, random)  # compiles, the first time
        count = min(GAMES_PER_DEAL, games - start)
        began = time.perf_counter()
        won += play_random_games(deal.duels, count, random)
        seconds += time.perf_counter() - began
        advance(count)
    return Simulation(games, number + 1, seconds, won / games)
