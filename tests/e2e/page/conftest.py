"""One browser and one server for all tests of the pages, a fresh context for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from app.client import Client
from tests.browsers import PATIENCE, launched
from tests.conftest import IS_JIT_OFF
from tests.databases import build, small_roots
from tests.deals import build_parts, quick_opening
from tests.e2e.page.table import Screens, Table
from tests.servers import Server, running

expect.set_options(timeout=PATIENCE)


# For the package, not the session: while Playwright runs, nobody else can have an event loop.
@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    if IS_JIT_OFF:
        pytest.skip("the service needs the compiler")
    with launched() as browser:
        yield browser


@pytest.fixture(scope="package")
def server(browser: Browser, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Run a server whose database covers an opening, and what is below some later states."""
    assert browser.is_connected()
    folder = tmp_path_factory.mktemp("page")
    build(folder / "db", small_roots(2), merges=False)
    build_parts(folder / "db")
    build(folder / "db", [quick_opening()], plies=0, merges=False)
    with running(folder, "--db", str(folder / "db")) as server:
        yield server


@pytest.fixture(scope="package")
def client(server: Server) -> Iterator[Client]:
    with Client(server.url) as client:
        yield client


@pytest.fixture
def screens(browser: Browser, server: Server) -> Iterator[Screens]:
    """Return where pages are opened, of any size and kind."""
    screens = Screens(browser, server.url)
    yield screens
    screens.close()


@pytest.fixture
def table(screens: Screens) -> Table:
    """Return the page, on a desktop."""
    return screens.new()
