"""`@kernel`: compile a function with numba. The only file that knows numba.

Compiled kernels are cached on disk. numba notices when a kernel's own file changes, but not
when a kernel that it calls, or a constant that it uses, in another file, does; so each module's
kernels have a directory named after a digest of all files that the module stands on:

    <cache home>/triadbase/<module>-<digest of its sources and of bounds checking>/

The cache home is NUMBA_CACHE_DIR, else XDG_CACHE_HOME, else ~/.cache. Where it
cannot be written (a container with a read-only root, say) kernels are compiled
anew in each process instead of failing.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ParamSpec, TypeAlias, TypeVar

import numba
import numpy as np
import numpy.typing as npt
from numba.core import types
from numba.extending import intrinsic, overload

from engine.sources import digest_of

__all__ = [
    "CACHE_HOME",
    "Numbers",
    "allocating_kernel",
    "bit_count",
    "cache_directory",
    "drop_lowest",
    "inline_kernel",
    "kernel",
    "lowest_bit",
    "plain",
]

Numbers: TypeAlias = npt.NDArray[np.int64]  # what kernels work on

P = ParamSpec("P")
R = TypeVar("R")


def _writable_cache_home() -> Path | None:
    """Return the directory for all compiled kernels, or None when none can be written."""
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    try:
        directory = Path(home).expanduser() / "triadbase"
        directory.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=directory):
            return directory
    except (OSError, RuntimeError):
        return None


CACHE_HOME = _writable_cache_home()


@cache
def cache_directory(module: str) -> str:
    """Return the directory of a module's compiled kernels; it need not exist.

    Bounds checking is in its name: a build without it would be used as it is.
    """
    checked = "-checked" if numba.config.BOUNDSCHECK else ""
    return str(CACHE_HOME / f"{module}-{digest_of(module)}{checked}") if CACHE_HOME else ""


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function`, release the GIL while it runs, and keep its type.

    A kernel allocates nothing: numba's memory manager is off for it, which the compiler
    enforces. That also spares it the counted reference to every array that numba takes
    at each call otherwise, two atomic operations an array.
    """
    return _compiled(function, _nrt=False)


def inline_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` like a kernel and build it into its callers.

    For the few lines that a search runs a hundred million times: passing an array costs
    seven registers, which is more than such a function does.
    """
    return _compiled(function, _nrt=False, forceinline=True)


def allocating_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` like a kernel that may make arrays of its own."""
    return _compiled(function)


def plain(function: Callable[P, R]) -> Callable[P, R]:
    """Return a kernel as Python runs it: for a single call that is quicker, and loads nothing."""
    result: Callable[P, R] = getattr(function, "py_func", function)
    return result


def _compiled(function: Callable[P, R], **options: bool) -> Callable[P, R]:
    numba.config.CACHE_DIR = cache_directory(function.__module__)
    result: Callable[P, R] = numba.njit(
        function,
        cache=CACHE_HOME is not None,
        nogil=True,
        error_model="numpy",
        **options,
    )
    return result


# A word of 64 bits is an int64, negative when its highest bit is set.
_WORD = (1 << 64) - 1


def bit_count(word: int) -> int:
    """Return the number of ones in a word."""
    return (int(word) & _WORD).bit_count()


def lowest_bit(word: int) -> int:
    """Return the place of the lowest one in a word, which must not be 0."""
    bits = int(word) & _WORD
    return (bits & -bits).bit_length() - 1


def drop_lowest(word: int) -> int:
    """Return a word without its lowest one."""
    bits = int(word) & _WORD
    return bits & (bits - 1)


# Compiled, each is one machine instruction; numba offers none of them by itself.


@intrinsic
def _ctpop(_context: Any, word: Any) -> Any:
    def build(_context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.ctpop(arguments[0])

    return word(word), build


@intrinsic
def _cttz(_context: Any, word: Any) -> Any:
    def build(context: Any, builder: Any, _signature: Any, arguments: Any) -> Any:
        return builder.cttz(arguments[0], context.get_constant(types.boolean, True))

    return word(word), build


@overload(bit_count)
def _compile_bit_count(word: Any) -> Any:  # noqa: ARG001  numba dispatches on the name
    def compiled(word: Any) -> Any:
        return _ctpop(word)

    return compiled


@overload(lowest_bit)
def _compile_lowest_bit(word: Any) -> Any:  # noqa: ARG001  numba dispatches on the name
    def compiled(word: Any) -> Any:
        return _cttz(word)

    return compiled


@overload(drop_lowest)
def _compile_drop_lowest(word: Any) -> Any:  # noqa: ARG001  numba dispatches on the name
    def compiled(word: Any) -> Any:
        return word & (word - 1)

    return compiled
