"""Set up a game: rules, elements, hands, who starts; or paste one; and what is refused."""

from __future__ import annotations

import json
import re

import pytest
from playwright.sync_api import expect

from app.client import Client
from app.examples import NOTATION_EXAMPLE, STATE_EXAMPLE
from engine.game.cards import Element, default_catalogue
from tests.e2e.page.table import OPENING, Table, board_of, names_with


def open_setup(table: Table) -> None:
    table.open()
    table.press("s")
    expect(table.find("#setup")).to_be_visible()


def start(table: Table) -> None:
    table.find("#start").click()
    expect(table.find("#setup")).to_be_hidden()
    table.settle()


def opening(table: Table) -> str:
    """Return the notation of the opening, from the address."""
    return table.page.url.split("opening=")[1].split("&")[0]


def pick(table: Table, player: str, names: list[str]) -> None:
    """Put these cards into a hand, found by name, place by place."""
    for number, name in enumerate(names):
        table.find(f"#slots-{player} .slot").nth(number).click()
        table.find("#picker-name").fill(name)
        table.press("Enter")
        expect(table.find("#picker")).to_be_hidden()


def test_everything_is_set_up_by_hand(table: Table) -> None:
    open_setup(table)
    table.find("#variant-triplecargo").check()
    table.find("#rule-same").uncheck()
    table.find("#rule-same_wall").check()
    table.find("#elements-none").click()
    table.find("#brushes").get_by_role("button", name="Ice").click()
    table.find("#layout button").nth(0).click()
    table.find("#layout button").nth(8).click()
    table.find("#layout button").nth(8).click()  # a second click clears
    pick(table, "A", ["Geezard", "Ifrit", "Shiva", "Squall", "Eden"])
    pick(table, "B", ["Funguar", "Bite Bug", "Red Bat", "Blobra", "Gayla"])
    table.find("#first-B").check()
    start(table)
    hands = [
        ".".join(str(default_catalogue().find(name).id) for name in names)
        for names in (
            ["Geezard", "Shiva", "Ifrit", "Eden", "Squall"],
            ["Funguar", "Bite Bug", "Red Bat", "Blobra", "Gayla"],
        )
    ]
    assert opening(table) == f"tc-epw_I.8_{hands[0]}_{hands[1]}_B"
    expect(table.find("#hand-far")).to_have_class("hand to-move")


def test_picker_searches_by_name_level_and_element(table: Table) -> None:
    open_setup(table)
    table.find("#slots-A .slot").first.click()
    picks = table.find("#picker-cards .pick")
    expect(picks).to_have_count(110)
    table.find("#picker-level").select_option("10")
    expect(picks).to_have_count(sum(card.level == 10 for card in default_catalogue()))
    table.find("#picker-level").select_option("")
    table.find("#picker-element").select_option("Thunder")
    expect(picks).to_have_count(len(names_with(Element.THUNDER)))
    table.find("#picker-element").select_option("")
    table.find("#picker-name").fill("ruBY d")
    expect(picks).to_have_count(1)
    expect(picks).to_have_attribute("aria-label", re.compile("^Ruby Dragon, .* level 5$"))


