"""A world: one way the hidden things can be. A view and a world make a state.

Most opponents play their hand whatever the order of its cards; there a world is the multiset of
the unseen ones. The game's computer player tries its slots in order, and its five dealt cards
shape its guess; there a world has them as well, in slot order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from advise.view import View
from engine.errors import StateError
from engine.game.board import CELLS, EMPTY_BOARD, HAND_SIZE, with_card
from engine.game.cards import Card
from engine.game.deal import Deal, Player
from engine.game.state import State
from engine.kernel import plain

_with_card = plain(with_card)


@dataclass(frozen=True)
class World:
    """The unseen cards; where slots matter, in slot order, with the five cards dealt."""

    unseen: tuple[Card, ...]  # ascending by id, or in slot order when `dealt` is there
    dealt: tuple[Card, ...] | None = None  # five, in slot order

    @classmethod
    def of(cls, unseen: Iterable[Card]) -> World:
        """Return the world in which the unseen cards are these."""
        return cls(tuple(sorted(unseen)))

    @classmethod
    def of_dealt(cls, dealt: Iterable[Card], view: View) -> World:
        """Return the world in which the other was dealt these five, in slot order.

        What it has played and what is known leaves them; the view must tell what was played.
        """
        slots = tuple(dealt)
        field = f"hands.{view.opponent.name}.dealt"
        if view.played is None:
            raise StateError.of(f"hands.{view.opponent.name}.played", None, "the cards it played")
        gone = Counter(view.played) + Counter(view.known)
        if len(slots) != HAND_SIZE or gone - Counter(slots):
            allowed = f"{HAND_SIZE} cards, with all that it has played, or is known to hold"
            raise StateError.of(field, [card.id for card in slots], allowed)
        return cls(tuple(filter(None, _emptied(slots, gone))), slots)

    @classmethod
    def true_in(cls, state: State, view: View, dealt: tuple[Card, ...] | None = None) -> World:
        """Return the world as it is in a state, of what a view of it does not see."""
        if dealt is not None:
            return cls.of_dealt(dealt, view)
        hidden = Counter(state.hands[view.opponent]) - Counter(view.known)
        return cls.of(hidden.elements())

    def slots_left(self, view: View) -> tuple[Card | None, ...]:
        """Return the other's hand by dealt slot, None where one is played.

        Without dealt cards the slots are what it holds, ascending, and the rest is empty.
        """
        if self.dealt is None:
            held = sorted((*self.unseen, *view.known))
            return (*held, *[None] * (HAND_SIZE - len(held)))
        return _emptied(self.dealt, Counter(view.played))


def state_in(view: View, world: World) -> State:
    """Return the state that a view is of, if the world is so; or raise `StateError`.

    Where the view tells who brought which card, so does the state's deal.
    """
    if len(world.unseen) != view.unseen:
        allowed = f"{view.unseen} unseen cards"
        raise StateError.of("world", [card.id for card in world.unseen], allowed)
    theirs = sorted((*world.unseen, *view.known))
    hands = (view.hand, theirs) if view.viewer is Player.A else (theirs, view.hand)
    if view.played is None:
        return State.of(view.board, hands, view.to_move, rules=view.rules, elements=view.elements)
    return _state_in_deal(view, tuple(theirs), view.played)


def _state_in_deal(view: View, theirs: tuple[Card, ...], played: tuple[Card, ...]) -> State:
    """Return the state in the deal in which the other brought what it has played."""
    brought: dict[Player, list[tuple[Card, int]]] = {player: [] for player in Player}
    left = Counter(played)
    for cell, placed in enumerate(view.board):
        if placed:
            is_theirs = left[placed.card] > 0
            left[placed.card] -= 1
            brought[view.opponent if is_theirs else view.viewer].append((placed.card, cell))
    brought[view.viewer] += [(card, CELLS) for card in view.hand]
    brought[view.opponent] += [(card, CELLS) for card in theirs]
    fives = [[card for card, _ in brought[player]] for player in Player]
    deal = Deal.of(*fives, rules=view.rules, elements=view.elements, first=view.first)
    # Of equal cards those on the board come first, as the lowest slot is played first.
    slots = [place for player in deal.players for place in sorted(brought[player])]
    code = EMPTY_BOARD
    for slot, (_, cell) in enumerate(slots):
        if cell < CELLS:
            placed = view.board[cell]
            assert placed is not None
            code = _with_card(code, slot, cell, placed.owner ^ view.first)
    return State(deal, code)


def _emptied(slots: tuple[Card, ...], gone: Counter[Card]) -> tuple[Card | None, ...]:
    """Return slots with None where a card is gone; of equal ones the first go."""
    left = gone.copy()
    result: list[Card | None] = []
    for card in slots:
        result.append(None if left[card] > 0 else card)
        left[card] -= 1
    return tuple(result)
