"""What models that go by the state reply in many worlds at once: random, greedy, and by worth.

Particles are taken world by world. A world's ten cards are then settled once, its own cards in
ascending order in the opponent's slots, and each public state is written in these slots.
"""

from __future__ import annotations

from math import exp
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from advise.models import Greedy, Perfect, Random, Softmax, Tremble
from advise.particles import Hands, Particles, Reactions, room_for
from advise.view import View
from advise.view_arrays import ViewArrays, scores_of
from engine.game.board import CELLS, HAND_SIZE, slot_at
from engine.game.capture import captured
from engine.game.duels import DUELS_LENGTH, Room, make_room, write_duels
from engine.game.moves import MOST_MOVES, NO_MOVE, Moves, code_after, list_moves, unpack_move
from engine.kernel import Numbers, bit_count, kernel
from engine.search.exact import exact_cards, likely_cards
from engine.search.transpositions import TranspositionTable, start_query
from engine.search.workspace import SCRATCH_LENGTH, Query, Workspace

StateModels: TypeAlias = Random | Greedy | Perfect | Tremble | Softmax
Chances: TypeAlias = npt.NDArray[np.float64]

RANDOM, GREEDY, TREMBLE, SOFTMAX = range(4)  # perfect is to tremble without error
TABLE_MEBIBYTES = 1


class Bench(NamedTuple):
    """What replies are worked out with; each thread has its own."""

    work: Workspace
    room: Room
    rows: Numbers  # [ids, 5]: cards by id
    ids: Numbers  # [10]: cards by slot
    cards: Numbers  # [10, 5]
    moves: Moves  # [45]
    worths: Chances  # [45]: what each move is worth to the model
    chances: Chances  # [45]


class Manner(NamedTuple):
    """How a model replies."""

    kind: int
    amount: float  # error, or temperature
    points: Chances  # [10]: the model's, by its cards on the board at the end


@kernel
def take_world(bench: Bench, view: ViewArrays, held: Numbers) -> None:
    """Settle the duels of a world; `held` [5] ascends, NO_CARD first."""
    missing = HAND_SIZE - len(view.slots)
    for number in range(len(view.slots)):
        slot, card = int(view.slots[number]), int(held[missing + number])
        bench.ids[slot] = card
        for column in range(bench.rows.shape[1]):
            bench.cards[slot, column] = bench.rows[card, column]
    write_duels(bench.work.duels, bench.room, bench.ids, bench.cards, view.elements, view.options)
    start_query(bench.work.entries)
    bench.work.scratch[:] = NO_MOVE


@kernel
def code_in_world(bench: Bench, view: ViewArrays, code: int, gone: Numbers) -> int:
    """Return a public state's code with the opponent's cards in the slots of the world."""
    used, result = 0, code
    for number in range(len(gone)):
        for slot in view.slots:
            if bench.ids[slot] == gone[number] and not (used >> slot) & 1:
                used |= 1 << int(slot)
                for cell in range(CELLS):
                    if slot_at(code, cell) == view.slots[number]:
                        result ^= (int(slot) ^ int(view.slots[number])) << (4 * cell)
                break
    return result


@kernel
def write_worths(bench: Bench, code: int, count: int, manner: Manner, seat: int) -> None:
    """Write what each move is worth to the model, whose seat it is."""
    guess = likely_cards(code)
    for number in range(count):
        move = int(bench.moves[number])
        if manner.kind == RANDOM:
            bench.worths[number] = 0.0
        elif manner.kind == GREEDY:
            slot, cell = unpack_move(move)
            bench.worths[number] = bit_count(captured(bench.work.duels, code, slot, cell, seat))
        else:
            after = code_after(bench.work.duels, code, move)
            guess = CELLS - exact_cards(bench.work, after, CELLS - guess)
            worth = manner.points[guess] if manner.kind == SOFTMAX else float(guess)
            bench.worths[number] = worth


