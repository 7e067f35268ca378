"""Run every kernel of advice once; on a fresh machine that compiles them."""

from __future__ import annotations

from advise.adviser import Adviser, Wish
from advise.belief import Belief
from advise.objective import Style
from advise.prior import Pool
from advise.view import View
from engine.game.cards import Catalogue
from engine.game.dealing import Dealer
from engine.game.state import State

FIRST_PLY, LAST_PLY = 3, 8  # earlier plies run the kernels of ply 3
SPARE = 2  # cards besides those the opponent holds: several worlds


def warm_up_advice(catalogue: Catalogue) -> None:
    """Advise a few times, with few worlds."""
    state = State.start(Dealer(catalogue).deal(0))
    while state.ply <= LAST_PLY:
        if state.ply >= FIRST_PLY:
            _advise(state, catalogue)
        state = state.play(state.legal_moves()[0])


def _advise(state: State, catalogue: Catalogue) -> None:
    view = View.seen_by(state, state.to_move)
    theirs = state.deal.hands[view.opponent]
    others = [card for card in catalogue if card not in theirs and not card.is_unique]
    pool = Pool.of(card.id for card in (*theirs, *others[:SPARE]))
    belief = Belief.of(view, pool, catalogue)
    Adviser().last(view, belief, Wish(style=Style.HUMANLIKE))
