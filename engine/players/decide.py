"""One move of the computer player, and many in one call."""

from __future__ import annotations

from engine.game.board import CELLS, HAND_SIZE, SLOTS
from engine.game.facts import NO_CARD
from engine.game.moves import pack_move
from engine.kernel import Numbers, bit_count, kernel
from engine.players.layout import (
    BOARD,
    CELL_VALUES,
    DEALT,
    DEPTH,
    ELEMENTS,
    FOUND,
    FOUND_LENGTH,
    GUESS,
    HAND_WEIGHT,
    HAS_VALUES,
    HELD,
    MOVE,
    MOVES,
    NOISE_WEIGHT,
    OPTIONS,
    OWNED,
    RANDOM,
    RAW,
    ROOT,
    ROOT_LENGTH,
    RULES,
    SAME_WEIGHT,
    SEARCH,
    SLOT_VALUES,
    STRATEGY,
    TILE_WEIGHT,
    WEIGHTED,
    WORDS,
    Asked,
    Found,
    Work,
)
from engine.players.minimax import score_root
from engine.players.placement import clear_facing, put, word_of
from engine.players.stream import drawn, step
from engine.players.tables import (
    CARD_POWER,
    DEPTHS,
    ELEMENT,
    IN_HAND,
    LEVEL,
    NOISE,
    PER_LEVEL,
    POWER,
    RANKS,
    ROWS,
    SAME_TAKEN,
    SEES_HAND,
    TILE,
    WEIGHTS,
    Cards,
    id_of,
    value_of,
)


@kernel
def write_guess(cards: Cards, asked: Asked, work: Work) -> None:
    """Write down the other player's cards: those that are seen, or a guess of all five.

    A guess goes by the levels of the cards that the player was dealt itself.
    """
    random = int(work[FOUND + RANDOM])
    for slot in range(HAND_SIZE):
        if int(asked[SEARCH]) & SEES_HAND:
            work[FOUND + GUESS + slot] = asked[HELD + HAND_SIZE + slot]
        else:
            random = step(random)
            level = drawn(random) % int(cards[asked[DEALT + slot], LEVEL])
            random = step(random)
            work[FOUND + GUESS + slot] = id_of(1 + level, drawn(random) % PER_LEVEL)
    work[FOUND + RANDOM] = random


@kernel
def write_weights(asked: Asked, work: Work) -> None:
    """Write down what the player weighs by its strategy."""
    weights = WEIGHTS[asked[STRATEGY]]
    work[RULES] = asked[OPTIONS]
    work[TILE_WEIGHT] = weights[TILE]
    work[SAME_WEIGHT] = weights[SAME_TAKEN]
    work[HAND_WEIGHT] = weights[IN_HAND]
    work[NOISE_WEIGHT] = weights[NOISE]
    work[HAS_VALUES] = 0


@kernel
def lay_out(cards: Cards, asked: Asked, work: Work) -> int:
    """Put the cards of the board down; return the mask of their cells."""
    weight = int(WEIGHTS[asked[STRATEGY], POWER])
    clear_facing(work, int(asked[OPTIONS]))
    occupied = 0
    for cell in range(CELLS):
        card = int(asked[BOARD + cell])
        if card != NO_CARD:
            occupied |= 1 << cell
            word = word_of(cards[card, RANKS], cards[card, ELEMENT], asked[ELEMENTS + cell])
            put(work, word, cell, 1)
            value = value_of(int(cards[card, CARD_POWER]), weight)
            work[CELL_VALUES + cell] = value
            work[HAS_VALUES] |= value
    return occupied


@kernel
def take_up(cards: Cards, asked: Asked, work: Work, first: int, last: int) -> int:
    """Make the words of the slots from `first` to before `last`; return which hold a card."""
    weight = int(WEIGHTS[asked[STRATEGY], POWER])
    held = 0
    for slot in range(first, last):
        is_own = slot < HAND_SIZE
        card = int(asked[HELD + slot] if is_own else work[FOUND + GUESS + slot - HAND_SIZE])
        if card != NO_CARD:
            held |= 1 << slot
            value = value_of(int(cards[card, CARD_POWER]), weight)
            work[SLOT_VALUES + slot] = value
            work[HAS_VALUES] |= value
            ranks, element = int(cards[card, RANKS]), int(cards[card, ELEMENT])
            for cell in range(CELLS):
                word = word_of(ranks, element, asked[ELEMENTS + cell])
                work[WORDS + slot * CELLS + cell] = word
    return held


@kernel
def decide(cards: Cards, asked: Asked, random: int, work: Work) -> int:
    """Return the packed move that the computer player makes; all it found is in `work`.

    `random` is the state of the random numbers before.
    """
    work[FOUND : FOUND + FOUND_LENGTH] = 0
    work[FOUND + RANDOM] = random
    write_guess(cards, asked, work)
    write_weights(asked, work)
    occupied = lay_out(cards, asked, work)
    depth = int(DEPTHS[int(asked[SEARCH]) % ROWS, CELLS - bit_count(occupied)])
    # At depth 1 the other player's cards are never put down.
    hands = take_up(cards, asked, work, 0, SLOTS if depth > 1 else HAND_SIZE)
    raw, weighted = score_root(work, occupied, int(asked[OWNED]), hands, depth)
    work[FOUND + DEPTH], work[FOUND + RAW], work[FOUND + WEIGHTED] = depth, raw, weighted
    work[FOUND + MOVE] = best_of_root(work)
    return int(work[FOUND + MOVE])


@kernel
def best_of_root(work: Work) -> int:
    """Return the first move with the greatest weighted score."""
    best = ROOT
    for number in range(1, int(work[FOUND + MOVES])):
        row = ROOT + ROOT_LENGTH * number
        if work[row + 2] > work[best + 2]:
            best = row
    return pack_move(int(work[best]), int(work[best + 1]))


@kernel
def decide_many(cards: Cards, asked: Asked, randoms: Numbers, work: Work, found: Found) -> None:
    """Decide each of `asked` [n, ASKED_LENGTH] with each of its `randoms` [n, g].

    What is found goes into `found` [n, g, FOUND_LENGTH].
    """
    for number in range(len(asked)):
        for draw in range(randoms.shape[1]):
            decide(cards, asked[number], int(randoms[number, draw]), work)
            for field in range(FOUND_LENGTH):  # a slice would be copied by way of a new array
                found[number, draw, field] = work[FOUND + field]
