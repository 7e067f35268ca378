"""`precompute info --deals` on a real database of several parts."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.game.cards import default_catalogue
from engine.text.notation import parse_hands
from tests.commands import command
from tests.databases import build, publish_changed
from tests.deals import Json, build_parts, cards_in, fits, listed, roots_of_all_rules, tear_blocks


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("db")


@pytest.fixture(scope="module")
def deals(path: Path) -> list[Json]:
    """Build the database; return the list that is expected of it."""
    return listed(build_parts(path))


def shown(path: Path, *options: str) -> list[str]:
    done = command("precompute", "info", "--db", str(path), "--deals", *options)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def test_deals_are_listed_as_json_one_a_line(path: Path, deals: list[Json]) -> None:
    assert [json.loads(line) for line in shown(path, "--json")] == deals


@pytest.mark.parametrize(
    ("options", "wishes"),
    [
        (["--variant", "ff8"], {"variant": "ff8"}),
        (["--elemental", "--no-same"], {"elemental": True, "same": False}),
        (["--no-plus", "--same-wall"], {"plus": False, "same_wall": True}),
        (["--card", "1"], {"card": 1}),
        (["--card", "geezard", "--same"], {"card": 1, "same": True}),
    ],
)
def test_deals_are_chosen_as_by_the_service(
    path: Path, deals: list[Json], options: list[str], wishes: Json
) -> None:
    chosen = [deal for deal in deals if fits(deal, wishes)]
    assert 0 < len(chosen) < len(deals)
    assert [json.loads(line) for line in shown(path, "--json", *options)] == chosen


def test_people_get_a_line_for_each_deal_with_names(path: Path, deals: list[Json]) -> None:
    cards = default_catalogue()
    lines = shown(path)
    assert len(lines) == len(deals)
    for line, deal in zip(lines, deals, strict=True):
        assert line.split()[0] == deal["notation"].split("_")[0]
        assert f"ply {deal['ply']} to {deal['plies']}" in line
        assert f" {deal['states']:,} state" in line
        assert all(cards[card_id].name in line for card_id in cards_in(deal))
        margin, hands, *_ = line.partition("  A ")[2].strip().split("  ")
        assert int(margin) == deal["margin"]
        ids = [[card.id for card in hand] for hand in parse_hands(hands, cards)]
        assert ids == [deal["hands"]["A"], deal["hands"]["B"]]


def test_columns_stand_below_each_other(path: Path) -> None:
    for column in ("ply ", " to ", "  A "):
        assert len({line.index(column) for line in shown(path)}) == 1


def test_filters_are_for_deals_alone(path: Path) -> None:
    for option in (["--card", "1"], ["--no-same"], ["--variant", "ff8"]):
        done = command("precompute", "info", "--db", str(path), *option)
        assert (done.returncode, done.stdout) == (2, "")
        assert done.stderr.startswith(f"precompute: {option[0].replace('no-', '')}: found ")
        assert done.stderr.endswith("allowed: only with --deals (see precompute info --help)\n")


def test_unknown_card_is_told(path: Path) -> None:
    done = command("precompute", "info", "--db", str(path), "--deals", "--card", "Squal")
    assert done.returncode == 2
    assert 'did you mean "Squall"?' in done.stderr


def test_nothing_to_list_is_told(tmp_path: Path) -> None:
    done = command("precompute", "info", "--deals", "--db", str(tmp_path / "none"))
    assert done.returncode == 1
    assert done.stderr == f"precompute: there is no database at {tmp_path / 'none'}\n"


def test_damage_is_told_and_the_deal_listed_without_its_margin(tmp_path: Path) -> None:
    build(tmp_path, roots_of_all_rules()[:1])
    publish_changed(tmp_path, tear_blocks)
    done = command("precompute", "info", "--db", str(tmp_path), "--deals", "--json")
    assert json.loads(done.stdout)["margin"] is None
    assert "is damaged" in done.stderr
    assert "A   ?  " in command("precompute", "info", "--db", str(tmp_path), "--deals").stdout
