"""What moves are worth against a given model: `response`.

For every own move the value of your best play after it, information set by information set: one
move for all worlds that look alike, which are weighed by what the model does in each of them. So
there is no strategy fusion.

It is exact where all worlds are there and the model guesses nothing. Otherwise a plan would be
chosen and judged by the same few worlds, and each might have a plan of its own; so the worlds
are halved, and each half is valued by the plan that the other half chose (`is_validated`).
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.random import Generator, Philox, SeedSequence

from advise.cases import Cases, make_cases
from advise.open_values import Payoff, Values
from advise.particles import Particles, Reactions, Reactor
from advise.posterior import Posterior
from advise.public import make_ground, settle
from advise.reactors import make_reactor, rows_by_id
from advise.response_tree import Flags, Tree, grow
from advise.sharing import share
from advise.view import View
from advise.view_arrays import ViewArrays, arrays_of, named_moves, packed_moves, scores_of
from engine.game.board import CELLS
from engine.game.cards import Catalogue
from engine.game.moves import Move, code_after
from engine.kernel import Numbers

CHOICE_GUESSES = 8  # are enough to choose by
VALUE_GUESSES = 32  # for the value that is reported


class Reply(NamedTuple):
    """A reply of the model's that is to be expected, and what you then get."""

    move: Move
    chance: float
    value: float  # by the objective


class MoveResponse(NamedTuple):
    """What a move is worth against the model."""

    move: Move
    win: float
    draw: float
    loss: float
    points: float  # a draw is half a point
    margin: float
    value: float  # by the objective
    replies: tuple[Reply, ...]  # most likely first


class Response(NamedTuple):
    """What every move is worth; `value` is that of the best one, None where it means nothing."""

    moves: tuple[MoveResponse, ...]  # in the documented order
    best: int  # the number of the first move with the greatest value
    value: MoveResponse | None
    is_exact: bool
    is_validated: bool  # no plan was judged by the worlds that it was chosen by
    worlds: Values  # [moves, worlds]: by the objective; NaN for worlds without weight


class Question(NamedTuple):
    """What all moves of one question have in common."""

    view: View
    arrays: ViewArrays
    cases: Cases
    payoff: Payoff
    rows: Numbers  # [ids, 5]: cards by id
    catalogue: Catalogue
    chance: tuple[int, int]  # guesses, seed


def respond(  # noqa: PLR0913  a question, and how it is worked out
    view: View,
    posterior: Posterior,
    payoff: Payoff,
    catalogue: Catalogue,
    *,
    is_complete: bool = True,
    seed: int = 0,
    threads: int = 1,
) -> Response:
    """Return what every move of the viewer, who is to move, is worth against the models.

    `is_complete` says that the posterior has every world of positive probability.
    """
    choosing = make_question(view, posterior, payoff, catalogue, (CHOICE_GUESSES, seed))
    packed = packed_moves(choosing.arrays)
    is_exact = is_complete and not choosing.cases.guesses
    found = share(partial(_move, choosing, is_exact), packed.tolist(), threads)
    moves = tuple(move for move, _ in found)
    best = max(range(len(moves)), key=lambda number: moves[number].value)
    value: MoveResponse | None = moves[best]
    is_validated = is_exact or len(choosing.cases.weights) > 1
    if choosing.cases.guesses:
        valuing = make_question(view, posterior, payoff, catalogue, (VALUE_GUESSES, seed))
        value, _ = _move(valuing, is_exact, int(packed[best]))
    worlds = np.stack([choosing.cases.by_world(values) for _, values in found])
    return Response(moves, best, value if is_validated else None, is_exact, is_validated, worlds)


def make_question(
    view: View,
    posterior: Posterior,
    payoff: Payoff,
    catalogue: Catalogue,
    chance: tuple[int, int],
) -> Question:
    """Return what all moves of one question have in common."""
    arrays, rows = arrays_of(view), rows_by_id(catalogue)
    cases = make_cases(view, posterior, catalogue)
    return Question(view, arrays, cases, payoff, rows, catalogue, chance)


