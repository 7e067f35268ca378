"""Links damaged on their way: told in plain words, kept in the address, a game offered instead."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from tests.e2e.page.table import OPENING, Table

GAME = f"#opening={OPENING}&moves=7-0.12-4"
# By what has happened to a link; with the words that people are told.
DAMAGED = {
    "cut off within the opening": ("#opening=ff8-esp_1.F.3", "The opening in it cannot be played"),
    "a card lost": (f"#opening={OPENING.replace('7.30', '30')}", "The opening in it cannot be"),
    "cut off within a move": (f"{GAME}.30-", "Its move 3, “30-”, is none"),
    "a move changed": (f"#opening={OPENING}&moves=7-0.110-0", "Its move 2, 110-0, cannot be"),
    "a move of words": (f"#opening={OPENING}&moves=abc", "Its move 1, “abc”, is none"),
    "a name changed": (f"#openin={OPENING}", "There is no game in it"),
    "nothing of it left": ("#x", "There is no game in it"),
    "a bracket behind it": (f"#opening={OPENING})", "The opening in it cannot be played"),
}
OF_THE_SERVICE = ("found", "allowed", "notation", "card_id", "null")


@pytest.mark.parametrize(("link", "words"), DAMAGED.values(), ids=DAMAGED)
def test_damaged_link_is_told_kept_and_another_game_offered(
    table: Table, link: str, words: str
) -> None:
    table.watch.expect("422")
    table.page.goto(f"/{link}")
    problem = table.find("#problem")
    expect(problem).to_contain_text("This link is damaged")
    expect(problem).to_contain_text(words)
    assert not [word for word in OF_THE_SERVICE if word in problem.inner_text()]
    assert table.page.url.endswith(f"/{link}")
    expect(table.find(".hand .card")).to_have_count(0)  # nobody's game instead
    table.find("#deal-instead").click()
    table.settle()
    assert len(table.hand("near")) == 5
    assert "#opening=" in table.page.url
    assert not table.page.url.endswith(link)
    expect(problem).to_be_hidden()
    expect(table.find("#deal-instead")).to_be_hidden()


def test_what_the_service_says_of_a_link_is_a_click_away(table: Table) -> None:
    table.watch.expect("422")
    table.page.goto("/#opening=ff8_9")
    table.find("#problem summary").click()
    expect(table.find("#problem li")).to_contain_text(
        'notation: found "ff8_9"; allowed: five parts'
    )


def test_damaged_link_put_right_in_the_address_is_followed(table: Table) -> None:
    table.watch.expect("422")
    table.page.goto(f"/{GAME}.30-")
    expect(table.find("#problem")).to_be_visible()
    table.page.evaluate("hash => { location.hash = hash; }", GAME)
    table.wait_for_ply(2)
    assert table.board == {0: (7, "A"), 4: (12, "B")}
    expect(table.find("#problem")).to_be_hidden()
    expect(table.find("#deal-instead")).to_be_hidden()


def test_damaged_link_in_an_open_page_leaves_the_game_and_the_address(table: Table) -> None:
    table.watch.expect("422")
    table.open()
    table.page.evaluate("hash => { location.hash = hash; }", "#opening=ff8_9")
    expect(table.find("#problem")).to_contain_text("This link is damaged")
    table.press("f", "1")  # looks at the game change nothing
    assert table.page.url.endswith("#opening=ff8_9")
    assert len(table.hand("near")) == 5
    table.cell(4).click()
    table.wait_for_ply(1)
    assert f"#opening={OPENING}&moves=" in table.page.url  # whoever plays on has chosen
    expect(table.find("#problem")).to_be_hidden()


def test_keys_do_nothing_while_there_is_no_game(table: Table) -> None:
    table.watch.expect("422")
    table.page.goto("/#opening=ff8_9")
    expect(table.find("#problem")).to_be_visible()
    table.press("u", "r", "f", "h", "b", "n", "s", "1", "Enter")
    expect(table.find("#setup")).to_be_hidden()
    assert table.page.url.endswith("#opening=ff8_9")


def test_bare_address_is_no_damaged_link(table: Table) -> None:
    table.open_link("/#")
    expect(table.find("#problem")).to_be_hidden()
    assert len(table.hand("near")) == 5
