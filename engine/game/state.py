"""A state: start, legal moves, play, captures, score.

A state is its code (see `engine.game.board`) within a deal. A board does not say who
brought which card, so a state made from a board and hands is put into one deal
that it fits; states are equal when all that players can see is equal, whichever
deal they were put into.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from engine.errors import MoveError, StateError
from engine.game.board import (
    CELL_ORDER,
    CELLS,
    EMPTY,
    EMPTY_BOARD,
    HAND_SIZE,
    OWNERS_AT,
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
from engine.game.told_captures import LONGEST_STORY, tell_captures
from engine.kernel import plain

_with_card = plain(with_card)
_CELL_ORDER: tuple[int, ...] = tuple(CELL_ORDER.tolist())
_CELLS_OF = tuple(  # by mask
    tuple(cell for cell in range(CELLS) if (mask >> cell) & 1) for mask in range(1 << CELLS)
)
RuleName = Literal["same", "plus", "basic", "combo"]
RULE_NAMES: tuple[RuleName, ...] = (
    "same",
    "plus",
    "basic",
    "combo",
)  # by number of rule in a told capture


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
        ply = sum(placed is not None for placed in board)
        _check_sizes(ply, hands, to_move)
        first = to_move if ply % 2 == 0 else to_move.opponent
        brought = _who_brought(board, hands, first, rules.variant)
        # Slots ascend by card; of equal cards those on the board come first, because
        # the lowest slot is the one that is played first.
        fives = [
            sorted(
                [(board[cell].card, cell) for cell in brought[player]]  # type: ignore[union-attr]
                + [(card, CELLS) for card in hands[player]],
                key=lambda item: (item[0].id, item[1]),
            )
            for player in Player
        ]
        cards_a, cards_b = (tuple(card for card, _ in five) for five in fives)
        if problems := copy_problems(cards_a, cards_b, rules.variant):
            raise StateError(problems)
        if not rules.elemental:
            elements = NO_ELEMENTS
        deal = Deal((cards_a, cards_b), rules, elements, first)
        code = EMPTY_BOARD
        for slot, (_, cell) in enumerate(fives[first] + fives[first.opponent]):
            if cell < CELLS:
                owner = board[cell].owner  # type: ignore[union-attr]
                code = _with_card(code, slot, cell, int(owner != first))
        return cls(deal, code)

    @classmethod
    def from_facts(cls, facts: Facts, catalogue: Catalogue) -> State:
        """Return the state that has these facts, or raise `StateError`."""
        board = [
            Placed(catalogue[card], Player((facts.owners >> cell) & 1)) if card else None
            for cell, card in enumerate(facts.board)
        ]
        hands = [[catalogue[card] for card in hand] for hand in facts.hands]
        return cls.of(board, hands, facts.to_move, rules=facts.rules, elements=facts.elements)

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
        return [[_CELLS_OF[mask] for mask in row] for row in masks.tolist()]

    def _playable(self) -> list[int]:
        """Return the slots that the mover may play: of equal cards in hand the lowest."""
        first, ids = (self.ply & 1) * HAND_SIZE, self.deal.ids
        held = [slot for slot in range(first, first + HAND_SIZE) if slot not in self._cells]
        lowest = {ids[slot]: slot for slot in reversed(held)}
        return [slot for slot in held if lowest[ids[slot]] == slot]

    def _slot_for(self, move: Move) -> int:
        """Return the slot that `move` plays, or raise `MoveError`."""
        if self.is_over:
            raise MoveError.of("move", tuple(move), "none: the game is over")
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
        hand_a, hand_b = self.hands
        return Facts(
            self.rules,
            self.elements,
            tuple(placed.card.id if placed else NO_CARD for placed in self.board),
            sum(1 << cell for cell, placed in enumerate(self.board) if placed and placed.owner),
            (tuple(card.id for card in hand_a), tuple(card.id for card in hand_b)),
            self.to_move,
            self.ply,
            tuple(sorted(card.id for card in self.deal.slots)),
        )

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
        found = f"A {sizes[0]}, B {sizes[1]}"
        allowed = f"{more} and {fewer} cards, as {ply} of the board's cells are occupied"
        raise StateError.of("hands", found, allowed)
    if len(hands[to_move]) != more:
        raise StateError.of(
            "to_move", to_move.name, f"{to_move.opponent.name}, who holds more cards"
        )


def _who_brought(
    board: Board, hands: Hands, first: Player, variant: Variant
) -> dict[Player, list[int]]:
    """Split the occupied cells by who can have brought their cards.

    Under `triplecargo` a player's five cards differ, which decides some of them; the
    rest go to the starter first, ascending by card and cell.
    """
    second = first.opponent
    cards = [(placed.card.id, cell) for cell, placed in enumerate(board) if placed]
    due = {first: (len(cards) + 1) // 2, second: len(cards) // 2}
    brought: dict[Player, list[int]] = {Player.A: [], Player.B: []}
    undecided = sorted(cards)
    if variant is Variant.TRIPLECARGO:
        undecided = _bring_by_copies(undecided, hands, first, brought)
    for _, cell in undecided:
        brought[first if len(brought[first]) < due[first] else second].append(cell)
    if any(len(brought[player]) != due[player] for player in Player):
        raise StateError.of(
            "board",
            [card for card, _ in sorted(cards)],
            "cards that leave each player five different ones under triplecargo",
        )
    return brought


def _bring_by_copies(
    cards: list[tuple[int, int]],
    hands: Hands,
    first: Player,
    brought: dict[Player, list[int]],
) -> list[tuple[int, int]]:
    """Bring the cards of which there are copies; return those that either may have."""
    holders = {player: {card.id for card in hands[player]} for player in Player}
    ids = [card for card, _ in cards]
    undecided = []
    for card, cell in cards:
        able = [p for p in (first, first.opponent) if card not in holders[p]]
        if not able:
            raise StateError.of("board", card, "at most two copies of a card under triplecargo")
        if len(able) == 2 and ids.count(card) == 1:
            undecided.append((card, cell))
            continue
        brought[able[0]].append(cell)
        holders[able[0]].add(card)
    return undecided
