"""Start a real Chromium, and watch what its pages do."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    ConsoleMessage,
    Request,
    Response,
    WebError,
    sync_playwright,
)

SETTING = "CHROMIUM"  # the path of the browser, where it is not found by its name
NAMES = ("chromium", "chromium-browser", "google-chrome")
ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
]
PATIENCE = 60_000  # milliseconds; cores may be busy
BAD_STATUS = 400


def browser_path() -> str | None:
    """Return where Chromium is, if it is anywhere."""
    given = os.environ.get(SETTING)
    return given or next(filter(None, map(shutil.which, NAMES)), None)


@contextmanager
def launched() -> Iterator[Browser]:
    """Run Chromium; without one, skip the test, or fail it where it must not be skipped."""
    path = browser_path()
    if path is None:
        refuse = pytest.fail if "CI" in os.environ else pytest.skip
        refuse(f"no browser: none of {', '.join(NAMES)} is installed, and {SETTING} names none")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=ARGUMENTS)
        yield browser
        browser.close()


class Watch:
    """Whatever goes wrong in a context: console errors, failed requests, other hosts."""

    def __init__(self, context: BrowserContext, url: str) -> None:
        """Watch a context that may ask the service at `url` and nobody else."""
        self.host = urlsplit(url).netloc
        self.faults: list[str] = []
        self._expected: list[str] = []
        context.on("console", self._on_console)
        context.on("weberror", self._on_error)
        context.on("request", self._on_request)
        context.on("requestfailed", lambda request: self._note("failed", request.url))
        context.on("response", self._on_response)

    def expect(self, *texts: str) -> None:
        """Do not mind faults that have one of these texts in them."""
        self._expected += texts

    def check(self) -> None:
        """Fail when anything went wrong that was not expected."""
        unexpected = [
            fault for fault in self.faults if not any(text in fault for text in self._expected)
        ]
        assert unexpected == []

    def _note(self, *parts: object) -> None:
        self.faults.append(" ".join(map(str, parts)))

    def _on_console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            self._note(message.type, message.text)

    def _on_error(self, error: WebError) -> None:
        self._note("error", error.error)

    def _on_request(self, request: Request) -> None:
        if urlsplit(request.url).netloc != self.host:
            self._note("another host", request.url)

    def _on_response(self, response: Response) -> None:
        if response.status >= BAD_STATUS:
            self._note("status", response.status, response.url)


@contextmanager
def watched(browser: Browser, url: str, **options: Any) -> Iterator[tuple[BrowserContext, Watch]]:
    """Return a fresh context with its watch, which is checked at the end."""
    context = browser.new_context(base_url=url, **options)
    context.set_default_timeout(PATIENCE)
    watch = Watch(context, url)
    try:
        yield context, watch
        watch.check()
    finally:
        context.close()
