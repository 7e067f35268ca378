"""What a database says of itself, against counting its states one by one."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

from engine.game.board import CELLS
from engine.game.cards import Catalogue
from store.exported import ELEMENT, Column, columns_of, flat_names
from store.reader import Reader
from store.summary import summarise
from store.totals import Totals, bits_per_state
from tests.databases import build, small_roots, states_below


def test_summary_counts_the_states_there_are(tmp_path: Path, catalogue: Catalogue) -> None:
    roots = small_roots(3)
    build(tmp_path, roots)
    reader = Reader(tmp_path, catalogue)
    facts = summarise(reader.parts)
    reader.close()
    counts = Counter(state.ply for root in roots for state in states_below(root))
    del counts[CELLS]  # finished games are not stored
    assert {layer["ply"]: layer["states"] for layer in facts["layers"]} == counts
    assert facts["total"]["states"] == counts.total()
    assert facts["deals"] == 3
    assert facts["kinds"] == {"ff8-espw to ply 8": 1, "tc-espw to ply 8": 2}


def test_nothing_takes_no_bits() -> None:
    assert Totals().rows() == []
    assert Totals().total() == {"states": 0, "blocks": 0, "bytes": 0, "bits_per_state": 0.0}
    assert bits_per_state({"states": 16, "bytes": 3}) == 1.5


def test_columns_are_flattened_by_number() -> None:
    assert flat_names(Column("turn", "<i1")) == ["turn"]
    assert flat_names(ELEMENT) == [f"board_element_{cell}" for cell in range(CELLS)]
    for is_onehot in (True, False):
        names = [
            column.name
            for column in columns_of(has_elements=False, is_onehot=is_onehot, has_margin=False)
        ]
        assert ("policy_move" in names) == is_onehot
        assert {"margin", "board_element"}.isdisjoint(names)
