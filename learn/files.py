"""The files of an export, read chunk by chunk into columns (see `store.exported`)."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Iterator
from contextlib import ExitStack
from math import prod
from pathlib import Path
from typing import IO, Any

import numpy as np
import zstandard

from engine.errors import MissingExtraError, TriadError
from learn.lines import Chunk, line_chunks
from store.exported import (
    COMMON,
    COMPRESSED,
    ELEMENT,
    MANIFEST_ENDING,
    MARGIN,
    POLICY_MOVE,
    SCHEMA,
    Column,
    columns_of,
    flat_names,
)


class ExportFileError(TriadError):
    """A file is not an export, or not the one its manifest tells of."""


def files_of(path: Path) -> list[Path]:
    """Return the files of an export: those of its manifest, or the one file there is."""
    manifest = path.with_name(path.name + MANIFEST_ENDING)
    if not manifest.exists():
        if not path.exists():
            raise ExportFileError(f"{path}: there is no such file, and no manifest of an export")
        return [path]
    facts = json.loads(manifest.read_text(encoding="utf-8"))
    _check_schema(manifest, facts["schema"])
    files = []
    for entry in facts["files"]:
        file, wanted = path.with_name(entry["name"]), entry["bytes"]
        size = file.stat().st_size if file.exists() else 0
        if size != wanted:
            raise ExportFileError(f"{file}: found {size:,} bytes; its manifest says {wanted:,}")
        files.append(file)
    return files


def read_chunks(path: Path, size: int) -> Iterator[Chunk]:
    """Return the rows of one file, at most so many at a time."""
    ending = Path(path.name.removesuffix(COMPRESSED)).suffix
    with ExitStack() as stack:
        file: IO[bytes] = stack.enter_context(path.open("rb"))
        if path.name.endswith(COMPRESSED):
            reader = stack.enter_context(zstandard.ZstdDecompressor().stream_reader(file))
            # Lines can be read as they come; the other formats are read from their end.
            file = io.BufferedReader(reader) if ending == ".jsonl" else io.BytesIO(reader.read())
        if ending == ".npz":
            yield from _npz_chunks(path, file, size)
        elif ending == ".parquet":
            yield from _parquet_chunks(path, file, size)
        else:
            yield from line_chunks(file, size)


def _check_schema(path: Path, found: object) -> None:
    if found != SCHEMA:
        raise ExportFileError(f"{path}: found schema {found}; allowed: {SCHEMA}")


def _columns_among(names: set[str]) -> list[Column]:
    """Return the columns of a file that has columns of these names."""
    return columns_of(
        has_elements=bool({ELEMENT.name, flat_names(ELEMENT)[0]} & names),
        is_onehot=POLICY_MOVE.name in names,
        has_margin=MARGIN.name in names,
    )


def _npz_chunks(path: Path, file: IO[bytes], size: int) -> Iterator[Chunk]:
    with zipfile.ZipFile(file) as archive, ExitStack() as stack:
        names = {name.removesuffix(".npy") for name in archive.namelist()}
        with archive.open(f"{COMMON}.npy") as member:
            common = json.loads(np.lib.format.read_array(member).tobytes())
        _check_schema(path, common["schema"])
        columns = _columns_among(names)
        members = [stack.enter_context(archive.open(f"{column.name}.npy")) for column in columns]
        rows = {_rows_of(member) for member in members}.pop()
        for first in range(0, rows, size):
            count = min(size, rows - first)
            yield {
                column.name: _read_rows(member, column, count)
                for column, member in zip(columns, members, strict=True)
            }


def _rows_of(member: IO[bytes]) -> int:
    """Read an array's header; return how many rows follow it."""
    np.lib.format.read_magic(member)
    shape, _, _ = np.lib.format.read_array_header_1_0(member)
    return int(shape[0])


def _read_rows(member: IO[bytes], column: Column, count: int) -> Any:
    dtype = np.dtype(column.dtype)
    data = member.read(count * prod(column.shape) * dtype.itemsize)
    return np.frombuffer(data, dtype=dtype).reshape(count, *column.shape)


def _parquet_chunks(path: Path, file: IO[bytes], size: int) -> Iterator[Chunk]:
    try:
        import pyarrow.parquet
    except ImportError as error:
        raise MissingExtraError("Parquet", "parquet", error) from error

    parquet = pyarrow.parquet.ParquetFile(file)
    common = json.loads(parquet.schema_arrow.metadata[COMMON.encode()])
    _check_schema(path, common["schema"])
    columns = _columns_among(set(parquet.schema_arrow.names))
    for batch in parquet.iter_batches(size):
        yield {
            column.name: np.stack(
                [batch.column(name).to_numpy(zero_copy_only=False) for name in flat_names(column)],
                axis=-1,
            ).reshape(batch.num_rows, *column.shape)
            for column in columns
        }
