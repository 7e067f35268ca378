"""What the computer player has before it: a state in which its hands have slots, in order."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from engine.errors import OpponentError, Problem
from engine.game.board import ALL_CELLS, CELLS, HAND_SIZE
from engine.game.cards import Catalogue
from engine.game.deal import Elements, Player, element_numbers, options_in
from engine.game.facts import NO_CARD
from engine.game.rules import Rules
from engine.game.state import State
from engine.players.layout import (
    ASKED_LENGTH,
    BOARD,
    DEALT,
    ELEMENTS,
    HELD,
    OPTIONS,
    OWNED,
    Asked,
)

Slots = tuple[int, ...]  # five card ids, NO_CARD where one was played
GivenSlots = Sequence[int | None]


@dataclass(frozen=True)
class Situation:
    """A state before the computer player's move; `Situation.of` makes it of a state."""

    board: tuple[int, ...]  # nine card ids, or NO_CARD
    owned: int  # mask of the cells that the player owns
    own: Slots
    other: Slots
    dealt: Slots | None  # its five cards; None when they are not known
    rules: Rules
    elements: Elements

    @classmethod
    def of(
        cls,
        state: State,
        *,
        own: GivenSlots | None = None,
        other: GivenSlots | None = None,
        dealt: Sequence[int] | None = None,
    ) -> Situation:
        """Return what the player to move has before it, or raise `OpponentError`.

        Slots that are left out hold the hand, ascending. So do its dealt cards, as long as it
        holds all five.
        """
        if state.is_over:
            raise OpponentError.of("state.turn", state.ply, "a game that is not over")
        facts = state.facts
        mover = state.to_move
        own_slots = _slots_of(own, facts.hands[mover], mover)
        other_slots = _slots_of(other, facts.hands[mover.opponent], mover.opponent)
        occupied = sum(1 << cell for cell in range(CELLS) if facts.board[cell] != NO_CARD)
        owned = facts.owners if mover is Player.B else ~facts.owners & ALL_CELLS
        if dealt is None and NO_CARD not in own_slots:
            dealt = own_slots
        elif dealt is not None and len(dealt) != HAND_SIZE:
            raise OpponentError.of("dealt", list(dealt), f"{HAND_SIZE} card ids, in dealt order")
        return cls(
            facts.board,
            owned & occupied,
            own_slots,
            other_slots,
            None if dealt is None else tuple(dealt),
            state.rules,
            facts.elements,
        )

    def check_dealt(self, catalogue: Catalogue) -> None:
        """Raise `OpponentError` where a guess could not go by the dealt cards."""
        if self.dealt is None:
            allowed = "the five cards it was dealt, in order: it guesses by their levels"
            raise OpponentError.of("dealt", None, allowed)
        problems = [
            Problem(f"dealt[{place}]", card, catalogue.allowed_ids)
            for place, card in enumerate(self.dealt)
            if card not in catalogue.ids
        ]
        if problems:
            raise OpponentError(problems)

    def asked(self) -> Asked:
        """Return it as kernels see it, but for how the player plays."""
        asked = np.zeros(ASKED_LENGTH, dtype=np.int64)
        asked[BOARD : BOARD + CELLS] = self.board
        asked[ELEMENTS : ELEMENTS + CELLS] = element_numbers(self.elements)
        asked[HELD : HELD + 2 * HAND_SIZE] = self.own + self.other
        asked[DEALT : DEALT + HAND_SIZE] = self.dealt or NO_CARD
        asked[OWNED] = self.owned
        asked[OPTIONS] = options_in(self.rules)
        return asked


def _slots_of(given: GivenSlots | None, hand: Sequence[int], player: Player) -> Slots:
    """Return a hand by slot, as given, or ascending; or raise `OpponentError`."""
    if given is None:
        return (*hand, *[NO_CARD] * (HAND_SIZE - len(hand)))
    slots = tuple(NO_CARD if card is None else card for card in given)
    if len(slots) != HAND_SIZE or Counter(filter(None, slots)) != Counter(hand):
        held = ", ".join(map(str, hand)) or "no card"
        allowed = (
            f"{HAND_SIZE} places with {player.name}'s hand ({held}), null where one was played"
        )
        raise OpponentError.of(f"slots.{player.name}", list(given), allowed)
    return slots
