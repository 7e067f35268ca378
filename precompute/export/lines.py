"""Rows as JSON lines, byte for byte what `json.dumps` makes of them, in compiled code.

All that a line of one deal can say is made ready once, as fragments of text; to write a line
is to copy some fifteen of them. The kinds, in the order of a line:

    CELL    by cell, slot and owner   {"cell":0,"card_id":12,"owner":"A","element":"F"},
    HAND    by seat and cards left    "A":[34,56],
    TURN    by ply                    "to_move":"B","turn":1,"rules":{...},"game_id":0,...
    MOVE    by packed move            "policy_target":{"card_id":34,"cell":0},
    CHANCE  by packed move            "34-0":
    VALUE   by number                 "value_target":-1,"value_mode":"winloss",...
    END     by margin                 "margin":-3,"schema":1}
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt
import orjson

from engine.game.board import (
    CELLS,
    EMPTY,
    HAND_SIZE,
    SEATS,
    SLOTS,
    Codes,
    owner_at,
    slot_at,
    slots_down,
)
from engine.game.chances import Chances
from engine.game.deal import Deal, Player
from engine.game.duels import Duels
from engine.game.moves import MOST_MOVES, NO_MOVE, list_moves
from engine.kernel import Numbers, inline_kernel, kernel
from engine.text.wire import rules_to_dict
from precompute.export.recipe import ValueMode
from precompute.export.rows import Rows, derive
from store.exported import MILLION, SCHEMA

Bytes: TypeAlias = npt.NDArray[np.uint8]

_SLOTS = EMPTY + 1
_SUBSETS = 1 << HAND_SIZE
_MOST = 10  # a margin is at most ten cards either way
_MARGINS = 2 * _MOST + 1

CELL = 0
HAND = CELL + CELLS * _SLOTS * SEATS
TURN = HAND + SEATS * _SUBSETS
MOVE = TURN + CELLS + 1
CHANCE = MOVE + SLOTS * CELLS
VALUE = CHANCE + SLOTS * CELLS
END = VALUE + _MARGINS
OPEN = END + _MARGINS
CLOSE = OPEN + 1

_HEX = np.frombuffer(b"0123456789abcdef", dtype=np.uint8)
_CHANCE_BYTES = len("0.123456,")
_HASH_BYTES = 16
_TENTH = int(MILLION) // 10
_ONE = int(MILLION)
_COMMA, _ZERO, _POINT = ord(","), ord("0"), ord(".")


class Wording(NamedTuple):
    """How an export's lines say things."""

    value: ValueMode
    has_margin: bool


class Fragments(NamedTuple):
    """The fragments of one game's lines."""

    text: Bytes
    starts: Numbers  # [fragments + 1]
    duels: Duels
    seat_of_a: int
    longest: int  # bytes of a line, at most


class Said(NamedTuple):
    """What the lines say, as numbers."""

    codes: Codes  # [n]
    plies: Codes  # [n]
    best: Codes  # [n]
    policy: Chances  # [n, 45], or empty
    values: Codes  # [n]
    margins: Codes  # [n]
    hashes: Bytes  # [n, 16]


@dataclass(frozen=True)
class Lines:
    """Encoded rows."""

    text: Bytes
    ends: Numbers  # [n]: where each line ends
    plies: Numbers  # [n]

    def __len__(self) -> int:
        """Return the number of lines."""
        return len(self.ends)

    def cut(self, first: int, last: int) -> Lines:
        """Return the lines from `first` up to `last`."""
        begin = int(self.ends[first - 1]) if first else 0
        end = int(self.ends[last - 1]) if last else 0
        ends = self.ends[first:last] - begin
        return Lines(self.text[begin:end], ends, self.plies[first:last])


def encode_lines(wording: Wording, rows: Rows) -> Lines:
    """Return rows as lines."""
    derived = derive(rows)
    values = derived.values if wording.value is ValueMode.WINLOSS else derived.margins
    hashes = derived.hashes.astype(">u8").view(np.uint8)
    said = Said(rows.codes, derived.plies, rows.best, rows.policy, values, derived.margins, hashes)
    fragments = make_fragments(rows.deal, rows.game_id, rows.off_pv, wording)
    text = np.empty(len(rows.codes) * fragments.longest, dtype=np.uint8)
    ends = np.empty(len(rows.codes), dtype=np.int64)
    length = write_lines(fragments, said, np.zeros(MOST_MOVES, dtype=np.int64), text, ends)
    return Lines(text[:length], ends, derived.plies)


@lru_cache(maxsize=16)
def make_fragments(deal: Deal, game_id: int, off_pv: bool, wording: Wording) -> Fragments:
    """Return the fragments of a game's lines."""
    kinds = [
        list(_cells(deal)),
        list(_hands(deal)),
        list(_turns(deal, game_id)),
        [f'"policy_target":{{"card_id":{card},"cell":{cell}}},' for card, cell in _moves(deal)],
        [f'"{card}-{cell}":' for card, cell in _moves(deal)],
        list(_values(wording, off_pv)),
        list(_ends(wording)),
        ['"policy_target":{'],
        ["},"],
    ]
    times = (CELLS, SEATS, 1, 1, MOST_MOVES, 1, 1, 1, 1)  # that a line may have of each kind
    longest = sum(many * max(map(len, kind)) for many, kind in zip(times, kinds, strict=True))
    longest += MOST_MOVES * _CHANCE_BYTES + 2 * _HASH_BYTES
    texts = [text.encode("ascii") for kind in kinds for text in kind]
    starts = np.cumsum([0, *map(len, texts)], dtype=np.int64)
    text = np.frombuffer(b"".join(texts), dtype=np.uint8)
    return Fragments(text, starts, deal.duels, deal.players.index(Player.A), longest)


