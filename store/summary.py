"""What a database holds and takes, added up."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from store.generations import DATA
from store.reader import Reader
from store.records import RootRecord

BITS = 8


def count_layers(records: Iterable[RootRecord]) -> list[dict[str, Any]]:
    """Return states, blocks and bytes of each ply, over all roots."""
    layers: dict[int, dict[str, Any]] = {}
    for record in records:
        for layer in record.layers:
            total = layers.setdefault(layer.ply, dict.fromkeys(("states", "blocks", "bytes"), 0))
            total["states"] += layer.states
            total["blocks"] += layer.blocks
            total["bytes"] += layer.bytes
    return [
        {"ply": ply, **total, "bits_per_state": bits_per_state(total)}
        for ply, total in sorted(layers.items())
    ]


def total_of(layers: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the sum over all plies."""
    total = {name: sum(layer[name] for layer in layers) for name in ("states", "blocks", "bytes")}
    return {**total, "bits_per_state": bits_per_state(total)}


def bits_per_state(counts: dict[str, Any]) -> float:
    """Return how many bits a state takes."""
    return round(counts["bytes"] * BITS / counts["states"], 3) if counts["states"] else 0.0


def kind_of(record: RootRecord) -> str:
    """Return what sort of root a record is of: its rules, and how deep it is stored."""
    return f"{record.root.split('_')[0]} to ply {record.plies}"


def summarise(reader: Reader) -> dict[str, Any]:
    """Return the facts of an open database."""
    records = list(reader.roots())
    layers = count_layers(records)
    return {
        "generation": reader.generation.name,
        "format": reader.manifest.format,
        "revision": reader.manifest.revision,
        "cards": reader.manifest.cards,
        "digest": reader.manifest.digest,
        "file_bytes": (reader.generation / DATA).stat().st_size,
        "deals": len(records),
        "kinds": dict(sorted(Counter(map(kind_of, records)).items())),
        "layers": layers,
        "total": total_of(layers),
    }