@kernel
def write_chances(bench: Bench, count: int, manner: Manner) -> None:
    """Write how likely each move is."""
    best = 0
    for number in range(1, count):
        if bench.worths[number] > bench.worths[best]:
            best = number
    total = 0.0
    for number in range(count):
        if manner.kind == RANDOM:
            chance = 1.0
        elif manner.kind == SOFTMAX:
            chance = exp((bench.worths[number] - bench.worths[best]) / manner.amount)
        else:
            error = manner.amount if manner.kind == TREMBLE else 0.0
            chance = error / count + (1.0 - error if number == best else 0.0)
        bench.chances[number] = chance
        total += chance
    for number in range(count):
        bench.chances[number] /= total


@kernel
def react_all(
    bench: Bench,
    view: ViewArrays,
    manner: Manner,
    held: Numbers,
    particles: Particles,
    made: Reactions,
) -> int:
    """Write the replies at particles, those of a world together; return how many."""
    count, world = 0, -1
    for particle in range(len(particles.world)):
        if particles.world[particle] != world:
            world = int(particles.world[particle])
            take_world(bench, view, held[world])
        state = int(particles.state[particle])
        gone = particles.states.gone[state]
        code = code_in_world(bench, view, int(particles.states.codes[state]), gone)
        moves = list_moves(bench.work.duels, code, bench.moves)
        write_worths(bench, code, moves, manner, 1 - view.seat)
        write_chances(bench, moves, manner)
        for number in range(moves):
            if bench.chances[number] > 0.0:
                slot, cell = unpack_move(int(bench.moves[number]))
                made.particle[count] = particle
                made.card[count] = bench.ids[slot]
                made.cell[count] = cell
                made.chance[count] = bench.chances[number]
                count += 1
    return count


class StateReactor:
    """Works replies out in kernels."""

    def __init__(
        self, model: StateModels, view: View, arrays: ViewArrays, hands: Hands, rows: Numbers
    ) -> None:
        """Prepare for a view, whose opponent holds these hands; `rows` are cards by id."""
        self._arrays, self._held = arrays, np.sort(hands.held, axis=1)
        self._manner = _manner_of(model, view)
        self._most = len(arrays.slots) * CELLS
        duels = np.zeros(DUELS_LENGTH, dtype=np.int64)
        scratch = np.zeros(SCRATCH_LENGTH, dtype=np.int64)
        entries = TranspositionTable(TABLE_MEBIBYTES).entries
        self._bench = Bench(
            Workspace(duels, entries, scratch, Query().control),
            make_room(),
            rows,
            arrays.ids.copy(),
            arrays.cards.copy(),
            np.zeros(MOST_MOVES, dtype=np.int64),
            np.zeros(MOST_MOVES),
            np.zeros(MOST_MOVES),
        )

    def replies(self, particles: Particles) -> Reactions:
        """Return what it replies."""
        order = np.argsort(particles.world, kind="stable")
        turned = particles._replace(
            state=particles.state[order],
            world=particles.world[order],
            states=particles.states._replace(gone=np.ascontiguousarray(particles.states.gone)),
        )
        cards = len(self._arrays.slots) - particles.states.gone.shape[1]
        made = room_for(len(order) * cards * (CELLS - particles.ply))
        count = react_all(self._bench, self._arrays, self._manner, self._held, turned, made)
        return Reactions(
            order[made.particle[:count]], made.card[:count], made.cell[:count], made.chance[:count]
        )


def _manner_of(model: StateModels, view: View) -> Manner:
    """Return how a model replies, as kernels see it."""
    theirs = [-score for score in reversed(scores_of(view))]  # by the opponent's cards
    points = np.array([(np.sign(score) + 1) / 2 for score in theirs])
    if isinstance(model, Random):
        return Manner(RANDOM, 0.0, points)
    if isinstance(model, Greedy):
        return Manner(GREEDY, 0.0, points)
    if isinstance(model, Softmax):
        return Manner(SOFTMAX, model.temperature, points)
    return Manner(TREMBLE, model.error if isinstance(model, Tremble) else 0.0, points)
