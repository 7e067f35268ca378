"""Exact search: is a number of cards within the mover's reach?

A search asks one question of a state: does the mover end with at least `goal` cards on
the board? The opponent then asks for the rest, 10 - goal. Every answer is a number n:

    n >= goal   the mover ends with at least n
    n <  goal   the mover ends with at most n

Exact numbers come from asking more than once; the table keeps what each answer proved.
Whether a search was stopped is in its control words, and its answer is then worth nothing.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.game.board import CELLS, HANDS, SLOTS, Codes, empty_cells, owners_of, slots_down
from engine.game.moves import NO_MOVE, Moves, code_after, list_moves, mover_of, pack_move
from engine.game.score import cards_of
from engine.kernel import bit_count, kernel, lowest_bit
from engine.search.endgame import LAST_THREE, last_card, last_three, last_two
from engine.search.ordering import cell_of, code_after_choice, list_choices, next_choice, slot_of
from engine.search.transpositions import (
    is_settled,
    probe,
    remember,
    remembered_move,
    settled_answer,
)
from engine.search.workspace import (
    NODES,
    Node,
    Workspace,
    add_contacts,
    contacts_at,
    is_stopped,
    note_killer,
    set_contacts,
)

Cards: TypeAlias = npt.NDArray[np.int64]  # numbers of cards on the board at the end
Lines: TypeAlias = npt.NDArray[np.int64]  # [lines, at most 9]: packed moves

NO_GOAL = -1
_ALL_SLOTS = (1 << SLOTS) - 1


@kernel
def search(work: Workspace, node: Node, goal: int) -> int:
    """Answer for the mover of a state with at least three empty cells.

    Its ply's row must have its contacts set.
    """
    code, empty, hands = node
    ply = CELLS - bit_count(empty)
    work.control[NODES] += 1
    if ply == LAST_THREE:
        return last_three(work, node, goal)
    if is_stopped(work.control):
        return 0
    entry = probe(work.entries, code)
    if is_settled(entry, goal):
        return settled_answer(entry, goal)
    best, best_move = 0, 0
    count = list_choices(work, node, remembered_move(entry))
    for number in range(count):
        choice = next_choice(work.scratch, ply, number, count)
        cell, slot = cell_of(choice), slot_of(choice)
        add_contacts(work, ply, slot, cell)
        placed = code_after_choice(code, choice, ply & 1)
        after = (placed, empty & ~(1 << cell), hands & ~(1 << slot))
        cards = CELLS - search(work, after, CELLS + 1 - goal)
        if cards > best:
            best, best_move = cards, pack_move(slot, cell)
            if best >= goal:
                note_killer(work.scratch, ply, best_move)
                break
    if not is_stopped(work.control):
        remember(work.entries, code, (entry, goal, best), best_move)
    return best


@kernel
def answer(work: Workspace, code: int, goal: int) -> int:
    """Answer for the mover of any state."""
    empty = empty_cells(code)
    hands = _ALL_SLOTS & ~slots_down(code)
    ply = CELLS - bit_count(empty)
    if empty == 0:
        return bit_count(owners_of(code))
    set_contacts(work, code, ply)
    if ply <= LAST_THREE:
        return search(work, (code, empty, hands), goal)
    work.control[NODES] += 1
    here = lowest_bit(empty)
    around_here = contacts_at(work.scratch, ply, here)
    if ply == CELLS - 1:
        slot = lowest_bit(hands & int(HANDS[0]))
        return last_card(work.duels, code, here, around_here, slot)
    there = lowest_bit(empty & (empty - 1))
    around = (around_here, contacts_at(work.scratch, ply, there))
    return last_two(work.duels, code, (here, there), around, hands, goal)


@kernel
def likely_cards(code: int) -> int:
    """Return a number of cards, from 1 to 9, the mover may end with: what is left is shared."""
    empty = empty_cells(code)
    owned = bit_count(owners_of(code))
    if mover_of(code) == 0:
        owned = CELLS - bit_count(empty) - owned
    return min(max(owned + (bit_count(empty) + 1) // 2, 1), CELLS)


@kernel
def exact_cards(work: Workspace, code: int, guess: int) -> int:
    """Return the number of cards the mover ends with; a near guess makes it quicker."""
    lower, upper = 0, CELLS
    goal = min(max(guess, 1), CELLS)
    while lower < upper and not is_stopped(work.control):
        cards = answer(work, code, goal)
        if cards >= goal:
            lower = cards
            goal = lower + 1
        else:
            upper = cards
            goal = upper
    return lower


@kernel
def first_reaching(work: Workspace, code: int, goal: int, moves: Moves) -> tuple[int, int]:
    """Return the first move in the documented order that reaches `goal`, and its answer.

    When none does it is NO_MOVE, and the answer tells how many cards are the most.
    """
    best = 0
    for number in range(list_moves(work.duels, code, moves)):
        move = int(moves[number])
        cards = CELLS - answer(work, code_after(work.duels, code, move), CELLS + 1 - goal)
        if cards >= goal:
            return move, cards
        best = max(best, cards)
    return NO_MOVE, best


@kernel
def best_move(work: Workspace, code: int, moves: Moves) -> tuple[int, int]:
    """Return the first best move of a state that has moves, and the mover's cards at the end.

    The moves are tried in the documented order: to know that a move is the first best one,
    those before it must be refuted anyhow. NO_MOVE when the search was stopped.
    """
    lower, upper, first_best, first_goal = 0, CELLS, NO_MOVE, NO_GOAL
    goal = likely_cards(code)
    while lower < upper and not is_stopped(work.control):
        move, cards = first_reaching(work, code, goal, moves)
        if move == NO_MOVE:
            upper = cards
            goal = upper
        else:
            lower, first_best, first_goal = cards, move, goal
            goal = lower + 1
    if first_goal != lower:
        first_best, _ = first_reaching(work, code, lower, moves)
    return first_best, lower


@kernel
def solve(work: Workspace, code: int, moves: Moves, line: Moves) -> int:
    """Return the mover's cards at the end; write the best moves to the end into `line` [9]."""
    move, cards = best_move(work, code, moves)
    if move != NO_MOVE:  # else stopped
        line[0] = move
        after = code_after(work.duels, code, move)
        follow_line(work, after, CELLS - cards, moves, line[1:])
    return cards


