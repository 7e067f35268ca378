from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engine.errors import DamagedError, LockedError, NoDatabaseError, StoreError
from store.generations import CURRENT, DATA, Folder


def prepare(content: str = "data") -> Callable[[Path], None]:
    def write(part: Path) -> None:
        (part / DATA).write_text(content)

    return write


def published(folder: Folder, content: str = "data") -> Path:
    generation = folder.begin(prepare(content))
    folder.publish(generation)
    return generation


def test_folder_that_is_not_there_has_nothing_to_serve(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "none")
    assert folder.current() is None
    assert folder.unfinished() is None
    with pytest.raises(NoDatabaseError, match="there is no database"):
        folder.served()


def test_begun_generation_is_unfinished_until_it_is_published(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    generation = folder.begin(prepare())
    assert folder.unfinished() == generation
    assert folder.current() is None
    folder.publish(generation)
    assert folder.unfinished() is None
    assert folder.served() == generation


def test_extension_begins_as_a_copy(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    published(folder, "first")
    seen = []
    folder.begin(lambda part: seen.append((part / DATA).read_text()))
    assert seen == ["first"]


def test_generation_before_the_current_one_stays(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    generations = [published(folder) for _ in range(4)]
    assert [path.name for path in generations] == [f"gen-{n:06d}" for n in range(1, 5)]
    assert [path.exists() for path in generations] == [False, False, True, True]


def test_copy_that_never_finished_is_no_generation(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    published(folder)
    (tmp_path / "gen-000002.part").mkdir()
    assert folder.unfinished() is None
    published(folder)
    assert not (tmp_path / "gen-000002.part").exists()


@pytest.mark.parametrize("text", ["", "gen-1", "../gen-000001", "\xff"])
def test_wrong_current_is_damage(tmp_path: Path, text: str) -> None:
    folder = Folder(tmp_path)
    published(folder)
    (tmp_path / CURRENT).write_text(text, encoding="latin-1")
    with pytest.raises(DamagedError, match="CURRENT"):
        folder.served()


def test_second_job_is_locked_out(tmp_path: Path) -> None:
    with (
        Folder(tmp_path).locked(),
        pytest.raises(LockedError, match="another job"),
        Folder(tmp_path).locked(),
    ):
        pass


def test_folder_that_cannot_be_made_is_told(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with (
        pytest.raises(StoreError, match="cannot be written"),
        Folder(tmp_path / "file" / "db").locked(),
    ):
        pass
