"""A view: what one player sees of a game. It holds no hidden card, so who has it cannot cheat.

    you are to move at ply           0  1  2  3  4  5  6  7  8
    the other's cards in hand        5  4  4  3  3  2  2  1  1   = known + unseen

Hands change only by playing, so what is hidden shrinks with every card that the other plays. A
board does not show who brought which card; `played` tells which of its cards were the other's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from engine.errors import Problem, StateError, Words, counted
from engine.game.board import CELLS, HAND_SIZE
from engine.game.cards import Card
from engine.game.deal import NO_ELEMENTS, Elements, Player, copy_problems
from engine.game.rules import Rules, Variant
from engine.game.state import Board, Placed, State


@dataclass(frozen=True)
class View:
    """What one player sees; `View.of` checks it and `View.seen_by` takes it from a state."""

    viewer: Player
    board: tuple[Placed | None, ...]  # nine, one per cell
    hand: tuple[Card, ...]  # the viewer's own, ascending by id
    to_move: Player
    rules: Rules
    elements: Elements  # all None when Elemental is off
    unseen: int  # cards in the other's hand that the viewer does not see
    known: tuple[Card, ...] = ()  # and those that it does, ascending
    played: tuple[Card, ...] | None = None  # what the other brought to the board, ascending

    @classmethod
    def of(  # noqa: PLR0913  all that can be seen
        cls,
        board: Board,
        hand: Sequence[Card],
        to_move: Player,
        rules: Rules | None = None,
        elements: Elements = NO_ELEMENTS,
        *,
        unseen: int,
        known: Iterable[Card] = (),
        played: Iterable[Card] | None = None,
        viewer: Player | None = None,
    ) -> View:
        """Return the view of who is to move, or of `viewer`, or raise `StateError`."""
        rules = rules or Rules()
        view = cls(
            to_move if viewer is None else viewer,
            tuple(board),
            tuple(sorted(hand)),
            to_move,
            rules,
            tuple(elements) if rules.elemental else NO_ELEMENTS,
            unseen,
            tuple(sorted(known)),
            None if played is None else tuple(sorted(played)),
        )
        problems = _shape_problems(view) or _size_problems(view)
        problems = problems or _played_problems(view) or _copies(view)
        if problems:
            raise StateError(problems)
        return view

    @classmethod
    def seen_by(cls, state: State, player: Player) -> View:
        """Return what a player sees of a state: under the rule Open the other's hand as well.

        Who brought which card is as the state's deal has it.
        """
        other = player.opponent
        theirs, is_open = state.hands[other], state.rules.open
        played = Counter(state.deal.hands[other]) - Counter(theirs)
        return cls(
            player,
            state.board,
            state.hands[player],
            state.to_move,
            state.rules,
            state.elements,
            0 if is_open else len(theirs),
            theirs if is_open else (),
            tuple(sorted(played.elements())),
        )

    @property
    def is_open(self) -> bool:
        """Tell whether both players see both hands, by the rule Open."""
        return self.rules.open

    @property
    def opponent(self) -> Player:
        """Return the other player, whose cards may be hidden."""
        return self.viewer.opponent

    @property
    def ply(self) -> int:
        """Return the number of cards on the board."""
        return CELLS - self.board.count(None)

    @property
    def first(self) -> Player:
        """Return who started."""
        return self.to_move.opponent if self.ply & 1 else self.to_move

    @property
    def placed(self) -> list[Card]:
        """Return the cards on the board, by cell."""
        return [placed.card for placed in self.board if placed]

    @property
    def is_over(self) -> bool:
        """Tell whether the board is full."""
        return self.ply == CELLS

    def hand_size(self, player: Player) -> int:
        """Return how many cards a player holds at this ply."""
        return HAND_SIZE - (self.ply + (player is not self.to_move)) // 2


def _shape_problems(view: View) -> list[Problem]:
    """Return what is wrong with the layout, before anything is counted."""
    if len(view.board) != CELLS:
        return [Problem("board", Words(counted(len(view.board), "cell")), f"{CELLS} cells")]
    if len(view.elements) != CELLS:
        return [Problem("elements", len(view.elements), f"{CELLS} cells")]
    return []


def _size_problems(view: View) -> list[Problem]:
    """Return which numbers of cards do not go with the ply."""
    problems = []
    own, theirs = view.hand_size(view.viewer), view.hand_size(view.opponent)
    hand, other = f"hands.{view.viewer.name}", f"hands.{view.opponent.name}"
    if len(view.hand) != own:
        allowed = f"{counted(own, 'card')} at ply {view.ply}"
        problems.append(Problem(hand, [card.id for card in view.hand], allowed))
    due = theirs - len(view.known)
    if due < 0:
        allowed = f"at most {counted(theirs, 'card')} at ply {view.ply}"
        problems.append(Problem(f"{other}.known", [card.id for card in view.known], allowed))
    elif view.unseen != due:
        allowed = f"{due}, as {other} has {counted(theirs, 'card')} at ply {view.ply}"
        problems.append(Problem(f"{other}.unseen", view.unseen, allowed))
    elif view.is_open and view.unseen:
        problems.append(Problem(f"{other}.unseen", view.unseen, "0 under the rule Open"))
    return problems


def _played_problems(view: View) -> list[Problem]:
    """Return what is wrong with the cards that the other is said to have played."""
    if view.played is None:
        return []
    field = f"hands.{view.opponent.name}.played"
    due = HAND_SIZE - view.hand_size(view.opponent)
    if len(view.played) != due:
        allowed = f"{counted(due, 'card')} at ply {view.ply}"
        return [Problem(field, [card.id for card in view.played], allowed)]
    missing = Counter(view.played) - Counter(view.placed)
    allowed = "cards that lie on the board"
    return [Problem(field, card.id, allowed) for card in sorted(missing)]


def _copies(view: View) -> list[Problem]:
    """Return which cards are there more often than they may be, as far as can be seen."""
    mine, theirs = list(view.hand), list(view.known)
    if view.played is not None:
        theirs += view.played
        mine += (Counter(view.placed) - Counter(view.played)).elements()
    elif view.rules.variant is Variant.FF8:  # unique in the game, whoever brought it
        mine += view.placed
    hands = (mine, theirs) if view.viewer is Player.A else (theirs, mine)
    return copy_problems(*hands, view.rules.variant)
