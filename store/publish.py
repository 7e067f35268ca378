"""Publish a part that is finished, beside those that are there; nothing of them is copied.

What all parts together take is known without reading them: the totals of the generation
before, and the deals of the new part; one that was there less deep is taken out.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

from engine.errors import DamagedError
from engine.game.cards import Catalogue
from engine.text.notation import parse_state
from store.generations import DATA, Folder, sync
from store.part_list import Generation, Part
from store.parts import OpenPart, Parts
from store.records import Kind, RootRecord, read_roots
from store.summary import totals_of
from store.totals import Totals
from store.trust import file_digest
from store.writer import Writer, part_of


@contextmanager
def whole_parts(
    folder: Folder, catalogue: Catalogue, *, drops_damaged: bool = False
) -> Iterator[Parts | None]:
    """Open the parts of a folder, None where nothing is published.

    Where one is damaged, raise `DamagedError`, or go on without it, though it were the only one.
    """
    if folder.current() is None:
        yield None
        return
    parts = Parts([folder.path], catalogue, needs_some=False)
    try:
        if parts.left_out and not drops_damaged:
            reasons = "; ".join(left.reason for left in parts.left_out)
            raise DamagedError(
                f"{reasons}; put back what was lost, or leave it out for good with "
                "precompute compact --drop-damaged"
            )
        yield parts
    finally:
        parts.close()


def publish_job(folder: Folder, catalogue: Catalogue) -> Generation:
    """Finish the part that a job has written, and publish it."""
    with Writer(folder.job, catalogue) as writer:
        own = writer.finish()
        records = list(writer.records())
    part = part_of(folder.job, own)
    with whole_parts(folder, catalogue) as parts:
        totals = grown(parts, records, catalogue) if parts else own
        kept = [listed_part(folder, opened) for opened in parts.opened] if parts else []
    return folder.publish_part(folder.job, part, kept, totals, Kind.of(catalogue))


def grown(parts: Parts, records: list[RootRecord], catalogue: Catalogue) -> Totals:
    """Return the totals of a database with some deals more, or deeper."""
    totals = totals_of(parts)
    for record in records:
        before = parts.record(parse_state(record.root, catalogue))
        if before and before.plies >= record.plies:
            continue
        if before:
            totals.remove(before)
        totals.add(record)
    return totals


def listed_part(folder: Folder, opened: OpenPart) -> Part:
    """Return a part as a generation lists it; one of an earlier version gets its digest now."""
    if opened.part.file:
        return opened.part
    before = folder.path / opened.part.name / DATA
    totals = Totals.of(record for _, record in read_roots(opened.environment))
    part = part_of(before.parent, totals)
    place = folder.path / part.name / DATA
    place.parent.mkdir(exist_ok=True)
    try:
        os.link(before, place)
    except FileExistsError:
        pass
    except OSError:  # a disk that knows no links
        shutil.copyfile(before, place)
        if file_digest(place) != part.file:
            raise DamagedError(f"{place} is not what was copied") from None
        sync(place)
    sync(place.parent)
    return part
