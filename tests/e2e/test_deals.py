"""The list of deals over HTTP: a real server, a database of several parts."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from msgspec import to_builtins

from app.client import AsyncClient, Client, ClientError, DealWishes
from engine.game.cards import default_catalogue
from engine.tablebase.retrograde import LAST_PLY
from engine.text.notation import parse_state
from store.format import as_key, root_key
from store.generations import Folder
from tests.conftest import IS_JIT_OFF
from tests.databases import build, publish_changed
from tests.deals import (
    Json,
    build_parts,
    fits,
    listed,
    quick_opening,
    roots_of_all_rules,
    tear_blocks,
)
from tests.servers import Server, running

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")

PATH = "/database/deals"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("deals")


@pytest.fixture(scope="module")
def deals(folder: Path) -> list[Json]:
    """Build the database; return the list that is expected of it."""
    stored = build_parts(folder / "db")
    build(folder / "db", [quick_opening()], plies=0, merges=False)
    return listed({**stored, quick_opening(): 0})


@pytest.fixture(scope="module")
def server(folder: Path, deals: list[Json]) -> Iterator[Server]:
    assert deals
    with running(folder, "--db", str(folder / "db")) as server:
        yield server


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[Client]:
    with Client(server.url) as client:
        yield client


def asked(server: Server, **params: Any) -> Json:
    response = httpx.get(server.url + PATH, params=params)
    assert response.status_code == 200
    body: Json = response.json()
    return body


def test_database_has_several_parts(client: Client) -> None:
    facts = client.get("/database")
    assert len(facts["parts"]) == 4
    assert facts["left_out"] == []


def test_all_deals_come_in_one_page(server: Server, deals: list[Json]) -> None:
    assert len(deals) == 34
    assert asked(server) == {"deals": deals, "next": None}


def test_opening_has_no_board(server: Server) -> None:
    (opening,) = [deal for deal in asked(server)["deals"] if deal["ply"] == 0]
    assert "board" not in opening
    assert opening["hands"] == {"A": [1, 1, 1, 1, 3], "B": [2, 2, 2, 2, 4]}
    assert (opening["elements"], opening["plies"], opening["states"]) == (None, 0, 1)


@pytest.mark.parametrize("limit", [1, 2, 5, 33, 34, 1000])
def test_cursor_leads_through_pages_of_any_size(
    server: Server, deals: list[Json], limit: int
) -> None:
    page = asked(server, limit=limit)
    found = page["deals"]
    while page["next"]:
        assert len(page["deals"]) == limit
        page = asked(server, limit=limit, after=page["next"])
        found += page["deals"]
    assert found == deals


def test_cursor_is_the_key_of_the_last_deal(server: Server, deals: list[Json]) -> None:
    third = parse_state(deals[2]["notation"], default_catalogue())
    assert asked(server, limit=3)["next"] == as_key(root_key(third)).hex()


WISHES: list[DealWishes] = [
    {"variant": "ff8"},
    {"variant": "triplecargo", "same": True},
    {"elemental": False, "plus": False},
    {"same": True, "same_wall": False, "elemental": True},
    {"card": 1},
    {"card": 4, "variant": "ff8", "plus": True},
]


@pytest.mark.parametrize("wishes", WISHES, ids=str)
def test_filters_choose_what_looking_at_every_deal_does(
    client: Client, deals: list[Json], wishes: DealWishes
) -> None:
    chosen = [deal for deal in deals if fits(deal, {**wishes})]
    assert 0 < len(chosen) < len(deals)
    assert to_builtins(client.deals(**wishes).deals) == chosen
    two_at_a_time: DealWishes = {**wishes, "limit": 2}
    assert to_builtins(list(client.all_deals(**two_at_a_time))) == chosen


def test_card_is_found_by_name(server: Server, deals: list[Json]) -> None:
    cards = default_catalogue()
    for card_id in (1, 2, 50):
        chosen = [deal for deal in deals if fits(deal, {"card": card_id})]
        name = cards[card_id].name
        assert asked(server, card=name)["deals"] == chosen
        assert asked(server, card=name.upper())["deals"] == chosen


def test_async_client_asks_the_same(server: Server, client: Client) -> None:
    async def ask() -> tuple[Any, ...]:
        async with AsyncClient(server.url) as asking:
            page = await asking.deals(limit=3)
            return page, [deal async for deal in asking.all_deals(limit=5)]

    page, all_deals = asyncio.run(ask())
    assert page == client.deals(limit=3)
    assert all_deals == list(client.all_deals()) == client.deals().deals


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"after": "7"}, "after"),
        ({"after": "G" * 32}, "after"),
        ({"after": ""}, "after"),
        ({"limit": 0}, "limit"),
        ({"limit": 1001}, "limit"),
        ({"variant": "ff9"}, "variant"),
        ({"same": "perhaps"}, "same"),
        ({"card": "Nobody"}, "card"),
        ({"card": "0"}, "card"),
        ({"cards": "1"}, "cards"),
    ],
)
def test_wrong_parameter_is_named(server: Server, params: dict[str, Any], field: str) -> None:
    response = httpx.get(server.url + PATH, params=params)
    assert response.status_code == 422
    assert [error["field"] for error in response.json()["errors"]] == [field]


def test_client_raises_the_problem(client: Client) -> None:
    with pytest.raises(ClientError, match='did you mean "Squall"'):
        client.deals(card="Squal")


def test_page_is_not_sent_twice_to_who_has_it(server: Server) -> None:
    first = httpx.get(server.url + PATH, params={"limit": 2})
    tag = first.headers["etag"]
    assert first.headers["cache-control"] == "no-cache"
    again = httpx.get(server.url + PATH, params={"limit": 2}, headers={"If-None-Match": tag})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == tag
    other = httpx.get(server.url + PATH, params={"limit": 3}, headers={"If-None-Match": tag})
    assert other.status_code == 200


def test_every_listed_deal_is_answered_from_the_database(client: Client) -> None:
    for deal in client.all_deals():
        answer = client.position(deal.notation)
        assert (answer.source, answer.margin) == ("database", deal.margin)


def test_without_a_database_there_are_no_deals(tmp_path: Path) -> None:
    with running(tmp_path, "--db", str(tmp_path / "none")) as bare, Client(bare.url) as client:
        assert to_builtins(client.deals()) == {"deals": [], "next": None}
        assert list(client.all_deals(same=True)) == []


def test_deals_of_a_part_that_cannot_be_read_are_left_out(
    tmp_path: Path, folder: Path, deals: list[Json]
) -> None:
    path = shutil.copytree(folder / "db", tmp_path / "db")
    generation = Folder(path).served()
    (part,) = [part for part in generation.parts if part.states == 1]
    os.truncate(generation.file_of(part), part.bytes // 2)
    with running(tmp_path, "--db", str(path)) as server, Client(server.url) as client:
        (left_out,) = client.get("/database")["left_out"]
        assert left_out["name"] == part.name
        found = to_builtins(client.deals().deals)
    assert found == [deal for deal in deals if deal["ply"]]


def test_damaged_deal_is_listed_without_its_margin(tmp_path: Path) -> None:
    roots = roots_of_all_rules()[:2]
    build(tmp_path / "db", roots)
    publish_changed(tmp_path / "db", tear_blocks)
    with running(tmp_path, "--db", str(tmp_path / "db")) as server, Client(server.url) as client:
        found = to_builtins(client.deals().deals)
        assert server.logged("damage in the database")
    assert found == [{**deal, "margin": None} for deal in listed(dict.fromkeys(roots, LAST_PLY))]
