"""A slow twin of the engine, written from the text of the rules.

Works on the JSON form of states and on plain dicts, shares no code with the engine,
and takes no short cuts: what it lacks in speed it has in likeness to the rules' text.

    board     {cell: (card, owner)}       card     {"top": 5, ..., "element": "Fire" or None}
    elements  {cell: "Fire"}              rules    {"elemental": True, ..., "variant": "ff8"}
"""

from __future__ import annotations

import json
from itertools import product
from pathlib import Path
from typing import Any

Card = dict[str, Any]
Board = dict[int, tuple[Card, str]]
Taken = tuple[int, str, int]  # cell, rule, by_cell

CARDS: dict[int, Card] = {
    card["id"]: card
    for card in json.loads(
        (Path(__file__).parent.parent / "data" / "cards.json").read_text(encoding="utf-8")
    )
}
LETTERS = {
    "F": "Fire",
    "I": "Ice",
    "T": "Thunder",
    "W": "Water",
    "E": "Earth",
    "P": "Poison",
    "H": "Holy",
    "L": "Wind",
}
FACING = {"top": "bottom", "right": "left", "bottom": "top", "left": "right"}
MOVE_ORDER = [0, 2, 6, 8, 1, 3, 5, 7, 4]


def beyond(cell: int, side: str) -> int | None:
    """Return the neighbouring cell beyond a side, or None at the board's edge."""
    row, column = divmod(cell, 3)
    row += {"top": -1, "bottom": 1}.get(side, 0)
    column += {"left": -1, "right": 1}.get(side, 0)
    return row * 3 + column if 0 <= row < 3 and 0 <= column < 3 else None


class Placement:
    """One placement: who touches whom with which ranks."""

    def __init__(
        self, board: Board, elements: dict[int, str], rules: dict[str, Any], cell: int
    ) -> None:
        self.board, self.elements, self.rules, self.cell = board, elements, rules, cell
        self.variant = rules.get("variant", "triplecargo")
        self.mover = board[cell][1]

    def opposing(self, cell: int) -> list[tuple[str, int]]:
        """Return sides and cells of the neighbours the mover's opponent owns."""
        return [(s, c) for s, c in self.touching(cell) if self.board[c][1] != self.mover]

    def touching(self, cell: int) -> list[tuple[str, int]]:
        pairs = [(side, beyond(cell, side)) for side in ("top", "right", "bottom", "left")]
        return [(side, other) for side, other in pairs if other is not None and other in self.board]

    def shifted(self, cell: int, side: str) -> int:
        card = self.board[cell][0]
        rank: int = card[side]
        if self.rules.get("elemental") and self.elements.get(cell):
            rank += 1 if card["element"] == self.elements[cell] else -1
        if self.variant == "triplecargo":
            rank = max(1, min(10, rank))
        return rank

    def seen(self, cell: int, side: str) -> int:
        """Return the rank that Same and Plus look at."""
        if self.variant == "triplecargo":
            return self.shifted(cell, side)
        printed: int = self.board[cell][0][side]
        return printed

    def beats(self, cell: int, side: str, other: int) -> bool:
        return self.shifted(cell, side) > self.shifted(other, FACING[side])

    def walls(self) -> int:
        if not self.rules.get("same_wall"):
            return 0
        edges = [side for side in FACING if beyond(self.cell, side) is None]
        return sum(self.seen(self.cell, side) == 10 for side in edges)

    def same(self) -> set[int]:
        if not self.rules.get("same"):
            return set()

        def compare(pairs: list[tuple[str, int]]) -> dict[int, int]:
            return {
                other: self.seen(self.cell, side) - self.seen(other, FACING[side])
                for side, other in pairs
            }

        opponents = compare(self.opposing(self.cell))
        if self.variant == "triplecargo":
            equal = {other for other, difference in opponents.items() if difference == 0}
            return equal if len(equal) + self.walls() >= 2 else set()
        matches = list(compare(self.touching(self.cell)).values()).count(0)
        if matches + self.walls() < 2:
            return set()
        return {other for other, difference in opponents.items() if difference >= 0}

    def plus(self) -> set[int]:
        if not self.rules.get("plus"):
            return set()

        def sums(pairs: list[tuple[str, int]]) -> dict[int, int]:
            return {
                other: self.seen(self.cell, side) + self.seen(other, FACING[side])
                for side, other in pairs
            }

        opponents = sums(self.opposing(self.cell))
        if self.variant == "triplecargo":
            values = list(opponents.values())
            return {other for other, value in opponents.items() if values.count(value) > 1}
        scan = {"top": 0, "bottom": 1, "left": 2, "right": 3}
        in_order = sums(sorted(self.touching(self.cell), key=lambda pair: scan[pair[0]]))
        counts: dict[int, int] = {}
        reached: list[tuple[int, int]] = []  # (count, sum) as they are reached
        for value in in_order.values():
            counts[value] = counts.get(value, 0) + 1
            reached.append((counts[value], value))
        highest = max(counts.values(), default=0)
        if highest < 2:
            return set()
        winner = next(value for count, value in reached if count == highest)
        return {other for other, value in opponents.items() if value == winner}

    def basic(self, cell: int) -> list[int]:
        return [other for side, other in self.opposing(cell) if self.beats(cell, side, other)]

    def captures(self) -> list[Taken]:
        """Return all captures in the order they are told, and make them on the board."""
        same = self.same()
        plus = self.plus() - same
        special = bool(same or plus)
        basic = set(self.basic(self.cell)) - same - plus
        if special and self.variant == "triplecargo":
            basic = set()
        told = [
            (cell, rule, self.cell)
            for rule, cells in (("same", same), ("plus", plus), ("basic", basic))
            for cell in sorted(cells)
        ]
        for cell, _, _ in told:
            self.take(cell)
        queue = sorted(same | plus | basic) if special else []
        while queue:
            source = queue.pop(0)
            for other in self.basic(source):
                self.take(other)
                told.append((other, "combo", source))
                queue.append(other)
        return told

    def take(self, cell: int) -> None:
        self.board[cell] = (self.board[cell][0], self.mover)


