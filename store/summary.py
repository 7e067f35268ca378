"""What a database holds and takes."""

from __future__ import annotations

from typing import Any

from store.part_list import Generation
from store.parts import Parts
from store.totals import Totals


def totals_of(parts: Parts) -> Totals:
    """Return the totals of an open database.

    A generation has them ready; what is made of several, of an earlier version's, or lacks a
    part, is counted.
    """
    (first, *others) = parts.generations
    if others or parts.left_out or not first.totals:
        return Totals.of(record for _, record in parts.roots())
    return Totals.from_dict(first.totals)


def summarise(parts: Parts) -> dict[str, Any]:
    """Return the facts of an open database."""
    totals = totals_of(parts)
    manifest = parts.opened[0].manifest if parts.opened else None
    return {
        "generation": name_of(parts.generations),
        "format": max((opened.manifest.format for opened in parts.opened), default=0),
        "revision": manifest.revision if manifest else 0,
        "cards": manifest.cards if manifest else "",
        "digest": totals.digest,
        "file_bytes": sum(opened.part.bytes for opened in parts.opened),
        "deals": totals.deals,
        **({"tables": totals.tables} if totals.tables else {}),
        "kinds": dict(sorted((+totals.kinds).items())),
        "layers": totals.rows(),
        "total": totals.total(),
        "parts": [
            {"name": opened.part.name, "kind": opened.part.kind, "bytes": opened.part.bytes}
            for opened in parts.opened
        ],
        "left_out": [left._asdict() for left in parts.left_out],
    }


def name_of(generations: list[Generation]) -> str:
    """Return what is served, in words: the generation, or those of several folders."""
    return ", ".join(generation.name for generation in generations)
