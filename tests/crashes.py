"""A process that ends at a step of its work, on a disk that keeps only what was synced.

Steps are what lasts: writing, syncing, renaming, removing. When the process ends, the content of
a file that was not synced is lost. A rename counts once its folder is synced; before that the
disk may have it or not, and one without those before it.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from pathlib import Path
from typing import Any

import pytest

from store import generations, publish, writer
from store.environment import Environment


class Crash(BaseException):
    """The process ends here, as far as anybody can tell."""


class Lost(Enum):
    """Which renames are lost, of those that were not synced."""

    NONE = slice(0, 0)
    FIRST = slice(0, 1)
    ALL = slice(None)


class Disk:
    """Counts steps, and knows what would be lost."""

    def __init__(self, folder: Path, steps: int, lost: Lost) -> None:
        self.folder, self.steps, self.lost = folder, steps, lost
        self._unsynced: set[int] = set()  # files, by number
        self._renames: list[tuple[Path, Path, bytes | None]] = []

    def take(self) -> None:
        """Count a step, or crash."""
        if self.steps == 0:
            self._lose()
            raise Crash
        self.steps -= 1

    def written(self, path: Path) -> None:
        self._unsynced.add(path.stat().st_ino)

    def synced(self, path: Path) -> None:
        if path == self.folder:
            self._renames.clear()
        elif path.is_file():
            self._unsynced.discard(path.stat().st_ino)

    def renames(self, source: Path, target: Path) -> None:
        if target.parent == self.folder:
            before = target.read_bytes() if target.is_file() else None
            self._renames.append((source, target, before))

    def _lose(self) -> None:
        for source, target, before in reversed(self._renames[self.lost.value]):
            os.rename(target, source)  # noqa: PTH104  not the one that is counted
            if before is not None:
                with target.open("wb") as file:
                    file.write(before)
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if path.stat().st_ino in self._unsynced:
                os.truncate(path, 0)


@contextmanager
def crashing(folder: Path, steps: int, lost: Lost = Lost.NONE) -> Iterator[None]:
    """Let so many steps reach a database's folder, and none after them."""
    disk = Disk(folder, steps, lost)

    def counted(step: Callable[..., Any]) -> Callable[..., Any]:
        def take(*arguments: Any, **options: Any) -> Any:
            disk.take()
            return step(*arguments, **options)

        return take

    def write_bytes(path: Path, content: bytes) -> int:
        disk.take()
        with path.open("wb") as file:
            size = file.write(content)
        disk.written(path)
        return size

    def rename(path: Path, target: Path) -> Path:
        disk.take()
        disk.renames(path, target)
        os.rename(path, target)  # noqa: PTH104  as above
        return target

    def sync(path: Path) -> None:
        disk.take()
        disk.synced(path)

    with pytest.MonkeyPatch.context() as patch:
        for owner, name in (
            (shutil, "rmtree"),
            (os, "link"),
            (Path, "mkdir"),
            (Path, "unlink"),
            (Environment, "_write"),
        ):
            patch.setattr(owner, name, counted(getattr(owner, name)))
        patch.setattr(Path, "write_bytes", write_bytes)
        patch.setattr(Path, "rename", rename)
        patch.setattr(Path, "replace", rename)
        for module in (generations, publish, writer):
            patch.setattr(module, "sync", sync)
        yield
