"""Make the pictures of the page that the README shows: `make screenshots`."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser

from tests.browsers import launched
from tests.e2e.page.table import DESKTOP, PHONE, Screens
from tests.servers import running

FOLDER = Path(__file__).parent.parent / "docs" / "images"
# One card wins, draws or loses, depending on where it goes.
GAME = "/#opening=ff8-esp_1.F.F.L.1.H.3_5.39.47.77.102_1.29.55.76.93_A&moves=5-2.1-6.47-0.55-1"
CARD_ID, CELL = 102, 3
PICTURES: dict[str, dict[str, Any]] = {
    "page-desktop": {"viewport": DESKTOP, "color_scheme": "light"},
    "page-phone": {"viewport": PHONE, "color_scheme": "dark"},
}


def take(browser: Browser, url: str, name: str) -> None:
    """Take one picture: a card is chosen, and a cell looked at."""
    screens = Screens(browser, url)
    table = screens.new(**PICTURES[name], reduced_motion="reduce")
    table.open_link(GAME)
    table.hand_card(CARD_ID).click()
    table.cell(CELL).hover()
    table.page.screenshot(path=FOLDER / f"{name}.png")
    screens.close()


def main() -> None:
    """Take all of them, of a server that runs for them alone."""
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, launched() as browser:
        with running(Path(folder), "--db", f"{folder}/db") as server:
            for name in PICTURES:
                take(browser, server.url, name)


if __name__ == "__main__":
    main()
