"""Monte Carlo tree search: which moves do well when the game goes on at random?

Each rollout goes down the tree by PUCT, adds one state to it, plays on from there with
random moves, and adds the cards that the starter ends with to every state on its way:

    worth of a move = mean + EXPLORATION * chance * sqrt(visits here) / (1 + visits of the move)

`mean` is the share of the board the mover ended with, 0 to 1, and `chance` is one over the
number of moves. A move not yet tried counts as worth what its state is; among several of them
chance decides. Only sums, quotients and square roots are used, which every machine rounds
alike, so that a seed gives the same tree everywhere. Cards, not wins, are counted: with
enough rollouts the most visited move is one that keeps the margin.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.random import Generator

from engine.game.board import CELLS, owners_of
from engine.game.duels import Duels
from engine.game.moves import MOST_MOVES, code_after, list_moves, mover_of
from engine.game.playout import play_out, random_bit
from engine.game.state import State
from engine.kernel import Numbers, bit_count, inline_kernel, kernel

EXPLORATION = 0.5  # of 0.5, 1 and 2 it kept the margin most often from ply 4 on
ROOT = 0
NO_NODE = 0  # as a child: the root is nobody's


class Tree(NamedTuple):
    """The states looked at, one more for each rollout, and scratch. Used again and again."""

    codes: Numbers  # [nodes]
    numbers: Numbers  # [nodes]: which of its parent's moves led here, in the documented order
    untried: Numbers  # [nodes]: mask of the moves that have no node yet
    child: Numbers  # [nodes]: the last that was added, or NO_NODE
    sibling: Numbers  # [nodes]: the one added before it, or NO_NODE
    visits: Numbers  # [nodes]
    cards: Numbers  # [nodes]: the starter's cards at the end, summed over the visits
    moves: Numbers  # [45]: the packed moves of one state
    path: Numbers  # [10]: the nodes of one rollout


def make_tree(rollouts: int) -> Tree:
    """Return room for a search of so many rollouts."""
    sizes = dict.fromkeys(Tree._fields, rollouts + 1) | {"moves": MOST_MOVES, "path": CELLS + 1}
    return Tree(**{name: np.zeros(size, dtype=np.int64) for name, size in sizes.items()})


class TreeSearch:
    """Searches states with a number of rollouts; each thread needs one of its own."""

    def __init__(self, rollouts: int) -> None:
        """Make room for the rollouts of one search."""
        self._tree = make_tree(rollouts)
        self._visits = np.zeros(MOST_MOVES, dtype=np.int64)

    def visits(self, state: State, random: Generator) -> Numbers:
        """Return how often each legal move was chosen, in the order of `legal_moves`."""
        if state.is_over:
            return self._visits[:0].copy()
        count = search_tree(state.deal.duels, state.code, self._tree, random, self._visits)
        return self._visits[:count].copy()


@kernel
def search_tree(duels: Duels, code: int, tree: Tree, random: Generator, visits: Numbers) -> int:
    """Fill the tree below `code`, which has moves; return how many moves there are.

    Write how often each move was chosen into `visits` [45], in the documented order. The
    tree's length says how many rollouts there are.
    """
    _add_node(duels, tree, ROOT, code)
    for node in range(1, len(tree.codes)):
        length = _descend(duels, tree, node, random)
        last = int(tree.codes[tree.path[length - 1]])
        final = play_out(duels, last, random)
        _count(tree, length, CELLS - bit_count(owners_of(final)))
    return _write_visits(duels, code, tree, visits)


@kernel
def _add_node(duels: Duels, tree: Tree, node: int, code: int) -> None:
    """Write a state that has not been visited."""
    tree.codes[node] = code
    tree.untried[node] = (1 << list_moves(duels, code, tree.moves)) - 1
    tree.child[node] = NO_NODE
    tree.visits[node] = 0
    tree.cards[node] = 0


@kernel
def _descend(duels: Duels, tree: Tree, fresh: int, random: Generator) -> int:
    """Write the path from the root to a state that is new, or final; return its length.

    A new state takes the place `fresh`.
    """
    node, length = ROOT, 1
    tree.path[0] = ROOT
    while tree.untried[node] or tree.child[node] != NO_NODE:
        following = _best_child(tree, node)
        if following == NO_NODE:
            following = fresh
            _grow(duels, tree, node, fresh, random)
        tree.path[length] = following
        length += 1
        if following == fresh:
            break
        node = following
    return length


@kernel
def _grow(duels: Duels, tree: Tree, node: int, fresh: int, random: Generator) -> None:
    """Add a child for one of a state's untried moves, each equally likely."""
    number = random_bit(random, int(tree.untried[node]))
    tree.untried[node] &= ~(1 << number)
    code = int(tree.codes[node])
    list_moves(duels, code, tree.moves)
    _add_node(duels, tree, fresh, code_after(duels, code, int(tree.moves[number])))
    tree.numbers[fresh] = number
    tree.sibling[fresh] = tree.child[node]
    tree.child[node] = fresh


@kernel
def _best_child(tree: Tree, node: int) -> int:
    """Return the child to go on with, or NO_NODE when an untried move is worth as much."""
    mover = mover_of(int(tree.codes[node]))
    visits = int(tree.visits[node])
    count = bit_count(int(tree.untried[node]))
    child = int(tree.child[node])
    while child != NO_NODE:
        count += 1
        child = int(tree.sibling[child])
    urge = EXPLORATION * sqrt(visits) / count
    best, chosen = -1.0, NO_NODE
    if tree.untried[node]:
        best = (_mean(tree, node, mover) if visits else 0.0) + urge
    child = int(tree.child[node])
    while child != NO_NODE:
        worth = _mean(tree, child, mover) + urge / (1 + tree.visits[child])
        if worth > best:
            best, chosen = worth, child
        child = int(tree.sibling[child])
    return chosen


@inline_kernel
def _mean(tree: Tree, node: int, mover: int) -> float:
    """Return the share of the board that a seat ended with, on the average."""
    cards, visits = int(tree.cards[node]), int(tree.visits[node])
    total = CELLS * visits
    return (total - cards if mover else cards) / total


@kernel
def _count(tree: Tree, length: int, cards: int) -> None:
    """Add the outcome of a rollout to the states of its path."""
    for step in range(length):
        node = int(tree.path[step])
        tree.visits[node] += 1
        tree.cards[node] += cards


@kernel
def _write_visits(duels: Duels, code: int, tree: Tree, visits: Numbers) -> int:
    """Write how often each move of the root was chosen; return how many there are."""
    visits[:] = 0
    child = int(tree.child[ROOT])
    while child != NO_NODE:
        visits[tree.numbers[child]] = tree.visits[child]
        child = int(tree.sibling[child])
    return list_moves(duels, code, tree.moves)
