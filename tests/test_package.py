"""What a user installs: the wheel, the lock files, the repository's own words."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

from app.client import Client
from app.examples import NOTATION_EXAMPLE, STATE_EXAMPLE
from app.pages import PAGES
from tests.conftest import IS_JIT_OFF
from tests.servers import running

ROOT = Path(__file__).parent.parent


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with what the wheel holds."""
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("triadbase-*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "installed")
    return folder / "installed"


def test_wheel_carries_code_cards_and_page(installed: Path, tmp_path: Path) -> None:
    code = (
        "import triad, precompute.cli; from engine.game.cards import CARD_FILE, load_cards; "
        "print(len(load_cards()), CARD_FILE)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=tmp_path,
        env={"PYTHONPATH": str(installed), "HOME": str(tmp_path)},
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.split() == ["110", str(installed / "data" / "cards.json")]
    page = ROOT / "app" / "static"
    for path in filter(Path.is_file, page.rglob("*")):
        assert (installed / "app" / "static" / path.relative_to(page)).is_file()


@pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler")
def test_wheel_serves_every_route(installed: Path, tmp_path: Path) -> None:
    with running(tmp_path, db=str(tmp_path / "none"), code=installed) as server:
        with Client(server.url) as client:
            assert client.evaluate(STATE_EXAMPLE).margin == -4
            assert client.evaluate_batch([STATE_EXAMPLE])[0] == client.evaluate(STATE_EXAMPLE)
            assert client.position(NOTATION_EXAMPLE).margin == -4
            assert not client.apply(STATE_EXAMPLE, 34, 1).done
        gets = ("/deal", "/cards", "/cards/1", "/database", "/healthz", "/readyz", "/metrics")
        for path in (*gets, *PAGES, "/docs", "/openapi.json", "/static/js/main.js"):
            assert httpx.get(server.url + path).status_code == 200, path


@pytest.mark.parametrize(
    "name", ["requirements.lock", "requirements-cluster.lock", "requirements-dev.lock"]
)
def test_lock_file_pins_versions_and_names_no_host(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "numba==" in text
    assert "--hash=sha256:" in text
    assert not re.search(r"https?://|index-url|find-links", text)
