"""How many states of a batch are answered in one stretch of the event loop, before others.

A thread of its own is little quicker: it has the interpreter when the event loop has not. And
whoever asks for one state would wait for it again and again, whenever a kernel gives the
interpreter away. So nobody waits for more than one stretch.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

STRETCH_SECONDS = 0.001  # that a stretch should take
MOST = 32  # states in a stretch: more save little
FEWEST = 1


class Pace:
    """Measures stretches, for all batches of a service."""

    def __init__(self, longest: int) -> None:
        """Allow no more than so many bytes in a stretch, of one state or of many."""
        self.turn = asyncio.Lock()  # of the batch whose states are answered
        self._longest = longest
        self._count = MOST // 2

    def stretch(self, items: Sequence[bytes]) -> Sequence[bytes]:
        """Return the first items, one at least, that are to be answered in one stretch."""
        size = 0
        for number, item in enumerate(items[: self._count]):
            size += len(item)
            if size > self._longest:
                return items[: max(FEWEST, number)]
        return items[: self._count]

    def note(self, count: int, seconds: float) -> None:
        """Make the next stretches shorter or longer, after one that has taken so long.

        One of states whose blocks have to be read and unpacked takes far longer than others.
        """
        self._count = max(FEWEST, min(MOST, int(count * STRETCH_SECONDS / max(seconds, 1e-6))))
