"""What the games of a match add up to, seen from the player named first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from advise.match import GAMES_PER_DEAL, Forecast, Pair
from advise.statistics import (
    Bin,
    Estimate,
    Interval,
    calibration,
    estimate,
    paired_difference,
    rating_difference,
    wilson,
)

WIN, DRAW = 1.0, 0.5
_DECIMALS = 6


@dataclass(frozen=True)
class Results:
    """Finished deals; both games of each."""

    pairs: Sequence[Pair]

    @property
    def games(self) -> int:
        """Return how many games were played."""
        return len(self.pairs) * GAMES_PER_DEAL

    def count(self, points: float) -> int:
        """Return how many games gave so many points."""
        return sum(game.points == points for pair in self.pairs for game in pair.games)

    @property
    def wins(self) -> int:
        """Return how many games the player named first has won."""
        return self.count(WIN)

    @property
    def draws(self) -> int:
        """Return how many games were drawn."""
        return self.count(DRAW)

    @property
    def losses(self) -> int:
        """Return how many games the player named first has lost."""
        return self.games - self.wins - self.draws

    @property
    def points(self) -> Estimate:
        """Return the mean points a game; a deal, played from both sides, is one result."""
        return estimate([pair.points for pair in self.pairs])

    @property
    def difference(self) -> Estimate:
        """Return by how many points a game the first is ahead of the second, deal by deal."""
        own = [pair.points for pair in self.pairs]
        return paired_difference(own, [1 - points for points in own])

    @property
    def score(self) -> Estimate:
        """Return the mean score a game: own cards less the other's."""
        return estimate(
            [sum(game.score for game in pair.games) / GAMES_PER_DEAL for pair in self.pairs]
        )

    def forecasts(self, *, is_first: bool) -> list[Forecast]:
        """Return what one of the players expected, and got."""
        return [
            forecast
            for pair in self.pairs
            for game in pair.games
            for forecast in game.forecasts
            if forecast.is_first is is_first
        ]

    def calibration(self, *, is_first: bool) -> list[Bin]:
        """Return one player's forecasts beside its results."""
        noted = self.forecasts(is_first=is_first)
        return calibration([each.expected for each in noted], [each.points for each in noted])

    def as_dict(self) -> dict[str, Any]:
        """Return the results for JSON, rounded to millionths."""
        points, difference = self.points, self.difference
        rating = rating_difference(points.mean)
        return {
            "games": self.games,
            "deals": len(self.pairs),
            "wins": self.wins,
            "draws": self.draws,
            "losses": self.losses,
            "win_interval": _rounded(wilson(self.wins, self.games)),
            "points": round(points.mean, _DECIMALS),
            "points_interval": _rounded(points.interval()),
            "difference": round(difference.mean, _DECIMALS),
            "difference_interval": _rounded(difference.interval()),
            "score": round(self.score.mean, _DECIMALS),
            "rating_difference": rating if rating is None else round(rating, 1),
        }


def bins_as_dicts(bins: Sequence[Bin]) -> list[dict[str, Any]]:
    """Return a calibration for JSON, rounded to millionths."""
    return [
        {
            name: number if isinstance(number, int) else round(number, _DECIMALS)
            for name, number in each._asdict().items()
        }
        for each in bins
    ]


def _rounded(interval: Interval) -> list[float]:
    return [round(interval.low, _DECIMALS), round(interval.high, _DECIMALS)]
