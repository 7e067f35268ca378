"""Make one part of several: values are copied as they are, each deal once, the deepest.

Parts are kept in tiers by their deals, 1 to 15, 16 to 255, and so on: when so many are of one
tier (FAN) they are merged into one of the next. So a deal is copied as often as the logarithm
of how many there are, and the number of parts grows as slowly. More to a tier would mean fewer
copies and more parts, each with LMDB's own pages and an open file.
"""

from __future__ import annotations

import heapq
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from itertools import chain, groupby

from engine.errors import NoDatabaseError, StoreError
from engine.game.cards import Catalogue
from store.environment import Entry, Environment
from store.format import BLOCKS, DIRECTORY, ROOTS, seal, unseal
from store.generations import Folder
from store.part_list import Generation, Part
from store.parts import OpenPart
from store.publish import listed_part, whole_parts
from store.records import Kind, RootRecord, from_json, plan_from_json, plan_to_json
from store.summary import totals_of
from store.writer import Writer, in_order, part_of

FAN = 16


def tier_of(part: Part) -> int:
    """Return the tier of a part: how often the number of its deals can be divided by FAN."""
    return (part.deals.bit_length() - 1) // (FAN.bit_length() - 1)


def due(parts: Iterable[Part]) -> list[Part]:
    """Return the parts to be merged next: those of the lowest tier that is full, if any is."""
    for _, group in groupby(sorted(parts, key=tier_of), key=tier_of):
        of_tier = list(group)
        if len(of_tier) >= FAN:
            return of_tier
    return []


def merge_due(
    folder: Folder, catalogue: Catalogue, tell: Callable[[str], None]
) -> Generation | None:
    """Merge until no tier is full; return the last generation, None if nothing was to be done."""
    generation = None
    while (current := folder.current()) and (chosen := due(current.parts)):
        tell(f"merging {len(chosen)} parts, {sum(part.bytes for part in chosen):,} bytes")
        generation = merge(folder, catalogue, {part.name for part in chosen})
    return generation


def merge(
    folder: Folder,
    catalogue: Catalogue,
    names: set[str] | None = None,
    *,
    drops_damaged: bool = False,
) -> Generation:
    """Merge the parts of these names, or all, and publish; the folder's lock must be held."""
    with whole_parts(folder, catalogue, drops_damaged=drops_damaged) as parts:
        if parts is None:
            raise NoDatabaseError(f"there is no database at {folder.path}")
        chosen = [opened for opened in parts.opened if not names or opened.part.name in names]
        others = [opened for opened in parts.opened if opened not in chosen]
        totals = totals_of(parts)
        try:
            part = merged(folder, catalogue, chosen)
        except (StoreError, OSError):  # a full disk, most likely: what was written is in the way
            shutil.rmtree(folder.fresh, ignore_errors=True)
            raise
        kept = [listed_part(folder, opened) for opened in others]
    return folder.publish_part(folder.fresh, part, kept, totals, Kind.of(catalogue))


def merged(folder: Folder, catalogue: Catalogue, chosen: Sequence[OpenPart]) -> Part:
    """Write what some parts hold into a new one, which has no name yet."""
    environments = [opened.environment for opened in chosen]
    folder.fresh.mkdir()
    with Writer(folder.fresh, catalogue) as writer:
        writer.append(
            chain(
                one_each(environments, BLOCKS, lambda _key, frames: frames[0]),
                one_each(environments, ROOTS, deepest),
                one_each(environments, DIRECTORY, partial(joined, catalogue)),
            )
        )
        totals = writer.finish()
    return part_of(folder.fresh, totals)


def one_each(
    environments: Sequence[Environment],
    table: bytes,
    choose: Callable[[bytes, list[bytes]], bytes],
) -> Iterator[Entry]:
    """Return the entries of a table of all parts in the order of their keys, each key once."""
    found = heapq.merge(*(environment.frames(table) for environment in environments))
    for key, group in groupby(found, key=lambda item: item[0]):
        frames = [frame for _, frame in group]
        yield Entry(table, key, frames[0] if len(frames) == 1 else choose(key, frames))


def deepest(key: bytes, frames: list[bytes]) -> bytes:
    """Return the record that has most plies; its blocks are those of the others, and more."""
    return max(frames, key=lambda frame: from_json(RootRecord, unseal(key, frame)).plies)


def joined(catalogue: Catalogue, key: bytes, frames: list[bytes]) -> bytes:
    """Return all roots that any of some directories lists, each as deep as it is stored."""
    listed = [one for frame in frames for one in plan_from_json(unseal(key, frame), catalogue)]
    by_root = {one.root: one for one in sorted(listed, key=lambda one: one.plies)}
    return seal(key, plan_to_json(in_order(by_root.values())))
