"""A state: start, legal moves, play, captures, score.

A state is its code (see `engine.game.board`) within a deal. A board does not say who
brought which card, so a state made from a board and hands is put into one deal
that it fits; states are equal when all that players can see is equal, whichever
deal they were put into.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from engine.errors import MoveError, StateError, Words
from engine.game.board import (
    CELL_ORDER,
    CELLS,
    CELLS_IN,
    EMPTY,
    EMPTY_BOARD,
    HAND_SIZE,
    OWNERS_AT,
    SEATS,
    SLOT_BITS,
    SLOTS,
    with_card,
)
from engine.game.capture import place, write_captured
from engine.game.cards import Card, Catalogue
from engine.game.deal import NO_ELEMENTS, Deal, Elements, Player, copy_problems
from engine.game.facts import NO_CARD, Facts
from engine.game.moves import Move
from engine.game.rules import Rules, Variant
from engine.game.shape import RULE_NAMES, RuleName
from engine.game.told_captures import LONGEST_STORY, tell_captures
from engine.kernel import plain

_with_card = plain(with_card)
_CELL_ORDER: tuple[int, ...] = tuple(CELL_ORDER.tolist())


class Placed(NamedTuple):
    """A card on the board and whose it is now."""

    card: Card
    owner: Player


class Capture(NamedTuple):
    """A card that changes owner: by which rule, and which cell's card took it."""

    cell: int
    card_id: int
    rule: RuleName
    by_cell: int


PlacedId = tuple[int, int]  # card id, cell
Board = Sequence[Placed | None]  # nine, one per cell
Hands = Sequence[Sequence[Card]]  # A's, B's


