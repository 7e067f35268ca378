"""What moves are worth against a model that is trusted in part: a restricted Nash response.

The opponent plays the model with probability `trust`, from now to the end, and does its worst
otherwise, knowing how you will play. So you get

    trust · (what your plan brings against the model) + (1 - trust) · (what it secures)

and the plan is chosen for the sum: the iteration of `guaranteed` with the model's part held fixed.
With trust 1 it is `response`, with trust 0 `guaranteed`. From ply 6 on nothing is left to be
planned, and the sum is that of both numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np

from advise.guaranteed import WIDTH, Fixed, Guaranteed, bracket_of
from advise.iteration import Reals
from advise.open_tables import FIRST_PLY, TWO_DECISIONS, Tables, make_tables
from advise.open_values import Payoff, value_moves
from advise.posterior import Posterior
from advise.response import CHOICE_GUESSES, Question, make_question, respond, tree_of
from advise.response_tree import Tree
from advise.sharing import share
from advise.view import View
from advise.worlds import Worlds
from engine.game.board import CELLS, EMPTY, HAND_SIZE, SLOT_BITS
from engine.game.cards import Catalogue
from engine.game.moves import Move

LAST_PLY = CELLS - 1


def trusted(  # noqa: PLR0913  a question, and how it is worked out
    view: View,
    posterior: Posterior,
    payoff: Payoff,
    catalogue: Catalogue,
    trust: float,
    *,
    width: float = WIDTH,
    seed: int = 0,
    threads: int = 1,
) -> list[Guaranteed]:
    """Return for every move a bracket around what it is worth, with the plan behind it.

    For plies 4 to 8. Where worlds or guesses are sampled, the bracket is that of the sample.
    """
    if not FIRST_PLY <= view.ply <= LAST_PLY or not 0.0 <= trust <= 1.0:
        raise ValueError(f"trust {trust} at ply {view.ply}: 0 to 1, at plies 4 to 8")
    sets = sets_of(view, posterior, catalogue)
    if view.ply > TWO_DECISIONS:
        found = respond(view, posterior, payoff, catalogue, seed=seed)
        secured = value_moves(view, sets).means(payoff).tolist()
        mixed = [
            trust * each.value + (1.0 - trust) * least
            for each, least in zip(found.moves, secured, strict=True)
        ]
        return [Guaranteed(value, value, 0, {}) for value in mixed]
    question = make_question(view, posterior, payoff, catalogue, (CHOICE_GUESSES, seed))
    tables = make_tables(view, sets, threads=threads)
    task = partial(_solve, question, tables, trust, width)
    return share(task, range(len(tables.moves)), threads)


def sets_of(view: View, posterior: Posterior, catalogue: Catalogue) -> Worlds:
    """Return the worlds of a posterior as sets of unseen cards, equal ones as one."""
    seen = [card.id for card in (*(view.played or ()), *view.known)]
    shares = posterior.shares
    held = np.sort(posterior.worlds.held(seen)[shares > 0], axis=1)
    held = held[:, HAND_SIZE - view.unseen :]  # NO_CARD comes first
    hands, number = np.unique(held, axis=0, return_inverse=True)
    weights = np.bincount(number.reshape(-1), weights=shares[shares > 0])
    ids, members = np.unique(hands, return_inverse=True)
    pool = [catalogue[card] for card in ids.tolist()]
    return Worlds.of(pool, members.reshape(hands.shape), weights)


def _solve(question: Question, tables: Tables, trust: float, width: float, move: int) -> Guaranteed:
    """Return the bracket of one move of plies 4 and 5."""
    tree = tree_of(question, int(tables.moves[move]))
    given = trust * _given(tables, move, tree, question.payoff)
    return bracket_of(tables, question.payoff, move, np.inf, width, Fixed(trust, given))


def _given(tables: Tables, move: int, tree: Tree, payoff: Payoff) -> Reals:
    """Return what replies bring against the model, by information sets as the tables have them."""
    _, _, cells, replies, _ = tables.ends.shape
    given = np.zeros((len(tables.worlds.pool), cells, replies))
    level, sums = tree.levels[0], tree.sums(payoff)
    own = level.own
    assert own is not None
    ids, code = tables.arrays.ids.tolist(), tables.arrays.code
    slot, cell = divmod(int(tables.moves[move]), CELLS)
    empty = [
        at for at in range(CELLS) if (code >> (SLOT_BITS * at)) & EMPTY == EMPTY and at != cell
    ]
    down = {(code >> (SLOT_BITS * at)) & EMPTY for at in range(CELLS)}
    seat = tables.arrays.seat
    own_slots = range(HAND_SIZE * seat, HAND_SIZE * (seat + 1))
    hand = [held for held in own_slots if held not in down and held != slot]
    place_of = {card.id: place for place, card in enumerate(tables.worlds.pool)}
    for state, (card, at) in enumerate(_seen(tree)):
        left = [other for other in empty if other != at]
        first, count = int(level.first[state]), int(own.counts[state])
        brought = {
            Move(ids[packed // CELLS], packed % CELLS): total
            for packed, total in zip(
                own.packed[state, :count].tolist(), sums[first : first + count], strict=True
            )
        }
        row = [brought[Move(ids[held], other)] for held in hand for other in left]
        given[place_of[card], empty.index(at)] = row
    return given.reshape(-1, replies)


def _seen(tree: Tree) -> Sequence[tuple[int, int]]:
    """Return card and cell of each first reply."""
    level = tree.levels[0]
    return list(zip(level.states.gone[:, 0].tolist(), level.cells.tolist(), strict=True))
