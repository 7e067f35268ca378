"""Sets of patterns as bits against the same steps on Python sets."""

from __future__ import annotations

import numpy as np
from hypothesis import given, strategies as st

from engine.tablebase.patterns import (
    PLANES,
    Bits,
    add_pattern,
    fold,
    has_pattern,
    insert,
    keep_better,
    number_at,
    set_number,
    take_half,
    unfold,
    words_of,
)


@st.composite
def pattern_sets(draw: st.DrawFn, most: int = 8) -> tuple[int, set[int]]:
    dimensions = draw(st.integers(0, most))
    return dimensions, draw(st.sets(st.integers(0, 2**dimensions - 1), max_size=60))


@st.composite
def numberings(draw: st.DrawFn, least: int = 0, most: int = 8) -> tuple[int, list[int]]:
    dimensions = draw(st.integers(least, most))
    random = draw(st.randoms(use_true_random=False))
    return dimensions, [random.randrange(16) for _ in range(2**dimensions)]


def as_bits(dimensions: int, patterns: set[int]) -> Bits:
    bits = np.zeros(words_of(dimensions), dtype=np.int64)
    for pattern in patterns:
        add_pattern(bits, pattern)
    return bits


def as_set(dimensions: int, bits: Bits) -> set[int]:
    return {pattern for pattern in range(2**dimensions) if has_pattern(bits, pattern)}


def as_planes(dimensions: int, numbers: list[int]) -> Bits:
    words = words_of(dimensions)
    planes = np.zeros(PLANES * words, dtype=np.int64)
    for pattern, number in enumerate(numbers):
        set_number(planes, 0, words, pattern, number)
    return planes


def as_numbers(dimensions: int, planes: Bits) -> list[int]:
    words = words_of(dimensions)
    return [number_at(planes, 0, words, pattern) for pattern in range(2**dimensions)]


def with_bit(pattern: int, dimension: int, bit: int) -> int:
    return pattern & ~(1 << dimension) | bit << dimension


def with_dimension(pattern: int, dimension: int, bit: int) -> int:
    low = pattern & ((1 << dimension) - 1)
    return (pattern >> dimension) << (dimension + 1) | bit << dimension | low


@given(pattern_sets())
def test_set_holds_what_was_added(given_set: tuple[int, set[int]]) -> None:
    dimensions, patterns = given_set
    assert as_set(dimensions, as_bits(dimensions, patterns)) == patterns


@given(pattern_sets(), st.data())
def test_fold_gives_every_pattern_the_bit(
    given_set: tuple[int, set[int]], data: st.DataObject
) -> None:
    dimensions, patterns = given_set
    if dimensions == 0:
        return
    dimension, bit = data.draw(st.integers(0, dimensions - 1)), data.draw(st.integers(0, 1))
    bits = as_bits(dimensions, patterns)
    fold(bits, len(bits), dimension, bit)
    assert as_set(dimensions, bits) == {with_bit(p, dimension, bit) for p in patterns}


@given(pattern_sets(most=7), pattern_sets(most=8), st.data())
def test_insert_adds_the_patterns_with_a_new_dimension(
    given_set: tuple[int, set[int]], others: tuple[int, set[int]], data: st.DataObject
) -> None:
    dimensions, patterns = given_set
    dimension, bit = data.draw(st.integers(0, dimensions)), data.draw(st.integers(0, 1))
    there = {pattern for pattern in others[1] if pattern < 2 ** (dimensions + 1)}
    into = as_bits(dimensions + 1, there)
    insert(as_bits(dimensions, patterns), words_of(dimensions), dimension, bit, into, 0)
    added = {with_dimension(pattern, dimension, bit) for pattern in patterns}
    assert as_set(dimensions + 1, into) == there | added


@given(numberings(least=1), st.data())
def test_take_half_reads_the_patterns_with_the_bit(
    numbering: tuple[int, list[int]], data: st.DataObject
) -> None:
    dimensions, numbers = numbering
    dimension, bit = data.draw(st.integers(0, dimensions - 1)), data.draw(st.integers(0, 1))
    planes = as_planes(dimensions, numbers)
    row, half = np.zeros(16, dtype=np.int64), np.zeros(16, dtype=np.int64)
    take_half(planes, 0, words_of(dimensions), (dimension, bit), row, half)
    expected = [numbers[with_dimension(p, dimension, bit)] for p in range(2 ** (dimensions - 1))]
    assert as_numbers(dimensions - 1, row) == expected


@given(numberings(least=1), st.data())
def test_unfold_lets_both_patterns_have_the_number_of_one(
    numbering: tuple[int, list[int]], data: st.DataObject
) -> None:
    dimensions, numbers = numbering
    dimension, bit = data.draw(st.integers(0, dimensions - 1)), data.draw(st.integers(0, 1))
    planes = as_planes(dimensions, numbers)
    unfold(planes, len(planes), dimension, bit)
    expected = [numbers[with_bit(p, dimension, bit)] for p in range(2**dimensions)]
    assert as_numbers(dimensions, planes) == expected


@given(numberings(), st.data())
def test_keep_better_takes_the_lower_or_the_higher_number(
    numbering: tuple[int, list[int]], data: st.DataObject
) -> None:
    dimensions, numbers = numbering
    others = data.draw(st.permutations(numbers))
    wants_low = data.draw(st.integers(0, 1))
    planes = as_planes(dimensions, numbers)
    keep_better(planes, 0, words_of(dimensions), as_planes(dimensions, others), wants_low)
    better = min if wants_low else max
    assert as_numbers(dimensions, planes) == list(map(better, numbers, others))
