from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import DamagedError, HalfBuiltError, LockedError, NoDatabaseError, StoreError
from engine.game.cards import default_catalogue
from store.generations import CURRENT, DATA, Folder
from store.part_list import DEALS, Generation, Part
from store.records import Kind
from store.totals import Totals

KIND = Kind.of(default_catalogue())


def part_named(number: int) -> Part:
    digest = f"{number:032x}"
    return Part(f"part-{digest}", DEALS, 1, 2, 4, digest, digest)


def write(path: Path, content: str = "data") -> None:
    (path / DATA).write_text(content)


def published(folder: Folder, number: int = 1, kept: tuple[Part, ...] = ()) -> Generation:
    folder.begin(write)
    return folder.publish_part(folder.job, part_named(number), kept, Totals(), KIND)


def test_folder_that_is_not_there_has_nothing_to_serve(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "none")
    assert folder.current() is None
    assert folder.unfinished() is None
    with pytest.raises(NoDatabaseError, match="there is no database"):
        folder.served()


def test_begun_part_is_unfinished_until_it_is_published(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.begin(write)
    assert folder.unfinished() == folder.job
    assert folder.current() is None
    with pytest.raises(HalfBuiltError):
        folder.served()
    generation = folder.publish_part(folder.job, part_named(1), [], Totals(), KIND)
    assert folder.unfinished() is None
    assert folder.served() == generation
    assert generation.file_of(generation.parts[0]).read_text() == "data"


def test_parts_are_listed_beside_each_other(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    first = published(folder, 2)
    second = published(folder, 1, first.parts)
    assert [part.name for part in second.parts] == [part_named(n).name for n in (1, 2)]
    assert all(second.file_of(part).is_file() for part in second.parts)


def test_old_generations_go_with_the_parts_that_nobody_lists(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    for number in range(1, 5):
        published(folder, number)
    there = sorted(path.name for path in tmp_path.iterdir())
    wanted = ["CURRENT", "gen-000003.json", "gen-000004.json"]
    assert there == wanted + [part_named(number).name for number in (3, 4)]


def test_what_never_got_its_name_is_removed(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    published(folder)
    folder.fresh.mkdir()
    (tmp_path / "CURRENT.new").touch()
    with folder.locked():
        assert not folder.fresh.exists()
        assert not (tmp_path / "CURRENT.new").exists()


def test_list_whose_parts_are_there_is_published_by_the_next_job(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    published(folder)
    second = published(folder, 2)
    (tmp_path / CURRENT).write_text("gen-000001\n")
    assert folder.unfinished() == tmp_path / "gen-000002"
    with folder.locked():
        assert folder.served() == second


def test_list_whose_part_has_no_name_yet_is_taken_back(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    first = published(folder)
    second = published(folder, 2)
    (tmp_path / CURRENT).write_text("gen-000001\n")
    (tmp_path / second.parts[0].name).rename(folder.job)
    with folder.locked():
        assert folder.served() == first
        assert folder.unfinished() == folder.job
        assert not (tmp_path / "gen-000002.json").exists()


@pytest.mark.parametrize("text", ["", "gen-1", "../gen-000001", "\xff"])
def test_wrong_current_is_damage(tmp_path: Path, text: str) -> None:
    folder = Folder(tmp_path)
    published(folder)
    (tmp_path / CURRENT).write_text(text, encoding="latin-1")
    with pytest.raises(DamagedError, match="CURRENT"):
        folder.served()


@pytest.mark.parametrize("place", range(0, 400, 13))
def test_changed_list_is_damage(tmp_path: Path, place: int) -> None:
    folder = Folder(tmp_path)
    published(folder)
    file = tmp_path / "gen-000001.json"
    data = bytearray(file.read_bytes())
    data[place % (len(data) - 1)] ^= 1
    file.write_bytes(data)
    with pytest.raises(DamagedError, match="gen-000001.json is damaged"):
        folder.served()


def test_list_that_lacks_a_field_is_damage(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    published(folder)
    file = tmp_path / "gen-000001.json"
    plain = json.loads(file.read_bytes())
    for field in plain:
        file.write_text(json.dumps({key: plain[key] for key in plain if key != field}))
        with pytest.raises(DamagedError):
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
