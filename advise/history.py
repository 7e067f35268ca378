"""Moves from the opening on, checked against what a view shows now.

Cards that nobody has seen have no part in what was captured so far, so any cards stand for them.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from advise.view import View
from engine.errors import Problem, StateError, Words, counted
from engine.game.board import HAND_SIZE
from engine.game.cards import Card, Catalogue
from engine.game.deal import Deal, Player
from engine.game.moves import Move
from engine.game.state import State


def played_in(view: View, history: Sequence[Move], catalogue: Catalogue) -> tuple[Card, ...]:
    """Return what the opponent has played, or raise `StateError` for no history of the view."""
    if len(history) != view.ply:
        found, allowed = Words(counted(len(history), "move")), counted(view.ply, "move")
        raise StateError.of("history", found, f"{allowed}, one for each card on the board")
    for number, move in enumerate(history):
        placed = view.board[move.cell] if 0 <= move.cell < len(view.board) else None
        if placed is None or placed.card.id != move.card_id:
            there = f"card {placed.card.id} lies on it" if placed else "no card lies there"
            allowed = f"a card on the cell where it lies now; on cell {move.cell} {there}"
            raise StateError.of(f"history[{number}]", move._asdict(), allowed)
    offset = int(view.first is not view.opponent)
    return tuple(catalogue[move.card_id] for move in history[offset::2])


def replay(view: View, history: Sequence[Move], catalogue: Catalogue) -> list[State]:
    """Return the states of a game from its opening on, or raise `StateError`.

    `view.played` must be what the history says.
    """
    states = [State.start(_any_deal(view, catalogue))]
    for number, move in enumerate(history):
        if move not in states[-1].legal_moves():
            name = states[-1].to_move.name
            allowed = f"a move that {name} can make: a card of its five on an empty cell"
            raise StateError.of(f"history[{number}]", move._asdict(), allowed)
        states.append(states[-1].play(move))
    _check_owners(view, history, states)
    return states


def _check_owners(view: View, history: Sequence[Move], states: Sequence[State]) -> None:
    """Raise `StateError` where a card would be another player's; name the last move at it."""
    for cell, placed in enumerate(view.board):
        owners = [_owner(state, cell) for state in states]
        if placed and owners[-1] is not placed.owner:
            last = max(n for n in range(len(history)) if owners[n + 1] is not owners[n])
            allowed = f"moves after which cell {cell} is {placed.owner.name}'s, as on the board"
            raise StateError([Problem(f"history[{last}]", history[last]._asdict(), allowed)])


def _owner(state: State, cell: int) -> Player | None:
    placed = state.board[cell]
    return placed.owner if placed else None


def _any_deal(view: View, catalogue: Catalogue) -> Deal:
    """Return a deal that the view may be of."""
    assert view.played is not None
    theirs = [*view.played, *view.known]
    mine = [*view.hand, *(Counter(view.placed) - Counter(view.played)).elements()]
    taken = {*theirs, *mine}
    free = [card for card in catalogue if card not in taken]
    theirs += free[: HAND_SIZE - len(theirs)]
    hands = (mine, theirs) if view.viewer is Player.A else (theirs, mine)
    return Deal.of(*hands, rules=view.rules, elements=view.elements, first=view.first)
