"""Solve one root and make it ready to be written: the unit of work, here and on a cluster."""

from __future__ import annotations

import time
from collections import Counter
from functools import partial
from typing import NamedTuple

import numpy as np

from engine.notation import format_state
from engine.packing import Run, pack, runs_of
from engine.retrograde import Retrograde, Watcher
from engine.root import make_root
from engine.state import State
from engine.steps import Layer
from store.format import as_key, block_content, block_key, level_of, root_key, seal
from store.records import LayerRecord, RootRecord, digest_blocks, digest_content
from store.writer import SealedBlock


class SolvedRoot(NamedTuple):
    """A root, solved and packed."""

    record: RootRecord
    blocks: list[SealedBlock]
    states: int  # solved, stored or not
    seconds: float  # that it took


def solve_root(
    root: State, plies: int, retrograde: Retrograde, watch: Watcher = lambda _: None
) -> SolvedRoot:
    """Solve everything below a root, and pack the plies down to `plies`."""
    began = time.perf_counter()
    key, kernel_root = root_key(root), make_root(root)
    blocks: list[SealedBlock] = []
    states = 0
    for layer in retrograde.solve(root, watch):
        states += count_reachable(layer)
        if layer.ply <= plies:
            runs = runs_of(kernel_root, layer.ply)
            blocks += retrograde.map(partial(seal_block, key, layer), runs)
    record = RootRecord(
        format_state(root),
        plies,
        layer_records(blocks),
        digest_blocks((block.key, block.digest) for block in blocks),
    )
    return SolvedRoot(record, blocks, states, time.perf_counter() - began)


def count_reachable(layer: Layer) -> int:
    """Return the number of states of a layer."""
    return int(np.bitwise_count(layer.reachable.view(np.uint64)).sum(dtype=np.int64))


def seal_block(root: int, layer: Layer, run: Run) -> SealedBlock:
    """Pack and press one block."""
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
