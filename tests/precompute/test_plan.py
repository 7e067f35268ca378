from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine.errors import DealError, InputError, NotationError
from engine.game.cards import Catalogue
from engine.game.deal import Player
from engine.game.dealing import Dealer
from engine.game.state import State
from engine.text.notation import format_state
from precompute.demo import demo_states
from precompute.limits import DEFAULT_PLIES
from precompute.plan import (
    openings,
    parse_plies,
    plan_roots,
    read_hands,
    read_states,
    sampled,
)
from tests.databases import ROOT_PLY, exchanged, small_roots, write_states

DEALS = Path(__file__).parent.parent.parent / "docs" / "deals.txt"


@pytest.mark.parametrize(("text", "plies"), [(None, DEFAULT_PLIES), ("all", 8), ("0", 0), ("8", 8)])
def test_plies_are_read(text: str | None, plies: int) -> None:
    assert parse_plies(text) == plies


@pytest.mark.parametrize("text", ["", "9", "-1", "five", "1.0", "²", "9" * 5_000])
def test_wrong_plies_are_refused(text: str) -> None:
    with pytest.raises(NotationError, match="plies"):
        parse_plies(text)


def test_root_is_planned_once_whoever_is_called_a(catalogue: Catalogue) -> None:
    roots = small_roots(2)
    plan = plan_roots([*roots, *roots, exchanged(roots[0])], 8, catalogue)
    assert [planned.notation for planned in plan] == [format_state(root.seated) for root in roots]


def test_root_below_the_wanted_depth_is_stored_itself(catalogue: Catalogue) -> None:
    plan = plan_roots(small_roots(1), 1, catalogue)
    assert plan[0].plies == ROOT_PLY


def test_hands_come_in_their_order(catalogue: Catalogue, tmp_path: Path) -> None:
    path = tmp_path / "deals.txt"
    path.write_text(
        "# a comment\n\n1,2,3,4,5:6,7,8,9,10\n"
        '{"A": [11, 12, 13, 14, 15], "B": ["Geezard", 17, 18, 19, 20]}\n'
        '{"hands": {"A": [21, 22, 23, 24, 25], "B": [26, 27, 28, 29, 30]}}\n'
    )
    hands = read_hands(["31,32,33,34,35:36,37,38,39,40", f"@{path}"], catalogue)
    firsts = [given.hands[0][0].id for given in hands]
    assert firsts == [31, 1, 11, 21]
    assert hands[2].hands[1][0].id == 1


def test_file_of_deals_in_the_documentation_is_one(catalogue: Catalogue) -> None:
    given = read_hands([f"@{DEALS}"], catalogue)
    plan = plan_roots(openings([Dealer(catalogue)], given), DEFAULT_PLIES, catalogue)
    assert len(plan) == 3
    assert given[1].hands[1][4].name == "Fujin, Raijin"


def test_line_that_is_no_json_blames_the_hands(catalogue: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "deals").write_text("{")
    with pytest.raises(InputError, match=r'deals:1: hands: found "{"; allowed: one JSON value'):
        read_hands([f"@{tmp_path / 'deals'}"], catalogue)


@pytest.mark.parametrize(
    "line",
    [
        "1,2,3",
        '{"A": [1]}',
        '{"A": 5, "B": [1]}',
        '{"A": [{}], "B": []}',
        "{",
        '{"A": [1], "B": [2]}',
    ],
)
def test_wrong_line_names_file_and_line(catalogue: Catalogue, tmp_path: Path, line: str) -> None:
    path = tmp_path / "deals.txt"
    path.write_text(f"1,2,3,4,5:6,7,8,9,10\n{line}\n")
    with pytest.raises(InputError) as caught:
        list(openings([Dealer(catalogue)], read_hands([f"@{path}"], catalogue)))
    assert str(caught.value).startswith(f"{path}:2: ")


def test_file_that_is_no_text_is_refused(catalogue: Catalogue, tmp_path: Path) -> None:
    (tmp_path / "deals").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(NotationError, match="UTF-8"):
        read_hands([f"@{tmp_path / 'deals'}"], catalogue)


def test_both_starters_are_two_deals(catalogue: Catalogue) -> None:
    dealers = [Dealer(catalogue, first=player) for player in Player]
    states = list(sampled(dealers, 3))
    assert len(plan_roots(states, 5, catalogue)) == 6
    assert [state.deal.first for state in states] == [Player.A, Player.B] * 3


def test_sample_of_nothing_is_refused(catalogue: Catalogue) -> None:
    with pytest.raises(DealError, match="sample: found 0"):
        list(sampled([Dealer(catalogue)], 0))


def test_states_come_from_notation_document_and_lines(catalogue: Catalogue, tmp_path: Path) -> None:
    roots = small_roots(3)
    assert read_states(format_state(roots[0]), catalogue) == roots[:1]
    lines = write_states(tmp_path / "states.jsonl", roots)
    assert read_states(lines, catalogue) == roots
    document = json.loads((tmp_path / "states.jsonl").read_text().splitlines()[1])
    (tmp_path / "state.json").write_text(json.dumps(document, indent=2))
    assert read_states(f"@{tmp_path / 'state.json'}", catalogue) == roots[1:2]


def test_wrong_state_names_its_line(catalogue: Catalogue, tmp_path: Path) -> None:
    lines = write_states(tmp_path / "states.jsonl", small_roots(1))
    with (tmp_path / "states.jsonl").open("a") as file:
        file.write('{"board": []}\n')
    with pytest.raises(DealError, match=r"states\.jsonl:2: "):
        read_states(lines, catalogue)


def test_demonstration_has_both_variants(catalogue: Catalogue) -> None:
    states = list(demo_states(catalogue))
    assert {state.rules.variant.value for state in states} == {"triplecargo", "ff8"}
    assert len(plan_roots(states, DEFAULT_PLIES, catalogue)) == 4
    assert all(state == State.start(state.deal) for state in states)
