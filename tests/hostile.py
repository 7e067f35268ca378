"""Documents that cost their reader as much as they can, in any size."""

from __future__ import annotations

from collections.abc import Callable

from app.examples import STATE_EXAMPLE
from engine.text.objects import encode

STATE = encode(STATE_EXAMPLE)
DEEP = 5_000  # more than any reader follows


def many(item: bytes, size: int) -> bytes:
    """Return so many equal items, joined by commas, as `size` has room for."""
    return b",".join([item] * (size // (len(item) + 1)))


def many_fields(size: int) -> bytes:
    """Return fields of different names."""
    return b",".join(b'"%07d":0' % number for number in range(size // 12))


def with_fields(fields: bytes) -> bytes:
    """Return a state that has fields that it cannot have."""
    return STATE[:-1] + b"," + fields + b"}"


# By what there is much of; each takes the size in bytes, more or less.
HOSTILE: dict[str, Callable[[int], bytes]] = {
    "fields": lambda size: b"{" + many_fields(size) + b"}",
    "fields of a state": lambda size: with_fields(many_fields(size)),
    "fields of a cell": lambda size: STATE.replace(
        b'"cell":0,', b'"cell":0,' + many_fields(size) + b","
    ),
    "equal fields": lambda size: b"{" + many(b'"a":1', size) + b"}",
    "pairs of equal fields": lambda size: (
        b"{" + many_fields(size // 2) + b"," + many_fields(size // 2) + b"}"
    ),
    "small objects": lambda size: b"[" + many(b'{"a":1,"a":1}', size) + b"]",
    "numbers": lambda size: b"[" + many(b"1", size) + b"]",
    "cards in a hand": lambda size: STATE.replace(b"[7,99]", b"[" + many(b"7", size) + b"]"),
    "digits": lambda size: b"[" + b"9" * size + b"]",
    "digits of a fraction": lambda size: b"[0." + b"9" * size + b"]",
    "characters": lambda size: b'"' + b"x" * size + b'"',
    "characters in a field's name": lambda size: b'{"' + b"x" * size + b'":1}',
    "characters of a player": lambda size: STATE.replace(b'"B",', b'"' + b"B" * size + b'",'),
    "escapes": lambda size: b'"' + b"\\u00e9" * (size // 6) + b'"',
    "brackets": lambda size: b"[" * (size // 2) + b"]" * (size // 2),
    "braces": lambda size: b'{"a":' * (size // 6) + b"1" + b"}" * (size // 6),
    "spaces": lambda size: b" " * size,
    "lines": lambda size: b"\n" * size + b"{",
    "states": lambda size: b'{"states":[' + many(b"1", size) + b"]}",
    "deep states": lambda size: b'{"states":[' + many(b"[" * DEEP + b"]" * DEEP, size) + b"]}",
    "quotes that nobody ends": lambda size: (
        b'{"states":[' + b"[" * DEEP + b'"' + b'\\"' * (size // 2) + b"]}"
    ),
    "ends of states": lambda size: b'{"states":[' + b"[" * DEEP + b"]} " * (size // 3) + b"]}",
}
