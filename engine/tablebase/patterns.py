"""Sets of owner patterns, and numbers for each of them, as bits: all patterns in one step.

A pattern has a bit for each card on the board, so a ply has 2^ply patterns, and a set of
them is that many bits in words of 64. A bit of the pattern, a dimension of the set, splits
every word in two interleaved halves; dimensions from 6 on split the words:

    dimension 0   .x.x.x.x.x.x.x.x     x: patterns in which card 0 is the second seat's
    dimension 1   ..xx..xx..xx..xx
    dimension 6   ................ xxxxxxxxxxxxxxxx

A card that is taken whoever owned it makes two patterns one: the set is folded along its
dimension (`fold`), and what the one pattern is worth holds for both (`unfold`). A placed
card adds a dimension (`insert`); looking at it from before takes it out (`take_half`).

A number from 0 to 15 for each pattern is four such sets, its binary digits, the highest
first: planes. The planes of a placement are one row; they are beyond all dimensions.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from engine.kernel import inline_kernel, kernel

Bits: TypeAlias = npt.NDArray[np.int64]

WORD_BITS = 64
WORD_DIMENSIONS = 6
PLANES = 4
_ONE = np.int64(1)  # shifted by 63 it is still a word, with the compiler and without
# [6]: the bits of a word that are 0 in a dimension; the highest bit is in none of them, so
# that it does not matter what a right shift brings in.
LOW = np.array(
    [
        0x5555555555555555,
        0x3333333333333333,
        0x0F0F0F0F0F0F0F0F,
        0x00FF00FF00FF00FF,
        0x0000FFFF0000FFFF,
        0x00000000FFFFFFFF,
    ],
    dtype=np.int64,
)


@inline_kernel
def words_of(dimensions: int) -> int:
    """Return the number of words of a set."""
    return 1 << max(dimensions - WORD_DIMENSIONS, 0)


@kernel
def add_pattern(patterns: Bits, pattern: int) -> None:
    """Add a pattern to a set."""
    patterns[pattern >> WORD_DIMENSIONS] |= _ONE << (pattern & (WORD_BITS - 1))


@kernel
def has_pattern(patterns: Bits, pattern: int) -> bool:
    """Tell whether a pattern is in a set."""
    return (int(patterns[pattern >> WORD_DIMENSIONS]) >> (pattern & (WORD_BITS - 1))) & 1 != 0


@inline_kernel
def fold(row: Bits, words: int, dimension: int, bit: int) -> None:
    """Give every pattern of the set `bit` in a dimension, whatever it had."""
    if dimension < WORD_DIMENSIONS:
        low, distance = int(LOW[dimension]), 1 << dimension
        if bit:
            for word in range(words):
                row[word] = (row[word] | (row[word] << distance)) & ~low
        else:
            for word in range(words):
                row[word] = (row[word] | (row[word] >> distance)) & low
        return
    distance = 1 << (dimension - WORD_DIMENSIONS)
    for word in range(words):
        if (word & distance != 0) == (bit != 0):
            row[word] |= row[word ^ distance]
            row[word ^ distance] = 0


@inline_kernel
def unfold(row: Bits, words: int, dimension: int, bit: int) -> None:
    """Let what holds of patterns with `bit` in a dimension hold of those without, too."""
    if dimension < WORD_DIMENSIONS:
        low, distance = int(LOW[dimension]), 1 << dimension
        if bit:
            for word in range(words):
                half = (row[word] >> distance) & low
                row[word] = half | (half << distance)
        else:
            for word in range(words):
                half = row[word] & low
                row[word] = half | (half << distance)
        return
    distance = 1 << (dimension - WORD_DIMENSIONS)
    for word in range(words):
        if (word & distance != 0) != (bit != 0):
            row[word] = row[word ^ distance]


@inline_kernel
def spread_word(half: int, dimension: int) -> int:
    """Return the lower half of a word with gaps made for a dimension, which is 0 in it."""
    for step in range(WORD_DIMENSIONS - 2, dimension - 1, -1):
        half = (half | (half << (1 << step))) & int(LOW[step])
    return half


@inline_kernel
def insert(row: Bits, words: int, dimension: int, bit: int, into: Bits, at: int) -> None:
    """Add a set with a new dimension, which is `bit` throughout, to that at `into[at]`.

    The set has `words` words, and 64 patterns if it has one; a set of fewer patterns is in
    the lower bits of a word, and stays in one: the upper half must then be 0.
    """
    if dimension >= WORD_DIMENSIONS:
        distance = 1 << (dimension - WORD_DIMENSIONS)
        for word in range(words):
            rest = word & (distance - 1)
            into[at + ((word - rest) << 1) + rest + bit * distance] |= row[word]
        return
    low, shift = int(LOW[WORD_DIMENSIONS - 1]), bit << dimension
    for word in range(words):
        into[at + 2 * word] |= spread_word(row[word] & low, dimension) << shift
        upper = (row[word] >> (WORD_BITS // 2)) & low
        if upper:
            into[at + 2 * word + 1] |= spread_word(upper, dimension) << shift


@inline_kernel
def take_half(
    source: Bits, at: int, words: int, place: tuple[int, int], row: Bits, half: Bits
) -> None:
    """Write the patterns that have a bit in a dimension into `row`, without that dimension.

    `place` is dimension and bit; the source has PLANES sets of `words` words; `half` is
    scratch of that size. Loops over words are the inner ones, so that they become vectors.
    """
    dimension, bit = place
    if dimension >= WORD_DIMENSIONS:
        distance = 1 << (dimension - WORD_DIMENSIONS)
        for word in range(PLANES * words // 2):
            rest = word & (distance - 1)
            row[word] = source[at + ((word - rest) << 1) + rest + bit * distance]
        return
    low, shift = int(LOW[dimension]), bit << dimension
    for word in range(PLANES * words):
        half[word] = (source[at + word] >> shift) & low
    for step in range(dimension, WORD_DIMENSIONS - 1):
        low, distance = int(LOW[step + 1]), 1 << step
        for word in range(PLANES * words):
            half[word] = (half[word] | (half[word] >> distance)) & low
    if words == 1:
        for word in range(PLANES):
            row[word] = half[word]
        return
    for word in range(PLANES * words // 2):
        row[word] = half[2 * word] | (half[2 * word + 1] << (WORD_BITS // 2))


@inline_kernel
def number_at(planes: Bits, at: int, words: int, pattern: int) -> int:
    """Return the number of one pattern."""
    place, bit = at + (pattern >> WORD_DIMENSIONS), pattern & (WORD_BITS - 1)
    number = 0
    for plane in range(PLANES):
        number = (number << 1) | ((planes[place + plane * words] >> bit) & 1)
    return number


@inline_kernel
def set_number(planes: Bits, at: int, words: int, pattern: int, number: int) -> None:
    """Set the number of one pattern."""
    place, bit = at + (pattern >> WORD_DIMENSIONS), pattern & (WORD_BITS - 1)
    for plane in range(PLANES):
        digit = np.int64((number >> (PLANES - 1 - plane)) & 1)
        word = place + plane * words
        planes[word] = (planes[word] & ~(_ONE << bit)) | (digit << bit)


@inline_kernel
def keep_better(planes: Bits, at: int, words: int, row: Bits, wants_low: int) -> None:
    """Replace numbers at `planes[at]` by those of `row` that are better."""
    for word in range(words):
        better, equal = 0, -1
        for plane in range(PLANES):
            old, new = planes[at + plane * words + word], row[plane * words + word]
            differ = equal & (old ^ new)
            better |= differ & (old if wants_low else new)
            equal &= ~differ
        for plane in range(PLANES):
            place = at + plane * words + word
            planes[place] ^= (planes[place] ^ row[plane * words + word]) & better