def _compact(value: Any) -> str:
    return orjson.dumps(value).decode()


def _moves(deal: Deal) -> Iterator[tuple[int, int]]:
    """Return card and cell of every packed move."""
    return ((card.id, cell) for card, cell in product(deal.slots, range(CELLS)))


def _cells(deal: Deal) -> Iterator[str]:
    for cell, slot, seat in product(range(CELLS), range(_SLOTS), range(SEATS)):
        entry: dict[str, Any] = {"cell": cell, "card_id": None, "owner": None}
        if slot < SLOTS:
            entry |= {"card_id": deal.slots[slot].id, "owner": deal.players[seat].name}
        if deal.rules.elemental:
            element = deal.elements[cell]
            entry["element"] = element if element else None
        before = '{"board":[' if cell == 0 else ""
        after = "," if cell < CELLS - 1 else '],"hands":{'
        yield before + _compact(entry) + after


def _hands(deal: Deal) -> Iterator[str]:
    for seat, left in product(range(SEATS), range(_SUBSETS)):
        cards = deal.slots[seat * HAND_SIZE : (seat + 1) * HAND_SIZE]
        held = [card.id for place, card in enumerate(cards) if (left >> place) & 1]
        player = deal.players[seat]
        yield f'"{player.name}":{_compact(held)}' + ("," if player is Player.A else "},")


def _turns(deal: Deal, game_id: int) -> Iterator[str]:
    for ply in range(CELLS + 1):
        fields = {
            "to_move": deal.players[ply & 1].name,
            "turn": ply,
            "rules": rules_to_dict(deal.rules),
            "game_id": game_id,
            "state_idx": ply,
        }
        yield _compact(fields)[1:-1] + ","


def _values(wording: Wording, off_pv: bool) -> Iterator[str]:
    for value in range(-_MOST, _MOST + 1):
        fields = {"value_target": value, "value_mode": wording.value.value, "off_pv": off_pv}
        yield _compact(fields)[1:-1] + ',"state_hash":"'


def _ends(wording: Wording) -> Iterator[str]:
    for margin in range(-_MOST, _MOST + 1):
        fields = ({"margin": margin} if wording.has_margin else {}) | {"schema": SCHEMA}
        yield '",' + _compact(fields)[1:] + "\n"


@kernel
def write_lines(
    fragments: Fragments, said: Said, moves: Numbers, text: Bytes, ends: Numbers
) -> int:
    """Write the lines and where each ends; return how many bytes. `moves` [45] is scratch."""
    at = 0
    for number in range(len(said.codes)):
        code = int(said.codes[number])
        for cell in range(CELLS):
            place = (cell * _SLOTS + slot_at(code, cell)) * SEATS + owner_at(code, cell)
            at = _put(fragments, CELL + place, text, at)
        held = ~slots_down(code)
        for player in range(SEATS):
            seat = fragments.seat_of_a ^ player
            left = (held >> (seat * HAND_SIZE)) & (_SUBSETS - 1)
            at = _put(fragments, HAND + seat * _SUBSETS + left, text, at)
        at = _put(fragments, TURN + int(said.plies[number]), text, at)
        if len(said.policy):
            at = _put_chances(fragments, code, said.policy[number], moves, text, at)
        elif said.best[number] != NO_MOVE:
            at = _put(fragments, MOVE + int(said.best[number]), text, at)
        at = _put(fragments, VALUE + _MOST + int(said.values[number]), text, at)
        for byte in said.hashes[number]:
            text[at] = _HEX[byte >> 4]
            text[at + 1] = _HEX[byte & 15]
            at += 2
        at = _put(fragments, END + _MOST + int(said.margins[number]), text, at)
        ends[number] = at
    return at


@inline_kernel
def _put(fragments: Fragments, number: int, text: Bytes, at: int) -> int:
    """Copy a fragment to `text[at]`; return where it ends."""
    for place in range(int(fragments.starts[number]), int(fragments.starts[number + 1])):
        text[at] = fragments.text[place]
        at += 1
    return at


@kernel
def _put_chances(
    fragments: Fragments, code: int, chances: Chances, moves: Numbers, text: Bytes, at: int
) -> int:
    """Write the moves that have a chance, in the documented order; return where they end."""
    at = _put(fragments, OPEN, text, at)
    is_first = True
    for number in range(list_moves(fragments.duels, code, moves)):
        if chances[number]:
            if not is_first:
                text[at] = _COMMA
                at += 1
            is_first = False
            at = _put(fragments, CHANCE + int(moves[number]), text, at)
            at = _put_chance(int(chances[number]), text, at)
    return _put(fragments, CLOSE, text, at)


@inline_kernel
def _put_chance(chance: int, text: Bytes, at: int) -> int:
    """Write millionths as a number with six decimals; return where it ends."""
    text[at] = _ZERO + chance // _ONE
    text[at + 1] = _POINT
    at += 2
    digit = _TENTH
    while digit:
        text[at] = _ZERO + chance // digit % 10
        at += 1
        digit //= 10
    return at
