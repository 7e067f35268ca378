"""Everything reachable from a root: forward which states, backward what they are worth.

Layer by layer, and in each layer placement by placement; a placement's owner patterns are
handled together, as bits (see `engine.tablebase.patterns`), because what a move takes by the basic
rule does not depend on who owns what else. Only where Same or Plus may be at work, the
reachable patterns are looked at one by one.

    ply         0  ...  6     7     8
    reachable   all kept from the way forward; 0.5 GB below an opening
    cards               two layers at a time, even plies and odd ones in turn; 1.7 GB
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import NamedTuple, TypeVar

import numpy as np

from engine.game.board import ALL_CELLS, CELLS, owners_of
from engine.game.state import State
from engine.tablebase.backward import final_layer, solve_frames
from engine.tablebase.forward import reach_frames
from engine.tablebase.index import frames_at, pattern_of, placements_at
from engine.tablebase.patterns import PLANES, Bits, add_pattern, words_of
from engine.tablebase.root import Root
from engine.tablebase.transition import Below, Layer, make_below

T = TypeVar("T")
R = TypeVar("R")
FrameKernel = Callable[[Below, Layer, Layer, int, int], None]

LAST_PLY = CELLS - 1  # the last that has moves
WORD_BYTES = 8
CHUNKS_PER_THREAD = 16  # of a layer's frames, so that no thread waits long for another


class Phase(NamedTuple):
    """What a solve is at: a layer, on the way forward or back."""

    is_forward: bool
    ply: int


Watcher = Callable[[Phase], None]


def set_words(root: Root, ply: int) -> int:
    """Return the words of a layer's reachable sets; its planes take PLANES times as many."""
    return placements_at(root, ply) * words_of(ply)


def bytes_needed(root: Root, *, keeps_layers: bool = False) -> int:
    """Return the memory that solving everything below a root takes."""
    words = {ply: set_words(root, ply) for ply in range(root.ply, CELLS)}
    if keeps_layers:
        return (PLANES + 1) * sum(words.values()) * WORD_BYTES
    planes = [
        max((PLANES * words[ply] for ply in words if ply % 2 == parity), default=0)
        for parity in range(2)
    ]
    return (sum(words.values()) + sum(planes)) * WORD_BYTES


class Buffers:
    """Memory that is used again for the next root: fresh pages cost as much as the solving."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._words: dict[str, Bits] = {}

    def take(self, name: str, length: int) -> Bits:
        """Return `length` words, whatever they hold."""
        words = self._words.get(name)
        if words is None or len(words) < length:
            self._words.pop(name, None)  # before the new ones are there
            self._words[name] = words = np.empty(length, dtype=np.int64)
        return words[:length]


class Retrograde:
    """Solves everything below a root, one root at a time, with a number of threads."""

    def __init__(self, threads: int = 1) -> None:
        """Start the threads."""
        self.threads = threads
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="retrograde")
        self._buffers = Buffers()

    def __enter__(self) -> Retrograde:
        """Return itself."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the threads, whatever has not begun."""
        self._pool.shutdown(cancel_futures=True)

    def solve(
        self, root: State, watch: Watcher = lambda _: None, *, keeps_layers: bool = False
    ) -> Iterator[Layer]:
        """Solve every layer below a root, the last first.

        A layer holds until the one after the next is asked for, or, with `keeps_layers`,
        until the next root is.
        """
        below = make_below(root)
        layers = self._reach(below, watch)
        after = final_layer()
        for before in reversed(layers):
            watch(Phase(False, before.ply))
            words = PLANES * len(before.reachable)
            name = f"cards {before.ply if keeps_layers else before.ply % 2}"
            layer = before._replace(cards=self._buffers.take(name, words))
            self._share(solve_frames, below, (layer, after), frames_at(below.root, layer.ply))
            yield layer
            after = layer

    def finish(self, root: State, last: Layer) -> Layer:
        """Return the layer of the finished games, from the last that has moves; without cards."""
        below = make_below(root)
        reachable = self._buffers.take(f"reachable {CELLS}", set_words(below.root, CELLS))
        layer = Layer(CELLS, words_of(CELLS), reachable, reachable[:0])
        self._share(reach_frames, below, (last, layer), frames_at(below.root, CELLS))
        return layer

    def _reach(self, below: Below, watch: Watcher) -> list[Layer]:
        """Return the layers below a root with their reachable sets."""
        root = below.root
        layers: list[Layer] = []
        for ply in range(root.ply, CELLS):
            watch(Phase(True, ply))
            reachable = self._buffers.take(f"reachable {ply}", set_words(root, ply))
            layer = Layer(ply, words_of(ply), reachable, reachable[:0])
            if layers:
                self._share(reach_frames, below, (layers[-1], layer), frames_at(root, ply))
            else:
                reachable[:] = 0
                add_pattern(reachable, pattern_of(ALL_CELLS & ~root.free, owners_of(root.code)))
            layers.append(layer)
        return layers

    def _share(
        self, kernel: FrameKernel, below: Below, layers: tuple[Layer, Layer], frames: int
    ) -> None:
        """Run a kernel over all frames of a layer."""
        size = max(1, frames // (self.threads * CHUNKS_PER_THREAD))
        before, after = layers

        def run(first: int) -> None:
            kernel(below, before, after, first, min(first + size, frames))

        for _ in self.map(run, range(0, frames, size)):
            pass

    def map(self, function: Callable[[T], R], items: Iterable[T]) -> Iterator[R]:
        """Return `function` of every item, in order, computed by the threads.

        When the caller gives up half-way, what has not begun never does.
        """
        futures: list[Future[R]] = [self._pool.submit(function, item) for item in items]
        try:
            for future in futures:
                yield future.result()
        finally:
            for future in futures:
                future.cancel()
