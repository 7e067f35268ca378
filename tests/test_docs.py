"""Documentation that lags behind the code is a failure."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from fastapi.routing import APIRoute

from app.errors import Kind
from app.pages import PAGES
from app.routes import router
from app.settings import PREFIX, Settings
from store.exported import columns_of
from tests.commands import command

ROOT = Path(__file__).parent.parent
LARGEST_PICTURE = 200_000  # bytes
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


def test_every_module_of_the_page_is_listed() -> None:
    for path in (ROOT / "app" / "static" / "js").glob("*.js"):
        assert re.search(rf"\b{path.name}\b", ARCHITECTURE), path.name


def test_every_page_is_in_the_readme() -> None:
    for path in PAGES:
        assert f"`GET {path}`" in README or f"`{path}`" in README


def test_pictures_in_the_readme_are_there_and_small() -> None:
    pictures = set(re.findall(r"docs/images/[\w-]+\.png", README))
    assert len(pictures) == 2
    for picture in pictures:
        assert 0 < (ROOT / picture).stat().st_size < LARGEST_PICTURE


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


@pytest.mark.parametrize("subcommand", [(), ("eval",), ("info",), ("verify",)])
def test_every_option_of_precompute_is_in_the_readme(subcommand: tuple[str, ...]) -> None:
    text = command("precompute", *subcommand, "--help").stdout
    for option in set(re.findall(r"^  (--[a-z-]+)", text, re.MULTILINE)) - {"--help"}:
        assert f"`{option}" in README or f" {option} " in README


def test_every_option_of_export_is_in_its_page() -> None:
    page = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    text = command("precompute", "export", "--help").stdout
    options = set(re.findall(r"^  (--[a-z-]+)", text, re.MULTILINE)) - {"--help"}
    assert len(options) > 30
    for option in options:
        assert f"`{option}" in page, option


def test_every_column_of_an_export_is_in_its_page() -> None:
    page = (ROOT / "docs" / "export.md").read_text(encoding="utf-8")
    for is_onehot in (True, False):
        for column in columns_of(has_elements=True, is_onehot=is_onehot, has_margin=True):
            kind = np.dtype(column.dtype).name
            shape = ", ".join(["n", *map(str, column.shape)])
            assert f"| `{column.name}` | {kind} [{shape}] |" in page, column


def test_every_setting_is_in_the_readme() -> None:
    for name in Settings.model_fields:
        assert f"`{PREFIX}{name.upper()}`" in README


def test_every_problem_is_in_the_readme() -> None:
    for kind in Kind:
        assert re.search(rf"^\| `{kind.slug}` \| {kind.status} \|", README, re.MULTILINE), kind


def test_every_route_is_in_the_readme() -> None:
    for route in router.routes:
        assert isinstance(route, APIRoute)
        for method in route.methods or ():
            assert f"`{method} {route.path}`" in README


def test_every_option_of_serve_is_a_setting() -> None:
    text = command("triad", "serve", "--help").stdout
    options = set(re.findall(r"^  --([a-z-]+)", text, re.MULTILINE)) - {"help"}
    assert {name.replace("-", "_") for name in options} == set(Settings.model_fields)
