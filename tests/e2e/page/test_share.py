"""Share and review: links that hold the game, forms to copy, what each move gave away."""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

import httpx
from playwright.sync_api import expect

from app.client import Answer, Client
from engine.game.cards import default_catalogue
from engine.text.document import state_from_dict
from engine.text.notation import format_state
from engine.text.objects import MoveObject, StateObject, encode
from tests.e2e.page.table import OPENING, Screens, Table, board_of
from tests.servers import given

Json = dict[str, object]


def play(table: Table, moves: Sequence[MoveObject]) -> None:
    for move in moves:
        table.place(move.card_id, move.cell)


def test_link_brings_the_state_and_its_history(screens: Screens, client: Client) -> None:
    first, second = screens.new(), screens.new()
    first.open()
    play(first, given(client.position(OPENING).pv)[:4])
    second.open_link(first.page.url)
    assert (second.board, second.told) == (first.board, first.told)
    second.press("u")
    second.wait_for_ply(3)
    first.press("u")
    first.wait_for_ply(3)
    assert second.board == first.board
    assert second.page.url == first.page.url
    assert second.page.url.endswith("&at=3")


def test_link_of_an_earlier_version_is_followed(table: Table) -> None:
    """As 0.1.0 wrote it."""
    opening = "ff8-s_9_14.29.47.51.106_15.34.56.100.103_B"
    table.open_link(f"/#opening={opening}&moves=34-0.106-4.15-8&at=2")
    table.wait_for_ply(2)
    assert table.board == {0: (34, "B"), 4: (106, "A")}


def test_link_opened_in_an_open_page_is_followed(table: Table) -> None:
    table.open()
    card_id = table.hand("near")[0]
    table.page.evaluate("hash => { location.hash = hash; }", f"opening={OPENING}&moves={card_id}-4")
    table.wait_for_ply(1)
    assert table.board == {4: (card_id, "A")}


def test_every_form_is_copied(screens: Screens, client: Client) -> None:
    table = screens.new(permissions=["clipboard-read", "clipboard-write"])
    table.open()
    play(table, given(client.position(OPENING).pv)[:2])
    table.find("#open-share").click()
    copied = {}
    for name in ("Link", "Notation", "JSON", "curl"):
        button = table.page.get_by_role("button", name=f"Copy {name}")
        button.click()
        expect(button).to_have_text("Copied")
        copied[name] = table.page.evaluate("() => navigator.clipboard.readText()")
    state = json.loads(copied["JSON"])
    assert board_of(state) == table.board
    assert copied["Notation"] == format_state(state_from_dict(state, default_catalogue()))
    assert copied["Link"] == table.page.url
    check_curl(copied["curl"], client.evaluate(state, moves=True))


def check_curl(command: str, wanted: Answer) -> None:
    """Ask what a curl command asks; whether there is a curl here does not matter."""
    curl, silent, _, header, _, body, url = shlex.split(command)
    assert (curl, silent) == ("curl", "-s")
    name, value = header.split(": ")
    assert httpx.post(url, content=body, headers={name: value}).content == encode(wanted)


def blunder(client: Client, state: StateObject) -> MoveObject:
    """Return the worst move of a state."""
    return given(client.evaluate(state, moves=True).moves)[-1]


def test_review_says_what_each_move_was_worth_and_gave_away(table: Table, client: Client) -> None:
    state = client.position(OPENING).state
    margins = [given(client.position(OPENING).margin)]
    moves: list[MoveObject] = []
    while len(moves) < 9:
        answer = client.evaluate(state)
        move = blunder(client, state) if len(moves) in (1, 4) else given(answer.best_move)
        moves.append(move)
        state = client.apply(state, move.card_id, move.cell).state
        margins.append(given(client.evaluate(state).margin))
    gave = [
        (before - after) * (1 if number % 2 == 0 else -1)
        for number, (before, after) in enumerate(zip(margins, margins[1:], strict=False))
    ]
    assert max(gave) > 0
    link = ".".join(f"{move.card_id}-{move.cell}" for move in moves)
    table.open_link(f"/#opening={OPENING}&moves={link}")
    turns = table.find("#strip .turn")
    expect(turns).to_have_count(9)
    for number, amount in enumerate(gave):
        expect(turns.nth(number)).to_have_attribute("data-given-away", str(amount))
        expect(turns.nth(number)).to_contain_text(f"gave away {amount}" if amount else "best")
    shown = [str(margin).replace("-", "−") if margin <= 0 else f"+{margin}" for margin in margins]
    label = f"Margin for A after each move: {', '.join(shown)}"
    expect(table.find(".plot")).to_have_attribute("aria-label", label)
    turns.nth(2).click()
    table.wait_for_ply(3)
    expect(turns.nth(2)).to_have_attribute("aria-current", "step")


def test_review_waits_for_the_end(table: Table) -> None:
    table.open()
    expect(table.find("#review")).to_be_hidden()
    table.find("#line button").last.click()
    expect(table.find("#review")).to_be_visible()
    expect(table.find("#review-summary")).to_have_text("A played perfectly; B played perfectly.")
