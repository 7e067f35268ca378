"""Numbers that options allow, or stand for when they are left out."""

from __future__ import annotations

DEFAULT_PLIES = 5  # below it a search takes microseconds, less than reading and decoding
LARGEST_TABLE = 4_096  # MiB; a whole deal's early plies fit in far less
MOST_THREADS = 1_024
LONGEST_STATE = 1 << 20  # bytes of JSON; a state is about one thousand
