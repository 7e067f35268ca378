"""The smallest parts of JSON, read by kernels: signs, whole numbers, and the words we know.

Every kernel takes the place in the text where to begin and returns the place behind what it
read, NOT_PLAIN when that is not there; given NOT_PLAIN it returns it, so that steps can follow
one another without a question between them.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.cards import ELEMENT_BY_LETTER
from engine.game.rules import SWITCHES, VARIANT_BY_NAME
from engine.kernel import kernel
from engine.text.document import OPTIONAL, REQUIRED

Text: TypeAlias = npt.NDArray[np.uint8]

NOT_PLAIN = -1

# All strings there are, those that can stand in one place side by side.
_STATE_FIELDS = (*REQUIRED, *OPTIONAL)
_CELL_FIELDS = ("cell", "card_id", "owner", "element")
_RULE_FIELDS = (*SWITCHES, "variant")
_WORDS = (
    *_STATE_FIELDS,
    *_CELL_FIELDS,
    *_RULE_FIELDS,
    "A",
    "B",
    *VARIANT_BY_NAME,
    *ELEMENT_BY_LETTER,
    "states",
)
_WORD_LENGTH = 16  # of the longest and a closing 0
WORDS = np.zeros((len(_WORDS), _WORD_LENGTH), dtype=np.uint8)
for _number, _word in enumerate(_WORDS):
    WORDS[_number, : len(_word)] = list(_word.encode())
_AT = {word: number for number, word in enumerate(_WORDS)}
W_BOARD, W_HANDS, W_TO_MOVE = _AT["board"], _AT["hands"], _AT["to_move"]
W_TURN, W_RULES, W_LAYOUT = _AT["turn"], _AT["rules"], _AT["board_elements"]
W_CELL, W_CARD, W_OWNER, W_ELEMENT = (_AT[word] for word in _CELL_FIELDS)
W_SWITCHES, W_VARIANT = _AT[SWITCHES[0]], _AT["variant"]
W_PLAYERS, W_VARIANTS = _AT["A"], _AT[next(iter(VARIANT_BY_NAME))]
W_ELEMENTS, W_STATES = _AT[next(iter(ELEMENT_BY_LETTER))], _AT["states"]
W_FF8 = _AT["ff8"]
REQUIRED_WORDS = sum(1 << _AT[word] for word in REQUIRED)
REQUIRED_CELL = 1 << W_CELL | 1 << W_CARD | 1 << W_OWNER

QUOTE, COMMA, COLON = ord('"'), ord(","), ord(":")
BRACE, END_BRACE, BRACKET, END_BRACKET = (ord(sign) for sign in "{}[]")
ZERO, NINE, SPACE, TAB, NEWLINE, RETURN = (ord(sign) for sign in "09 \t\n\r")
NULL, TRUE, FALSE = range(3)
LITERALS = np.array([list(b"null\0"), list(b"true\0"), list(b"false")], dtype=np.uint8)
LARGEST_NUMBER = 1_000_000


@kernel
def sign_at(text: Text, at: int) -> int:
    """Return the byte at a place; 0, which stands for nothing, beyond the end."""
    return int(text[at]) if 0 <= at < len(text) else 0


@kernel
def skip_space(text: Text, at: int) -> int:
    """Return the place of the next byte that is not white space."""
    sign = sign_at(text, at)
    while sign == SPACE or sign == NEWLINE or sign == RETURN or sign == TAB:  # noqa: PLR1714
        at += 1
        sign = sign_at(text, at)
    return at


@kernel
def read_sign(text: Text, at: int, sign: int) -> int:
    """Read one sign."""
    at = skip_space(text, at)
    return at + 1 if sign_at(text, at) == sign else NOT_PLAIN


@kernel
def read_end(text: Text, at: int, end: int) -> tuple[int, bool]:
    """Read a comma or what ends a list; tell whether more is to come."""
    at = skip_space(text, at)
    more = sign_at(text, at) == COMMA
    return (at + 1, more) if more or sign_at(text, at) == end else (NOT_PLAIN, False)


@kernel
def read_word(text: Text, at: int, first: int, last: int) -> tuple[int, int]:
    """Read a string that is one of the words from `first` to before `last`; tell which."""
    at = read_sign(text, at, QUOTE)
    for word in range(first, last):
        length = 0
        while WORDS[word, length] and sign_at(text, at + length) == WORDS[word, length]:
            length += 1
        if at != NOT_PLAIN and not WORDS[word, length] and sign_at(text, at + length) == QUOTE:
            return at + length + 1, word
    return NOT_PLAIN, first


@kernel
def read_field(text: Text, at: int, first: int, last: int, seen: int) -> tuple[int, int, int]:
    """Read the name of a field and its colon; tell which of the words it is.

    `seen` is the mask of the fields that the object has had already, to which this one is
    added: no field may come twice.
    """
    at, word = read_word(text, at, first, last)
    if (seen >> word) & 1:
        at = NOT_PLAIN
    return read_sign(text, at, COLON), word, seen | 1 << word


@kernel
def is_literal(text: Text, at: int, number: int) -> bool:
    """Tell whether what comes next begins as a literal does."""
    return sign_at(text, skip_space(text, at)) == int(LITERALS[number, 0])


@kernel
def read_literal(text: Text, at: int, number: int) -> int:
    """Read NULL, TRUE or FALSE."""
    at = skip_space(text, at)
    for place in range(LITERALS.shape[1]):
        if LITERALS[number, place]:
            if sign_at(text, at) != LITERALS[number, place]:
                return NOT_PLAIN
            at += 1
    return at


@kernel
def read_number(text: Text, at: int) -> tuple[int, int]:
    """Read a whole number as JSON writes it; what follows it is for the next step to judge."""
    at = skip_space(text, at)
    begin, number = at, 0
    while ZERO <= sign_at(text, at) <= NINE and number < LARGEST_NUMBER:
        number = 10 * number + sign_at(text, at) - ZERO
        at += 1
    has_leading_zero = at > begin + 1 and sign_at(text, begin) == ZERO
    return (NOT_PLAIN, 0) if at == begin or has_leading_zero else (at, number)
