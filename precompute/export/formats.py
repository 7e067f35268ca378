"""The three formats: how rows are encoded, and who writes them."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from engine.game.rules import Rules
from engine.text.wire import rules_to_dict
from precompute.export.columns import encode_columns
from precompute.export.lines import Lines, Wording, encode_lines
from precompute.export.npz import NpzFile
from precompute.export.output import Encoded, FileWriter
from precompute.export.parquet import ParquetFile, load_pyarrow
from precompute.export.recipe import Labels, Mode, PolicyFormat
from precompute.export.rows import Rows
from precompute.export.sink import Sink
from store.exported import COMPRESSED, SCHEMA, columns_of


class Format(Enum):
    """A file format; the value is also its usual ending."""

    JSONL = "jsonl"
    NPZ = "npz"
    PARQUET = "parquet"


class Coding(NamedTuple):
    """How rows become files."""

    encode: Callable[[Rows], Encoded]
    open: Callable[[Sink, Path | None], FileWriter[Any]]


def format_of(out: str) -> Format:
    """Return the format that a path's ending says, JSON lines when it says none."""
    ending = Path(out.removesuffix(COMPRESSED)).suffix.removeprefix(".")
    return Format(ending) if ending in {known.value for known in Format} else Format.JSONL


def coding_of(kind: Format, mode: Mode, labels: Labels, rules: Rules) -> Coding:
    """Return how the rows of an export become files."""
    has_margin = mode is not Mode.TRAJECTORY
    if kind is Format.JSONL:
        encode = partial(encode_lines, Wording(labels.value, has_margin))
        return Coding(encode, lambda sink, _: JsonlFile(sink))
    columns = columns_of(
        has_elements=rules.elemental,
        is_onehot=labels.policy is PolicyFormat.ONEHOT,
        has_margin=has_margin,
    )
    common = {
        "schema": SCHEMA,
        "value_mode": labels.value.value,
        "policy_format": labels.policy.value,
        "rules": rules_to_dict(rules),
    }
    encode_rows = partial(encode_columns, columns, labels.value)
    if kind is Format.NPZ:
        return Coding(encode_rows, lambda sink, folder: NpzFile(sink, columns, common, folder))
    load_pyarrow()  # missing, it is missed before anything has been solved
    return Coding(encode_rows, lambda sink, _: ParquetFile(sink, columns, common))


class JsonlFile:
    """A file of lines that is being written."""

    def __init__(self, sink: Sink) -> None:
        """Write to a sink."""
        self._sink = sink

    def write(self, rows: Lines) -> None:
        """Take lines."""
        self._sink.write(rows.text.data)

    def finish(self) -> None:
        """Do nothing: every line is whole."""

    def close(self) -> None:
        """Do nothing: there is nothing to let go of."""