@dataclass(frozen=True, eq=False)
class State:
    """All that is needed to go on. Never changes; `play` returns the next one."""

    deal: Deal
    code: int

    @classmethod
    def start(cls, deal: Deal) -> State:
        """Return the opening of a deal."""
        return cls(deal, EMPTY_BOARD)

    @classmethod
    def of(
        cls,
        board: Board,
        hands: Hands,
        to_move: Player,
        *,
        rules: Rules | None = None,
        elements: Elements = NO_ELEMENTS,
    ) -> State:
        """Return the state of these facts, or raise `StateError`.

        Owners are free: the state need not be reachable from any opening.
        """
        rules = rules or Rules()
        cards = {card.id: card for card in (*hands[0], *hands[1])}
        cards |= {placed.card.id: placed.card for placed in board if placed}
        _check_sizes(sum(placed is not None for placed in board), hands, to_move)
        facts = _facts_of(board, hands, to_move, rules, elements)
        return cls._in_a_deal(facts, cards.__getitem__)

    @classmethod
    def from_facts(cls, facts: Facts, catalogue: Catalogue) -> State:
        """Return the state that has these facts, or raise `StateError`."""
        return cls._in_a_deal(facts, catalogue.__getitem__)

    @classmethod
    def _in_a_deal(cls, facts: Facts, card_of: Callable[[int], Card]) -> State:
        """Return facts as a state of a deal that they fit, or raise `StateError`."""
        first, hands = facts.first, facts.hands
        has_copies = len(set(facts.cards)) < SLOTS
        brought = _brought_with_copies(facts) if has_copies else _brought(facts)
        # Slots ascend by card; of equal cards those on the board come first, because
        # the lowest slot is the one that is played first.
        slots = [
            *sorted(brought[0] + [(card, CELLS) for card in hands[first]]),
            *sorted(brought[1] + [(card, CELLS) for card in hands[first.opponent]]),
        ]
        cards = tuple([card_of(card) for card, _ in slots])
        fives = cards[:HAND_SIZE], cards[HAND_SIZE:]
        if first is Player.B:
            fives = fives[1], fives[0]
        if has_copies and (problems := copy_problems(*fives, facts.rules.variant)):
            raise StateError(problems)
        code, owners = EMPTY_BOARD, facts.owners
        for slot, (_, cell) in enumerate(slots):
            if cell < CELLS:
                code = _with_card(code, slot, cell, (owners >> cell) & 1 ^ first)
        state = cls(Deal(fives, facts.rules, facts.elements, first), code)
        state.__dict__["facts"] = facts  # they need not be worked out again
        return state

    def __reduce__(self) -> tuple[type[State], tuple[Deal, int]]:
        """Pickle what it is, without what was worked out of it."""
        return State, (self.deal, self.code)

    @property
    def seated(self) -> State:
        """Return the same state with the starter called A: codes are seen from there anyhow."""
        return State(self.deal.seated, self.code)

    @property
    def rules(self) -> Rules:
        """Return the rules in force."""
        return self.deal.rules

    @property
    def elements(self) -> Elements:
        """Return the nine cells' elements; all None when Elemental is off."""
        return self.deal.elements

    @cached_property
    def _cells(self) -> tuple[int, ...]:
        """Return the slot on each cell, or EMPTY; everything seen of a state is made of them."""
        return tuple([(self.code >> (SLOT_BITS * cell)) & EMPTY for cell in range(CELLS)])

    @cached_property
    def ply(self) -> int:
        """Return the number of cards on the board."""
        return CELLS - self._cells.count(EMPTY)

    @property
    def to_move(self) -> Player:
        """Return the player whose turn it is (or would be, when the game is over)."""
        return self.deal.players[self.ply & 1]

    @property
    def is_over(self) -> bool:
        """Tell whether the board is full."""
        return self.ply == CELLS

    @cached_property
    def board(self) -> tuple[Placed | None, ...]:
        """Return the nine cells."""
        slots, players, owners = self.deal.slots, self.deal.players, self.code >> OWNERS_AT
        return tuple(
            None if slot == EMPTY else Placed(slots[slot], players[(owners >> cell) & 1])
            for cell, slot in enumerate(self._cells)
        )

    @cached_property
    def hands(self) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
        """Return the unplayed cards of A and of B, ascending by id."""
        left: tuple[list[Card], list[Card]] = ([], [])
        for slot, card in enumerate(self.deal.slots):
            if slot not in self._cells:
                left[self.deal.players[slot // HAND_SIZE]].append(card)
        return tuple(left[0]), tuple(left[1])

    @property
    def score(self) -> tuple[int, int]:
        """Return the cards that count for A and for B.

        Those owned on the board do, and under `ff8` those in hand too.
        """
        owners = [placed.owner for placed in self.board if placed]
        on_board = owners.count(Player.A), owners.count(Player.B)
        if not self.rules.variant.counts_hands:
            return on_board
        return on_board[0] + len(self.hands[0]), on_board[1] + len(self.hands[1])

    @property
    def margin(self) -> int:
        """Return A's score less B's."""
        score_a, score_b = self.score
        return score_a - score_b

    def legal_moves(self) -> list[Move]:
        """Return the legal moves: corners, edges, centre; then ascending card id."""
        ids, cells = self.deal.ids, self._cells
        cards = [ids[slot] for slot in self._playable()]
        return [Move(card, cell) for cell in _CELL_ORDER if cells[cell] == EMPTY for card in cards]

    def play(self, move: Move) -> State:
        """Return the state after `move`, or raise `MoveError`."""
        slot = self._slot_for(move)
        return State(self.deal, place(self.deal.duels, self.code, slot, move.cell, self.ply & 1))

    def captures(self, move: Move) -> tuple[Capture, ...]:
        """Return what `move` captures, in the order it is told, or raise `MoveError`."""
        slot = self._slot_for(move)
        story = np.empty((LONGEST_STORY, 3), dtype=np.int64)
        length = tell_captures(self.deal.duels, self.code, slot, move.cell, self.ply & 1, story)
        return tuple(
            Capture(cell, self.deal.ids[self._cells[cell]], RULE_NAMES[rule], by_cell)
            for cell, rule, by_cell in story[:length].tolist()
        )

    def captured_cells(self) -> dict[Move, tuple[int, ...]]:
        """Return for every legal move the cells that it captures, ascending."""
        rows = self.captured_by_slot()
        return {
            Move(self.deal.ids[slot], cell): rows[slot][cell]
            for slot in self._playable()
            for cell, there in enumerate(self._cells)
            if there == EMPTY
        }

    def captured_by_slot(self) -> list[list[tuple[int, ...]]]:
        """Return by slot and cell the cells that a legal move captures; nothing for others."""
        masks = np.zeros((SLOTS, CELLS), dtype=np.int64)
        slots = sum(1 << slot for slot in self._playable())
        write_captured(self.deal.duels, self.code, slots, self.ply & 1, masks)
        return [[CELLS_IN[mask] for mask in row] for row in masks.tolist()]

    def _playable(self) -> list[int]:
        """Return the slots that the mover may play: of equal cards in hand the lowest."""
        first, ids = (self.ply & 1) * HAND_SIZE, self.deal.ids
        held = [slot for slot in range(first, first + HAND_SIZE) if slot not in self._cells]
        lowest = {ids[slot]: slot for slot in reversed(held)}
        return [slot for slot in held if lowest[ids[slot]] == slot]

    def _slot_for(self, move: Move) -> int:
        """Return the slot that `move` plays, or raise `MoveError`."""
        if self.is_over:
            raise MoveError.of("move", move._asdict(), "none: the game is over")
        if not 0 <= move.cell < CELLS or self._cells[move.cell] != EMPTY:
            empty = [cell for cell, slot in enumerate(self._cells) if slot == EMPTY]
            raise MoveError.of("move.cell", move.cell, f"an empty cell: {_listed(empty)}")
        for slot in self._playable():
            if self.deal.ids[slot] == move.card_id:
                return slot
        held = [card.id for card in self.hands[self.to_move]]
        allowed = f"a card in {self.to_move.name}'s hand: {_listed(held)}"
        raise MoveError.of("move.card_id", move.card_id, allowed)

    @cached_property
    def facts(self) -> Facts:
        """Return what the state looks like to the players."""
        return _facts_of(self.board, self.hands, self.to_move, self.rules, self.elements)

    def __eq__(self, other: object) -> bool:
        """Tell whether both states look the same to the players."""
        return isinstance(other, State) and self.facts == other.facts

    def __hash__(self) -> int:
        """Return a hash that fits `__eq__`."""
        return hash(self.facts)


def _listed(numbers: list[int]) -> str:
    return ", ".join(map(str, numbers))


def _check_sizes(ply: int, hands: Hands, to_move: Player) -> None:
    """Check that hand sizes and turn go with `ply` cards on the board."""
    more, fewer = HAND_SIZE - ply // 2, HAND_SIZE - (ply + 1) // 2
    sizes = len(hands[0]), len(hands[1])
    if sizes not in ((more, fewer), (fewer, more)):
        found = Words(f"A {sizes[0]}, B {sizes[1]}")
        allowed = f"{more} and {fewer} cards, as {ply} of the board's cells are occupied"
        raise StateError.of("hands", found, allowed)
    if len(hands[to_move]) != more:
        raise StateError.of(
            "to_move", to_move.name, f"{to_move.opponent.name}, who holds more cards"
        )


def _facts_of(
    board: Board, hands: Hands, to_move: Player, rules: Rules, elements: Elements
) -> Facts:
    """Return what a board and hands look like to the players."""
    ids = tuple([placed.card.id if placed else NO_CARD for placed in board])
    hand_a, hand_b = (tuple(sorted([card.id for card in hand])) for hand in hands)
    return Facts(
        rules,
        elements if rules.elemental else NO_ELEMENTS,
        ids,
        sum([1 << cell for cell, placed in enumerate(board) if placed and placed.owner]),
        (hand_a, hand_b),
        to_move,
        CELLS - ids.count(NO_CARD),
        tuple(sorted((*filter(None, ids), *hand_a, *hand_b))),
    )


def _placed(facts: Facts) -> list[PlacedId]:
    """Return the cards on the board and their cells, ascending."""
    return sorted([(card, cell) for cell, card in enumerate(facts.board) if card])


def _brought(facts: Facts) -> tuple[list[PlacedId], list[PlacedId]]:
    """Split the cards on the board, all different, by who can have brought them, by seat.

    Nothing tells, so the starter brought the first.
    """
    cards, due = _placed(facts), (facts.ply + 1) // 2
    return cards[:due], cards[due:]


def _brought_with_copies(facts: Facts) -> tuple[list[PlacedId], list[PlacedId]]:
    """Split the cards on the board by who can have brought them, by seat.

    Under `triplecargo` a player's five cards differ, which decides some of them; the
    rest go to the starter first, ascending by card and cell.
    """
    if facts.rules.variant is not Variant.TRIPLECARGO:
        return _brought(facts)
    cards, due = _placed(facts), (facts.ply + 1) // 2
    starters: list[PlacedId] = []
    others: list[PlacedId] = []
    for placed in _bring_by_copies(cards, facts, (starters, others)):
        (starters if len(starters) < due else others).append(placed)
    if len(starters) != due:
        raise StateError.of(
            "board",
            [card for card, _ in cards],
            "cards that leave each player five different ones under triplecargo",
        )
    return starters, others


def _bring_by_copies(
    cards: list[PlacedId], facts: Facts, brought: tuple[list[PlacedId], list[PlacedId]]
) -> list[PlacedId]:
    """Bring the cards of which there are copies; return those that either may have."""
    first = facts.first
    holders = set(facts.hands[first]), set(facts.hands[first.opponent])
    ids = [card for card, _ in cards]
    undecided = []
    for card, cell in cards:
        able = [seat for seat in range(SEATS) if card not in holders[seat]]
        if not able:
            raise StateError.of("board", card, "at most two copies of a card under triplecargo")
        if len(able) == SEATS and ids.count(card) == 1:
            undecided.append((card, cell))
            continue
        brought[able[0]].append((card, cell))
        holders[able[0]].add(card)
    return undecided
