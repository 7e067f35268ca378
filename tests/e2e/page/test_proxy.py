"""A proxy in front of the service that answers by itself: what is an outage, and what is none."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Response, expect

from app.examples import NOTATION_EXAMPLE, STATE_EXAMPLE
from tests.e2e.page.table import OPENING, Screens, Table, board_of
from tests.servers import Server, running

NOT_OURS = [400, 404, 413, 500]
AWAY = [502, 503, 504]


class Proxy:
    """The proxy, and what it answers by itself."""

    def __init__(self, url: str, faults: Path) -> None:
        """Begin with none of it."""
        self.url, self._faults = url, faults

    def answer(self, **statuses: int) -> None:
        """Answer paths that begin so with an HTML page of this status, and only those."""
        paths = {f"/{name}": status for name, status in statuses.items()}
        self._faults.write_text(json.dumps(paths))


@pytest.fixture(scope="module")
def running_proxy(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Proxy]:
    folder = tmp_path_factory.mktemp("proxy")
    (folder / "faults").write_text("{}")
    given = ("--upstream", server.url, "--faults", str(folder / "faults"))
    with running(folder, *given, program=("-m", "tests.proxy")) as process:
        yield Proxy(process.url, folder / "faults")


@pytest.fixture
def proxy(running_proxy: Proxy) -> Proxy:
    running_proxy.answer()
    return running_proxy


@pytest.fixture
def table(browser: Browser, proxy: Proxy) -> Iterator[Table]:
    """Return the page as it comes through the proxy; what it answers is expected."""
    screens = Screens(browser, proxy.url)
    table = screens.new()
    table.watch.expect("status", "Failed to load resource")
    yield table
    screens.close()


def check_not_ours(table: Table, selector: str, status: int) -> None:
    """Check that the page says what it got, and does not take it for an outage."""
    words = "too large" if status == 413 else f"It has status {status} and is not the service's own"
    expect(table.find(selector)).to_contain_text(words)
    expect(table.find("#outage")).to_be_hidden()


def is_answered_batch(response: Response) -> bool:
    return response.url.endswith("/eval/batch") and response.status == 200


def paste(table: Table, text: str) -> None:
    table.find("#pasted").fill(text)
    table.find("#open-pasted").click()


@pytest.mark.parametrize("status", NOT_OURS)
def test_move_that_a_proxy_refuses_is_told_and_can_be_made_again(
    table: Table, proxy: Proxy, status: int
) -> None:
    table.open()
    card_id = table.hand("near")[0]
    proxy.answer(apply=status)
    table.hand_card(card_id).click()
    table.cell(0).click()
    check_not_ours(table, "#problem", status)
    assert table.ply == 0
    proxy.answer()
    table.place(card_id, 0)
    assert table.board == {0: (card_id, "A")}
    expect(table.find("#problem")).to_be_hidden()


@pytest.mark.parametrize("status", AWAY)
def test_service_that_a_proxy_does_not_reach_is_waited_for(
    table: Table, proxy: Proxy, status: int
) -> None:
    table.open()
    card_id = table.hand("near")[0]
    proxy.answer(apply=status)
    table.hand_card(card_id).click()
    table.cell(0).click()
    expect(table.find("#outage")).to_contain_text("The service cannot be reached. Trying again")
    expect(table.find("#problem")).to_be_hidden()
    proxy.answer()
    table.wait_for_ply(1)
    expect(table.find("#outage")).to_be_hidden()


@pytest.mark.parametrize("status", NOT_OURS)
def test_set_up_goes_on_after_a_proxys_page(table: Table, proxy: Proxy, status: int) -> None:
    table.open()
    table.press("s")
    proxy.answer(**{"eval/batch": status})
    paste(table, json.dumps(STATE_EXAMPLE))
    check_not_ours(table, "#setup-problem", status)
    paste(table, NOTATION_EXAMPLE)  # without a reload, and with /eval/batch still as it is
    expect(table.find("#setup")).to_be_hidden()
    table.settle()
    assert table.board == board_of(STATE_EXAMPLE)


def test_paste_that_is_larger_than_a_proxy_takes_is_told(table: Table) -> None:
    table.open()
    table.press("s")
    paste(table, json.dumps({**STATE_EXAMPLE, "to_move": "C" * 100_000}))
    check_not_ours(table, "#setup-problem", 413)
    paste(table, json.dumps(STATE_EXAMPLE))
    expect(table.find("#setup")).to_be_hidden()


def test_outage_is_told_in_the_dialog_that_covers_the_page(table: Table, proxy: Proxy) -> None:
    table.open()
    table.press("s")
    proxy.answer(**{"eval/batch": 502})
    paste(table, json.dumps(STATE_EXAMPLE))
    expect(table.find("#setup .outage")).to_contain_text("Trying again")
    proxy.answer()
    expect(table.find("#setup")).to_be_hidden()
    table.settle()
    assert table.board == board_of(STATE_EXAMPLE)


def test_set_up_that_waits_out_an_outage_begins_anew_when_it_is_opened_again(
    table: Table, proxy: Proxy
) -> None:
    table.open()
    table.press("s")
    proxy.answer(**{"eval/batch": 502})
    paste(table, json.dumps(STATE_EXAMPLE))
    table.find("#start").click()  # waits behind what is pasted
    expect(table.find("#setup .outage")).to_be_visible()
    table.press("Escape", "s")
    table.find("#hands-random").click()
    expect(table.find("#setup .outage")).to_be_hidden()  # /deal has answered
    asked: list[str] = []
    table.page.on("request", lambda request: asked.append(request.url))
    with table.page.expect_response(is_answered_batch):
        proxy.answer()
    expect(table.find("#setup")).to_be_visible()
    table.press("Escape")
    table.place(table.hand("near")[0], 4)
    assert not [url for url in asked if NOTATION_EXAMPLE in url]  # given up, so not opened any more
    assert OPENING in table.page.url


@pytest.mark.parametrize("path", ["/", "/browse/cards", "/browse/database"])
@pytest.mark.parametrize("status", NOT_OURS)
def test_page_that_cannot_begin_says_so(table: Table, proxy: Proxy, status: int, path: str) -> None:
    proxy.answer(cards=status, database=status)
    table.page.goto(path)
    expect(table.find("body[data-ready]")).to_be_attached()
    words = "too large" if status == 413 else f"It has status {status}"
    expect(table.find("#problem")).to_contain_text(words)
    expect(table.find(".outage").first).to_be_hidden()


@pytest.mark.parametrize(
    ("path", "ready"),
    [("/", ".hand-card"), ("/browse/cards", "#rows tr"), ("/browse/database", "#facts dd")],
)
def test_page_waits_for_the_service_and_begins_by_itself(
    table: Table, proxy: Proxy, path: str, ready: str
) -> None:
    proxy.answer(cards=503, database=504)
    table.page.goto(path)
    expect(table.find("main .outage")).to_contain_text("Trying again")
    proxy.answer()
    expect(table.find(ready).first).to_be_visible()
    expect(table.find("main .outage")).to_be_hidden()


@pytest.mark.parametrize("status", NOT_OURS)
def test_first_deal_that_a_proxy_refuses_can_be_asked_for_again(
    table: Table, proxy: Proxy, status: int
) -> None:
    proxy.answer(deal=status)
    table.page.goto("/")
    check_not_ours(table, "#problem", status)
    proxy.answer()
    table.find("#deal-instead").click()
    table.settle()
    assert len(table.hand("near")) == 5
    expect(table.find("#problem")).to_be_hidden()


def test_answer_that_a_proxy_keeps_back_is_not_asked_for_without_end(
    table: Table, proxy: Proxy
) -> None:
    table.open()
    proxy.answer(position=500)
    table.place(table.hand("near")[0], 4)
    check_not_ours(table, "#problem", 500)
    expect(table.find("#source")).to_have_text("No answer.")
    proxy.answer()
    table.press("u", "r")
    expect(table.find("#problem")).to_be_hidden()
    expect(table.find("#source")).to_contain_text("ms")
