"""Play and ask: every way to move, and what is shown of every move."""

from __future__ import annotations

import re

import pytest
from msgspec import to_builtins
from playwright.sync_api import expect

from app.client import Client
from engine.game.cards import default_catalogue
from engine.text.document import state_from_dict
from engine.text.notation import format_state
from tests import vectors
from tests.databases import later, small_roots
from tests.e2e.page.table import CELL_NAMES, OPENING, Table, board_of
from tests.servers import given

TRIPLECARGO = "tc-sp_9_12.34.61.80.110_7.30.55.77.99_B"  # never a draw
CELLS = 9


def arrows(start: int, end: int) -> list[str]:
    """Return the keys that lead from one cell to another."""
    down, right = end // 3 - start // 3, end % 3 - start % 3
    return [
        *(["ArrowDown"] * down if down > 0 else ["ArrowUp"] * -down),
        *(["ArrowRight"] * right if right > 0 else ["ArrowLeft"] * -right),
    ]


def final_score(table: Table) -> int:
    """Return A's cards less B's, as the page tells them at the end."""
    score_a, score_b = (table.find(f"#hand-{end} .score").inner_text() for end in ("near", "far"))
    assert table.told.endswith(f"The game is over, {score_a} to {score_b}.")
    return int(score_a) - int(score_b)


@pytest.mark.parametrize("opening", [OPENING, TRIPLECARGO], ids=["ff8", "triplecargo"])
def test_advice_taken_for_both_sides_keeps_the_promised_margin(
    table: Table, client: Client, opening: str
) -> None:
    promised = client.position(opening).margin
    table.open(opening)
    for ply in range(CELLS):
        best = table.moves[0]
        table.place(best["card_id"], best["cell"])
        assert table.ply == ply + 1
    assert final_score(table) == promised


def test_whole_game_by_keyboard(table: Table, client: Client) -> None:
    answer = client.position(OPENING)
    table.open()
    at = 4
    for ply, move in enumerate(given(answer.pv), start=1):
        mover = "near" if ply % 2 else "far"
        table.press(str(table.hand(mover).index(move.card_id) + 1))
        table.press(*arrows(at, move.cell))
        expect(table.cell(move.cell)).to_be_focused()
        table.press("Enter")
        table.wait_for_ply(ply)
        at = move.cell
    assert final_score(table) == answer.margin


def test_card_is_chosen_by_arrows_and_enter(table: Table) -> None:
    table.open()
    table.find("#hand-near .hand-card").first.focus()
    table.press("ArrowDown", "Enter")
    expect(table.find("#hand-near .hand-card").nth(1)).to_have_attribute("aria-pressed", "true")
    expect(table.cell(4)).to_be_focused()
    table.press("Escape")
    expect(table.find('[aria-pressed="true"].hand-card')).to_have_count(0)


def test_card_is_dragged_to_a_cell(table: Table) -> None:
    table.open()
    card_id = table.hand("near")[2]
    table.hand_card(card_id).drag_to(table.cell(6))
    table.wait_for_ply(1)
    assert table.board == {6: (card_id, "A")}


def test_card_that_is_dropped_beside_the_board_goes_back(table: Table) -> None:
    table.open()
    table.hand_card(table.hand("near")[0]).drag_to(table.find("#rules"))
    expect(table.find(".dragged")).to_have_count(0)
    assert table.ply == 0
    assert len(table.hand("near")) == 5


def test_every_legal_move_is_listed_as_the_service_ranks_it(table: Table, client: Client) -> None:
    answer = client.position(TRIPLECARGO, moves=True)
    table.open(TRIPLECARGO)
    for shown, move in zip(table.moves, given(answer.moves), strict=True):
        assert (shown["card_id"], shown["cell"]) == (move.card_id, move.cell)
        assert (shown["value"], shown["cards"]) == (move.value, abs(given(move.margin)))
        assert shown["takes"] == len(move.captures)


def test_cells_show_the_worth_of_the_chosen_card(table: Table, client: Client) -> None:
    (root,) = small_roots(1)
    moves = given(client.position(format_state(root), moves=True).moves)
    table.open(format_state(root))
    chosen = moves[-1].card_id
    table.hand_card(chosen).click()
    wanted = {move.cell: str(abs(given(move.margin))) for move in moves if move.card_id == chosen}
    for cell, number in wanted.items():
        expect(table.cell(cell).locator(".worth")).to_contain_text(number)
    expect(table.find(".cell .worth")).to_have_count(len(wanted))


def test_looking_at_a_move_shows_what_it_would_capture(table: Table, client: Client) -> None:
    (root,) = small_roots(1)
    moves = given(client.position(format_state(root), moves=True).moves)
    taking = next(move for move in moves if move.captures)
    table.open(format_state(root))
    table.hand_card(taking.card_id).click()
    table.check_threatened([])
    table.cell(taking.cell).hover()
    table.check_threatened(taking.captures)
    table.find("#rules").hover()
    table.check_threatened([])
    row = f'.move[data-card="{taking.card_id}"][data-cell="{taking.cell}"]'
    table.find(row).focus()
    table.check_threatened(taking.captures)


TOLD = {"same": "Same", "plus": "Plus", "basic": "rank", "combo": "Combo"}


