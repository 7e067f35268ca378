"""The other pages: cards, database, and documentation that needs no internet."""

from __future__ import annotations

from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Route, expect

from app.client import Client
from engine.game.cards import Element, default_catalogue
from tests.e2e.page.table import Table, names_with


@pytest.mark.parametrize(("name", "path"), [("Cards", "/browse/cards"), ("API", "/docs")])
def test_page_links_to_the_others(table: Table, name: str, path: str) -> None:
    table.open()
    table.page.get_by_role("link", name=name).click()
    table.page.wait_for_url(f"**{path}")


def open_cards(table: Table) -> None:
    table.page.goto("/browse/cards")
    expect(table.find("#rows tr")).to_have_count(110)


def names(table: Table) -> list[str]:
    return table.find("#rows th").all_inner_texts()


def sort_by(table: Table, title: str) -> None:
    table.find("thead").get_by_role("button", name=title).click()


def test_cards_are_sorted_both_ways_by_every_column(table: Table) -> None:
    cards = list(default_catalogue())
    open_cards(table)
    assert names(table) == [card.name for card in cards]
    sort_by(table, "Level")
    sort_by(table, "Level")
    assert names(table) == [card.name for card in sorted(cards, key=lambda card: -card.level)]
    assert table.find('th[aria-sort="descending"]').inner_text().startswith("Level")
    sort_by(table, "Left")
    assert names(table) == [card.name for card in sorted(cards, key=lambda card: card.ranks[3])]
    sort_by(table, "Sum")
    assert names(table) == [card.name for card in sorted(cards, key=lambda card: sum(card.ranks))]
    sort_by(table, "Name")
    assert names(table) == sorted((card.name for card in cards), key=str.lower)


def test_cards_are_searched(table: Table) -> None:
    open_cards(table)
    table.find("#search").fill("thunder")
    wanted = names_with(Element.THUNDER)
    expect(table.find("#rows tr")).to_have_count(len(wanted))
    assert names(table) == wanted


def test_database_page_shows_what_is_covered(table: Table, client: Client) -> None:
    facts = client.get("/database")
    table.page.goto("/browse/database")
    expect(table.find("[data-fact='generation']")).to_have_text(facts["generation"])
    expect(table.find("[data-fact='digest']")).to_have_text(facts["digest"])
    expect(table.find("#layers tr").last).to_contain_text(f"{facts['total']['states']:,}")
    expect(table.find("#layers tr")).to_have_count(len(facts["layers"]) + 1)
    assert table.find("#kinds th").all_inner_texts() == list(facts["kinds"])
    expect(table.find("#nothing")).to_be_hidden()


def test_documentation_works_without_internet(table: Table, client: Client) -> None:
    asked: list[str] = []

    def answer(route: Route) -> None:
        host = urlsplit(route.request.url).netloc
        asked.append(host)
        if host == table.watch.host:
            route.continue_()
        else:
            route.abort()

    table.page.route("**/*", answer)
    table.page.goto("/docs")
    paths = client.get("/openapi.json")["paths"]
    expect(table.find(".opblock")).to_have_count(sum(map(len, paths.values())))
    table.find(".opblock-summary").first.click()
    expect(table.find(".opblock.is-open")).to_be_visible()
    assert set(asked) == {table.watch.host}
