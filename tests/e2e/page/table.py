"""The page as a player uses it: what can be done on it, and what can be seen."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from typing import Any

from playwright.sync_api import Browser, Locator, Page, expect

from engine.game.cards import Element, default_catalogue
from tests.browsers import Watch, watched

Json = dict[str, Any]

DESKTOP = {"width": 1280, "height": 860}
PHONE = {"width": 360, "height": 740}
CELL_NAMES = (
    *("top left", "top", "top right"),
    *("left", "centre", "right"),
    *("bottom left", "bottom", "bottom right"),
)
OPENING = "ff8-esp_1.F.3.L.1.W.1_7.30.55.77.99_12.34.61.80.110_A"


class Screens:
    """Screens that show the page, each with a fresh context of its own."""

    def __init__(self, browser: Browser, url: str) -> None:
        """Start with none."""
        self._browser, self._url = browser, url
        self._contexts = ExitStack()

    def new(self, **options: Any) -> Table:
        """Return a page that shows nothing yet, on a desktop unless said otherwise."""
        options = {"viewport": DESKTOP, **options}
        context, watch = self._contexts.enter_context(watched(self._browser, self._url, **options))
        return Table(context.new_page(), watch)

    def close(self) -> None:
        """Close all of them; whatever went wrong on the way is told now."""
        self._contexts.close()


class Table:
    """The page with a game on it."""

    def __init__(self, page: Page, watch: Watch) -> None:
        """Take a page that shows nothing yet."""
        self.page, self.watch = page, watch

    def open(self, notation: str = OPENING) -> None:
        """Open a game by its link, and wait for the answer to its state."""
        self.open_link(f"/#opening={notation}")

    def open_link(self, link: str) -> None:
        """Open a link, and wait for the answer to the state it shows."""
        self.page.goto(link)
        expect(self.page.locator("body[data-ready]")).to_be_attached()
        self.settle()

    def settle(self) -> None:
        """Wait until the service has answered the state on show."""
        expect(self.page.locator("#table")).to_have_attribute("aria-busy", "false")

    def find(self, selector: str) -> Locator:
        """Return what matches a selector."""
        return self.page.locator(selector)

    def cell(self, cell: int) -> Locator:
        """Return a cell of the board."""
        return self.find(f'.cell[data-cell="{cell}"]')

    def hand_card(self, card_id: int) -> Locator:
        """Return the first such card of the mover's hand."""
        return self.find(f'.hand-card:enabled:has([data-card="{card_id}"])').first

    def press(self, *keys: str) -> None:
        """Press keys, one after the other."""
        for key in keys:
            self.page.keyboard.press(key)

    def place(self, card_id: int, cell: int) -> None:
        """Click a card and a cell, and wait for what comes of it."""
        ply = self.ply
        self.hand_card(card_id).click()
        self.cell(cell).click()
        self.wait_for_ply(ply + 1)

    @property
    def ply(self) -> int:
        """Return how many cards lie on the board."""
        return len(self.board)

    def wait_for_ply(self, ply: int) -> None:
        """Wait until so many cards lie on the board, and the state is answered."""
        expect(self.find(".cell .card:not(.ghost)")).to_have_count(ply)
        self.settle()

    @property
    def board(self) -> dict[int, tuple[int, str]]:
        """Return card and owner of every cell that has one, as they are drawn."""
        script = """cells => cells.map(cell =>
            [Number(cell.dataset.cell), Number(cell.querySelector(".card").dataset.card),
             cell.querySelector(".owner").dataset.player])"""
        found = self.find(".cell:has(.card:not(.ghost))").evaluate_all(script)
        return {cell: (card_id, owner) for cell, card_id, owner in found}

    def hand(self, end: str) -> list[int]:
        """Return the cards of a hand, as they are drawn."""
        script = "cards => cards.map(card => Number(card.dataset.card))"
        cards: list[int] = self.find(f"#hand-{end} .card").evaluate_all(script)
        return cards

    @property
    def moves(self) -> list[dict[str, int]]:
        """Return the ranked moves, as they are listed; numbers are the mover's view."""
        script = """rows => rows.map(row => ({
            card_id: Number(row.dataset.card), cell: Number(row.dataset.cell),
            value: {win: 1, draw: 0, loss: -1}[row.querySelector(".worth").dataset.outcome],
            cards: Number(row.querySelector(".worth").lastChild.textContent),
            takes: Number((row.querySelector(".takes").textContent.match(/\\d+/) ?? [0])[0])}))"""
        moves: list[dict[str, int]] = self.find(".move").evaluate_all(script)
        return moves

    @property
    def told(self) -> str:
        """Return the line about the last move."""
        return self.find("#told").inner_text()

    def check_threatened(self, cells: Sequence[int]) -> None:
        """Check which cells are marked as captured by the move looked at."""
        expect(self.find(".cell.threatened")).to_have_count(len(cells))
        for cell in cells:
            expect(self.cell(cell)).to_contain_class("threatened")


def board_of(state: Json) -> dict[int, tuple[int, str]]:
    """Return card and owner of every cell that has one, of a state as JSON."""
    return {
        cell["cell"]: (cell["card_id"], cell["owner"])
        for cell in state["board"]
        if cell["card_id"] is not None
    }


def names_with(element: Element) -> list[str]:
    """Return the names of the cards that have an element."""
    return [card.name for card in default_catalogue() if card.element is element]
