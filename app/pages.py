"""The pages: HTML, ES modules and CSS, served as they lie in static/."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.responses import FileResponse, Response
from starlette.staticfiles import StaticFiles

STATIC = Path(__file__).parent / "static"
# The JSON of the last two is at /cards and /database.
PAGES = {
    "/": "index.html",
    "/browse/cards": "cards.html",
    "/browse/database": "database.html",
}
# A browser asks whether what it has is still right, so that modules of two versions never meet.
FRESH = {"Cache-Control": "no-cache"}


class FreshFiles(StaticFiles):
    """Files that a browser may keep, but not use unasked."""

    def file_response(self, *args: Any, **options: Any) -> Response:
        """Return a file, or that it has not changed."""
        response = super().file_response(*args, **options)
        response.headers.update(FRESH)
        return response


def add_pages(app: FastAPI) -> None:
    """Add every page, and the files they are made of, to `app`."""
    app.mount("/static", FreshFiles(directory=STATIC), name="static")
    for path, name in PAGES.items():
        app.get(path, include_in_schema=False)(_page(STATIC / name))


def _page(file: Path) -> Any:
    async def page() -> FileResponse:
        return FileResponse(file, headers=FRESH)

    return page
