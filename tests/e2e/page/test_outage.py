"""The service goes away and comes back; the page says so and goes on by itself."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, expect

from tests.e2e.page.table import Screens, Table
from tests.servers import Server, running

GONE = ("ERR_CONNECTION", "ERR_EMPTY_RESPONSE", "failed", "503")


@pytest.fixture
def mortal(browser: Browser, tmp_path: Path) -> Iterator[Server]:
    """Run a server that can be stopped without harm to other tests."""
    assert browser.is_connected()
    with running(tmp_path, "--db", str(tmp_path / "db")) as server:
        yield server


def check_outage_is_told(table: Table) -> None:
    expect(table.find("#outage")).to_be_visible()
    expect(table.find("#outage")).to_contain_text("The service cannot be reached")
    expect(table.find("#outage")).to_contain_text("Trying again")


def test_move_made_during_an_outage_is_played_after_it(
    browser: Browser, mortal: Server, tmp_path: Path
) -> None:
    screens = Screens(browser, mortal.url)
    table = screens.new()
    table.watch.expect(*GONE)
    table.open()
    card_id = table.hand("near")[0]
    mortal.stop()
    table.hand_card(card_id).click()
    table.cell(0).click()
    check_outage_is_told(table)
    assert table.ply == 0
    with running(tmp_path, "--db", str(tmp_path / "db"), port=urlsplit(mortal.url).port or 0):
        table.wait_for_ply(1)
        expect(table.find("#outage")).to_be_hidden()
        assert table.board == {0: (card_id, "A")}
        table.find("#line button").last.click()
        table.wait_for_ply(9)
        screens.close()
