"""The tree of one own move against a model, level by level, with the worlds going through it.

    own move → particles: every world → the model's replies → information sets → own moves → ...

What you will have seen by then is a public state, so each is one information set, and one move
is chosen for all the particles in it. `Tree.plan` chooses backwards, by what some of the
worlds say; `Tree.follow` says what comes of a plan in every world.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from advise.particles import Particles, Reactions
from advise.public import (
    Ground,
    OwnMoves,
    PublicStates,
    after_their_moves,
    own_moves,
    owned_cards,
)
from engine.game.board import CELLS, HAND_SIZE
from engine.kernel import Numbers

Reals: TypeAlias = npt.NDArray[np.float64]
Flags: TypeAlias = npt.NDArray[np.bool_]
Plan: TypeAlias = list[Numbers]  # for each level: the number of the move in each state
React: TypeAlias = Callable[[Particles], Reactions]

_DECIMALS = 12  # sums that differ by less are equal: which comes first must not depend on order
_MOST_MARKS = 1 << 24  # keys up to which marking is cheaper than sorting


class Level(NamedTuple):
    """One reply of the model, and the own moves after it, if the board is not full."""

    parent: Numbers  # [replied]: the particle that replied so
    state: Numbers  # [replied]: the public state, which is an information set
    states: PublicStates  # after the reply
    cells: Numbers  # [states]: where the reply went
    own: OwnMoves | None
    first: Numbers  # [states]: the number of the state after its first own move
    start: Numbers  # [replied]: the particle after the first own move
    after: Numbers  # [particles]: the public states after own moves, by their numbers


class Tree(NamedTuple):
    """All that may follow an own move, in every world that has weight."""

    seat: int
    levels: list[Level]
    world: Numbers  # [particles at the end]
    chance: Reals  # [particles at the end]: of the world and of all replies
    cards: Numbers  # [particles at the end]: yours
    reply: Numbers  # [particles at the end]: the state after the model's first reply

    def plan(self, values: Reals, counts: Flags) -> Plan:
        """Return the best plan for some of the worlds: `counts` [worlds]; `values` [10].

        In an information set that none of them reaches, it is the move with most cards at once.
        """
        chance = self.chance * counts[self.world]
        total = chance * values[self.cards]
        plan: Plan = []
        for level in reversed(self.levels):
            if level.own is not None:
                choice = _choice(level, total, chance, self.seat)
                chosen = level.start + choice[level.state]
                total, chance = total[chosen], _reached(level, chance)
                plan.append(choice)
            particles = _parents(level)
            total = added(level.parent, weights=total, minlength=particles)
            chance = added(level.parent, weights=chance, minlength=particles)
        return plan[::-1]

    def sums(self, values: Reals) -> Reals:
        """Return what each own move after the first reply brings, all its worlds added up.

        For trees in which there is no choice after it.
        """
        total = self.chance * values[self.cards]
        for level in reversed(self.levels[1:]):
            if level.own is not None:  # one move in each state
                total = total[level.start]
            total = added(level.parent, weights=total, minlength=_parents(level))
        own = self.levels[0].own
        assert own is not None
        return added(self.levels[0].after, weights=total, minlength=int(own.counts.sum()))

    def follow(self, plan: Plan) -> Flags:
        """Return which particles at the end are there when the plan is followed."""
        is_there = np.ones(_parents(self.levels[0]) if self.levels else len(self.world), np.bool_)
        for number, level in enumerate(self.levels):
            is_there = is_there[level.parent]
            if level.own is not None:
                chosen = level.start + plan[number][level.state]
                after = np.zeros(len(level.after), dtype=np.bool_)
                after[chosen] = is_there
                is_there = after
        return is_there


def added(places: Numbers, weights: Reals, minlength: int) -> Reals:
    """Return weights added up by place, one after the other."""
    return np.bincount(places, weights=weights, minlength=minlength).astype(np.float64)


def _parents(level: Level) -> int:
    """Return how many particles replied; each did."""
    return int(level.parent.max(initial=-1)) + 1


def _reached(level: Level, chance: Reals) -> Reals:
    """Return the chance of each particle before the own moves: that after any one of them."""
    return chance[level.start]


def _choice(level: Level, total: Reals, chance: Reals, seat: int) -> Numbers:
    """Return the best move of each state, the first of equal ones."""
    own = level.own
    assert own is not None
    most = own.codes.shape[1]
    is_move = np.arange(most) < own.counts[:, np.newaxis]
    sums = added(level.after, weights=total, minlength=int(own.counts.sum()))
    by_move = np.full(own.codes.shape, -np.inf)
    by_move[is_move] = np.round(sums, _DECIMALS)
    choice = by_move.argmax(axis=1)
    weight = added(level.state, weights=_reached(level, chance), minlength=len(choice))
    at_once = np.where(is_move, owned_cards(own.codes, seat, CELLS), -1).argmax(axis=1)
    chosen: Numbers = np.where(weight > 0, choice, at_once)
    return chosen


def grow(ground: Ground, code: int, ply: int, shares: Reals, react: React) -> Tree:
    """Return the tree below the state with a code, in which the opponent is to move."""
    seat = ground.seen.seat
    states = PublicStates(np.array([code]), np.empty((1, 0), dtype=np.int64))
    world = np.arange(len(shares))
    state, chance = np.zeros(len(world), dtype=np.int64), shares
    reply = state
    levels: list[Level] = []
    while ply < CELLS:
        reactions = react(Particles(states, ply, state, world))
        level = _level(ground, states, state, reactions, ply)
        levels.append(level)
        world, chance = world[level.parent], chance[level.parent] * reactions.chance
        reply = level.state if len(levels) == 1 else reply[level.parent]
        states, state, ply = level.states, level.state, ply + 1
        if level.own is not None:
            repeats = level.own.counts[level.state]
            world, chance = np.repeat(world, repeats), np.repeat(chance, repeats)
            reply = np.repeat(reply, repeats)
            states, state = _after_own(level.own, states), level.after
            ply += 1
    cards = owned_cards(states.codes, seat, CELLS)[state]
    return Tree(seat, levels, world, chance, cards, reply)


def _level(
    ground: Ground, states: PublicStates, state: Numbers, reactions: Reactions, ply: int
) -> Level:
    """Return the level of these replies."""
    ids = len(ground.rows)
    key = (state[reactions.particle] * ids + reactions.card) * CELLS + reactions.cell
    keys, number = _numbered(key, len(states.codes) * ids * CELLS)
    before, cells = keys // CELLS, keys % CELLS
    before, card = before // ids, before % ids
    gone = np.concatenate([states.gone[before], card[:, np.newaxis]], axis=1)
    replied = after_their_moves(ground, PublicStates(states.codes[before], gone), cells)
    nothing = np.empty(0, dtype=np.int64)
    if ply + 1 == CELLS:
        return Level(reactions.particle, number, replied, cells, None, nothing, nothing, nothing)
    held = HAND_SIZE - (ply + 1) // 2
    own = own_moves(ground, replied, held * (CELLS - ply - 1))
    first = np.cumsum(own.counts) - own.counts
    repeats = own.counts[number]
    start = np.cumsum(repeats) - repeats
    after = np.repeat(first[number] - start, repeats) + np.arange(int(repeats.sum()))
    return Level(reactions.particle, number, replied, cells, own, first, start, after)


def _after_own(own: OwnMoves, states: PublicStates) -> PublicStates:
    """Return the states after each own move, state by state."""
    is_move = np.arange(own.codes.shape[1]) < own.counts[:, np.newaxis]
    return PublicStates(own.codes[is_move], np.repeat(states.gone, own.counts, axis=0))


def _numbered(keys: Numbers, most: int) -> tuple[Numbers, Numbers]:
    """Return the different keys, ascending, and for each key which of them it is."""
    if most > _MOST_MARKS:
        different, number = np.unique(keys, return_inverse=True)
        return different, number.astype(np.int64)
    marks = np.zeros(most, dtype=np.int64)
    marks[keys] = 1
    different = np.flatnonzero(marks)
    marks[different] = np.arange(len(different))
    return different, marks[keys]
