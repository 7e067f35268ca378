"""What options say of deals, made into dealers and deals."""

from __future__ import annotations

from engine.errors import NotationError
from engine.game.cards import Catalogue
from engine.game.deal import Deal, Player
from engine.game.dealing import Dealer
from engine.game.rules import Rules, Variant
from engine.game.strategy import Strategy
from engine.text.notation import parse_elements, parse_hands, parse_rules


def parse_first(text: str, allowed: str = "A, B or random") -> Player | None:
    """Return who starts; None when it is to be drawn."""
    if text == "random":
        return None
    if text not in Player.__members__:
        raise NotationError.of("first", text, allowed)
    return Player[text]


def chosen_deal(dealer: Dealer, hands: str | None, number: int) -> Deal:
    """Return the given hands as a deal, or the sampled deal `number`."""
    return dealer.deal(number, parse_hands(hands, dealer.catalogue) if hands else None)


def make_dealer(  # noqa: PLR0913  one parameter for each option
    catalogue: Catalogue,
    *,
    seed: int,
    strategy: Strategy,
    rules: str,
    variant: Variant,
    elements: str,
    first: str,
    is_open: bool = False,
) -> Dealer:
    """Return the dealer that the options describe."""
    in_force: Rules = parse_rules(rules, variant)._replace(open=is_open)
    return Dealer(catalogue, seed, in_force, strategy, parse_elements(elements), parse_first(first))
