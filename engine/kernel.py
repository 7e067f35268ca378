"""`@kernel`: a function that is compiled when it is first called.

Until then numba is not even loaded, so that who runs no kernel waits for none. A kernel calls
others by their names, and is compiled together with them.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import update_wrapper
from threading import RLock
from typing import Any, Generic, ParamSpec, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from engine.bits import bit_count, drop_lowest, lowest_bit

__all__ = [
    "Kernel",
    "Numbers",
    "allocating_kernel",
    "bit_count",
    "drop_lowest",
    "inline_kernel",
    "interpreted",
    "kernel",
    "lowest_bit",
    "plain",
]

Numbers: TypeAlias = npt.NDArray[np.int64]  # what kernels work on

P = ParamSpec("P")
R = TypeVar("R")

_LOADED = time.time()  # before every module that has kernels
_is_interpreted = ContextVar("_is_interpreted", default=False)
_making = RLock()  # no kernel is made twice; one that is made may make those that it calls


class Kernel(Generic[P, R]):
    """A function, and once it has been called, what it was compiled to."""

    def __init__(self, function: Callable[P, R], **options: bool) -> None:
        """Keep the function, and what the compiler is to know."""
        self.py_func = function
        self._options = options
        self._compiled: Any = None
        self._run: Callable[P, R] = self._first_call
        update_wrapper(self, function)

    def __call__(self, *arguments: P.args, **named: P.kwargs) -> R:
        """Run it, compiled."""
        return self._run(*arguments, **named)

    def _first_call(self, *arguments: P.args, **named: P.kwargs) -> R:
        if _is_interpreted.get():
            return self.py_func(*arguments, **named)
        self._run = self.compiled
        return self._run(*arguments, **named)

    @property
    def compiled(self) -> Any:
        """Return what numba made of it."""
        with _making:
            if self._compiled is None:
                from engine.compiler import compiled

                self._compiled = compiled(self.py_func, _LOADED, **self._options)
        return self._compiled

    @property
    def _numba_type_(self) -> Any:
        """Return what numba takes it for in the kernels that call it: what it made of it."""
        return self.compiled._numba_type_

    @property
    def signatures(self) -> list[Any]:
        """Return the types of arguments that it was compiled for, or loaded."""
        return list(self._compiled.signatures) if self._compiled else []


def kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function`, release the GIL while it runs, and keep its type.

    A kernel allocates nothing: numba's memory manager is off for it, which the compiler
    enforces. That also spares it the counted reference to every array that numba takes
    at each call otherwise, two atomic operations an array.
    """
    return Kernel(function, _nrt=False)


def inline_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` like a kernel and build it into its callers.

    For the few lines that a search runs a hundred million times: passing an array costs
    seven registers, which is more than such a function does.
    """
    return Kernel(function, _nrt=False, forceinline=True)


def allocating_kernel(function: Callable[P, R]) -> Callable[P, R]:
    """Compile `function` like a kernel that may make arrays of its own."""
    return Kernel(function)


def plain(function: Callable[P, R]) -> Callable[P, R]:
    """Return a kernel as Python runs it: for a single call that is quicker, and loads nothing."""
    result: Callable[P, R] = getattr(function, "py_func", function)
    return result


@contextmanager
def interpreted() -> Iterator[None]:
    """Have Python run the kernels that are not compiled yet, within this block and thread.

    They are a hundred times slower so, which is quicker where numba would take longer to load
    than they take to run: a state with few moves left, in a process that ends with its answer.
    """
    token = _is_interpreted.set(True)
    try:
        yield
    finally:
        _is_interpreted.reset(token)