def elements_of(state: dict[str, Any]) -> dict[int, str]:
    return {
        entry["cell"]: LETTERS[entry["element"]] for entry in state["board"] if entry.get("element")
    }


def captures(state: dict[str, Any], card_id: int, cell: int) -> list[Taken]:
    """Return the captures of a move in a JSON state."""
    return _place(state, card_id, cell)[1]


def _place(state: dict[str, Any], card_id: int, cell: int) -> tuple[Board, list[Taken]]:
    board: Board = {
        entry["cell"]: (CARDS[entry["card_id"]], entry["owner"])
        for entry in state["board"]
        if entry["card_id"] is not None
    }
    board[cell] = (CARDS[card_id], state["to_move"])
    taken = Placement(board, elements_of(state), state["rules"], cell).captures()
    return board, taken


def play(state: dict[str, Any], card_id: int, cell: int) -> dict[str, Any]:
    """Return the JSON state after a move."""
    board, _ = _place(state, card_id, cell)
    mover = state["to_move"]
    hands = {player: list(hand) for player, hand in state["hands"].items()}
    hands[mover].remove(card_id)
    entries = [dict(entry) for entry in state["board"]]
    for entry in entries:
        if entry["cell"] in board:
            card, owner = board[entry["cell"]]
            entry.update(card_id=card["id"], owner=owner)
    return {
        **state,
        "board": entries,
        "hands": hands,
        "to_move": "B" if mover == "A" else "A",
        "turn": state["turn"] + 1,
    }


def legal_moves(state: dict[str, Any]) -> list[tuple[int, int]]:
    """Return (card id, cell) of every legal move in the documented order."""
    empty = {entry["cell"] for entry in state["board"] if entry["card_id"] is None}
    cards = sorted(set(state["hands"][state["to_move"]]))
    return [(card, cell) for cell, card in product(MOVE_ORDER, cards) if cell in empty]


def margin(state: dict[str, Any]) -> int:
    """Return A's cards less B's as they stand."""
    owners = [entry["owner"] for entry in state["board"]]
    result = owners.count("A") - owners.count("B")
    if state["rules"].get("variant") == "ff8":
        result += len(state["hands"]["A"]) - len(state["hands"]["B"])
    return result


def key(state: dict[str, Any]) -> str:
    """Return a text that is equal for equal states."""
    board = sorted((e["cell"], e["card_id"], e["owner"]) for e in state["board"])
    hands = {player: sorted(hand) for player, hand in state["hands"].items()}
    return json.dumps([board, hands, state["to_move"]], sort_keys=True)


def minimax(state: dict[str, Any]) -> int:
    """Return the margin under perfect play, by looking at everything."""
    moves = legal_moves(state)
    if not moves:
        return margin(state)
    margins = [minimax(play(state, *move)) for move in moves]
    return max(margins) if state["to_move"] == "A" else min(margins)


def best_line(state: dict[str, Any]) -> list[tuple[int, int]]:
    """Return the first best move, and those that follow, to the end of the game."""
    line = []
    while moves := legal_moves(state):
        goal = minimax(state)
        move = next(move for move in moves if minimax(play(state, *move)) == goal)
        line.append(move)
        state = play(state, *move)
    return line
