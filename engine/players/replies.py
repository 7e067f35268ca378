"""Kernels: what the computer player does in many worlds that share their boards.

At depths 1 and 2 the score of a card on a cell does not depend on the rest of its hand, so that
a board's scores are worked out once, when they are first wanted, for every world with that card:

    depth 1   scores[card, cell, 0]      what the leaf is worth, weighted
    depth 2   scores[card, cell, guess]  the least that follows when the other replies with a card

A move is then worth the least over the five guessed cards. The cut-off at depth 2 leaves moves
out that are worse than the one before, so it never changes the choice; but where Same and Plus
weigh more than the rest it may, and there, with noise, and from depth 3 on, `decide` decides.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import ALL_CELLS, CELLS, HAND_SIZE
from engine.game.facts import NO_CARD
from engine.game.moves import pack_move, unpack_move
from engine.kernel import Numbers, bit_count, drop_lowest, inline_kernel, kernel, lowest_bit
from engine.players.decide import decide, lay_out, write_weights
from engine.players.layout import (
    CELL_VALUES,
    DEALT,
    ELEMENTS,
    HAND_WEIGHT,
    HAS_VALUES,
    HELD,
    OWNED,
    SAME_WEIGHT,
    SEARCH,
    STRATEGY,
    WORK_LENGTH,
    Asked,
    Work,
)
from engine.players.minimax import BEYOND, FIRED, captured, leaf
from engine.players.placement import put, word_of
from engine.players.stream import drawn, step
from engine.players.tables import (
    CARD_POWER,
    DEPTHS,
    ELEMENT,
    LEVEL,
    NOISE,
    ONE,
    PER_LEVEL,
    POWER,
    RANKS,
    ROWS,
    SAME_TAKEN,
    SEES_HAND,
    WEIGHTS,
    Cards,
    id_of,
    value_of,
)

Randoms: TypeAlias = npt.NDArray[np.int64]  # [worlds, guesses]: states of the random numbers

_SCORE_BITS = 32  # of an entry: below them the score, above them the number of its board
_ZERO = 1 << (_SCORE_BITS - 1)
_WEIGHT_OF_ONE = 1 << ONE


class Memory(NamedTuple):
    """What the player works with; each thread has its own."""

    cards: Cards  # [ids, CARD_LENGTH]
    scores: Numbers  # [ids, 9, ids]: entries, each of the board that was looked at last
    boards: Numbers  # [1]: how many boards have been looked at
    work: Work
    asked: Asked  # [ASKED_LENGTH]: the board, and one world's slots
    guess: Numbers  # [5]: the other player's cards
    made: Numbers  # [guesses, 2]: packed moves, and how often each was made


class Hidden(NamedTuple):
    """Worlds, and where in them the player is asked: particles, those of a board together."""

    slots: Numbers  # [worlds, 5]: what it holds at first by slot, NO_CARD where one was played
    dealt: Numbers  # [worlds, 5]
    randoms: Randoms
    boards: Asked  # [boards, ASKED_LENGTH]: without own slots and dealt cards
    gone: Numbers  # [boards, n]: cards that it has played since then
    board: Numbers  # [particles]
    world: Numbers  # [particles]


class Made(NamedTuple):
    """Moves that are made: room for each particle's, as many as there are guesses."""

    particle: Numbers  # [n]
    card: Numbers  # [n]
    cell: Numbers  # [n]
    chance: npt.NDArray[np.float64]  # [n]


def make_memory(cards: Cards, asked_length: int, guesses: int) -> Memory:
    """Return fresh scratch."""
    count = len(cards)
    return Memory(
        cards,
        np.zeros((count, CELLS, count), dtype=np.int64),
        np.zeros(1, dtype=np.int64),
        np.zeros(WORK_LENGTH, dtype=np.int64),
        np.zeros(asked_length, dtype=np.int64),
        np.zeros(HAND_SIZE, dtype=np.int64),
        np.zeros((max(guesses, 1), 2), dtype=np.int64),
    )


@inline_kernel
def _word(memory: Memory, card: int, cell: int) -> int:
    """Return a card as it lies on a cell."""
    row = memory.cards[card]
    return word_of(int(row[RANKS]), int(row[ELEMENT]), int(memory.asked[ELEMENTS + cell]))


@inline_kernel
def _value(memory: Memory, card: int) -> int:
    """Return what a card is worth beyond its cell."""
    weight = int(WEIGHTS[memory.asked[STRATEGY], POWER])
    return value_of(int(memory.cards[card, CARD_POWER]), weight)


