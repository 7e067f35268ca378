"""One browser and one server for all tests of the pages, a fresh context for each."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, expect

from app.client import Client
from tests.browsers import PATIENCE, launched
from tests.conftest import IS_JIT_OFF
from tests.databases import build, small_roots
from tests.e2e.page.table import Seat, Table
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
    """Run a server whose database covers what is below some states of ply 4."""
    assert browser.is_connected()
    folder = tmp_path_factory.mktemp("page")
    build(folder / "db", small_roots(2))
    with running(folder, "--db", str(folder / "db")) as server:
        yield server


@pytest.fixture(scope="package")
def client(server: Server) -> Iterator[Client]:
    with Client(server.url) as client:
        yield client


@pytest.fixture
def seat(browser: Browser, server: Server) -> Iterator[Seat]:
    """Return a place in front of the page; options of the context can be chosen there."""
    seat = Seat(browser, server.url)
    yield seat
    seat.close()


@pytest.fixture
def table(seat: Seat) -> Table:
    """Return the page, on a desktop."""
    return seat.take()
