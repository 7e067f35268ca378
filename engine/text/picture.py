"""A state as text for a terminal.

┌───────┬───────┬───────┐
│   5  F│       │       │     a card: its ranks, its owner, its cell's element
│4 (A) 3│   1   │   2   │     an empty cell: its number
│   2   │       │       │
"""

from __future__ import annotations

from collections.abc import Collection

from engine.game.cards import Card, Element
from engine.game.deal import Player
from engine.game.state import Placed, State

_TOP, _BETWEEN, _BOTTOM = (
    left + between.join(["─" * 7] * 3) + right for left, between, right in ("┌┬┐", "├┼┤", "└┴┘")
)

_FACE_DOWN = "    ? face down"


def draw_state(state: State, face_down: Collection[Player] = ()) -> str:
    """Return the board, both hands and whose turn it is; some players' cards face down."""
    score_a, score_b = state.score
    turn = "game over" if state.is_over else f"{state.to_move.name} to move"
    lines = [draw_board(state), f"A {score_a} : {score_b} B, {turn}"]
    for player in Player:
        lines.append(f"{player.name}'s hand:")
        hand = state.hands[player]
        if player in face_down:
            lines += [_FACE_DOWN] * len(hand)
        else:
            lines += [f"  {draw_card(card)}" for card in hand]
    return "\n".join(lines)


def draw_board(state: State) -> str:
    """Return the board."""
    pictures = [
        _draw_cell(cell, placed, element)
        for cell, (placed, element) in enumerate(zip(state.board, state.elements, strict=True))
    ]
    rows = []
    for start in (0, 3, 6):
        lines = zip(*pictures[start : start + 3], strict=True)
        rows.append("\n".join(f"│{'│'.join(line)}│" for line in lines))
    return "\n".join((_TOP, f"\n{_BETWEEN}\n".join(rows), _BOTTOM))


def draw_card(card: Card) -> str:
    """Return a card as one line: id, name, ranks clockwise from the top, element."""
    ranks = " ".join(map(draw_rank, card.ranks))
    element = f" {card.element.label}" if card.element else ""
    return f"{card.id:>3} {card.name:<16} {ranks}{element}"


def draw_rank(rank: int) -> str:
    """Return the rank as cards print it, A for 10."""
    return "A" if rank == 10 else str(rank)


def _draw_cell(cell: int, placed: Placed | None, element: Element | None) -> tuple[str, str, str]:
    corner = element if element else " "
    if placed is None:
        return f"      {corner}", f"   {cell}   ", " " * 7
    top, right, bottom, left = map(draw_rank, placed.card.ranks)
    return f"   {top}  {corner}", f"{left} ({placed.owner.name}) {right}", f"   {bottom}   "
