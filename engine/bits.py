"""Bit tricks on words, as Python runs them; `engine.compiler` makes each one machine instruction.

A word of 64 bits is an int64, negative when its highest bit is set.
"""

from __future__ import annotations

_WORD = (1 << 64) - 1


def bit_count(word: int) -> int:
    """Return the number of ones in a word."""
    return (int(word) & _WORD).bit_count()


def lowest_bit(word: int) -> int:
    """Return the place of the lowest one in a word, which must not be 0."""
    bits = int(word) & _WORD
    return (bits & -bits).bit_length() - 1


def drop_lowest(word: int) -> int:
    """Return a word without its lowest one."""
    bits = int(word) & _WORD
    return bits & (bits - 1)
