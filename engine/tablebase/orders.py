"""Orders: which cards of a hand lie on a seat's cells, cell by cell, and their rank.

A hand of `size` cards numbers them 0, 1, ... An order of length k puts k different ones on
the seat's k cells, the cells ascending; orders of one length are ranked as their numbers
read, like words in a dictionary:

    size 3, length 2     01  02  10  12  20  21
                   rank   0   1   2   3   4   5
"""

from __future__ import annotations

from functools import cache
from typing import NamedTuple

import numpy as np

from engine.game.board import HAND_SIZE
from engine.kernel import Numbers, bit_count, kernel, lowest_bit

MOST_ORDERS = 120  # of five cards


@kernel
def order_count(size: int, length: int) -> int:
    """Return the number of orders of `length` cards from a hand of `size`."""
    count = 1
    for taken in range(length):
        count *= size - taken
    return count


@kernel
def rank_with(rank: int, size: int, used: int, number: int) -> int:
    """Return the rank of the order that goes on with card `number`.

    `rank` is that of the order so far, `used` the mask of its numbers.
    """
    smaller = number - bit_count(used & ((1 << number) - 1))
    return rank * (size - bit_count(used)) + smaller


@kernel
def rank_order(size: int, numbers: Numbers, length: int) -> int:
    """Return the rank of the first `length` of `numbers`."""
    rank, used = 0, 0
    for position in range(length):
        number = int(numbers[position])
        rank = rank_with(rank, size, used, number)
        used |= 1 << number
    return rank


@kernel
def write_order(size: int, length: int, rank: int, numbers: Numbers) -> None:
    """Write the order of a rank into `numbers` [5]."""
    for position in range(length - 1, -1, -1):
        numbers[position] = rank % (size - position)
        rank //= size - position
    unused = (1 << size) - 1
    for position in range(length):
        left = unused
        for _ in range(numbers[position]):
            left &= left - 1
        number = lowest_bit(left)
        unused &= ~(1 << number)
        numbers[position] = number


class Orders(NamedTuple):
    """All orders of one hand, and which are one card shorter."""

    numbers: Numbers  # [6, 120, 5]: length, rank, position: which card
    shorter: Numbers  # [6, 120, 5]: the rank without the card at a position


@cache
def orders_of(size: int) -> Orders:
    """Return the orders of a hand of `size` cards."""
    lengths = HAND_SIZE + 1
    orders = Orders(
        np.zeros((lengths, MOST_ORDERS, HAND_SIZE), dtype=np.int64),
        np.zeros((lengths, MOST_ORDERS, HAND_SIZE), dtype=np.int64),
    )
    _fill_orders(size, orders, np.zeros(HAND_SIZE, dtype=np.int64))
    return orders


@kernel
def _fill_orders(size: int, orders: Orders, buffer: Numbers) -> None:
    """Write every order, and name those that are one card shorter."""
    for length in range(size + 1):
        for rank in range(order_count(size, length)):
            numbers = orders.numbers[length, rank]
            write_order(size, length, rank, numbers)
            for position in range(length):
                count = 0
                for other in range(length):
                    if other != position:
                        buffer[count] = numbers[other]
                        count += 1
                orders.shorter[length, rank, position] = rank_order(size, buffer, count)
