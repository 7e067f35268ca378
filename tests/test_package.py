"""What a user installs: the wheel, the lock files, the repository's own words."""

from __future__ import annotations

import re
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent


def test_wheel_carries_code_cards_and_page(tmp_path: Path) -> None:
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = tmp_path.glob("triadbase-*.whl")
    installed = tmp_path / "installed"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(installed)
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


@pytest.mark.parametrize("name", ["requirements.lock", "requirements-dev.lock"])
def test_lock_file_pins_versions_and_names_no_host(name: str) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    assert "numba==" in text
    assert "--hash=sha256:" in text
    assert not re.search(r"https?://|index-url|find-links", text)
