"""How a body may be packed: not at all, or in gzip; what comes out is bounded too."""

from __future__ import annotations

import zlib

from app.errors import Kind, ServiceError

PLAIN = frozenset({"", "identity"})
GZIP = frozenset({"gzip", "x-gzip"})  # two names of one thing
GZIP_WINDOW = zlib.MAX_WBITS | 16  # zlib's way to ask for gzip
ALLOWED = "gzip, identity"


def coding_of(header: bytes) -> str:
    """Return the coding that a Content-Encoding names, or raise `ServiceError`."""
    coding = header.decode("latin-1").strip().lower()
    if coding not in PLAIN | GZIP:
        detail = f"Content-Encoding: found {coding!r}; allowed: {ALLOWED}"
        raise ServiceError(Kind.MEDIA_TYPE, detail)
    return coding


def unpacked(body: bytes, limit: int) -> bytes:
    """Return what a gzip body holds, of which no more than `limit` bytes are ever made."""
    stream = zlib.decompressobj(GZIP_WINDOW)
    try:
        content = stream.decompress(body, limit + 1)
    except zlib.error as error:
        raise _no_gzip(f"it is not gzip ({error})") from error
    if len(content) > limit:
        raise ServiceError(Kind.TOO_LARGE, f"the body unpacks to more than {limit} bytes")
    if not stream.eof:
        raise _no_gzip(f"it ends after {len(body)} bytes in the middle of the gzip stream")
    if stream.unused_data:
        raise _no_gzip(f"there are {len(stream.unused_data)} bytes behind the gzip stream")
    return content


def _no_gzip(what: str) -> ServiceError:
    return ServiceError(Kind.BAD_REQUEST, f"the body does not fit Content-Encoding: gzip: {what}")
