"""A match carried out by threads, and its results as text."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from advise.match import GAMES_PER_DEAL, Match, Pair
from advise.results import Results, bins_as_dicts
from advise.statistics import Bin, Estimate
from work.tasks import Task
from work.threads import ThreadCrew

DEALS_PER_ITEM = 5  # of a thread's turn: few, as games of strong players take a while


class SilentWatch:
    """Nobody who needs to be told how threads go on."""

    def tell(self, text: str) -> None:
        """Hear of something out of the ordinary."""

    def staff(self, workers: int) -> None:
        """Hear how many workers of a cluster there are."""


@dataclass(frozen=True)
class PlayDeals(Task[range, list[Pair]]):
    """Plays some deals of a match."""

    match: Match
    name = "match"

    def run(self, item: range, threads: int) -> list[Pair]:  # noqa: ARG002  a game is one thread
        """Return both games of each deal."""
        return [self.match.play(number) for number in item]


def play_match(
    match: Match, deals: range, threads: int, advance: Callable[[int], None] = lambda _games: None
) -> Results:
    """Play deals by number; report games by `advance`. The same for any number of threads."""
    pairs: list[Pair] = []
    with (
        ThreadCrew(threads).engaged(PlayDeals(match), SilentWatch()) as crew,
        closing(crew.results(_items(deals))) as results,
    ):
        for part in results:
            pairs += part
            advance(len(part) * GAMES_PER_DEAL)
    return Results(pairs)


def _items(deals: range) -> Iterator[range]:
    for first in range(0, len(deals), DEALS_PER_ITEM):
        yield deals[first : first + DEALS_PER_ITEM]


def match_object(match: Match, results: Results) -> dict[str, Any]:
    """Return a match and its results for JSON."""
    dealer = match.dealer
    told: dict[str, Any] = {
        "a": str(match.first),
        "b": str(match.second),
        "seed": dealer.seed,
        "rules": str(dealer.rules),
        "variant": dealer.rules.variant.value,
        "open": dealer.rules.open,
        "from_ply": match.from_ply,
        **results.as_dict(),
    }
    if match.forecast_ply is not None:
        told["forecast_ply"] = match.forecast_ply
        told["calibration"] = {
            side: bins_as_dicts(results.calibration(is_first=side == "a")) for side in ("a", "b")
        }
    return told


def match_text(match: Match, results: Results) -> str:
    """Return a match and its results for people."""
    lines = [
        f"{match.first} against {match.second}: {results.games:,} games, "
        f"{len(results.pairs):,} deals from both sides",
        f"won {results.wins:,}, drawn {results.draws:,}, lost {results.losses:,}",
        f"points a game {_shown(results.points)}; ahead by {_shown(results.difference)} (95 %)",
    ]
    if match.forecast_ply is not None:
        for side, player in (("a", match.first), ("b", match.second)):
            bins = results.calibration(is_first=side == "a")
            lines += _calibration_lines(f"{side}: {player}", bins)
    return "\n".join(lines)


def _shown(found: Estimate) -> str:
    low, high = found.interval()
    return f"{found.mean:.3f} ± {(high - low) / 2:.3f}"


def _calibration_lines(title: str, bins: list[Bin]) -> list[str]:
    if not bins:
        return [f"forecasts of {title}: none"]
    lines = [f"forecasts of {title}:", "  forecast  result   error   games"]
    for each in bins:
        lines.append(
            f"  {each.forecast:8.3f}  {each.result:6.3f}  {each.error:6.3f}  {each.games:6,}"
        )
    return lines
