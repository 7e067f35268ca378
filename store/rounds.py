"""Tables of Sudden Death in a part.

A table of ten cards is stored as a root is: it has a place in the directory, under its cards and
rules, a record, and one block. Its root is the opening in which the starter has the five lowest
cards, its rules say Sudden Death, and the block is the table, 252 bytes. So digests, checkpoints,
merging and publishing are those of deals. While it is made, how far it is stands in the part too.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from engine.errors import DamagedError
from engine.game.cards import Card
from engine.game.rules import Rules
from engine.game.splits import opening_of
from engine.game.state import State
from engine.game.zobrist import token
from engine.search.sudden_death import RoundTable
from store.environment import Environment
from store.format import BLOCKS, as_key, root_key, seal
from store.records import (
    LayerRecord,
    PlannedRoot,
    RootRecord,
    digest_blocks,
    digest_content,
)
from store.writer import SealedBlock

LOWEST_FIVE = 0  # the number of that split


class StoredTable(NamedTuple):
    """A table ready to be written."""

    record: RootRecord
    block: SealedBlock


def planned_table(cards: Sequence[Card], rules: Rules) -> PlannedRoot:
    """Return the root that stands for a table of ten cards."""
    in_force = rules._replace(sudden_death=True, open=False)
    in_force.check_rounds()
    return PlannedRoot(opening_of(LOWEST_FIVE, sorted(cards), in_force), 0)


def is_table(root: State) -> bool:
    """Tell whether a root stands for a table of Sudden Death."""
    return root.rules.sudden_death


def table_key(root: State) -> bytes:
    """Return the key of a table's block."""
    return as_key(root_key(root) ^ token("sudden-death table"))


def table_of(root: State, decisions: bytes) -> RoundTable:
    """Return the table that a root stands for, or raise `DamagedError`."""
    return RoundTable(tuple(sorted(root.deal.ids)), root.rules, decisions)


def stored_table(planned: PlannedRoot, table: RoundTable) -> StoredTable:
    """Return a table as it is written."""
    key = table_key(planned.root)
    frame = seal(key, table.decisions)
    block = SealedBlock(key, frame, digest_content(table.decisions), 0, 0)
    layers = (LayerRecord(0, 0, 1, len(frame)),)
    digest = digest_blocks([(block.key, block.digest)])
    return StoredTable(RootRecord(planned.notation, planned.plies, layers, digest), block)


def read_table(environment: Environment, root: State) -> RoundTable:
    """Return the table that a part has, or raise `DamagedError`."""
    content = environment.read(BLOCKS, table_key(root))
    if content is None:
        raise DamagedError("a table of Sudden Death is missing")
    return table_of(root, content)


class Progress(NamedTuple):
    """How far a table is: what so many rounds have decided."""

    rounds: int
    decisions: bytes

    def to_bytes(self) -> bytes:
        """Return it as it is stored."""
        return bytes([self.rounds]) + self.decisions

    @classmethod
    def from_bytes(cls, content: bytes) -> Progress:
        """Return what `to_bytes` wrote."""
        return cls(content[0], content[1:])


def progress_key(root: State) -> bytes:
    """Return the key under which a part keeps how far a table is."""
    return b"rounds " + table_key(root)
