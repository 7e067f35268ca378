"""How a part of a database looks inside: an LMDB environment of four tables.

    meta        "manifest": what this is; "plan": what the job that writes it is to do;
                "index": all keys of the directory, in order, when it is complete
    directory   key: the ten cards as one multiset, rules and elements
                value: the roots that they can belong to, as a board does not say who
                brought which card
    roots       key: the root's hash; value: its notation, depth, counts, digest
    blocks      key: the root's hash ⊕ the token of (ply, block number)
                value: a run of placements (see `engine.tablebase.blocks`)

Keys are 16-byte Zobrist hashes. Players are seen from the starter, who is called A, so a
deal and the same deal with A and B exchanged are one. A value is a zstd frame with a
checksum, and what is in it begins with its own key: a flipped bit is found out, and so is
a value that got under another's key.
"""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import zstandard

from engine.errors import DamagedError
from engine.game.deal import Elements
from engine.game.rules import Rules
from engine.game.state import State
from engine.game.zobrist import state_hash, token
from engine.tablebase.blocks import BLOCK_PLACEMENTS, Counts, Packed, Run, unpack

FORMAT = 2
OLD_FORMAT = 1  # one file for everything; the same tables, without an index
META, DIRECTORY, ROOTS, BLOCKS = TABLES = (b"meta", b"directory", b"roots", b"blocks")
MANIFEST_KEY, PLAN_KEY, INDEX_KEY = b"manifest", b"plan", b"index"
KEY_BYTES = 16

LARGEST_CONTENT = 1 << 30  # bytes; more is not a value of ours
# Early plies are stored in every database and are small: they are pressed hard. Later ones
# are a hundred times as much, and hardly get smaller by it.
HARD_LEVEL, QUICK_LEVEL, LAST_HARD_PLY = 15, 3, 5

_local = threading.local()  # zstd's contexts are not shared between threads


def root_key(root: State) -> int:
    """Return the hash that stands for everything below a root."""
    return state_hash(root.seated)


def directory_key(state: State) -> int:
    """Return the hash of a state's ten cards, rules and elements."""
    ids = sorted(card.id for card in state.deal.slots)
    return directory_token(tuple(ids), state.rules, state.elements)


@lru_cache(maxsize=1 << 14)
def directory_token(ids: tuple[int, ...], rules: Rules, elements: Elements) -> int:
    """Return the hash of ten cards, ascending, with rules and elements."""
    digits = "".join(str(int(on)) for on in rules.switches)
    layout = "".join(element if element else "-" for element in elements)
    cards = " ".join(map(str, ids))
    rounds = " sudden-death" if rules.sudden_death else ""
    return token(f"directory {rules.variant} {digits} {layout} {cards}{rounds}")


@lru_cache(maxsize=1 << 14)
def _block_token(ply: int, number: int) -> int:
    return token(f"block {ply} {number}")


def block_key(root: int, run: Run) -> int:
    """Return the key of a block below a root."""
    return root ^ _block_token(run.ply, run.first // BLOCK_PLACEMENTS[run.ply])


def as_key(value: int) -> bytes:
    """Return a hash as the bytes of a key."""
    return value.to_bytes(KEY_BYTES, "big")


def level_of(ply: int) -> int:
    """Return how hard the blocks of a ply are pressed."""
    return HARD_LEVEL if ply <= LAST_HARD_PLY else QUICK_LEVEL


def seal(key: bytes, content: bytes, level: int = HARD_LEVEL) -> bytes:
    """Return what is stored under a key."""
    compressors: dict[int, zstandard.ZstdCompressor] = _local.__dict__.setdefault("compressors", {})
    if level not in compressors:
        compressors[level] = zstandard.ZstdCompressor(level=level, write_checksum=True)
    return compressors[level].compress(key + content)


def unseal(key: bytes, frame: bytes | memoryview) -> bytes:
    """Return the content that was stored under a key, or raise `DamagedError`."""
    if not hasattr(_local, "decompressor"):
        _local.decompressor = zstandard.ZstdDecompressor()
    decompressor: zstandard.ZstdDecompressor = _local.decompressor
    try:
        size = zstandard.frame_content_size(frame)
        if not len(key) <= size <= LARGEST_CONTENT:
            raise DamagedError(f"the value of {key.hex()} claims {size} bytes")
        content = decompressor.decompress(frame)
    except zstandard.ZstdError as error:
        raise DamagedError(f"the value of {key.hex()} is damaged: {error}") from error
    if not content.startswith(key):
        raise DamagedError(f"the value of {key.hex()} belongs to another key")
    return content[len(key) :]


def block_content(counts: Counts, nibbles: Iterable[int]) -> bytes:
    """Return a block as bytes, the same on every machine."""
    return counts.astype("<u2").tobytes() + bytes(nibbles)


def block_from(run: Run, content: bytes) -> Packed:
    """Return a block in the form that can be asked, or raise `DamagedError`."""
    groups = -(-(run.last - run.first) // run.group)
    if len(content) < 2 * groups:
        raise DamagedError(f"a block of ply {run.ply} is too short")
    counts = np.frombuffer(content, dtype="<u2", count=groups).astype(np.uint16)
    nibbles = np.frombuffer(content, dtype=np.uint8, offset=2 * groups)
    packed = unpack(counts, nibbles)
    if len(nibbles) != (int(packed.offsets[-1]) + 1) // 2:
        raise DamagedError(f"a block of ply {run.ply} has {len(nibbles)} bytes of nibbles")
    return packed
