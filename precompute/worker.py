"""What a worker of a cluster runs: it says what it is, and solves roots, one at a time."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from threading import Lock
from typing import NamedTuple

from distributed import Worker, get_worker

from engine.cards import CARD_FILE, Catalogue, load_cards
from engine.errors import MismatchError
from engine.notation import parse_state
from engine.retrograde import Retrograde
from precompute.resources import MEBIBYTE, default_ceiling
from precompute.roots import SolvedRoot, solve_root
from store.records import Manifest, PlannedRoot

# A root takes all of a worker's threads and most of its memory; a second one waits here, so
# that the worker need not wait for the job when the first is done.
_at_work = Lock()


class Facts(NamedTuple):
    """What a worker says of itself."""

    manifest: Manifest  # of a database that it would begin
    threads: int
    ceiling: int  # of its memory, in MiB


@lru_cache(maxsize=1)
def catalogue_at(cards: Path | None) -> Catalogue:
    """Return the cards that this worker has at a path, or else its own."""
    return load_cards(cards or CARD_FILE)


@lru_cache(maxsize=1)
def retrograde_with(threads: int) -> Retrograde:
    """Return what solves here; its memory is used again for the next root."""
    return Retrograde(threads)


def introduce(cards: Path | None) -> Facts:
    """Return what this worker is."""
    worker = get_worker()
    manifest = Manifest.begun(catalogue_at(cards))
    return Facts(manifest, worker.state.nthreads, ceiling_of(worker))


def ceiling_of(worker: Worker) -> int:
    """Return the MiB that a root may take on a worker.

    Above a share of its limit, 80 % unless set otherwise, a worker starts nothing any more.
    """
    manager = worker.memory_manager
    if not manager.memory_limit:
        return default_ceiling()
    return int(manager.memory_limit * (manager.memory_pause_fraction or 1)) // MEBIBYTE


def solve(planned: PlannedRoot, cards: Path | None, job: Manifest) -> SolvedRoot:
    """Solve a root with this worker's threads.

    A worker may have been started anew under the address of one that was found fit, so each
    root comes with what the job is.
    """
    catalogue = catalogue_at(cards)
    difference = job.difference(catalogue)
    if difference:
        raise MismatchError(f"the job has {difference}")
    with _at_work:
        root = parse_state(planned.root, catalogue)
        return solve_root(root, planned.plies, retrograde_with(get_worker().state.nthreads))