@kernel
def follow_line(work: Workspace, code: int, cards: int, moves: Moves, line: Moves) -> None:
    """Write the first best moves from `code`, whose mover ends with `cards`.

    They go on to the end of the game, or of `line`.
    """
    number = 0
    while number < len(line) and empty_cells(code):
        move, _ = first_reaching(work, code, cards, moves)
        if move == NO_MOVE:  # stopped
            return
        line[number] = move
        code = code_after(work.duels, code, move)
        cards = CELLS - cards
        number += 1


@kernel
def follow_lines(work: Workspace, codes: Codes, cards: Cards, moves: Moves, lines: Lines) -> None:
    """Write the first best moves from each code, whose mover ends with `cards`, into its line."""
    for number in range(len(codes)):
        follow_line(work, int(codes[number]), int(cards[number]), moves, lines[number])


@kernel
def rank(work: Workspace, code: int, moves: Moves, cards: Cards) -> int:
    """Write all legal moves, in order, and the mover's cards after each; return how many."""
    count = list_moves(work.duels, code, moves)
    guess = likely_cards(code)
    for number in range(count):
        after = code_after(work.duels, code, int(moves[number]))
        cards[number] = CELLS - exact_cards(work, after, CELLS - guess)
        guess = int(cards[number])
    return count


@kernel
def label_best(
    work: Workspace, codes: Codes, moves: Moves, best: Moves, starter_cards: Cards
) -> None:
    """Write each state's first best move, and the starter's cards at the end.

    A finished game has NO_MOVE. `moves` [45] is scratch.
    """
    for number in range(len(codes)):
        code = int(codes[number])
        best[number] = NO_MOVE
        starter_cards[number] = CELLS - bit_count(owners_of(code))
        if empty_cells(code):
            best[number], mover_cards = best_move(work, code, moves)
            starter_cards[number] = cards_of(mover_of(code), mover_cards)


@kernel
def label_moves(work: Workspace, codes: Codes, moves: Moves, mover_cards: Cards) -> None:
    """Write the mover's cards at the end after each move into `mover_cards` [n, 45].

    Moves are in the documented order; where there is none stands NO_MOVE. `moves` [45] is
    scratch.
    """
    for number in range(len(codes)):
        mover_cards[number, :] = NO_MOVE
        rank(work, int(codes[number]), moves, mover_cards[number])
