"""The list of deals on the page of the database: chosen, gone through, opened on the board."""

from __future__ import annotations

import json
import os
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from msgspec import to_builtins
from playwright.sync_api import Browser, Locator, Route, expect

from app.client import Client, DealWishes
from engine.game.cards import Element, default_catalogue
from engine.text.objects import StoredDeal
from store.generations import Folder
from tests.browsers import watched
from tests.databases import build, publish_changed
from tests.deals import build_parts, roots_of_all_rules, tear_blocks
from tests.e2e.page.table import CELL_NAMES, PHONE, Screens, Table, board_of
from tests.e2e.page.test_outage import GONE, check_outage_is_told
from tests.servers import running

PATH = "/browse/database"
ON_A_PAGE = 20
ALL = 36  # deals of the database


def open_deals(table: Table, query: str = "") -> None:
    table.page.goto(PATH + query)
    expect(table.find("body[data-ready]")).to_be_attached()


def items(table: Table) -> Locator:
    return table.find(".deal")


def notations(table: Table) -> list[str]:
    """Return the notations of the deals that are listed."""
    script = "links => links.map(link => link.hash.replace('#opening=', ''))"
    found: list[str] = table.find(".deal a").evaluate_all(script)
    return found


def expect_deals(table: Table, deals: list[StoredDeal]) -> None:
    """Expect these deals, page after page."""
    expect(items(table)).to_have_count(min(len(deals), ON_A_PAGE))
    while table.find("#more").is_visible():
        count = items(table).count()
        table.find("#more").click()
        expect(items(table)).to_have_count(min(len(deals), count + ON_A_PAGE))
    assert notations(table) == [deal.notation for deal in deals]


def test_deals_are_gone_through_page_by_page(table: Table, client: Client) -> None:
    deals = list(client.all_deals())
    assert len(deals) == ALL
    open_deals(table)
    expect(table.find("#deals-count")).to_have_text("20 deals so far")
    expect_deals(table, deals)
    expect(table.find("#deals-count")).to_have_text(f"{ALL} deals")


def test_deal_shows_cards_rules_elements_and_margin(table: Table, client: Client) -> None:
    cards = default_catalogue()
    open_deals(table)
    table.find("#more").click()
    expect(items(table)).to_have_count(ALL)
    for number, deal in enumerate(client.all_deals()):
        item = items(table).nth(number)
        script = "cards => cards.map(card => Number(card.dataset.card))"
        for end, hand in (("near", deal.hands.A), ("far", deal.hands.B)):
            drawn = item.locator(f".deal-hand[data-end={end}]")
            assert drawn.locator(".card").evaluate_all(script) == hand
            names = ", ".join(cards[card_id].name for card_id in hand)
            expect(drawn).to_have_attribute("aria-label", f"{'AB'[end == 'far']}'s hand: {names}")
        placed = [cell.card_id for cell in deal.board or [] if cell.card_id]
        assert item.locator(".deal-board .card").evaluate_all(script) == placed
        margin = deal.margin
        assert margin is not None
        verb = "wins" if margin > 0 else "loses" if margin < 0 else "draws"
        by = f" by {abs(margin)}" if margin else ""
        verdict = f"A {verb}{by} from here" if deal.ply else f"A starts and {verb}{by}"
        expect(item.locator("b")).to_have_text(verdict)
        expect(item).to_contain_text("FF8" if deal.rules.variant == "ff8" else "Triplecargo")
        for cell, letter in enumerate(deal.elements or []):
            if letter:
                expect(item).to_contain_text(f"{Element(letter).label} {CELL_NAMES[cell]}")
        expect(item).to_contain_text(f"ply {deal.ply} to {deal.plies}")


def test_deal_opens_on_the_board_by_a_click(table: Table, client: Client) -> None:
    deal = client.deals(limit=4).deals[3]
    open_deals(table)
    items(table).nth(3).click(position={"x": 20, "y": 60})  # not on the link's words
    expect(table.find("body[data-ready]")).to_be_attached()
    table.settle()
    state = to_builtins(client.position(deal.notation).state)
    assert urlsplit(table.page.url).fragment == f"opening={deal.notation}"
    assert table.board == board_of(state)
    assert table.hand("near") == state["hands"]["A"]
    expect(table.find("#source")).to_contain_text("From the database")


CHOSEN: list[tuple[dict[str, str], DealWishes]] = [
    ({"variant": "FF8"}, {"variant": "ff8"}),
    ({"elemental": "Elemental on", "same": "Same off"}, {"elemental": True, "same": False}),
    ({"plus": "Plus off", "same_wall": "Same Wall on"}, {"plus": False, "same_wall": True}),
]