@pytest.mark.parametrize("strategy", ["random", "stratified"])
def test_hands_are_dealt(table: Table, strategy: str) -> None:
    open_setup(table)
    table.find(f"#hands-{strategy}").click()
    start(table)
    hand = table.hand("near")
    levels = sorted(default_catalogue().find(str(card_id)).level for card_id in hand)
    assert len(set(hand)) == 5
    assert opening(table).split("_")[2:] != OPENING.split("_")[2:]
    assert strategy == "random" or [(level + 1) // 2 for level in levels] == [1, 2, 3, 4, 5]


def test_elements_are_dealt_as_the_game_does(table: Table, client: Client) -> None:
    open_setup(table)
    table.find("#rule-elemental").uncheck()
    expect(table.find("#elements")).to_be_hidden()
    table.find("#rule-elemental").check()
    table.find("#elements-game").click()
    start(table)
    state = client.position(opening(table)).state
    drawn = table.find("#board .ground").count()
    assert drawn == sum(cell.element is not None for cell in state.board)


def test_set_up_begins_with_the_games_own_rules(table: Table) -> None:
    table.open_link("/")
    table.press("s")
    expect(table.find("#variant-ff8")).to_be_checked()
    expect(table.find("#setup")).to_contain_text("as the game itself plays")


PASTED = {
    "json": json.dumps(STATE_EXAMPLE),
    "notation": NOTATION_EXAMPLE,
    "link": f"http://127.0.0.1/#opening={NOTATION_EXAMPLE}",
}


@pytest.mark.parametrize("form", PASTED)
def test_state_is_pasted(table: Table, form: str) -> None:
    open_setup(table)
    table.find("#pasted").fill(PASTED[form])
    table.find("#open-pasted").click()
    expect(table.find("#setup")).to_be_hidden()
    table.settle()
    assert table.board == board_of(STATE_EXAMPLE)
    assert opening(table) == NOTATION_EXAMPLE


REFUSED = {
    '{"board": [}': ["This is not JSON", "Unexpected token"],
    "{}": ["board", "hands", "to_move"],
    json.dumps({**STATE_EXAMPLE, "to_move": "C"}): ["to_move", 'found "C"; allowed: A or B'],
    json.dumps({**STATE_EXAMPLE, "hands": {"A": [7, 999], "B": [34, 73, 86]}}): ["999"],
    "": ["Paste a state"],
}


@pytest.mark.parametrize("text", REFUSED, ids=lambda text: text[-20:])
def test_what_is_pasted_wrongly_is_told_in_words(table: Table, text: str) -> None:
    open_setup(table)
    table.find("#pasted").fill(text)
    table.find("#open-pasted").click()
    for words in REFUSED[text]:
        expect(table.find("#setup-problem")).to_contain_text(words)
    expect(table.find("#setup")).to_be_visible()
    table.press("Escape")
    assert opening(table) == OPENING


def test_notation_that_is_none_is_told_in_words(table: Table) -> None:
    table.watch.expect("422")
    open_setup(table)
    table.find("#pasted").fill("ff8_10_1.2_3.4_A")
    table.find("#open-pasted").click()
    expect(table.find("#setup-problem")).to_contain_text("notation")
    expect(table.find("#setup-problem")).to_contain_text("allowed")


def test_seventy_thousand_pasted_characters_are_told_and_the_next_paste_is_opened(
    table: Table,
) -> None:
    open_setup(table)
    for length in (70_000, 3_000_000):
        table.find("#pasted").fill("x" * length)
        table.find("#open-pasted").click()
        expect(table.find("#setup-problem")).to_contain_text("This is too long")
        expect(table.find("#outage")).to_be_hidden()
    table.find("#pasted").fill(NOTATION_EXAMPLE)
    table.find("#open-pasted").click()
    expect(table.find("#setup")).to_be_hidden()
    table.settle()
    assert opening(table) == NOTATION_EXAMPLE


def test_json_larger_than_the_service_takes_is_told(table: Table) -> None:
    table.watch.expect("413")
    open_setup(table)
    table.find("#pasted").fill(json.dumps({**STATE_EXAMPLE, "to_move": "C" * 3_000_000}))
    table.find("#open-pasted").click()
    expect(table.find("#setup-problem")).to_contain_text("The request is larger than allowed")
    table.find("#pasted").fill(json.dumps(STATE_EXAMPLE))
    table.find("#open-pasted").click()
    expect(table.find("#setup")).to_be_hidden()


def test_json_that_is_no_state_is_told_as_json(table: Table) -> None:
    open_setup(table)
    table.find("#pasted").fill("[1, 2]")
    table.find("#open-pasted").click()
    expect(table.find("#setup-problem")).to_contain_text("found [1, 2]; allowed: an object")


def test_pasted_link_that_is_damaged_is_told_in_words(table: Table) -> None:
    open_setup(table)
    for link in ("http://127.0.0.1/#", "http://127.0.0.1/#openin=x"):
        table.find("#pasted").fill(link)
        table.find("#open-pasted").click()
        expect(table.find("#setup-problem")).to_contain_text("There is no game in it")
    expect(table.find("#setup")).to_be_visible()
    table.press("Escape")
    assert opening(table) == OPENING


def test_hands_that_cannot_be_are_told_in_words(table: Table) -> None:
    open_setup(table)
    pick(table, "B", ["Squall"])
    pick(table, "A", ["Squall"])
    table.find("#start").click()
    expect(table.find("#setup-problem")).to_contain_text("at most once in the game under ff8")
