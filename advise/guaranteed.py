"""What a move secures whatever the opponent does: `guaranteed`, as a bracket, with its plan.

The opponent sees both hands, knows how you will play, and does its best; you see what you see,
have to treat all worlds alike that look alike, and may leave your next move to chance. At plies
4 and 5 you move once more with a choice: a game of two moves (`advise.iteration`). From ply 6 on
nothing unknown can make two plans differ, and `guaranteed` is `open`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import NamedTuple, TypeAlias

import numpy as np

from advise.iteration import ITERATIONS, LOWER, UPPER, Game, Minds, Reals, Stakes, iterate
from advise.open_tables import Tables, finals_of
from advise.open_values import Payoff, mean_payoffs
from advise.sharing import share
from advise.tables import Ends
from advise.worlds import Members
from engine.game.board import CELLS, EMPTY, SLOT_BITS
from engine.game.moves import Move
from engine.kernel import Numbers, kernel

Plan: TypeAlias = Mapping[Move, Mapping[Move, float]]  # by the opponent's reply: your next move

WIDTH = 0.001
MOST_ITERATIONS = 100_000


class Guaranteed(NamedTuple):
    """What one move secures, at least and at most."""

    lower: float  # a strategy of yours secures it
    upper: float  # a strategy of the opponent's holds you to it
    iterations: int
    plan: Plan  # the strategy behind `lower`; empty from ply 6 on: your next move is forced


@kernel
def write_stakes(
    ends: Ends, move: int, members: Members, payoff: Payoff, stakes: Stakes, sets: Numbers
) -> None:
    """Write what is at stake after a move in each world, and the information sets.

    An option is one of the opponent's cards on a cell. Of the cards it then has left it will
    play the one that is worse for you, which it chooses after your reply.
    """
    _, _, cells, replies, _ = ends.shape
    worlds, held = members.shape
    for world in range(worlds):
        for option in range(held * cells):
            place, cell = option // cells, option % cells
            first = members[world, place]
            sets[world, option] = first * cells + cell
            for reply in range(replies):
                end = CELLS
                for other in range(held):
                    if other != place:
                        last = ends[first, move, cell, reply, members[world, other]]
                        end = min(end, int(last))
                stakes[world, option, reply] = payoff[end]


@kernel
def keep_unsettled(stakes: Stakes, sets: Numbers, shares: Reals, worth: Reals) -> int:
    """Move the worlds that are not settled to the front; return how many they are.

    What the others are worth is added to `worth` [1].
    """
    worlds, options, replies = stakes.shape
    left = 0
    for world in range(worlds):
        lowest, ceiling = np.inf, np.inf  # of all stakes; of what an option brings at most
        for option in range(options):
            highest = -np.inf
            for reply in range(replies):
                stake = float(stakes[world, option, reply])
                lowest, highest = min(lowest, stake), max(highest, stake)
            ceiling = min(ceiling, highest)
        if ceiling <= lowest:
            worth[0] += shares[world] * lowest
            continue
        shares[left] = shares[world]
        for option in range(options):
            sets[left, option] = sets[world, option]
            for reply in range(replies):
                stakes[left, option, reply] = stakes[world, option, reply]
        left += 1
    return left


def bracket_moves(
    tables: Tables,
    payoff: Payoff,
    *,
    moves: Iterable[int] | None = None,
    width: float = WIDTH,
    threads: int = 1,
) -> list[Guaranteed]:
    """Return the brackets of moves, by their numbers; of all moves when none are named.

    Payoffs must not fall with the number of cards: then what is worse for you is better for the
    opponent, and fewer cards are worse.
    """
    if (np.diff(payoff) < 0).any():
        raise ValueError(f"payoffs {payoff.tolist()} fall somewhere; more cards must not be worse")
    numbers = list(range(len(tables.moves)) if moves is None else moves)
    finals = finals_of(tables, threads=threads)
    ceilings = mean_payoffs(finals, tables.worlds.weights, payoff).tolist()
    if not tables.decides_twice:
        return [Guaranteed(ceilings[number], ceilings[number], 0, {}) for number in numbers]
    task = partial(_solve, tables, payoff, ceilings, width)
    return share(task, numbers, threads)


def _solve(
    tables: Tables, payoff: Payoff, ceilings: list[float], width: float, move: int
) -> Guaranteed:
    """Return the bracket of one move."""
    worlds, cells, replies = tables.worlds, tables.ends.shape[2], tables.ends.shape[3]
    options = worlds.members.shape[1] * cells
    stakes = np.empty((len(worlds.members), options, replies), dtype=np.float32)
    sets = np.empty((len(worlds.members), options), dtype=np.int64)
    write_stakes(tables.ends, move, worlds.members, payoff, stakes, sets)
    game = unsettled(stakes, sets, worlds.shares, ceilings[move])
    minds = make_minds(len(worlds.pool) * cells, game.stakes.shape)
    bracket = np.zeros(ITERATIONS + 1)
    iterate(game, minds, width, MOST_ITERATIONS, bracket)
    plan = _plan(tables, move, minds.best_replies)
    return Guaranteed(float(bracket[LOWER]), float(bracket[UPPER]), int(bracket[ITERATIONS]), plan)


def unsettled(stakes: Stakes, sets: Numbers, shares: Reals, ceiling: float) -> Game:
    """Return a game without the worlds that are settled whatever you reply; arrays are reused.

    In these the opponent has an option that is as bad as can be for you after every reply. They
    are most worlds of many games.
    """
    worth = np.zeros(1)
    left = keep_unsettled(stakes, sets, shares, worth)
    return Game(stakes[:left], sets[:left], shares[:left], float(worth[0]), ceiling)


def make_minds(places: int, shape: tuple[int, ...]) -> Minds:
    """Return minds that know nothing yet, of a game with so many information sets."""
    worlds, options, replies = shape
    own, theirs = (places, replies), (worlds, options)
    shapes = (own, own, own, own, own, own, theirs, (options,), theirs)
    return Minds._make(np.zeros(shape) for shape in shapes)


def _plan(tables: Tables, move: int, chances: Reals) -> Plan:
    """Return what to do after each reply of the opponent that is possible in some world."""
    ids, (slot, cell) = tables.arrays.ids.tolist(), divmod(int(tables.moves[move]), CELLS)
    code, seat = tables.arrays.code, tables.arrays.seat
    empty = [other for other in _empty_cells(code) if other != cell]
    hand = [other for other in _hand(code, seat) if other != slot]
    plan: dict[Move, dict[Move, float]] = {}
    for number, row in enumerate(chances.tolist()):
        card, place = divmod(number, len(empty))
        theirs = Move(tables.worlds.pool[card].id, empty[place])
        left = [other for other in empty if other != theirs.cell]
        mine = [Move(ids[held], other) for held in hand for other in left]
        for own, chance in zip(mine, row, strict=True):
            if chance > 0.0:
                known = plan.setdefault(theirs, {})
                known[own] = known.get(own, 0.0) + chance  # equal cards are one move
    return plan


def _empty_cells(code: int) -> list[int]:
    return [cell for cell in range(CELLS) if (code >> (SLOT_BITS * cell)) & EMPTY == EMPTY]


def _hand(code: int, seat: int) -> list[int]:
    """Return the slots of a seat that are not on the board."""
    down = {(code >> (SLOT_BITS * cell)) & EMPTY for cell in range(CELLS)}
    return [slot for slot in range(5 * seat, 5 * seat + 5) if slot not in down]