@kernel
def score_of_leaf(memory: Memory, occupied: int, card: int, cell: int) -> int:
    """Return the weighted score of a card on a cell, at depth 1, but for what is in hand."""
    work, mine = memory.work, int(memory.asked[OWNED])
    taken = captured(work, occupied, occupied & ~mine, _word(memory, card, cell), cell)
    work[CELL_VALUES + cell] = _value(memory, card)
    after = (mine ^ taken | 1 << cell) & ALL_CELLS
    raw = leaf(work, occupied | 1 << cell, after, 0)
    return raw * int(work[SAME_WEIGHT]) >> ONE if taken & FIRED else raw


@kernel
def score_of_reply(memory: Memory, occupied: int, card: int, cell: int, other: int) -> int:
    """Return what a card on a cell leads to when the other replies with `other`, at depth 2.

    Its own card is out of its hand then, which counts; what it holds besides does not.
    """
    work, mine = memory.work, int(memory.asked[OWNED])
    word = _word(memory, card, cell)
    taken = captured(work, occupied, occupied & ~mine, word, cell)
    mine = (mine ^ taken | 1 << cell) & ALL_CELLS
    work[CELL_VALUES + cell] = _value(memory, card)
    put(work, word, cell, 1)
    occupied |= 1 << cell
    least = BEYOND
    cells = ALL_CELLS & ~occupied
    while cells:
        there = lowest_bit(cells)
        cells = drop_lowest(cells)
        lost = captured(work, occupied, mine, _word(memory, other, there), there)
        work[CELL_VALUES + there] = _value(memory, other)
        score = leaf(work, occupied | 1 << there, (mine ^ lost) & ALL_CELLS, 0)
        least = min(least, score)
    put(work, word, cell, -1)
    return least - (_value(memory, card) * int(work[HAND_WEIGHT]) >> ONE)


@inline_kernel
def _score(memory: Memory, occupied: int, card: int, cell: int, other: int) -> int:
    """Return a score, from the table if it is there; NO_CARD as `other` is depth 1."""
    entry = int(memory.scores[card, cell, other])
    if entry >> _SCORE_BITS != memory.boards[0]:
        if other == NO_CARD:
            score = score_of_leaf(memory, occupied, card, cell)
        else:
            score = score_of_reply(memory, occupied, card, cell, other)
        entry = (int(memory.boards[0]) << _SCORE_BITS) + score + _ZERO
        memory.scores[card, cell, other] = entry
    return (entry & ((1 << _SCORE_BITS) - 1)) - _ZERO


@kernel
def choose(memory: Memory, occupied: int, guessed: int) -> int:
    """Return the packed move for the slots of `asked` and the first `guessed` cards of `guess`."""
    best, best_move = -BEYOND, 0
    for slot in range(HAND_SIZE):
        card = int(memory.asked[HELD + slot])
        cells = ALL_CELLS & ~occupied if card != NO_CARD else 0
        while cells:
            cell = lowest_bit(cells)
            cells = drop_lowest(cells)
            least = BEYOND
            for place in range(guessed):
                least = min(least, _score(memory, occupied, card, cell, int(memory.guess[place])))
            if least > best:
                best, best_move = least, pack_move(slot, cell)
    return best_move


@kernel
def draw_guess(memory: Memory, random: int) -> int:
    """Write a guess of the other player's cards, as the player makes it; return how many."""
    for slot in range(HAND_SIZE):
        random = step(random)
        level = drawn(random) % int(memory.cards[memory.asked[DEALT + slot], LEVEL])
        random = step(random)
        memory.guess[slot] = id_of(1 + level, drawn(random) % PER_LEVEL)
    return HAND_SIZE


@kernel
def copy_seen(memory: Memory) -> int:
    """Write the other player's cards down as they are; return how many."""
    count = 0
    for slot in range(HAND_SIZE, 2 * HAND_SIZE):
        card = int(memory.asked[HELD + slot])
        if card != NO_CARD:
            memory.guess[count] = card
            count += 1
    return count


@kernel
def is_tabled(asked: Asked, empty: int) -> bool:
    """Tell whether scores of single cards say what the player does."""
    weights = WEIGHTS[asked[STRATEGY]]
    depth = int(DEPTHS[int(asked[SEARCH]) % ROWS, empty])
    is_even = weights[SAME_TAKEN] == _WEIGHT_OF_ONE
    return weights[NOISE] == 0 and (depth == 1 or (depth == 2 and is_even))


