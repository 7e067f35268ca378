from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from engine.tablebase.orders import order_count, orders_of, rank_order, write_order

HANDS = [(size, length) for size in range(6) for length in range(size + 1)]


@pytest.mark.parametrize(("size", "length"), HANDS)
def test_orders_are_ranked_like_words_in_a_dictionary(size: int, length: int) -> None:
    expected = list(permutations(range(size), length))
    assert order_count(size, length) == len(expected)
    for rank, order in enumerate(expected):
        numbers = np.full(5, -1, dtype=np.int64)
        write_order(size, length, rank, numbers)
        assert tuple(numbers[:length].tolist()) == order
        assert rank_order(size, numbers, length) == rank


@pytest.mark.parametrize(("size", "length"), [hand for hand in HANDS if hand[1]])
def test_shorter_orders_are_those_without_the_card_at_a_position(size: int, length: int) -> None:
    orders = orders_of(size)
    shorter = list(permutations(range(size), length - 1))
    for rank, order in enumerate(permutations(range(size), length)):
        assert tuple(orders.numbers[length, rank, :length].tolist()) == order
        for position in range(length):
            without = order[:position] + order[position + 1 :]
            assert orders.shorter[length, rank, position] == shorter.index(without)
