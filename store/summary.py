"""What a database holds and takes, added up."""

from __future__ import annotations

from collections import Counter
from typing import Any

from store.generations import DATA
from store.reader import Reader
from store.records import RootRecord

BITS = 8
COUNTS = ("states", "blocks", "bytes")


class LayerTotals:
    """States, blocks and bytes of each ply, over all roots that were added."""

    def __init__(self) -> None:
        """Begin with none."""
        self._totals: dict[int, Counter[str]] = {}

    def add(self, record: RootRecord) -> None:
        """Add a root's."""
        for layer in record.layers:
            total = self._totals.setdefault(layer.ply, Counter())
            total.update({name: getattr(layer, name) for name in COUNTS})

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each ply."""
        return [
            {"ply": ply, **total, "bits_per_state": bits_per_state(total)}
            for ply, total in sorted(self._totals.items())
        ]


def total_of(layers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the sum over all plies."""
    total = {name: sum(layer[name] for layer in layers) for name in COUNTS}
    return {**total, "bits_per_state": bits_per_state(total)}


def bits_per_state(counts: dict[str, Any]) -> float:
    """Return how many bits a state takes."""
    return round(counts["bytes"] * BITS / counts["states"], 3) if counts["states"] else 0.0


def kind_of(record: RootRecord) -> str:
    """Return what sort of root a record is of: its rules, and how deep it is stored."""
    return f"{record.root.split('_')[0]} to ply {record.plies}"


def summarise(reader: Reader) -> dict[str, Any]:
    """Return the facts of an open database."""
    totals, kinds = LayerTotals(), Counter[str]()
    for record in reader.roots():
        totals.add(record)
        kinds[kind_of(record)] += 1
    layers = totals.rows()
    return {
        "generation": reader.generation.name,
        "format": reader.manifest.format,
        "revision": reader.manifest.revision,
        "cards": reader.manifest.cards,
        "digest": reader.manifest.digest,
        "file_bytes": (reader.generation / DATA).stat().st_size,
        "deals": kinds.total(),
        "kinds": dict(sorted(kinds.items())),
        "layers": layers,
        "total": total_of(layers),
    }