def tree_of(question: Question, packed: int) -> Tree:
    """Return the tree below a move."""
    ground, arrays = make_ground(question.arrays, question.rows), question.arrays
    settle(ground, np.empty(0, dtype=np.int64))
    code = code_after(ground.duels, arrays.code, packed)
    reactors = [
        make_reactor(model, question.view, arrays, hands, question.catalogue, question.chance)
        for model, hands in question.cases.by_model
    ]
    react = partial(_react, question.cases, reactors)
    return grow(ground, code, question.view.ply + 1, question.cases.weights, react)


def _react(cases: Cases, reactors: Sequence[Reactor], particles: Particles) -> Reactions:
    """Return the replies of all models, each in its own cases."""
    if len(reactors) == 1:
        return reactors[0].replies(particles)
    found = []
    for number, reactor in enumerate(reactors):
        first, last = cases.starts[number], cases.starts[number + 1]
        own = np.flatnonzero((particles.world >= first) & (particles.world < last))
        if len(own):
            part = particles._replace(
                state=particles.state[own], world=particles.world[own] - first
            )
            reactions = reactor.replies(part)
            found.append(reactions._replace(particle=own[reactions.particle]))
    return Reactions(*[np.concatenate(columns) for columns in zip(*found, strict=True)])


def _move(question: Question, is_exact: bool, packed: int) -> tuple[MoveResponse, Values]:
    """Return what a move is worth, and what it is worth in each case."""
    tree, payoff = tree_of(question, packed), question.payoff
    count = len(question.cases.weights)
    is_there = _followed(tree, payoff, None if is_exact or count < 2 else _halves(question))
    chance, cards = tree.chance[is_there], tree.cards[is_there]
    values = np.bincount(tree.world[is_there], weights=chance * payoff[cards], minlength=count)
    ends = np.bincount(cards, weights=chance, minlength=CELLS + 1)
    scores = np.array(scores_of(question.view))
    win, draw, loss = (float(ends[np.sign(scores) == sign].sum()) for sign in (1, 0, -1))
    replies = _replies(tree, is_there, payoff)
    margin, value = float(ends @ scores), float(ends @ payoff)
    move = named_moves(question.arrays, np.array([packed]))[0]
    found = MoveResponse(move, win, draw, loss, win + draw / 2, margin, value, replies)
    return found, values / question.cases.weights


def _halves(question: Question) -> Flags:
    """Return one half of the cases, drawn by the seed."""
    count = len(question.cases.weights)
    random = Generator(Philox(SeedSequence([question.chance[1], count])))
    return random.permutation(count) < count // 2


def _followed(tree: Tree, payoff: Payoff, half: Flags | None) -> Flags:
    """Return which ends are there under the best plan; each half's under that of the other."""
    everyone = np.ones(int(tree.world.max()) + 1, dtype=np.bool_)
    if half is None:
        return tree.follow(tree.plan(payoff, everyone))
    ours, theirs = tree.plan(payoff, half), tree.plan(payoff, ~half)
    return np.where(half[tree.world], tree.follow(theirs), tree.follow(ours))


def _replies(tree: Tree, is_there: Flags, payoff: Payoff) -> tuple[Reply, ...]:
    """Return what the model may reply first, most likely first."""
    if not tree.levels:
        return ()
    level, chance = tree.levels[0], tree.chance[is_there]
    count, reply = len(level.cells), tree.reply[is_there]
    chances = np.bincount(reply, weights=chance, minlength=count)
    values = np.bincount(reply, weights=chance * payoff[tree.cards[is_there]], minlength=count)
    order = np.argsort(-chances, kind="stable").tolist()
    cards = level.states.gone[:, 0].tolist()
    return tuple(
        Reply(
            Move(cards[number], int(level.cells[number])),
            float(chances[number]),
            float(values[number] / chances[number]),
        )
        for number in order
        if chances[number] > 0
    )
