"""Moves that fall far behind leave the race; those that only may be worse stay."""

from __future__ import annotations

import numpy as np

from advise.racing import contenders


def test_a_move_that_loses_where_another_wins_leaves() -> None:
    assert contenders(np.array([[1.0] * 4, [0.0] * 4, [1.0] * 4])) == [0, 2]


def test_a_move_that_is_worse_in_one_world_stays() -> None:
    assert contenders(np.array([[1.0] * 8, [1.0] * 7 + [0.0]])) == [0, 1]


def test_a_move_that_is_a_little_worse_in_many_worlds_leaves() -> None:
    few, many = np.array([[0.5] * 4, [0.4] * 4]), np.array([[0.5] * 100, [0.4] * 100])
    assert contenders(few) == [0, 1]
    assert contenders(many) == [0]


def test_one_world_leaves_only_what_is_far_behind() -> None:
    assert contenders(np.array([[1.0], [0.5], [1.0]])) == [0, 2]
