"""128-bit Zobrist hashes: the XOR of one token per fact of a state.

token(text) is BLAKE2b with a 16-byte digest of "triadbase-zobrist-1 " + text, read
big-endian. The texts:

    board CELL OWNER CARD      each card on the board
    hand OWNER CARD N          the N-th copy (from 1) of a card in a hand
    move OWNER                 the side to move
    rules VARIANT ESPW         four digits 0/1: elemental, same, plus, same_wall
    element CELL LETTER        with Elemental on, each cell that has one
    sudden-death               with Sudden Death on

`state_hash` works on states. Kernels get the tokens of a deal's slots in arrays,
each token as two uint64, high half first.
"""

from __future__ import annotations

import hashlib
from functools import cache, lru_cache
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import (
    CELLS,
    EMPTY,
    HAND_SIZE,
    SEATS,
    SLOTS,
    owner_at,
    slot_at,
    slots_down,
)
from engine.game.deal import Deal, Elements
from engine.game.facts import Facts
from engine.game.rules import Rules
from engine.game.state import State
from engine.kernel import kernel

TokenArray: TypeAlias = npt.NDArray[np.uint64]

PREFIX = "triadbase-zobrist-1 "
DIGEST_BYTES = 16
HALF_BITS = 64
HALF = (1 << HALF_BITS) - 1
PLAYERS = "AB"  # as they are called in tokens


def token(text: str) -> int:
    """Return the token of a fact. The helpers below compute each once."""
    digest = hashlib.blake2b((PREFIX + text).encode("ascii"), digest_size=DIGEST_BYTES)
    return int.from_bytes(digest.digest(), "big")


@cache
def _board_token(cell: int, owner: str, card: int) -> int:
    return token(f"board {cell} {owner} {card}")


@cache
def _hand_token(owner: str, card: int, copy: int) -> int:
    return token(f"hand {owner} {card} {copy}")


@cache
def _move_token(owner: str) -> int:
    return token(f"move {owner}")


@cache
def _rules_token(rules: Rules) -> int:
    digits = "".join(str(int(on)) for on in rules.switches)
    return token(f"rules {rules.variant} {digits}")


@cache
def _element_token(cell: int, letter: str) -> int:
    return token(f"element {cell} {letter}")


@lru_cache(maxsize=1 << 12)
def _table_token(rules: Rules, elements: Elements) -> int:
    """Return the XOR of the facts that stay the same throughout a game."""
    result = _rules_token(rules)
    if rules.sudden_death:
        result ^= token("sudden-death")
    for cell, element in enumerate(elements):
        if rules.elemental and element:
            result ^= _element_token(cell, element)
    return result


def state_hash(state: State) -> int:
    """Return the hash of a state."""
    return hash_of(state.facts)


def hash_of(facts: Facts) -> int:
    """Return the hash of a state's facts."""
    result = _table_token(facts.rules, facts.elements) ^ _move_token(PLAYERS[facts.to_move])
    owners = facts.owners
    for cell, card in enumerate(facts.board):
        if card:
            result ^= _board_token(cell, PLAYERS[(owners >> cell) & 1], card)
    hand_a, hand_b = facts.hands
    return result ^ _hand_tokens("A", hand_a) ^ _hand_tokens("B", hand_b)


@lru_cache(maxsize=1 << 14)
def _hand_tokens(owner: str, hand: tuple[int, ...]) -> int:
    """Return the XOR of a hand's tokens; its ids ascend."""
    result, last, copy = 0, 0, 0
    for card in hand:
        copy = copy + 1 if card == last else 1
        last = card
        result ^= _hand_token(owner, card, copy)
    return result


def hash_text(value: int) -> str:
    """Return a hash as 32 lower-case hex digits."""
    return f"{value:032x}"


class Tokens(NamedTuple):
    """The tokens of one deal, for kernels."""

    board: TokenArray  # [9, 2, 10, 2]: cell, owner's seat, slot, half
    hand: TokenArray  # [10, 2]: slot, half
    move: TokenArray  # [2, 2]: seat, half
    table: TokenArray  # [2]: half


def make_tokens(deal: Deal) -> Tokens:
    """Return a deal's tokens by slot and seat.

    Of equal cards in a hand the lowest slot is played first, so the highest slot is
    copy 1: what is left in a hand is always copies 1 to N.
    """
    owners = [player.name for player in deal.players]
    ids = [card.id for card in deal.slots]
    board = np.empty((CELLS, SEATS, SLOTS, 2), dtype=np.uint64)
    hand = np.empty((SLOTS, 2), dtype=np.uint64)
    for slot, card in enumerate(ids):
        seat = slot // HAND_SIZE
        copy = ids[slot : (seat + 1) * HAND_SIZE].count(card)
        hand[slot] = _halves(_hand_token(owners[seat], card, copy))
        for cell in range(CELLS):
            for owner in range(SEATS):
                board[cell, owner, slot] = _halves(_board_token(cell, owners[owner], card))
    move = np.array([_halves(_move_token(owner)) for owner in owners], dtype=np.uint64)
    table = np.array(_halves(_table_token(deal.rules, deal.elements)), dtype=np.uint64)
    return Tokens(board, hand, move, table)


def _halves(value: int) -> tuple[int, int]:
    return value >> HALF_BITS, value & HALF


@kernel
def write_hash(tokens: Tokens, code: int, mover: int, halves: TokenArray) -> None:
    """Write the hash of a code with `mover` to move into `halves` [2], from scratch."""
    for half in range(2):
        value = tokens.table[half] ^ tokens.move[mover, half]
        for cell in range(CELLS):
            slot = slot_at(code, cell)
            if slot != EMPTY:
                value ^= tokens.board[cell, owner_at(code, cell), slot, half]
        down = slots_down(code)
        for slot in range(SLOTS):
            if not (down >> slot) & 1:
                value ^= tokens.hand[slot, half]
        halves[half] = value
