"""Read states from JSON by a kernel: the plain ones, at a microsecond each.

`engine.text.document` says what is wrong with a document; this file only knows the documents in
which nothing is. It takes what the other would take and gives the same facts, or says that the
document is not plain: wrong in some way, or spelt in a way that is not worth knowing here
(escapes in strings, labels of exported lines). Then the other has to read it.

Whether a state's ten cards may be dealt is not looked at: facts are for finding states in a
database, and what is found there may be.

Kernels take and return places in the text as those of `engine.text.lexer` do.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import CELLS, HAND_SIZE, SEATS, SLOTS
from engine.game.cards import Catalogue
from engine.game.facts import (
    BOARD,
    CARDS,
    ELEMENTAL_BIT,
    ELEMENTS,
    FF8_BIT,
    FIRST,
    HANDS,
    NO_CARD,
    OWNERS,
    PLY,
    RULES,
    Row,
    Rows,
)
from engine.kernel import Numbers, bit_count, kernel
from engine.text.lexer import (
    BRACE,
    BRACKET,
    COMMA,
    END_BRACE,
    END_BRACKET,
    FALSE,
    NOT_PLAIN,
    NULL,
    REQUIRED_CELL,
    REQUIRED_WORDS,
    TRUE,
    W_BOARD,
    W_CELL,
    W_ELEMENT,
    W_ELEMENTS,
    W_FF8,
    W_HANDS,
    W_OWNER,
    W_PLAYERS,
    W_RULES,
    W_STATES,
    W_SWITCHES,
    W_TO_MOVE,
    W_TURN,
    W_VARIANT,
    W_VARIANTS,
    Text,
    is_literal,
    read_end,
    read_field,
    read_literal,
    read_number,
    read_sign,
    read_word,
    sign_at,
    skip_space,
)

Known: TypeAlias = npt.NDArray[np.bool_]  # by card id

# A draft of a state while it is read, in one array.
D_MOVER, D_TURN, D_SEEN, D_OWNED, D_WRITTEN, D_LAYOUT_GIVEN = range(6)
D_HAND_SIZES = 6  # [2]
D_HANDS = D_HAND_SIZES + SEATS  # [2, 5]
D_WRITTEN_ELEMENTS = D_HANDS + SLOTS  # [9]
D_LAYOUT = D_WRITTEN_ELEMENTS + CELLS  # [9]
DRAFT_LENGTH = D_LAYOUT + CELLS


def make_draft() -> Numbers:
    """Return scratch for one state at a time."""
    return np.zeros(DRAFT_LENGTH, dtype=np.int64)


def known_cards(catalogue: Catalogue) -> Known:
    """Return which ids are those of cards."""
    ids = [card.id for card in catalogue]
    known = np.zeros(max(ids) + 1, dtype=np.bool_)
    known[ids] = True
    return known


@kernel
def read_card(text: Text, at: int, known: Known) -> tuple[int, int]:
    """Read the id of a card."""
    at, card = read_number(text, at)
    return (at, card) if card < len(known) and known[card] else (NOT_PLAIN, NO_CARD)


@kernel
def read_element(text: Text, at: int) -> tuple[int, int]:
    """Read the letter of an element, or null; return its number, 0 for none."""
    if is_literal(text, at, NULL):
        return read_literal(text, at, NULL), 0
    at, word = read_word(text, at, W_ELEMENTS, W_STATES)
    return at, word - W_ELEMENTS + 1


@kernel
def read_owner(text: Text, at: int) -> tuple[int, int]:
    """Read A, B or null; return the player, NOT_PLAIN for null."""
    if is_literal(text, at, NULL):
        return read_literal(text, at, NULL), NOT_PLAIN
    at, word = read_word(text, at, W_PLAYERS, W_VARIANTS)
    return at, word - W_PLAYERS


@kernel
def read_cell(text: Text, at: int, known: Known, row: Row, draft: Numbers) -> int:
    """Read one entry of the board."""
    at = read_sign(text, at, BRACE)
    seen, more = 0, True
    cell, card, owner, element = 0, NO_CARD, NOT_PLAIN, 0
    while more and at != NOT_PLAIN:
        at, word, seen = read_field(text, at, W_CELL, W_SWITCHES, seen)
        if word == W_CELL:
            at, cell = read_number(text, at)
        elif word == W_OWNER:
            at, owner = read_owner(text, at)
        elif word == W_ELEMENT:
            at, element = read_element(text, at)
        elif is_literal(text, at, NULL):
            at = read_literal(text, at, NULL)
        else:
            at, card = read_card(text, at, known)
        at, more = read_end(text, at, END_BRACE)
    is_whole = seen & REQUIRED_CELL == REQUIRED_CELL and cell < CELLS
    if not is_whole or (int(draft[D_SEEN]) >> cell) & 1 or (card == NO_CARD) != (owner < 0):
        return NOT_PLAIN
    draft[D_SEEN] |= 1 << cell
    draft[D_OWNED] |= max(owner, 0) << cell
    draft[D_WRITTEN] |= ((seen >> W_ELEMENT) & 1) << cell
    draft[D_WRITTEN_ELEMENTS + cell] = element
    row[BOARD + cell] = card
    return at


@kernel
def read_board(text: Text, at: int, known: Known, row: Row, draft: Numbers) -> int:
    """Read the nine entries of the board."""
    at = read_sign(text, at, BRACKET)
    for number in range(CELLS):
        at = read_cell(text, at, known, row, draft)
        at = read_sign(text, at, COMMA if number < CELLS - 1 else END_BRACKET)
        if at == NOT_PLAIN:
            return NOT_PLAIN
    return at


@kernel
def read_hand(text: Text, at: int, known: Known, player: int, draft: Numbers) -> int:
    """Read the cards in a hand."""
    at = read_sign(text, at, BRACKET)
    size = 0
    more = sign_at(text, skip_space(text, at)) != END_BRACKET
    if not more:
        at = read_sign(text, at, END_BRACKET)
    while more and at != NOT_PLAIN:
        if size == HAND_SIZE:
            return NOT_PLAIN
        at, card = read_card(text, at, known)
        draft[D_HANDS + HAND_SIZE * player + size] = card
        size += 1
        at, more = read_end(text, at, END_BRACKET)
    draft[D_HAND_SIZES + player] = size
    return at


@kernel
def read_hands(text: Text, at: int, known: Known, draft: Numbers) -> int:
    """Read both hands, in either order."""
    at = read_sign(text, at, BRACE)
    seen = 0
    for end in (COMMA, END_BRACE):
        at, word, seen = read_field(text, at, W_PLAYERS, W_VARIANTS, seen)
        at = read_sign(text, read_hand(text, at, known, word - W_PLAYERS, draft), end)
    return at


@kernel
def read_rules(text: Text, at: int, row: Row) -> int:
    """Read the rules."""
    at = read_sign(text, at, BRACE)
    seen = 0
    more = sign_at(text, skip_space(text, at)) != END_BRACE
    if not more:
        at = read_sign(text, at, END_BRACE)
    while more and at != NOT_PLAIN:
        at, word, seen = read_field(text, at, W_SWITCHES, W_PLAYERS, seen)
        if word == W_VARIANT:
            at, variant = read_word(text, at, W_VARIANTS, W_ELEMENTS)
            row[RULES] |= FF8_BIT if variant == W_FF8 else 0
        elif is_literal(text, at, TRUE):
            at = read_literal(text, at, TRUE)
            row[RULES] |= 1 << (word - W_SWITCHES)
        else:
            at = read_literal(text, at, FALSE)
        at, more = read_end(text, at, END_BRACE)
    return at


@kernel
def read_layout(text: Text, at: int, draft: Numbers) -> int:
    """Read the elements of the nine cells."""
    at = read_sign(text, at, BRACKET)
    for cell in range(CELLS):
        at, element = read_element(text, at)
        draft[D_LAYOUT + cell] = element
        at = read_sign(text, at, COMMA if cell < CELLS - 1 else END_BRACKET)
    draft[D_LAYOUT_GIVEN] = 1
    return at


@kernel
def read_state(text: Text, at: int, known: Known, row: Row, draft: Numbers) -> int:
    """Read a state and write its facts into `row`."""
    row[:] = 0
    draft[:] = 0
    draft[D_TURN] = NOT_PLAIN
    at = read_sign(text, at, BRACE)
    seen, more = 0, True
    while more and at != NOT_PLAIN:
        at, word, seen = read_field(text, at, W_BOARD, W_CELL, seen)
        if word == W_BOARD:
            at = read_board(text, at, known, row, draft)
        elif word == W_HANDS:
            at = read_hands(text, at, known, draft)
        elif word == W_TO_MOVE:
            at, mover = read_word(text, at, W_PLAYERS, W_VARIANTS)
            draft[D_MOVER] = mover - W_PLAYERS
        elif word == W_TURN:
            at, draft[D_TURN] = read_number(text, at)
        elif word == W_RULES:
            at = read_rules(text, at, row)
        else:
            at = read_layout(text, at, draft)
        at, more = read_end(text, at, END_BRACE)
    is_whole = seen & REQUIRED_WORDS == REQUIRED_WORDS
    return at if is_whole and settle_facts(row, draft) else NOT_PLAIN


@kernel
def settle_facts(row: Row, draft: Numbers) -> bool:
    """Complete a row from what was read; tell whether it all fits together."""
    occupied = 0
    for cell in range(CELLS):
        occupied |= int(row[BOARD + cell] != NO_CARD) << cell
    ply = bit_count(occupied)
    mover = int(draft[D_MOVER])
    sizes = int(draft[D_HAND_SIZES + mover]), int(draft[D_HAND_SIZES + 1 - mover])
    if sizes != (HAND_SIZE - ply // 2, HAND_SIZE - (ply + 1) // 2):
        return False
    first = mover ^ (ply & 1)
    row[PLY], row[FIRST] = ply, first
    row[OWNERS] = int(draft[D_OWNED]) ^ (occupied if first else 0)
    _settle_hands(row, draft)
    turn = int(draft[D_TURN])
    return _settle_elements(row, draft) and (turn == NOT_PLAIN or turn == ply)  # noqa: PLR1714


@kernel
def _settle_hands(row: Row, draft: Numbers) -> None:
    """Write the hands by seat, and all ten cards, ascending."""
    count = 0
    for cell in range(CELLS):
        if row[BOARD + cell] != NO_CARD:
            row[CARDS + count] = row[BOARD + cell]
            count += 1
    for seat in range(SEATS):
        player = seat ^ int(row[FIRST])
        size = int(draft[D_HAND_SIZES + player])
        begin = HANDS + seat * HAND_SIZE
        for number in range(size):
            card = draft[D_HANDS + HAND_SIZE * player + number]
            row[begin + number] = card
            row[CARDS + count] = card
            count += 1
        _sort(row[begin : begin + size])
    _sort(row[CARDS : CARDS + SLOTS])


@kernel
def _sort(numbers: Numbers) -> None:
    """Sort a few numbers, ascending."""
    for number in range(1, len(numbers)):
        place, moved = number, int(numbers[number])
        while place > 0 and numbers[place - 1] > moved:
            numbers[place] = numbers[place - 1]
            place -= 1
        numbers[place] = moved


@kernel
def _settle_elements(row: Row, draft: Numbers) -> bool:
    """Write the elements, when they count; tell whether what was said of them agrees."""
    if not row[RULES] & ELEMENTAL_BIT:
        return True
    for cell in range(CELLS):
        written = draft[D_WRITTEN_ELEMENTS + cell]
        element = draft[D_LAYOUT + cell] if draft[D_LAYOUT_GIVEN] else written
        if (int(draft[D_WRITTEN]) >> cell) & 1 and element != written:
            return False
        row[ELEMENTS + cell] = element
    return True


@kernel
def scan_state(text: Text, known: Known, row: Row, draft: Numbers) -> bool:
    """Write the facts of the one state that a text is; tell whether it is plain."""
    at = read_state(text, 0, known, row, draft)
    return at != NOT_PLAIN and skip_space(text, at) == len(text)


@kernel
def scan_batch(text: Text, known: Known, rows: Rows, spans: Rows, draft: Numbers) -> int:
    """Write the facts of the states of a batch; return how many, or NOT_PLAIN.

    `spans` [states, 2] are their beginnings and ends in the text. A batch with more states
    than there is room for is not plain either.
    """
    at, _, _ = read_field(text, read_sign(text, 0, BRACE), W_STATES, W_STATES + 1, 0)
    at = read_sign(text, at, BRACKET)
    count, more = 0, True
    while more and at != NOT_PLAIN and count < len(rows):
        at = skip_space(text, at)
        spans[count, 0] = at
        at = read_state(text, at, known, rows[count], draft)
        spans[count, 1] = at
        count += 1
        at, more = read_end(text, at, END_BRACKET)
    at = skip_space(text, read_sign(text, at, END_BRACE))
    return count if at == len(text) and not more else NOT_PLAIN
