"""Solve roots and make them ready to be written: the task of a job, here and on a cluster."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import NamedTuple

from engine.game.cards import CARD_FILE, Catalogue, load_cards
from engine.game.state import State
from engine.tablebase.blocks import Run, pack, runs_of
from engine.tablebase.retrograde import Phase, Retrograde, Watcher, bytes_needed
from engine.tablebase.root import make_root
from engine.tablebase.solved_states import count_states
from engine.tablebase.transition import Layer
from store.format import as_key, block_content, block_key, level_of, root_key, seal
from store.records import (
    Kind,
    LayerRecord,
    PlannedRoot,
    RootRecord,
    digest_blocks,
    digest_content,
)
from store.writer import SealedBlock
from work.machine import MEBIBYTE
from work.tasks import Means, Task

PROGRAM_BYTES = 400 * MEBIBYTE  # compiler, kernels, the blocks of one root: measured 170 to 300

PhaseWatch = Callable[[State, Phase], None]


class SolvedRoot(NamedTuple):
    """A root, solved and packed."""

    planned: PlannedRoot
    record: RootRecord
    blocks: list[SealedBlock]
    states: int  # solved, stored or not
    seconds: float  # that it took


@dataclass(frozen=True)
class SolveRoots(Task[PlannedRoot, SolvedRoot]):
    """Solves roots one at a time, each with all threads there are."""

    kind: Kind  # of the database that they are for
    mebibytes: int = 0
    cards: Path | None = None  # where a worker has the card file; None for its own
    phase: PhaseWatch = lambda _root, _phase: None
    name = "solve"

    def __reduce__(self) -> tuple[type[SolveRoots], tuple[object, ...]]:
        """Leave out who watches phases: that is for this process alone."""
        return SolveRoots, (self.kind, self.mebibytes, self.cards)

    def objection(self, means: Means) -> str:
        """Return why a worker may not solve here: other cards or code, too little memory."""
        difference = Kind.of(catalogue_at(self.cards)).difference(self.kind)
        return difference or super().objection(means)

    def run(self, item: PlannedRoot, threads: int) -> SolvedRoot:
        """Solve a root."""
        watch = partial(self.phase, item.root)
        return solve_root(item.root, item.plies, retrograde_with(threads), watch)

    def stop(self) -> None:
        """Let go of the memory."""
        retrograde_with.cache_clear()


@lru_cache(maxsize=1)
def catalogue_at(cards: Path | None) -> Catalogue:
    """Return the cards that this machine has at a path, or else its own."""
    return load_cards(cards or CARD_FILE)


@lru_cache(maxsize=1)
def retrograde_with(threads: int) -> Retrograde:
    """Return what solves in this process; its memory is used again for the next root."""
    return Retrograde(threads)


def memory_needed(plan: Iterable[PlannedRoot]) -> int:
    """Return the MiB that the largest root of a plan takes; it depends on the ply alone."""
    by_ply = {planned.root.ply: planned.root for planned in plan}
    needed = max((bytes_needed(make_root(root)) for root in by_ply.values()), default=0)
    return -(-(PROGRAM_BYTES + needed) // MEBIBYTE)


def solve_root(
    root: State, plies: int, retrograde: Retrograde, watch: Watcher = lambda _: None
) -> SolvedRoot:
    """Solve everything below a root, and pack the plies down to `plies`."""
    began = time.perf_counter()
    key, kernel_root = root_key(root), make_root(root)
    blocks: list[SealedBlock] = []
    states = 0
    for layer in retrograde.solve(root, watch):
        states += count_states(layer)
        if layer.ply <= plies:
            runs = runs_of(kernel_root, layer.ply)
            blocks += retrograde.map(partial(seal_block, key, layer), runs)
    planned = PlannedRoot(root, plies)
    record = RootRecord(
        planned.notation,
        plies,
        layer_records(blocks),
        digest_blocks((block.key, block.digest) for block in blocks),
    )
    return SolvedRoot(planned, record, blocks, states, time.perf_counter() - began)


def seal_block(root: int, layer: Layer, run: Run) -> SealedBlock:
    """Pack and compress one block."""
    counts, nibbles = pack(layer, run)
    content = block_content(counts, nibbles)
    key = as_key(block_key(root, run))
    frame = seal(key, content, level_of(run.ply))
    return SealedBlock(key, frame, digest_content(content), run.ply, int(counts.sum()))


def layer_records(blocks: list[SealedBlock]) -> tuple[LayerRecord, ...]:
    """Return what each ply takes."""
    numbers: dict[str, Counter[int]] = {name: Counter() for name in ("states", "blocks", "bytes")}
    for block in blocks:
        numbers["states"][block.ply] += block.states
        numbers["blocks"][block.ply] += 1
        numbers["bytes"][block.ply] += len(block.frame)
    return tuple(
        LayerRecord(ply, *(numbers[name][ply] for name in numbers))
        for ply in sorted(numbers["blocks"])
    )
