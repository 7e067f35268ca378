"""Keeping a promise: what the plan of your turn before says to do now.

The plan behind `guaranteed` says what to do after every reply, sometimes by chance. Who decides
afresh may do better against most opponents, but no longer has what was guaranteed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from numpy.random import Generator, Philox, SeedSequence

from advise.advice import GUARANTEED, Advice
from advise.belief import Belief
from advise.guaranteed import bracket_moves
from advise.objective import Objective
from advise.open_tables import make_tables
from advise.table import drawn
from advise.view import View
from advise.view_arrays import arrays_of, named_moves, packed_moves
from engine.game.cards import Card, Catalogue
from engine.game.moves import Move
from engine.game.state import State

TURN = 2  # plies


def view_before(view: View, states: Sequence[State], move: Move, catalogue: Catalogue) -> View:
    """Return what you saw at your turn before, at which you made this move."""
    assert view.played is not None
    before = states[view.ply - TURN]
    reply = Counter(_cards_on(states[-1])) - Counter(_cards_on(states[-2]))
    played = Counter(view.played) - reply
    return View.of(
        before.board,
        (*view.hand, catalogue[move.card_id]),
        before.to_move,
        view.rules,
        view.elements,
        unseen=view.unseen + 1,
        known=view.known,
        played=played.elements(),
    )


def _cards_on(state: State) -> list[Card]:
    return [placed.card for placed in state.board if placed]


def kept_moves(
    before: View, belief: Belief, objective: Objective, made: Move, reply: Move
) -> Mapping[Move, float]:
    """Return what the plan behind a move says to do after a reply, with probabilities."""
    arrays = arrays_of(before)
    number = named_moves(arrays, packed_moves(arrays)).index(made)
    tables = make_tables(before, belief.everything())
    (found,) = bracket_moves(tables, objective.payoff(before), moves=[number])
    return found.plan.get(reply, {})


def keep(advice: Advice, kept: Mapping[Move, float], seed: int) -> Advice:
    """Return advice to go on with a plan: one of its moves, drawn by its chance."""
    moves = sorted(kept)
    random = Generator(Philox(SeedSequence([seed, advice.view.ply])))
    chosen = drawn({move: kept[move] for move in moves}, random)
    assumes = (*advice.assumes, "the plan of your turn before is kept")
    return replace(advice, best_move=chosen, method=GUARANTEED, assumes=assumes, kept=kept)
