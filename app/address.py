"""The address of a request, as bytes that may be no address: found, checked, told as sent."""

from __future__ import annotations

import re
from urllib.parse import unquote_to_bytes

from app.errors import ServiceError, wrong_request

_FIRST_LINE = re.compile(rb"^[A-Z]+ +([^ \r\n]+)", re.MULTILINE)


def is_text(address: bytes) -> bool:
    """Tell whether the bytes of an address, escaped or not, stand for text."""
    try:
        if b"%" in address:
            unquote_to_bytes(address).decode()
    except UnicodeDecodeError:
        return False
    return address.isascii()


def wrong_address(address: bytes) -> ServiceError:
    """Return the error of an address that is none."""
    escaped = "ASCII, other characters as the %XX of their bytes in UTF-8"
    return wrong_request("address", as_sent(address), "a path" if is_text(address) else escaped)


def address_in(begun: bytes, part: bytes) -> bytes:
    """Return an address that the parser gives up on, of which it tells what came in parts before.

    It is taken for the first that is not ASCII, which is why the parser gives up.
    """
    if begun:
        return begun + part.partition(b" ")[0]
    addresses: list[bytes] = _FIRST_LINE.findall(part)
    return next((address for address in addresses if not address.isascii()), b"")


def as_sent(address: bytes) -> str:
    """Return an address as it was sent: what is no text in UTF-8 as its bytes."""
    return address.decode("utf-8", "backslashreplace")
