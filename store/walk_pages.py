"""Walk through an LMDB file, as a program of its own: `python walk_pages.py FOLDER KEY_BYTES`.

It follows every pointer there is, touches both ends of every value, and prints how many entries
each table has. It imports nothing of this project: it is started often, and dies of some files.
"""

from __future__ import annotations

import json
import sys

import lmdb

META = b"meta"  # the table whose keys are names
MOST_TABLES = 16


def count_entries(folder: str, key_bytes: int) -> dict[str, int]:
    """Return the number of entries in each table; raise `ValueError` for what cannot be."""
    counts = {}
    with lmdb.open(
        folder, readonly=True, create=False, lock=False, readahead=False, max_dbs=MOST_TABLES
    ) as environment:
        with environment.begin() as transaction:
            names = [bytes(name) for name, _ in transaction.cursor()]
        for name in names:
            table = environment.open_db(name, create=False)
            with environment.begin(buffers=True) as transaction:
                counts[name.decode()] = transaction.stat(table)["entries"]
                length = None if name == META else key_bytes
                walk_table(transaction.cursor(table), counts[name.decode()], length)
    return counts


def walk_table(cursor: lmdb.Cursor, entries: int, key_bytes: int | None) -> None:
    """Touch every entry of a table."""
    last = b""
    for number, (key, value) in enumerate(cursor):
        if number >= entries:
            raise ValueError("a table does not end")
        if key_bytes is not None and len(key) != key_bytes:
            raise ValueError(f"a key of {len(key)} bytes")
        if len(value) == 0 or value[0] + value[len(value) - 1] < 0:
            raise ValueError("an empty value")
        if bytes(key) <= last:
            raise ValueError("keys out of order")
        last = bytes(key)


if __name__ == "__main__":
    try:
        print(json.dumps(count_entries(sys.argv[1], int(sys.argv[2]))))  # noqa: T201  what it is for
    except (lmdb.Error, ValueError) as error:
        sys.exit(str(error))
