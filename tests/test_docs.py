"""Documentation that lags behind the code is a failure."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.commands import command

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text(encoding="utf-8")


def test_every_make_target_is_in_the_readme() -> None:
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"serve", "test", "check", "cover", "bench"} <= set(targets)
    for target in set(targets) - {"help", "clean"}:
        assert f"`make {target}`" in README or f"make {target} " in README


def test_every_file_of_the_engine_has_its_line() -> None:
    for path in (ROOT / "engine").glob("[!_]*.py"):
        assert re.search(rf"^  {path.name} ", ARCHITECTURE, re.MULTILINE), path.name


def test_every_package_has_its_line() -> None:
    for path in ROOT.glob("*/__init__.py"):
        assert re.search(rf"^{path.parent.name}/ ", ARCHITECTURE, re.MULTILINE), path.parent


@pytest.mark.parametrize(("name", "subcommand"), [("triad", "play"), ("precompute", "eval")])
def test_options_in_the_readme_exist(name: str, subcommand: str) -> None:
    text = command(name, subcommand, "--help").stdout
    for line in README.splitlines():
        if f"bin/{name} {subcommand}" in line:
            for option in re.findall(r" (--[a-z-]+)", line):
                assert option in text


def test_every_option_of_eval_is_in_the_readme() -> None:
    text = command("precompute", "eval", "--help").stdout
    for option in set(re.findall(r"^  (--[a-z-]+)", text, re.MULTILINE)) - {"--help"}:
        assert f"`{option}" in README
