"""Compile a kernel with numba. The only file that knows numba.

It is loaded when a kernel is first compiled (`engine.kernel`): numba takes a third of a second
to load, which whoever runs no kernel does not pay.

Compiled kernels are cached on disk. numba notices when a kernel's own file changes, but not
when a kernel that it calls, or a constant that it uses, in another file, does; so each module's
kernels have a directory named after a digest of all files that the module stands on:

    <cache home>/triadbase/<module>-<digest of its sources and of bounds checking>/

Where the cache home (`engine.cache`) cannot be written (a container with a read-only root,
say) kernels are compiled anew in each process instead of failing.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

import numba
from numba.core import types
from numba.extending import intrinsic, overload

from engine.bits import bit_count, drop_lowest, lowest_bit
from engine.cache import cache_home
from engine.sources import digest_of, is_unchanged

F = TypeVar("F", bound=Callable[..., Any])


CACHE_HOME = cache_home()


@cache
def cache_directory(module: str) -> str:
    """Return the directory of a module's compiled kernels; it need not exist.

    Bounds checking is in its name: a build without it would be used as it is.
    """
    checked = "-checked" if numba.config.BOUNDSCHECK else ""
    return str(CACHE_HOME / f"{module}-{digest_of(module)}{checked}") if CACHE_HOME else ""


def compiled(function: F, loaded: float, **options: bool) -> F:
    """Return a function, loaded not before that time, that numba compiles when it is called.

    If files have changed since, it is not what they say now: nothing is kept under their digest.
    """
    module = function.__module__
    numba.config.CACHE_DIR = cache_directory(module)
    result: F = numba.njit(
        function,
        cache=CACHE_HOME is not None and is_unchanged(module, since=loaded),
        nogil=True,
        error_model="numpy",
        **options,
    )
    return result


# Compiled, each bit trick is one machine instruction; numba offers none of them by itself.


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