@pytest.mark.parametrize("rule", TOLD)
def test_captures_are_told_with_their_rule(table: Table, rule: str) -> None:
    cards = default_catalogue()
    vector = next(
        vector
        for vector in vectors.load("captures")
        if any(capture["rule"] == rule for capture in vector["captures"])
    )
    move = vector["move"]
    table.open(format_state(state_from_dict(vector["state"], cards)))
    table.place(move["card_id"], move["cell"])
    taken = ", ".join(
        f"{cards.find(str(capture['card_id'])).name} ({CELL_NAMES[capture['cell']]})"
        f" by {TOLD[capture['rule']]}"
        for capture in vector["captures"]
    )
    name = cards.find(str(move["card_id"])).name
    mover = vector["state"]["to_move"]
    assert f"{mover} plays {name} {CELL_NAMES[move['cell']]}: takes {taken}." in table.told
    turned = table.find(".cell .card.turned")
    expect(turned).to_have_count(len(vector["captures"]))


def test_undo_and_redo_go_through_the_game(table: Table, client: Client) -> None:
    line = given(client.position(OPENING).pv)
    table.open()
    boards = [table.board]
    for move in line[:3]:
        table.place(move.card_id, move.cell)
        boards.append(table.board)
    expect(table.find("#redo")).to_be_disabled()
    for ply in (2, 1, 0):
        table.press("u")
        table.wait_for_ply(ply)
        assert table.board == boards[ply]
    expect(table.find("#undo")).to_be_disabled()
    for ply in (1, 2, 3):
        table.find("#redo").click()
        table.wait_for_ply(ply)
        assert table.board == boards[ply]


def test_another_move_after_undo_begins_another_game(table: Table) -> None:
    table.open()
    card_id, other = table.hand("near")[:2]
    table.place(card_id, 0)
    table.press("u")
    table.wait_for_ply(0)
    table.place(other, 8)
    expect(table.find("#redo")).to_be_disabled()
    assert table.board == {8: (other, "A")}


def test_best_line_can_be_stepped_and_jumped_through(table: Table, client: Client) -> None:
    answer = client.position(OPENING)
    table.open()
    expect(table.find("#line button")).to_have_count(CELLS)
    table.press("b")
    table.wait_for_ply(1)
    expect(table.find("#line button")).to_have_count(CELLS - 1)
    table.find("#line button").last.click()
    table.wait_for_ply(CELLS)
    placed = {(cell, card_id) for cell, (card_id, _) in table.board.items()}
    assert placed == {(move.cell, move.card_id) for move in given(answer.pv)}


def test_keyboard_stays_in_the_list_it_plays_from(table: Table) -> None:
    table.open()
    table.find("#open-help").focus()
    table.press("Tab", "Tab", "Tab")  # show worth, best move, line
    expect(table.find("#line button").first).to_be_focused()
    table.press("Enter")
    table.wait_for_ply(1)
    expect(table.find("#line button").first).to_be_focused()


def test_perfect_player_plays_both_sides_to_the_promised_end(table: Table, client: Client) -> None:
    table.open(TRIPLECARGO)
    table.find("#hand-near .perfect").click()
    table.find("#hand-far .perfect").click()
    table.wait_for_ply(CELLS)
    assert final_score(table) == client.position(TRIPLECARGO).margin


def test_game_against_the_perfect_player(table: Table) -> None:
    table.open()
    table.find("#hand-far .perfect").click()
    table.settle()
    table.hand_card(table.hand("near")[0]).click()
    table.cell(0).click()
    table.wait_for_ply(2)
    expect(table.find("#hand-near")).to_have_class("hand to-move")
    table.press("u")  # takes the reply back as well
    table.wait_for_ply(0)
    expect(table.find("#redo")).to_be_enabled()


def test_sides_are_flipped(table: Table) -> None:
    table.open()
    near, far = table.hand("near"), table.hand("far")
    table.find("#flip").click()
    assert (table.hand("near"), table.hand("far")) == (far, near)
    expect(table.find("#hand-near h2")).to_contain_text("Player B")
    table.place(near[0], 0)
    expect(table.cell(0)).to_have_attribute("data-end", "far")
    assert table.board == {0: (near[0], "A")}


def test_worth_can_be_hidden(table: Table) -> None:
    table.open()
    table.find("#hints").uncheck()
    table.press("1")
    expect(table.find("#moves")).to_be_hidden()
    expect(table.find(".worth:visible")).to_have_count(0)
    expect(table.find("#verdict")).to_have_text("A to move")
    table.press("h")
    expect(table.find("#moves")).to_be_visible()


def test_finished_game_is_shown_as_such(table: Table) -> None:
    state = later(small_roots(1)[0], CELLS)
    table.open(format_state(state))
    assert table.ply == CELLS
    assert final_score(table) == state.margin
    expect(table.find("#verdict")).to_have_text(re.compile("wins by|drawn"))
    expect(table.find("#step")).to_be_hidden()
    expect(table.find(".hand-card:enabled")).to_have_count(0)


def test_source_of_every_answer_is_told(table: Table) -> None:
    (root,) = small_roots(1)
    table.open(format_state(root))
    expect(table.find("#source")).to_contain_text("From the database")
    expect(table.find("#source")).to_contain_text("ms")
    table.open()
    expect(table.find("#source")).to_contain_text("Searched")


def test_first_visit_deals_a_game_of_the_games_own_rules(table: Table, client: Client) -> None:
    table.open_link("/")
    expect(table.find("#rules")).to_contain_text("FF8")
    assert len(table.hand("near")) == len(table.hand("far")) == 5
    before = table.page.url
    table.press("n")
    table.page.wait_for_url(lambda url: url != before)
    notation = table.page.url.split("opening=")[1]
    assert board_of(to_builtins(client.position(notation).state)) == {}


def test_score_is_shown_from_the_first_moment(table: Table) -> None:
    table.open(OPENING)
    expect(table.find("#hand-near .score")).to_have_text("5")
    expect(table.find("#hand-far .score")).to_have_text("5")