@pytest.mark.parametrize(("choices", "wishes"), CHOSEN, ids=["variant", "elemental", "plus"])
def test_deals_are_chosen_by_rules(
    table: Table, client: Client, choices: dict[str, str], wishes: DealWishes
) -> None:
    open_deals(table)
    for name, label in choices.items():
        table.find(f"#deals-{name}").select_option(label=label)
    deals = list(client.all_deals(**wishes))
    expect(table.find("#deals-count")).to_contain_text(f"{min(len(deals), ON_A_PAGE)} deals")
    expect_deals(table, deals)
    assert 0 < len(deals) < ALL


@pytest.mark.parametrize("text", ["Geezard", "geez", "1"])
def test_deals_are_chosen_by_card(table: Table, client: Client, text: str) -> None:
    open_deals(table)
    table.find("#deals-card").fill(text)
    table.press("Enter")
    expect(table.find("#deals-card")).to_have_value("Geezard")
    deals = list(client.all_deals(card="Geezard"))
    assert deals
    expect_deals(table, deals)


def test_what_is_chosen_is_in_the_address(table: Table, client: Client) -> None:
    deals = list(client.all_deals(variant="ff8", same=True))
    open_deals(table)
    table.find("#deals-variant").select_option("ff8")
    table.find("#deals-same").select_option("true")
    expect(items(table)).to_have_count(len(deals))
    assert urlsplit(table.page.url).query == "variant=ff8&same=true"
    table.page.reload()
    expect(table.find("body[data-ready]")).to_be_attached()
    expect_deals(table, deals)
    table.find("#deals-any").click()
    expect(table.find("#deals-count")).to_contain_text("20 deals")
    assert urlsplit(table.page.url).query == ""


def test_address_that_makes_no_sense_shows_all(table: Table) -> None:
    open_deals(table, "?variant=ff9&same=perhaps&x=1")
    expect(items(table)).to_have_count(ON_A_PAGE)


@pytest.mark.parametrize(
    ("text", "told"),
    [("nobody", "There is no “nobody” in any card's name"), ("onberry", "Tonberry, Tonberry King")],
)
def test_text_that_names_no_card_is_told(table: Table, text: str, told: str) -> None:
    open_deals(table)
    table.find("#deals-card").fill(text)
    table.press("Enter")
    expect(table.find("#deals-problem")).to_contain_text(told)
    expect(items(table)).to_have_count(0)
    table.find("#deals-card").fill("")
    table.press("Enter")
    expect(table.find("#deals-problem")).to_be_hidden()
    expect(items(table)).to_have_count(ON_A_PAGE)


def test_no_deal_is_told(table: Table, client: Client) -> None:
    unused = next(card for card in default_catalogue() if not list(client.all_deals(card=card.id)))
    open_deals(table, f"?card={unused.id}")
    expect(table.find("#deals-count")).to_have_text("No deal is like that.")
    expect(table.find("#more")).to_be_hidden()


def test_deals_can_be_used_by_keyboard(table: Table, client: Client) -> None:
    deals = list(client.all_deals(variant="ff8"))
    assert len(deals) < ON_A_PAGE
    open_deals(table)
    table.find("#deals-card").focus()
    table.press("Tab")
    expect(table.find("#deals-variant")).to_be_focused()
    table.press("ArrowDown")
    expect(items(table)).to_have_count(len(deals))
    table.press("Tab", "Tab", "Tab", "Tab", "Tab")
    expect(table.find("#deals-any")).to_be_focused()
    table.press("Enter")
    expect(items(table)).to_have_count(ON_A_PAGE)
    table.find("#more").focus()
    table.press("Enter")
    expect(items(table)).to_have_count(ALL)
    expect(items(table).nth(ON_A_PAGE).get_by_role("link")).to_be_focused()
    table.press("Enter")
    table.page.wait_for_url("**/#opening=*")
    expected = list(client.all_deals())[ON_A_PAGE].notation
    assert urlsplit(table.page.url).fragment == f"opening={expected}"


def test_deals_fit_a_phone(screens: Screens) -> None:
    table = screens.new(viewport=PHONE, has_touch=True)
    open_deals(table)
    for selector in ("#deals-card", "#deals-variant", "#deals-any", "#more", ".deal a"):
        box = table.find(selector).first.bounding_box()
        assert box
        assert 0 <= box["x"] <= box["x"] + box["width"] <= PHONE["width"]
        assert box["height"] >= 40
    count = items(table).count()
    table.find("#more").tap()
    expect(items(table)).to_have_count(ALL)
    assert count == ON_A_PAGE


def test_page_that_ended_early_is_gone_on_with(table: Table, client: Client) -> None:
    """A page may have no deals though there are more: then those that come next are asked for."""

    def answer(route: Route) -> None:
        if "after=" in route.request.url:
            route.continue_()
        else:
            cursor = client.deals(limit=5).next
            route.fulfill(json={"deals": [], "next": cursor})

    table.page.route("**/database/deals?*", answer)
    open_deals(table)
    expect(items(table)).to_have_count(ON_A_PAGE)
    assert notations(table) == [deal.notation for deal in client.all_deals()][5 : 5 + ON_A_PAGE]


