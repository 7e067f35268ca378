"""What deals take, added up so that it can grow: a deal in, a deal out, whatever the order.

Tables of Sudden Death are counted, and are in the digest, like deals.

The digest is a sum too: of one number for each deal, made of its root, depth and content. So
it depends on which deals there are, and on nothing else.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

from engine.text.notation import FIELD, rules_of
from store.records import DIGEST_BYTES, RootRecord

BITS = 8
COUNTS = ("states", "blocks", "bytes")
TABLE_KIND = ", a table of ten cards"  # behind its rules
_MODULUS = 1 << (BITS * DIGEST_BYTES)


class Totals:
    """Deals, their kinds, and what each ply takes."""

    def __init__(self) -> None:
        """Begin with none."""
        self.kinds: Counter[str] = Counter()
        self._layers: dict[int, Counter[str]] = {}
        self._sum = 0

    @classmethod
    def of(cls, records: Iterable[RootRecord]) -> Totals:
        """Return the totals of some deals."""
        totals = cls()
        for record in records:
            totals.add(record)
        return totals

    def add(self, record: RootRecord) -> None:
        """Count a deal."""
        self._count(record, 1)

    def remove(self, record: RootRecord) -> None:
        """Take a deal out again."""
        self._count(record, -1)

    def _count(self, record: RootRecord, sign: int) -> None:
        self.kinds[kind_of(record)] += sign
        for layer in record.layers:
            total = self._layers.setdefault(layer.ply, Counter())
            total.update({name: sign * getattr(layer, name) for name in COUNTS})
        self._sum += sign * _number_of(record)

    @property
    def deals(self) -> int:
        """Return how many deals there are."""
        return self.kinds.total() - self.tables

    @property
    def tables(self) -> int:
        """Return how many tables of Sudden Death there are."""
        return sum(count for kind, count in self.kinds.items() if kind.endswith(TABLE_KIND))

    @property
    def digest(self) -> str:
        """Return the digest of all deals together."""
        return f"{self._sum % _MODULUS:0{2 * DIGEST_BYTES}x}"

    def rows(self) -> list[dict[str, Any]]:
        """Return a row for each ply."""
        return [
            {"ply": ply, **_row(total)}
            for ply, total in sorted(self._layers.items())
            if total["blocks"]
        ]

    def total(self) -> dict[str, Any]:
        """Return the sum over all plies."""
        total: Counter[str] = Counter()
        for layer in self._layers.values():
            total.update(layer)
        return _row(total)

    def to_dict(self) -> dict[str, Any]:
        """Return them as plain values."""
        layers = {
            str(ply): [total[name] for name in COUNTS]
            for ply, total in sorted(self._layers.items())
            if total["blocks"]
        }
        return {"kinds": dict(+self.kinds), "layers": layers, "digest": self.digest}

    @classmethod
    def from_dict(cls, plain: Mapping[str, Any]) -> Totals:
        """Return what `to_dict` wrote."""
        totals = cls()
        totals.kinds.update(plain["kinds"])
        for ply, numbers in plain["layers"].items():
            totals._layers[int(ply)] = Counter(dict(zip(COUNTS, numbers, strict=True)))
        totals._sum = int(plain["digest"], 16)
        return totals


def _row(total: Mapping[str, int]) -> dict[str, Any]:
    return {**{name: total[name] for name in COUNTS}, "bits_per_state": bits_per_state(total)}


def bits_per_state(counts: Mapping[str, int]) -> float:
    """Return how many bits a state takes."""
    return round(counts["bytes"] * BITS / counts["states"], 3) if counts["states"] else 0.0


def kind_of(record: RootRecord) -> str:
    """Return what sort of root a record is of: its rules, and how deep it is stored."""
    rules = record.root.partition(FIELD)[0]
    if rules_of(rules).sudden_death:
        return rules + TABLE_KIND
    return f"{rules} to ply {record.plies}"


def _number_of(record: RootRecord) -> int:
    text = f"{record.root} {record.plies} {record.digest}\n"
    digest = hashlib.blake2b(text.encode(), digest_size=DIGEST_BYTES)
    return int.from_bytes(digest.digest(), "big")
