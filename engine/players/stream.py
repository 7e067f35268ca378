"""The game's random numbers: one stream of 15-bit numbers, from a state of 32 bits."""

from __future__ import annotations

from engine.kernel import inline_kernel

HIGHEST_STATE = (1 << 32) - 1

_FACTOR = 69_069
_DRAWN_AT = 17  # the upper 15 bits of a state are the number drawn


@inline_kernel
def step(random: int) -> int:
    """Return the state of the stream after one more number."""
    return (random * _FACTOR + 1) & HIGHEST_STATE


@inline_kernel
def drawn(random: int) -> int:
    """Return the number that was drawn on the way to a state."""
    return random >> _DRAWN_AT