def test_answer_to_an_earlier_choice_is_not_shown(table: Table, client: Client) -> None:
    held: list[Route] = []

    def answer(route: Route) -> None:
        if "variant=ff8" in route.request.url:
            held.append(route)
        else:
            route.continue_()

    open_deals(table)
    table.page.route("**/database/deals?*", answer)
    table.find("#deals-variant").select_option("ff8")
    expect(items(table)).to_have_count(0)
    table.find("#deals-variant").select_option("triplecargo")
    deals = list(client.all_deals(variant="triplecargo"))
    expect(items(table)).to_have_count(len(deals))
    with table.page.expect_response("**/database/deals?variant=ff8*"):
        held[0].continue_()
    expect_deals(table, deals)


def test_deals_come_after_an_outage(browser: Browser, tmp_path: Path) -> None:
    build_parts(tmp_path / "db")
    arguments = ("--db", str(tmp_path / "db"))
    with running(tmp_path, *arguments) as mortal, Client(mortal.url) as client:
        deals = list(client.all_deals())
        with watched(browser, mortal.url) as (context, watch):
            watch.expect(*GONE)
            table = Table(context.new_page(), watch)
            open_deals(table)
            mortal.stop()
            table.find("#more").click()
            check_outage_is_told(table)
            with running(tmp_path, *arguments, port=urlsplit(mortal.url).port or 0):
                expect(items(table)).to_have_count(len(deals))
                expect(table.find(".outage")).to_be_hidden()
                assert notations(table) == [deal.notation for deal in deals]


def test_without_a_database_there_is_no_list(browser: Browser, tmp_path: Path) -> None:
    with (
        running(tmp_path, "--db", str(tmp_path / "none")) as bare,
        watched(browser, bare.url) as (context, watch),
    ):
        table = Table(context.new_page(), watch)
        open_deals(table)
        expect(table.find("#nothing")).to_contain_text("There is no database")
        for selector in ("#deals", "#covered", "#refused", "#left-out"):
            expect(table.find(selector)).to_be_hidden()


def test_parts_are_shown_and_what_was_left_out(browser: Browser, tmp_path: Path) -> None:
    build_parts(tmp_path / "db")
    generation = Folder(tmp_path / "db").served()
    damaged, *others = generation.parts
    os.truncate(generation.file_of(damaged), damaged.bytes // 2)
    with (
        running(tmp_path, "--db", str(tmp_path / "db")) as server,
        watched(browser, server.url) as (context, watch),
    ):
        table = Table(context.new_page(), watch)
        open_deals(table)
        assert table.find("#parts th").all_inner_texts() == [part.name for part in others]
        expect(table.find("#parts tr").first).to_contain_text(f"{others[0].bytes:,}")
        expect(table.find("#left-out")).to_contain_text(damaged.name)
        expect(table.find("#left-out")).to_contain_text("its digest is not that which was written")
        (tmp_path / "db" / f"{generation.name}.json").write_text(json.dumps({}))
        assert server.logged("no database")
        open_deals(table)
        expect(table.find("#refused")).to_contain_text("What is there now is not served")
        expect(items(table)).not_to_have_count(0)


def test_deal_whose_margin_cannot_be_read_is_shown(browser: Browser, tmp_path: Path) -> None:
    build(tmp_path / "db", roots_of_all_rules()[:1])
    publish_changed(tmp_path / "db", tear_blocks)
    with (
        running(tmp_path, "--db", str(tmp_path / "db")) as server,
        watched(browser, server.url) as (context, watch),
    ):
        table = Table(context.new_page(), watch)
        open_deals(table)
        expect(items(table)).to_contain_text("What it is worth cannot be read")


def test_refusal_of_the_service_is_told(table: Table) -> None:
    def ask_for_nothing(route: Route) -> None:
        route.continue_(url=route.request.url.replace("limit=20", "limit=0"))

    table.watch.expect("422")
    table.page.route("**/database/deals?*", ask_for_nothing)
    open_deals(table)
    expect(table.find("#deals-problem")).to_contain_text('limit: found "0"')


def test_more_that_finds_nothing_leaves_the_focus_in_the_list(table: Table, client: Client) -> None:
    last = list(client.all_deals())[ON_A_PAGE - 1].notation

    def find_nothing(route: Route) -> None:
        if "after=" in route.request.url:
            route.continue_(url=route.request.url.split("?")[0] + f"?after={'f' * 32}")
        else:
            route.continue_()

    table.page.route("**/database/deals?*", find_nothing)
    open_deals(table)
    table.find("#more").focus()
    table.press("Enter")
    expect(table.find("#deals-count")).to_have_text("20 deals")
    expect(items(table).last.get_by_role("link")).to_be_focused()
    assert notations(table)[-1] == last
