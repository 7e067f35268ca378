"""Documentation that lags behind the code is a failure."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from fastapi.routing import APIRoute

from app.advice_routes import advice_router
from app.errors import Kind
from app.hot import HotRoutes
from app.pages import PAGES
from app.routes import router
from app.service import Service
from app.settings import PREFIX, Settings
from app.wishes import WISHES
from engine.errors import MissingExtraError
from store.exported import columns_of
from tests.commands import command

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
LARGEST_PICTURE = 200_000  # bytes
LONGEST_README = 230  # lines: it is a door, not a manual
PACKAGES = ("advise", "app", "console", "engine", "learn", "precompute", "store", "work")
PAGES_OF_DOCS = [ROOT / "README.md", *sorted(DOCS.glob("*.md"))]
README = (ROOT / "README.md").read_text(encoding="utf-8")

# The commands and the page that has the options of each.
COMMANDS = {
    ("precompute",): "commands.md",
    ("precompute", "compact"): "commands.md",
    ("precompute", "eval"): "commands.md",
    ("precompute", "info"): "commands.md",
    ("precompute", "verify"): "commands.md",
    ("precompute", "export"): "export.md",
    ("triad", "advise"): "commands.md",
    ("triad", "match"): "commands.md",
    ("triad", "play"): "commands.md",
    ("triad", "simulate"): "commands.md",
}
SERVE = ("triad", "serve")
# Options of Dask, of everybody, and of the original program.
OF_OTHERS = {"--memory-limit", "--help", "--export", "--export-mode"}
NOT_PLAIN = {"cards", "cors_origins", "solver_threads"}  # defaults that are told in words


def page(name: str) -> str:
    """Return a page of the documentation."""
    return (DOCS / name).read_text(encoding="utf-8")


@cache
def options_of(*words: str) -> frozenset[str]:
    """Return the options of a command, as its help lists them."""
    text = command(*words, "--help").stdout
    listed = re.findall(r"^  (--[a-z-]+)(?: / (--[a-z-]+))?", text, re.MULTILINE)
    return frozenset(option for pair in listed for option in pair) - {"", "--help"}


def section(text: str, title: str) -> str:
    """Return the part of a page below a heading, up to the next of the same depth."""
    found = re.search(rf"^## {re.escape(title)}.*?(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert found, title
    return found[0]


# README


def test_readme_is_a_door() -> None:
    assert len(README.splitlines()) <= LONGEST_README


def test_every_make_target_is_in_the_readme() -> None:
    targets = re.findall(r"^([a-z-]+):.*## ", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert {"serve", "test", "check", "cover", "bench"} <= set(targets)
    for target in set(targets) - {"help", "clean"}:
        assert f"`make {target}`" in README or f"make {target} " in README


def test_every_page_of_the_service_is_in_the_readme() -> None:
    for path in PAGES:
        assert f"`GET {path}`" in README or f"`{path}`" in README


def test_pictures_in_the_readme_are_there_and_small() -> None:
    pictures = set(re.findall(r"docs/images/[\w-]+\.png", README))
    assert len(pictures) == 2
    for picture in pictures:
        assert 0 < (ROOT / picture).stat().st_size < LARGEST_PICTURE


def test_every_page_of_the_documentation_is_linked_from_the_readme() -> None:
    for path in DOCS.glob("*.md"):
        assert f"](docs/{path.name})" in README, path.name


# Links


def without_code(text: str) -> str:
    """Return a page without its blocks of code."""
    return re.sub(r"^```.*?^```$", "", text, flags=re.MULTILINE | re.DOTALL)


def anchors_of(text: str) -> set[str]:
    """Return what the headings of a page can be linked by."""
    headings = re.findall(r"^#+ (.+)$", without_code(text), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links_of(path: Path) -> list[str]:
    """Return the links of a page to what is not on the web."""
    targets = re.findall(r"\]\(([^)\s]+)\)", without_code(path.read_text(encoding="utf-8")))
    return [target for target in targets if "://" not in target]


@pytest.mark.parametrize("path", PAGES_OF_DOCS, ids=lambda path: path.name)
def test_every_link_leads_somewhere(path: Path) -> None:
    for link in links_of(path):
        name, _, anchor = link.partition("#")
        target = path.parent / name if name else path
        assert target.exists(), link
        if anchor:
            assert anchor in anchors_of(target.read_text(encoding="utf-8")), link


# Where things live


def listed_files() -> Iterator[tuple[Path, str]]:
    """Return the files of the tree in architecture.md, each with what is said of it."""
    tree = page("architecture.md").split("```")[1]
    folders: dict[int, Path] = {-2: Path()}  # by indentation
    for indent, name, said in re.findall(r"^( *)([\w.-]+/?)(?: {2,}|$)(.*)$", tree, re.MULTILINE):
        depth = len(indent)
        above = folders[max(known for known in folders if known < depth)]
        if name.endswith("/"):
            folders = {known: path for known, path in folders.items() if known < depth}
            folders[depth] = above / name
        else:
            yield above / name, said


def test_every_file_has_its_line_where_it_lies() -> None:
    listed = dict(listed_files())
    assert all(listed.values())
    there = {
        path.relative_to(ROOT)
        for package in PACKAGES
        for path in (ROOT / package).rglob("*.py")
        if path.name != "__init__.py"
    }
    there |= {path.relative_to(ROOT) for path in (ROOT / "app/static/js").rglob("*.js")}
    told = {path for path in listed if path.parts[0] in PACKAGES}
    assert there == told


def test_every_package_has_its_line() -> None:
    packages = {path.parent.name for path in ROOT.glob("*/__init__.py")} - {"tests"}
    assert packages == set(PACKAGES)
    for name in {*packages, "tests"}:
        assert re.search(rf"^{name}/ +\S", page("architecture.md"), re.MULTILINE), name


def test_every_path_in_the_pages_is_there() -> None:
    folders = "|".join((*PACKAGES, "tests", "docs"))
    for path in PAGES_OF_DOCS:
        text = path.read_text(encoding="utf-8")
        for name in re.findall(rf"`((?:{folders})/[\w./-]+\.(?:pyi?|md|json))`", text):
            assert (ROOT / name).exists(), (path.name, name)


def test_examples_import_only_what_is_public() -> None:
    for path in PAGES_OF_DOCS:
        for line in path.read_text(encoding="utf-8").splitlines():
            if line.startswith((">>> from ", ">>> import ", "... from ")):
                assert not re.match(r"\S+ \w+ (engine|store|advise|precompute|work)\.", line), line


# Commands


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_option_of_a_command_is_in_its_page(words: tuple[str, ...]) -> None:
    text = page(COMMANDS[words])
    if COMMANDS[words] == "commands.md":
        text = section(text, f"`{' '.join(words)}`")
    assert options_of(*words)
    for option in options_of(*words):
        assert re.search(rf"`{option}[ `]", text), option


@pytest.mark.parametrize("name", ["commands.md", "export.md"])
def test_options_in_a_page_exist(name: str) -> None:
    known = {option for words in (*COMMANDS, SERVE) for option in options_of(*words)}
    told = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", page(name)))
    assert told - known == told & OF_OTHERS


def shown_commands() -> Iterator[tuple[tuple[str, ...], str]]:
    """Return the commands that pages show, and their options."""
    for path in PAGES_OF_DOCS:
        for line in path.read_text(encoding="utf-8").splitlines():
            found = re.match(r"(?:\$ )?(?:\.venv/bin/)?(triad|precompute) (.*)", line)
            if found and re.match(r"--|[a-z]+( --| <| +#|$)", found[2]):
                words = (found[1], *found[2].split()[:1])
                yield (words if words in (*COMMANDS, SERVE) else words[:1]), found[2].split(" #")[0]


def test_commands_that_pages_show_have_these_options() -> None:
    shown = list(shown_commands())
    assert {words for words, _ in shown} >= {*COMMANDS, SERVE}
    for words, given in shown:
        for option in re.findall(r"(?:^| )(--[a-z-]+)", given):
            assert option in options_of(*words), (words, option)


def test_files_that_commands_in_the_pages_read_are_there() -> None:
    given = {
        name for _, options in shown_commands() for name in re.findall(r"[@<] ?(\S+)", options)
    }
    assert {"docs/deals.txt", "docs/state.json"} <= given
    for name in given:
        assert (ROOT / name).exists(), name


def test_hint_for_a_missing_extra_is_the_command_of_the_pages() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    told = "".join(path.read_text(encoding="utf-8") for path in PAGES_OF_DOCS)
    for extra in project["optional-dependencies"]:
        error = str(MissingExtraError("it", extra, ImportError("none")))
        assert error.partition("): ")[2] in told, extra


def test_every_command_and_exit_code_is_told() -> None:
    text = page("commands.md")
    for words in (*COMMANDS, SERVE):
        assert re.search(rf"^## `{' '.join(words)}`", text, re.MULTILINE), words
    for name in ("precompute", "triad"):
        listed = command(name, "--help").stdout.partition("Commands:")[2]
        subcommands = set(re.findall(r"^  ([a-z]+) ", listed, re.MULTILINE))
        known = {words[1:] for words in (*COMMANDS, SERVE) if words[0] == name}
        assert {(subcommand,) for subcommand in subcommands} == known - {()}
    for code in (0, 1, 2, 130):
        assert re.search(rf"^\| {code} \| ", text, re.MULTILINE)


# Exports


def test_every_column_of_an_export_is_in_its_page() -> None:
    for is_onehot in (True, False):
        for column in columns_of(has_elements=True, is_onehot=is_onehot, has_margin=True):
            kind = np.dtype(column.dtype).name
            shape = ", ".join(["n", *map(str, column.shape)])
            assert f"| `{column.name}` | {kind} [{shape}] |" in page("export.md"), column


# The service


def test_every_setting_is_in_its_page_with_its_default() -> None:
    for name, field in Settings.model_fields.items():
        row = re.search(
            rf"^\| `{PREFIX}{name.upper()}` \| (.+?) \| .", page("settings.md"), re.MULTILINE
        )
        assert row, name
        if name not in NOT_PLAIN:
            default = field.default
            is_number = isinstance(default, int | float) and not isinstance(default, bool)
            told = f"{default:.10g}" if is_number else str(default).lower()
            assert row[1] == told, name


def test_no_setting_is_told_that_is_not_there() -> None:
    told = set(re.findall(rf"^\| `{PREFIX}(\w+)`", page("settings.md"), re.MULTILINE))
    assert {name.lower() for name in told} == set(Settings.model_fields)


def test_every_option_of_serve_is_a_setting() -> None:
    options = {option.removeprefix("--").removeprefix("no-") for option in options_of(*SERVE)}
    assert {name.replace("-", "_") for name in options} == set(Settings.model_fields)


def test_every_problem_is_in_the_page_of_the_service() -> None:
    told = re.findall(r"^\| `([a-z-]+)` \| (\d+) \|", page("api.md"), re.MULTILINE)
    assert set(told) == {(kind.slug, str(kind.status)) for kind in Kind}


def routes() -> set[tuple[str, str]]:
    """Return every route, hot or not: method and path."""
    hot = HotRoutes(Service(Settings())).all
    found = {(route.method, route.path) for route in hot}
    for route in (*router.routes, *advice_router.routes):
        assert isinstance(route, APIRoute)
        found |= {(method, route.path) for method in route.methods or ()}
    return found


def test_every_route_is_in_the_page_of_the_service() -> None:
    headings = "\n".join(re.findall(r"^#### .+$", page("api.md"), re.MULTILINE))
    told = set(re.findall(r"`([A-Z]+) (\S+)`", headings))
    assert told == routes()
    assert ("POST", "/eval") in told


def test_every_parameter_is_in_the_page_of_the_service() -> None:
    names = [wish.name for wish in WISHES]
    for route in router.routes:
        assert isinstance(route, APIRoute)
        names += [str(field.alias) for field in route.dependant.query_params]
    rows = "\n".join(re.findall(r"^\| (`.+?) \|", page("api.md"), re.MULTILINE))
    for name in names:
        assert f"`{name}`" in rows, name
