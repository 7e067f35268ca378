"""Small screens, dark mode, screen readers, still pictures, and the policy of the page."""

from __future__ import annotations

import re
from collections.abc import Callable

import httpx
import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.e2e.page.table import DESKTOP, PHONE, Screens, Table
from tests.servers import Server

LARGE_ENOUGH = 44  # pixels, for a finger
PATHS = ("/browse/cards", "/browse/database")


def check_accessible(table: Table) -> None:
    """Fail for whatever axe finds, in light and in dark."""
    for scheme in ("light", "dark"):
        table.page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
        violations = Axe().run(table.page).response["violations"]
        found = [(item["id"], [node["html"] for node in item["nodes"]]) for item in violations]
        assert found == [], scheme


def choose(table: Table) -> None:
    table.press("1")


def play_on(table: Table) -> None:
    table.find("#line button").nth(4).click()
    table.wait_for_ply(5)
    table.press("2")


def finish(table: Table) -> None:
    table.find("#line button").last.click()
    expect(table.find(".turn")).to_have_count(9)


def set_up(table: Table) -> None:
    table.press("s")


def pick(table: Table) -> None:
    table.press("s")
    table.find("#slots-A .slot").first.click()


def share(table: Table) -> None:
    table.find("#open-share").click()


def read_help(table: Table) -> None:
    table.press("?")
    expect(table.find("#help")).to_be_visible()


@pytest.mark.parametrize("act", [choose, play_on, finish, set_up, pick, share, read_help])
def test_page_is_accessible(table: Table, act: Callable[[Table], None]) -> None:
    table.open()
    act(table)
    check_accessible(table)


def test_page_of_a_damaged_link_is_accessible(table: Table) -> None:
    table.watch.expect("422")
    table.page.goto("/#opening=ff8_9")
    table.find("#problem summary").click()
    expect(table.find("#problem li")).to_be_visible()
    check_accessible(table)


@pytest.mark.parametrize("path", PATHS)
def test_other_pages_are_accessible(table: Table, path: str) -> None:
    table.page.goto(path)
    expect(table.find("body[data-ready]")).to_be_attached()
    check_accessible(table)


def is_too_wide(table: Table) -> bool:
    script = "() => document.documentElement.scrollWidth > document.documentElement.clientWidth"
    return bool(table.page.evaluate(script))


def test_phone_shows_everything_without_scrolling_sideways(screens: Screens) -> None:
    table = screens.new(viewport=PHONE, has_touch=True)
    table.open()
    assert not is_too_wide(table)
    for selector in (".cell", ".hand-card", "#undo", "#step"):
        box = table.find(selector).first.bounding_box()
        assert box
        assert min(box["width"], box["height"]) >= LARGE_ENOUGH
    bottom = table.find("#hand-near").bounding_box()
    assert bottom
    assert bottom["y"] + bottom["height"] <= PHONE["height"]  # both hands and the board at once
    for path in PATHS:
        table.page.goto(path)
        expect(table.find("body[data-ready]")).to_be_attached()
        assert not is_too_wide(table)


def test_phone_is_played_by_touch(screens: Screens) -> None:
    table = screens.new(viewport=PHONE, has_touch=True)
    table.open()
    card_id = table.hand("near")[4]
    table.hand_card(card_id).tap()
    table.cell(3).tap()
    table.wait_for_ply(1)
    assert table.board == {3: (card_id, "A")}
    assert not is_too_wide(table)


def test_card_is_dragged_by_a_finger(screens: Screens) -> None:
    table = screens.new(viewport=PHONE, has_touch=True)
    table.open()
    card_id = table.hand("near")[1]
    start, end = (item.bounding_box() for item in (table.hand_card(card_id), table.cell(7)))
    assert start
    assert end
    finger = table.page.context.new_cdp_session(table.page)
    for kind, box in (("Start", start), ("Move", end), ("End", None)):
        points = [{"x": box["x"] + 20, "y": box["y"] + 20}] if box else []
        finger.send("Input.dispatchTouchEvent", {"type": f"touch{kind}", "touchPoints": points})
    table.wait_for_ply(1)
    assert table.board == {7: (card_id, "A")}


def test_dark_mode_is_dark(screens: Screens) -> None:
    brightness = {}
    for scheme in ("light", "dark"):
        table = screens.new(color_scheme=scheme)
        table.open()
        script = "() => getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)"
        brightness[scheme] = sum(table.page.evaluate(script))
    assert brightness["dark"] < 150 < 600 < brightness["light"]


def test_owners_are_told_apart_without_colour(table: Table) -> None:
    table.open()
    for cell in (0, 8):
        table.place(table.moves[0]["card_id"], cell)
    shapes = set()
    for cell, (_, owner) in table.board.items():
        sign = table.cell(cell).locator(".owner")
        expect(sign).to_have_text(owner)
        shapes.add(sign.evaluate("sign => getComputedStyle(sign).borderRadius"))
        expect(table.cell(cell)).to_have_attribute("aria-label", re.compile(f"owned by {owner}"))
    assert len(shapes) == 2


def test_screen_reader_hears_moves_and_cells(table: Table) -> None:
    table.open()
    expect(table.page.get_by_role("status").first).to_have_text("A starts from here.")
    table.press("1")
    cell = table.page.get_by_role("group", name="Board").get_by_role("button").nth(1)
    expect(cell).to_have_attribute("aria-label", re.compile("^top, empty, on Fire, .*takes"))
    table.press("b")
    table.wait_for_ply(1)
    expect(table.page.get_by_role("status").first).to_contain_text("A plays")


@pytest.mark.parametrize("motion", ["reduce", "no-preference"])
def test_motion_is_reduced_where_asked_for(screens: Screens, motion: str) -> None:
    table = screens.new(reduced_motion=motion)
    table.open()
    table.place(table.hand("near")[0], 0)
    name = table.cell(0).locator(".card").evaluate("card => getComputedStyle(card).animationName")
    assert name == ("none" if motion == "reduce" else "place")


def test_help_opens_by_key_and_closes_again(table: Table) -> None:
    table.open()
    table.press("?")
    expect(table.find("#help")).to_be_visible()
    table.find("#help .close").click()
    expect(table.find("#help")).to_be_hidden()


def test_desktop_shows_board_hands_and_advice_side_by_side(table: Table) -> None:
    table.open()
    boxes = [table.find(name).bounding_box() for name in ("#hand-near", "#board", "#advice")]
    lefts = [box["x"] for box in boxes if box]
    assert lefts == sorted(lefts)
    assert all(box and box["y"] < DESKTOP["height"] / 2 for box in boxes)


def test_policy_allows_nothing_inline_and_nobody_else(server: Server) -> None:
    for path in ("/", *PATHS, "/static/js/main.js"):
        response = httpx.get(server.url + path)
        policy = response.headers["content-security-policy"]
        assert "default-src 'self'" in policy
        assert "unsafe" not in policy
        assert response.headers["cache-control"] == "no-cache"
        assert 'style="' not in response.text
        assert "<script>" not in response.text
