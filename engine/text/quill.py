"""Answers from a database as JSON, written by a kernel; the bytes that any other way gives.

    {"best_move":{"card_id":34,"cell":1},"value":1,"margin":-4,"pv":[...],"nodes":0,"depth":4,
     "state_hash":"...","notation":"...","variant":"ff8","source":"database"}

Every kernel that writes takes the place on the page where to begin and returns the place behind
what it wrote.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import CELLS, HAND_SIZE, SEATS
from engine.game.cards import ELEMENT_BY_LETTER
from engine.game.facts import (
    BOARD,
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
    mover_of,
)
from engine.game.rules import Variant
from engine.game.score import cards_of
from engine.game.zobrist import HALF_BITS, PLAYERS, Book, TokenArray
from engine.kernel import Numbers, kernel
from engine.text.notation import FIELD, ITEM, SWITCH_LETTERS, VARIANT_CODES

Page: TypeAlias = npt.NDArray[np.uint8]

LONGEST_ANSWER = 2048  # bytes; nine moves and the longest notation take less than half

DIGITS = np.frombuffer(b"0123456789abcdef", dtype=np.uint8).copy()
PLAYER_SIGNS = np.frombuffer(PLAYERS.encode(), dtype=np.uint8).copy()
SWITCH_SIGNS = np.frombuffer(SWITCH_LETTERS.encode(), dtype=np.uint8).copy()
ELEMENT_SIGNS = np.frombuffer("".join(ELEMENT_BY_LETTER).encode(), dtype=np.uint8).copy()
FIELD_SIGN, ITEM_SIGN, DASH, COMMA = ord(FIELD), ord(ITEM), ord("-"), ord(",")
NIBBLES = HALF_BITS // 4

_PHRASES = (
    '{"best_move":',
    '{"card_id":',
    ',"cell":',
    "}",
    ',"value":',
    ',"margin":',
    ',"pv":[',
    '],"nodes":0,"depth":',
    ',"state_hash":"',
    '","notation":"',
    f'","variant":"{Variant.TRIPLECARGO.value}","source":"database"}}',
    f'","variant":"{Variant.FF8.value}","source":"database"}}',
    VARIANT_CODES[Variant.TRIPLECARGO],
    VARIANT_CODES[Variant.FF8],
)
(
    BEST_MOVE,
    CARD_ID,
    CELL,
    END_MOVE,
    VALUE,
    MARGIN,
    LINE,
    DEPTH,
    STATE_HASH,
    NOTATION,
    END,
    END_FF8,
    CODE,
    CODE_FF8,
) = range(len(_PHRASES))
# All phrases in a row, and where each begins.
PHRASES = np.frombuffer("".join(_PHRASES).encode(), dtype=np.uint8).copy()
BEGINNINGS = np.cumsum([0, *map(len, _PHRASES)]).astype(np.int64)


class Ink(NamedTuple):
    """What stays the same from answer to answer below one root."""

    book: Book
    table: TokenArray  # [2]: what rules and elements bring into a hash
    ids: Numbers  # [10]: the cards by slot


@kernel
def put(page: Page, at: int, phrase: int) -> int:
    """Write one of the phrases."""
    for place in range(BEGINNINGS[phrase], BEGINNINGS[phrase + 1]):
        page[at] = PHRASES[place]
        at += 1
    return at


@kernel
def put_sign(page: Page, at: int, sign: int) -> int:
    """Write one byte."""
    page[at] = sign
    return at + 1


@kernel
def put_number(page: Page, at: int, number: int) -> int:
    """Write a whole number."""
    if number < 0:
        at = put_sign(page, at, DASH)
        number = -number
    power = 1
    while 10 * power <= number:
        power *= 10
    while power:
        at = put_sign(page, at, int(DIGITS[number // power % 10]))
        power //= 10
    return at


@kernel
def put_move(page: Page, at: int, ink: Ink, packed: int) -> int:
    """Write a packed move of the root's deal."""
    at = put_number(page, put(page, at, CARD_ID), int(ink.ids[packed // CELLS]))
    at = put_number(page, put(page, at, CELL), packed % CELLS)
    return put(page, at, END_MOVE)


@kernel
def put_hash(page: Page, at: int, ink: Ink, row: Row) -> int:
    """Write the state's hash in hexadecimal digits."""
    first, mover = int(row[FIRST]), mover_of(row)
    for half in range(2):
        value = ink.table[half] ^ ink.book.move[mover, half]
        for cell in range(CELLS):
            card = int(row[BOARD + cell])
            if card != NO_CARD:
                owner = ((int(row[OWNERS]) >> cell) & 1) ^ first
                value ^= ink.book.board[cell, owner, card, half]
        for seat in range(SEATS):
            last, copy = NO_CARD, 0
            for number in range(HAND_SIZE):
                card = int(row[HANDS + seat * HAND_SIZE + number])
                copy = copy + 1 if card == last else 0
                last = card
                if card != NO_CARD:
                    value ^= ink.book.hand[seat ^ first, card, copy, half]
        for nibble in range(NIBBLES):
            shift = np.uint64(4 * (NIBBLES - 1 - nibble))
            digit = int((value >> shift) & np.uint64(15))
            at = put_sign(page, at, int(DIGITS[digit]))
    return at


@kernel
def put_notation(page: Page, at: int, row: Row) -> int:
    """Write the state's text, as `engine.text.notation` does."""
    rules = int(row[RULES])
    at = put(page, at, CODE_FF8 if rules & FF8_BIT else CODE)
    if rules & (FF8_BIT - 1):
        at = put_sign(page, at, DASH)
    for bit in range(len(SWITCH_SIGNS)):
        if (rules >> bit) & 1:
            at = put_sign(page, at, int(SWITCH_SIGNS[bit]))
    at = _put_cells(page, put_sign(page, at, FIELD_SIGN), row)
    for player in range(len(PLAYER_SIGNS)):
        at = put_sign(page, at, FIELD_SIGN)
        begin = HANDS + (player ^ int(row[FIRST])) * HAND_SIZE
        for number in range(begin, begin + HAND_SIZE):
            if row[number] != NO_CARD:
                at = put_sign(page, at, ITEM_SIGN) if number > begin else at
                at = put_number(page, at, int(row[number]))
    at = put_sign(page, at, FIELD_SIGN)
    return put_sign(page, at, int(PLAYER_SIGNS[mover_of(row)]))


@kernel
def _put_cells(page: Page, at: int, row: Row) -> int:
    """Write the nine cells; those with nothing on them in runs."""
    begin, run = at, 0
    for cell in range(CELLS + 1):
        card = int(row[BOARD + cell]) if cell < CELLS else NO_CARD
        element = int(row[ELEMENTS + cell]) if cell < CELLS else 0
        is_bare = card == NO_CARD and element == 0
        if is_bare and cell < CELLS:
            run += 1
            continue
        if run:
            at = put_sign(page, at, ITEM_SIGN) if at > begin else at
            at = put_number(page, at, run)
            run = 0
        if not is_bare:
            at = put_sign(page, at, ITEM_SIGN) if at > begin else at
        if card != NO_CARD:
            owner = ((int(row[OWNERS]) >> cell) & 1) ^ int(row[FIRST])
            at = put_sign(page, put_number(page, at, card), int(PLAYER_SIGNS[owner]))
        if element:
            at = put_sign(page, at, int(ELEMENT_SIGNS[element - 1]))
    return at


@kernel
def put_answer(page: Page, at: int, ink: Ink, row: Row, cards: int, line: Numbers) -> int:
    """Write the answer to a state whose mover ends with `cards`; `line` [9] has moves by ply."""
    ply = int(row[PLY])
    is_ff8 = int(row[RULES]) & FF8_BIT != 0
    # The unplayed card is the second player's, and counts under ff8.
    unplayed = (1 if ply & 1 else -1) if is_ff8 else 0
    score = 2 * cards - CELLS + unplayed
    at = put_move(page, put(page, at, BEST_MOVE), ink, int(line[ply]))
    at = put_number(page, put(page, at, VALUE), int(score > 0) - int(score < 0))
    at = put_number(page, put(page, at, MARGIN), -score if mover_of(row) else score)
    at = put(page, at, LINE)
    for number in range(ply, CELLS):
        at = put_sign(page, at, COMMA) if number > ply else at
        at = put_move(page, at, ink, int(line[number]))
    at = put_number(page, put(page, at, DEPTH), CELLS - ply)
    at = put_hash(page, put(page, at, STATE_HASH), ink, row)
    at = put_notation(page, put(page, at, NOTATION), row)
    return put(page, at, END_FF8 if is_ff8 else END)


@kernel
def put_answers(
    page: Page, ink: Ink, rows: Rows, found: tuple[Numbers, Numbers, Numbers], ends: Numbers
) -> None:
    """Write the answers to those of the states that were found, one behind the other.

    `found` is their numbers, the starter's cards at the end [rows], and lines [rows, 9].
    `ends` [found + 1] begins with 0; the page must have LONGEST_ANSWER bytes for each.
    """
    numbers, starter_cards, lines = found
    for place in range(len(numbers)):
        number = int(numbers[place])
        mover_cards = cards_of(int(rows[number, PLY]) & 1, int(starter_cards[number]))
        at = int(ends[place])
        ends[place + 1] = put_answer(page, at, ink, rows[number], mover_cards, lines[number])