@kernel
def is_certain(asked: Asked, empty: int) -> bool:
    """Tell whether the player's move follows from what is asked, without a guess."""
    depth = int(DEPTHS[int(asked[SEARCH]) % ROWS, empty])
    has_noise = WEIGHTS[asked[STRATEGY], NOISE] != 0
    return not has_noise and (depth == 1 or int(asked[SEARCH]) & SEES_HAND != 0)


@kernel
def look_at(memory: Memory, board: Asked) -> int:
    """Begin with a board; return the mask of its cards' cells."""
    for place in range(len(board)):
        memory.asked[place] = board[place]
    memory.boards[0] += 1
    write_weights(memory.asked, memory.work)
    occupied = lay_out(memory.cards, memory.asked, memory.work)
    memory.work[HAS_VALUES] = WEIGHTS[memory.asked[STRATEGY], POWER]
    return occupied


@kernel
def take_slots(memory: Memory, hidden: Hidden, board: int, world: int) -> None:
    """Put a world's slots, without what has been played, and its dealt cards into `asked`."""
    for slot in range(HAND_SIZE):
        memory.asked[HELD + slot] = hidden.slots[world, slot]
        memory.asked[DEALT + slot] = hidden.dealt[world, slot]
    for card in hidden.gone[board]:
        for slot in range(HAND_SIZE):
            if memory.asked[HELD + slot] == card:
                memory.asked[HELD + slot] = NO_CARD
                break


@kernel
def choose_once(memory: Memory, occupied: int, random: int) -> int:
    """Return the packed move that the player makes, with random numbers from a state on."""
    empty = CELLS - bit_count(occupied)
    if not is_tabled(memory.asked, empty):
        return decide(memory.cards, memory.asked, random, memory.work)
    if DEPTHS[int(memory.asked[SEARCH]) % ROWS, empty] == 1:
        memory.guess[0] = NO_CARD
        return choose(memory, occupied, 1)
    if int(memory.asked[SEARCH]) & SEES_HAND:
        return choose(memory, occupied, copy_seen(memory))
    return choose(memory, occupied, draw_guess(memory, random))


@kernel
def count_moves(memory: Memory, occupied: int, randoms: Numbers) -> int:
    """Count what the player does, guess by guess, in `made`; return how many moves there are."""
    tries = 1 if is_certain(memory.asked, CELLS - bit_count(occupied)) else len(randoms)
    count = 0
    for number in range(tries):
        move = choose_once(memory, occupied, int(randoms[number]))
        place = 0
        while place < count and memory.made[place, 0] != move:
            place += 1
        if place == count:
            memory.made[place, 0], memory.made[place, 1] = move, 0
            count += 1
        memory.made[place, 1] += 1
    return count


@kernel
def reply_all(memory: Memory, hidden: Hidden, made: Made) -> int:
    """Write what the player does at every particle, with chances; return how many moves."""
    count, board, occupied = 0, -1, 0
    for particle in range(len(hidden.board)):
        if hidden.board[particle] != board:
            board = int(hidden.board[particle])
            occupied = look_at(memory, hidden.boards[board])
        world = int(hidden.world[particle])
        take_slots(memory, hidden, board, world)
        moves = count_moves(memory, occupied, hidden.randoms[world])
        tries = 0
        for number in range(moves):
            tries += int(memory.made[number, 1])
        for number in range(moves):
            slot, cell = unpack_move(int(memory.made[number, 0]))
            made.particle[count] = particle
            made.card[count] = memory.asked[HELD + slot]
            made.cell[count] = cell
            made.chance[count] = int(memory.made[number, 1]) / tries
            count += 1
    return count


@kernel
def count_hits(
    memory: Memory, hidden: Hidden, card: int, cell: int, hits: Numbers, tries: Numbers
) -> None:
    """Write how often the player makes a move at each particle, and how often it was tried."""
    board, occupied = -1, 0
    for particle in range(len(hidden.board)):
        if hidden.board[particle] != board:
            board = int(hidden.board[particle])
            occupied = look_at(memory, hidden.boards[board])
        world = int(hidden.world[particle])
        take_slots(memory, hidden, board, world)
        hits[particle], tries[particle] = 0, 0
        for number in range(count_moves(memory, occupied, hidden.randoms[world])):
            slot, there = unpack_move(int(memory.made[number, 0]))
            tries[particle] += memory.made[number, 1]
            if there == cell and memory.asked[HELD + slot] == card:
                hits[particle] += memory.made[number, 1]
