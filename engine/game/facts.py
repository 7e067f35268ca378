"""The facts of a state as a row of numbers: what its JSON says, before it is put into a deal.

In this form states are read, looked up and answered many at a time:

    0        RULES      switches in bits 0..3, in their fixed order; bit 4 for `ff8`
    1..9     ELEMENTS   of the nine cells: 0 none, 1..8 in the order of `cards.ELEMENTS`
    10..19   CARDS      all ten, ascending
    20       PLY
    21       FIRST      who started: 0 A, 1 B
    22       OWNERS     mask of the cells that the second seat owns
    23..31   BOARD      the cards on the nine cells; 0 is none
    32..41   HANDS      the starter's cards ascending, then the other's, in five places each

RULES to CARDS are the same throughout a game, so they stand together. With Elemental off
there are no elements.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import CELLS, EMPTY_BOARD, HAND_SIZE, SEATS, SLOTS, with_card
from engine.game.cards import ELEMENTS as ALL_ELEMENTS
from engine.game.cards import element_number
from engine.game.deal import Elements
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.kernel import Numbers, kernel

Row: TypeAlias = npt.NDArray[np.int64]  # [ROW_LENGTH]
Rows: TypeAlias = npt.NDArray[np.int64]  # [states, ROW_LENGTH]

RULES = 0
ELEMENTS = RULES + 1
CARDS = ELEMENTS + CELLS
TABLE_LENGTH = CARDS + SLOTS
PLY, FIRST, OWNERS = range(TABLE_LENGTH, TABLE_LENGTH + 3)
BOARD = OWNERS + 1
HANDS = BOARD + CELLS
ROW_LENGTH = HANDS + SLOTS

NO_CARD = 0  # card ids begin at 1
ELEMENTAL_BIT = 1 << SWITCHES.index("elemental")
FF8_BIT = 1 << len(SWITCHES)


def make_rows(count: int) -> Rows:
    """Return room for the facts of so many states."""
    return np.zeros((count, ROW_LENGTH), dtype=np.int64)


def facts_of(state: State) -> Row:
    """Return the facts of a state."""
    row: Row = make_rows(1)[0]
    deal = state.deal
    row[RULES] = sum(on << bit for bit, on in enumerate(state.rules.switches))
    row[RULES] |= FF8_BIT if state.rules.variant is Variant.FF8 else 0
    for cell, element in enumerate(state.elements):
        row[ELEMENTS + cell] = element_number(element)
    row[CARDS : CARDS + SLOTS] = sorted(card.id for card in deal.slots)
    row[PLY], row[FIRST] = state.ply, deal.first
    for cell, placed in enumerate(state.board):
        if placed:
            row[BOARD + cell] = placed.card.id
            row[OWNERS] |= (placed.owner is not deal.first) << cell
    for seat, player in enumerate(deal.players):
        for number, card in enumerate(state.hands[player]):
            row[HANDS + HAND_SIZE * seat + number] = card.id
    return row


def table_of(row: Row) -> tuple[tuple[int, ...], Rules, Elements]:
    """Return the ten cards, the rules and the elements of a row."""
    bits, *rest = row[:TABLE_LENGTH].tolist()
    names = [name for bit, name in enumerate(SWITCHES) if (bits >> bit) & 1]
    rules = Rules.of(names, Variant.FF8 if bits & FF8_BIT else Variant.TRIPLECARGO)
    elements = tuple(ALL_ELEMENTS[number - 1] if number else None for number in rest[:CELLS])
    return tuple(rest[CELLS:]), rules, elements


@kernel
def mover_of(row: Row) -> int:
    """Return the player to move."""
    return int(row[FIRST]) ^ (int(row[PLY]) & 1)


@kernel
def loose_code(row: Row, ids: Numbers) -> int:
    """Return a code of the row's state and write its cards by slot into `ids` [10].

    Nothing is known of who brought the cards on the board: they are in slots that the hands
    leave free. That is enough to find the state below a root that knows.
    """
    code = EMPTY_BOARD
    cell = 0
    for seat in range(SEATS):
        slot = (seat + 1) * HAND_SIZE
        for number in range(HANDS + seat * HAND_SIZE, HANDS + (seat + 1) * HAND_SIZE):
            if row[number] != NO_CARD:
                slot -= 1
                ids[slot] = row[number]
        for free in range(seat * HAND_SIZE, slot):
            while row[BOARD + cell] == NO_CARD:
                cell += 1
            ids[free] = row[BOARD + cell]
            code = with_card(code, free, cell, (int(row[OWNERS]) >> cell) & 1)
            cell += 1
    return code
