"""The demonstration plan: a few deals, both variants, without rules and with all of them.

They are the deals that everybody meets first: number 0 of seed 0, as `triad play` and the
service deal them.
"""

from __future__ import annotations

from collections.abc import Iterator

from engine.game.cards import Catalogue
from engine.game.deal import Player
from engine.game.dealing import Dealer, ElementSource
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State


def demo_states(catalogue: Catalogue) -> Iterator[State]:
    """Return the openings of the demonstration plan."""
    for variant in Variant:
        for switches, elements in (((), ElementSource.NONE), (SWITCHES, ElementSource.FF8)):
            rules = Rules.of(switches, variant)
            dealer = Dealer(catalogue, 0, rules, elements=elements, first=Player.A)
            yield State.start(dealer.deal(0))
