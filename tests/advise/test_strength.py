"""Strength is strength: more of it scores more, against others and against less of it.

Deals are played until a difference is sure at 99 %, so what is sure is found quickly; whoever
is not stronger is found out by the most games that may be played.
"""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist

import pytest

from advise.match import GAMES_PER_DEAL, Match
from advise.opponents import Greedy, Humanlike, Perfect
from advise.statistics import estimate
from advise.table import TablePlayer
from app.terminal.match import play_match
from engine.game.cards import default_catalogue
from engine.game.dealing import Dealer
from engine.game.rules import Rules, Variant
from work.machine import count_cores

MOST_GAMES = 20_000
FEWEST_DEALS = 50  # before the spread of results is believed
LOOKS = 8  # at 50, 100, ... 6,400 deals
# Each look has its share of the one per cent, so that all of them together are right at 99 %.
QUANTILE = NormalDist().inv_cdf(1 - 0.01 / 2 / LOOKS)
STEP = 20


def points_by_deal(first: TablePlayer, second: TablePlayer, variant: Variant) -> PointsByDeal:
    """Return what gives the points of the first, deal by deal, for a range of deals."""
    rules = Rules(variant=variant, open=True)
    match = Match(Dealer(default_catalogue(), 11, rules), first, second)

    def play(deals: range) -> list[float]:
        return [pair.points for pair in play_match(match, deals, count_cores()).pairs]

    return play


PointsByDeal = Callable[[range], list[float]]


def is_sure(differences: Callable[[range], list[float]], games_per_deal: int) -> bool:
    """Tell whether a mean difference is above 0 at 99 %, before the most games are played."""
    found: list[float] = []
    size = FEWEST_DEALS
    while (len(found) + size) * games_per_deal <= MOST_GAMES:
        found += differences(range(len(found), len(found) + size))
        if estimate(found).interval(QUANTILE).low > 0:
            return True
        size = len(found)
    return False


@pytest.mark.slow
@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("strength", [20, 40, 60, 80, 100])
def test_each_strength_beats_the_one_20_below(strength: int, variant: Variant) -> None:
    play = points_by_deal(Humanlike(strength), Humanlike(strength - STEP), variant)
    assert is_sure(lambda deals: [points - 0.5 for points in play(deals)], GAMES_PER_DEAL)


@pytest.mark.slow
@pytest.mark.parametrize("variant", Variant)
@pytest.mark.parametrize("strength", [40, 60, 80])
@pytest.mark.parametrize("other", [Greedy(), Perfect()], ids=str)
def test_points_against_others_rise_with_strength(
    other: TablePlayer, strength: int, variant: Variant
) -> None:
    stronger = points_by_deal(Humanlike(strength), other, variant)
    weaker = points_by_deal(Humanlike(strength - STEP), other, variant)
    assert is_sure(
        lambda deals: [a - b for a, b in zip(stronger(deals), weaker(deals), strict=True)],
        2 * GAMES_PER_DEAL,
    )


def test_equal_strength_is_not_called_stronger() -> None:
    assert not is_sure(lambda deals: [(-1.0) ** number for number in deals], GAMES_PER_DEAL)
