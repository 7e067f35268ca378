"""The one seeded sampler of deals: same seed and number, same deal, everywhere.

Deal number i of a seed draws from SeedSequence([seed, i]) with Philox, in a fixed
order: both hands (unless they are given), who starts, elements. A wish for a starter or
a layout therefore never changes what else is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum

from numpy.random import Generator, Philox, SeedSequence

from engine.errors import DealError
from engine.game.board import CELLS, HAND_SIZE
from engine.game.cards import ELEMENTS, Card, Catalogue
from engine.game.deal import NO_ELEMENTS, Deal, Elements, Player, copy_problems
from engine.game.rules import Rules
from engine.game.strategy import Strategy

Hands = tuple[list[Card], list[Card]]  # A's, B's

HIGHEST_SEED = 2**64 - 1
GAME_ELEMENT_CHANCE = 0.3  # of a cell to have an element, as the game deals
STRATA = tuple((level, level + 1) for level in range(1, 10, 2))
TRIES = 1_000  # redraws until two hands go together; real card sets need one or two


class ElementSource(Enum):
    """How the cells' elements are drawn."""

    NONE = "none"
    RANDOM = "random"  # uniform over none and the eight
    FF8 = "ff8"  # as the game: 30 % of cells have one


def check_seed(seed: int) -> None:
    """Raise `DealError` for a seed that is none."""
    if not 0 <= seed <= HIGHEST_SEED:
        raise DealError.of("seed", seed, f"0 to {HIGHEST_SEED}")


@dataclass(frozen=True)
class Dealer:
    """Deals by number. Without `first` the starter is drawn."""

    catalogue: Catalogue
    seed: int = 0
    rules: Rules = Rules()
    strategy: Strategy = Strategy.RANDOM
    elements: ElementSource | Elements = ElementSource.NONE
    first: Player | None = None

    def __post_init__(self) -> None:
        """Check the seed."""
        check_seed(self.seed)

    @property
    def _pools(self) -> list[list[Card]]:
        cards = list(self.catalogue)
        if self.strategy is Strategy.RANDOM:
            return [cards]
        return [[card for card in cards if card.level in stratum] for stratum in STRATA]

    def deal(self, number: int, hands: Hands | None = None) -> Deal:
        """Return deal `number` of the seed, with the given hands instead of drawn ones."""
        if not 0 <= number <= HIGHEST_SEED:
            raise DealError.of("number", number, f"0 to {HIGHEST_SEED}")
        random = Generator(Philox(SeedSequence([self.seed, number])))
        hand_a, hand_b = hands or self._draw_hands(random)
        drawn_first = Player(int(random.integers(2)))
        return Deal.of(
            hand_a,
            hand_b,
            rules=self.rules,
            elements=draw_elements(random, self.elements),
            first=drawn_first if self.first is None else self.first,
        )

    def _draw_hands(self, random: Generator) -> Hands:
        """Draw both hands, again until no card is there more often than it may be.

        Redrawing both, not only the second, keeps every allowed pair equally likely.
        """
        pools = self._pools
        if any(len(pool) < HAND_SIZE // len(pools) for pool in pools):
            allowed = "a strategy the card file has cards for"
            raise DealError.of("strategy", self.strategy.value, allowed)
        for _ in range(TRIES):
            hand_a, hand_b = _draw_hand(random, pools), _draw_hand(random, pools)
            if not copy_problems(hand_a, hand_b, self.rules.variant):
                return hand_a, hand_b
        raise DealError.of("cards", len(self.catalogue), "enough cards for two hands")


def game_random(seed: int, number: int, turn: int) -> Generator:
    """Return the generator for draws at one turn of game `number`.

    SeedSequence pads with zeros, so [seed, number, 0] is the sequence the deal itself
    was drawn from; the jump takes the game's draws to a part of it the deal never sees.
    """
    return Generator(Philox(SeedSequence([seed, number, turn])).jumped())


def draw_elements(random: Generator, source: ElementSource | Elements) -> Elements:
    """Return a layout drawn as `source` says, or the given one."""
    if not isinstance(source, ElementSource):
        return source
    if source is ElementSource.NONE:
        return NO_ELEMENTS
    if source is ElementSource.RANDOM:
        choices = (None, *ELEMENTS)
        return tuple(choices[i] for i in random.integers(len(choices), size=CELLS).tolist())
    has_element = (random.random(CELLS) < GAME_ELEMENT_CHANCE).tolist()
    drawn = random.integers(len(ELEMENTS), size=CELLS).tolist()
    return tuple(ELEMENTS[i] if has else None for has, i in zip(has_element, drawn, strict=True))


def _draw_hand(random: Generator, pools: Sequence[Sequence[Card]]) -> list[Card]:
    share = HAND_SIZE // len(pools)
    return [
        pool[i]
        for pool in pools
        for i in random.choice(len(pool), size=share, replace=False).tolist()
    ]
