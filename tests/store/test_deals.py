"""The list of deals against the same list made one by one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from msgspec import to_builtins

from engine.errors import DamagedError
from engine.game.cards import default_catalogue
from engine.game.rules import SWITCHES, Variant
from engine.game.state import State
from store.deals import LOOKED_AT, MOST_DEALS, DealFilter, page_of, pages
from store.environment import Entry, Environment
from store.format import DIRECTORY, KEY_BYTES, ROOTS, as_key, root_key
from store.parts import raise_it
from store.reader import Reader
from tests.databases import build, publish_changed
from tests.deals import PLY, Json, build_parts, fits, listed, roots_of_all_rules, tear_blocks

EVERYTHING = DealFilter()


@pytest.fixture(scope="module")
def stored(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[State, int]]:
    path = tmp_path_factory.mktemp("db")
    return path, build_parts(path)


@pytest.fixture(scope="module")
def reader(stored: tuple[Path, dict[State, int]]) -> Reader:
    return Reader(stored[0], default_catalogue())


@pytest.fixture(scope="module")
def deals(stored: tuple[Path, dict[State, int]]) -> list[Json]:
    return listed(stored[1])


def all_pages(
    reader: Reader,
    wanted: DealFilter = EVERYTHING,
    *,
    limit: int = MOST_DEALS,
    looked_at: int = LOOKED_AT,
) -> list[list[Json]]:
    """Return the deals of every page, gone through by the cursor."""
    found, after = [], b""
    while True:
        page = page_of(reader, wanted, after, limit=limit, looked_at=looked_at)
        found.append(list(to_builtins(page.deals)))
        if page.cursor is None:
            return found
        assert page.cursor > after
        after = page.cursor


def joined(found: list[list[Json]]) -> list[Json]:
    return [deal for page in found for deal in page]


def test_deals_are_listed_once_with_all_that_is_known_of_them(
    reader: Reader, deals: list[Json]
) -> None:
    assert [opened.part.deals for opened in reader.parts.opened].count(20) == 2
    assert len(reader.parts.opened) == 3
    assert len(deals) == 33  # eight of them are in two parts
    assert {deal["plies"] for deal in deals} == {PLY, 8}
    assert joined(all_pages(reader)) == deals


def test_pages_of_every_size_make_the_same_list(reader: Reader, deals: list[Json]) -> None:
    for limit in range(1, len(deals) + 2):
        found = all_pages(reader, limit=limit)
        assert joined(found) == deals
        assert all(len(page) == limit for page in found[:-1])
        assert 1 <= len(found[-1]) <= limit


def test_page_ends_when_enough_was_looked_at(reader: Reader, deals: list[Json]) -> None:
    wanted = DealFilter(same=True, plus=False)
    chosen = [deal for deal in deals if fits(deal, {"same": True, "plus": False})]
    for looked_at in (1, 2, 7, len(deals), LOOKED_AT):
        found = all_pages(reader, wanted, looked_at=looked_at)
        assert joined(found) == chosen
        assert len(found) == -(-len(deals) // looked_at)


filters = st.fixed_dictionaries(
    {},
    optional={
        **{name: st.booleans() for name in SWITCHES},
        "variant": st.sampled_from(Variant),
        "card": st.integers(1, 111),
    },
)


@given(wishes=filters, limit=st.integers(1, 40))
def test_filters_choose_what_looking_at_every_deal_does(
    reader: Reader, deals: list[Json], wishes: dict[str, Any], limit: int
) -> None:
    chosen = [deal for deal in deals if fits(deal, wishes)]
    assert joined(all_pages(reader, DealFilter(**wishes), limit=limit)) == chosen


def test_every_card_of_a_deal_finds_it(reader: Reader, deals: list[Json]) -> None:
    for card in default_catalogue():
        chosen = [deal for deal in deals if fits(deal, {"card": card.id})]
        assert joined(all_pages(reader, DealFilter(card=card.id))) == chosen


def test_cursor_need_not_be_the_key_of_a_deal(reader: Reader, deals: list[Json]) -> None:
    for after in (bytes(KEY_BYTES), b"\x7f" + bytes(KEY_BYTES - 1), b"\xff" * KEY_BYTES):
        page = page_of(reader, EVERYTHING, after)
        keys = [key for key, _ in reader.parts.roots() if key > after]
        assert to_builtins(page.deals) == deals[len(deals) - len(keys) :]
        assert page.cursor is None


def test_pages_follow_each_other_to_the_last(reader: Reader, deals: list[Json]) -> None:
    found = pages(reader, EVERYTHING, on_damage=raise_it)
    assert joined([to_builtins(page.deals) for page in found]) == deals


def test_deeper_one_of_two_folders_is_listed(tmp_path: Path) -> None:
    roots = roots_of_all_rules()[:3]
    build(tmp_path / "deep", roots[:2])
    build(tmp_path / "shallow", roots[1:], plies=PLY)
    for names in (["deep", "shallow"], ["shallow", "deep"]):
        reader = Reader([tmp_path / name for name in names], default_catalogue())
        stored = dict.fromkeys(roots, PLY) | dict.fromkeys(roots[:2], 8)
        assert joined(all_pages(reader, limit=1)) == listed(stored)
        reader.close()


def tear_record(root: State) -> Callable[[Path], None]:
    """Return what cuts the record of a root short."""

    def change(part: Path) -> None:
        environment = Environment(part, writes=True)
        key = as_key(root_key(root))
        frame = dict(environment.frames(ROOTS))[key]
        environment.commit([Entry(ROOTS, key, frame[:-3])])
        environment.close()

    return change


def empty_directory(part: Path) -> None:
    """Have the directory list no roots."""
    environment = Environment(part, writes=True)
    keys = list(environment.keys(DIRECTORY))
    environment.commit([Entry.of(DIRECTORY, key, b"[]") for key in keys])
    environment.close()


def read_all(reader: Reader) -> tuple[list[Json], list[DamagedError]]:
    """Return all deals that can be read, and what was told of the others."""
    told: list[DamagedError] = []
    page = page_of(reader, EVERYTHING, on_damage=told.append)
    assert page.cursor is None
    reader.close()
    return list(to_builtins(page.deals)), told


def test_damaged_record_is_told_and_the_others_are_listed(tmp_path: Path) -> None:
    roots = sorted(roots_of_all_rules()[:3], key=root_key)
    build(tmp_path, roots)
    publish_changed(tmp_path, tear_record(roots[1]))
    found, told = read_all(Reader(tmp_path, default_catalogue()))
    assert found == listed({roots[0]: 8, roots[2]: 8})
    assert len(told) == 1


@pytest.mark.parametrize("is_shuffled", [False, True], ids=["overwritten", "shuffled"])
def test_deals_before_damaged_pages_are_listed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_shuffled: bool
) -> None:
    """And those of all other parts; pages may lead nowhere, or back."""
    roots = roots_of_all_rules()[:3]
    build(tmp_path / "whole", roots[:1])
    build(tmp_path / "damaged", roots[1:])
    reader = Reader([tmp_path / "whole", tmp_path / "damaged"], default_catalogue())
    environment = reader.parts.opened[1].environment
    frames = list(environment.frames(ROOTS))

    def damaged(_table: bytes, _after: bytes = b"") -> Iterator[tuple[bytes, bytes]]:
        yield frames[0]
        if is_shuffled:
            while True:
                yield frames[0]
        raise DamagedError("a page")

    monkeypatch.setattr(environment, "frames", damaged)
    found, told = read_all(reader)
    first = min(roots[1:], key=root_key)
    assert found == listed({roots[0]: 8, first: 8})
    assert len(told) == 1


def test_deal_with_a_damaged_record_is_listed_from_another_part(tmp_path: Path) -> None:
    roots = roots_of_all_rules()[:2]
    build(tmp_path / "damaged", roots)
    publish_changed(tmp_path / "damaged", tear_record(roots[0]))
    build(tmp_path / "whole", roots[:1], plies=PLY)
    paths = [tmp_path / "damaged", tmp_path / "whole"]
    found, told = read_all(Reader(paths, default_catalogue()))
    plies = {deal["notation"]: deal["plies"] for deal in listed({roots[0]: PLY, roots[1]: 8})}
    assert {deal["notation"]: deal["plies"] for deal in found} == plies
    assert len(told) == 1


def test_margin_is_left_out_where_its_block_is_damaged(tmp_path: Path) -> None:
    roots = roots_of_all_rules()[:1]
    build(tmp_path, roots, plies=PLY)
    publish_changed(tmp_path, tear_blocks)
    found, told = read_all(Reader(tmp_path, default_catalogue()))
    assert found == [{**listed({roots[0]: PLY})[0], "margin": None}]
    assert len(told) == 1


def test_margin_is_left_out_where_the_directory_lacks_the_root(tmp_path: Path) -> None:
    roots = roots_of_all_rules()[:1]
    build(tmp_path, roots, plies=PLY)
    publish_changed(tmp_path, empty_directory)
    found, told = read_all(Reader(tmp_path, default_catalogue()))
    assert found == [{**listed({roots[0]: PLY})[0], "margin": None}]
    assert told == []
