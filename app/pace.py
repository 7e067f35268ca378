"""How many states of a batch are answered in a row, in the event loop, before others are heard.

A thread of its own would be no quicker: it has the interpreter when the event loop has not. And
whoever asks for one state would wait for it again and again, whenever a kernel gives the
interpreter away. In rows nobody waits for more than one of them.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

ROW_SECONDS = 0.001  # that a row should take
MOST = 32  # states in a row: more save little
FEWEST = 1


class Pace:
    """Measures rows, for all batches of a service."""

    def __init__(self, longest: int) -> None:
        """Allow no more than so many bytes in a row, of one state or of many."""
        self.turn = asyncio.Lock()  # of the batch whose states are answered
        self._longest = longest
        self._count = MOST // 2

    def row(self, items: Sequence[bytes]) -> Sequence[bytes]:
        """Return the first items, one at least, that are to be answered in a row."""
        size = 0
        for number, item in enumerate(items[: self._count]):
            size += len(item)
            if size > self._longest:
                return items[: max(FEWEST, number)]
        return items[: self._count]

    def note(self, count: int, seconds: float) -> None:
        """Make the next rows shorter or longer, after one that has taken so long.

        A row of states whose blocks have to be read and unpacked takes far longer than others.
        """
        self._count = max(FEWEST, min(MOST, int(count * ROW_SECONDS / max(seconds, 1e-6))))
