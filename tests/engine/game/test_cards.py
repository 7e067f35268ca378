from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engine.errors import CardFileError, UnknownCardError
from engine.game.cards import CARD_FILE, Catalogue, Element, load_cards

GEEZARD: dict[str, Any] = json.loads(CARD_FILE.read_text(encoding="utf-8"))[0]


def write(path: Path, rows: object) -> Path:
    path.write_text(json.dumps(rows), encoding="utf-8")
    return path


def test_default_catalogue_has_all_cards(catalogue: Catalogue) -> None:
    assert len(catalogue) == 110
    assert [card.id for card in catalogue] == list(range(1, 111))
    assert {card.id for card in catalogue if card.is_unique} == set(range(78, 111))


def test_card_rows_round_trip(catalogue: Catalogue) -> None:
    rows = json.loads(CARD_FILE.read_text(encoding="utf-8"))
    assert [card.as_dict() for card in catalogue] == rows


def test_card_is_found_by_id_and_name(catalogue: Catalogue) -> None:
    squall = catalogue[110]
    assert squall.name == "Squall"
    assert catalogue.named("Squall") is squall
    assert catalogue.named("sQUALL") is squall
    assert catalogue.find(" 110 ") is squall
    assert catalogue.find("squall") is squall
    assert catalogue[5].element is None
    assert catalogue[6].element is Element.THUNDER


@pytest.mark.parametrize("text", ["-1", "1.0", "0", "111", "99999999", "1 0", "", "Ⅷ", "x" * 10**5])
def test_text_that_is_no_card_is_told_both_ways_to_name_one(
    catalogue: Catalogue, text: str
) -> None:
    with pytest.raises(UnknownCardError, match="a card id from 1 to 110, or a card's name$"):
        catalogue.find(text)


def test_unknown_name_suggests_close_ones(catalogue: Catalogue) -> None:
    with pytest.raises(UnknownCardError, match=r'card: found "Sqall".*did you mean "Squall"'):
        catalogue.named("Sqall")
    with pytest.raises(UnknownCardError, match="allowed: a card's name$"):
        catalogue.named("qqqqqqqqq")


@pytest.mark.parametrize("card_id", [0, -1, 111, 10**30])
def test_unknown_id_is_refused(catalogue: Catalogue, card_id: int) -> None:
    assert catalogue.get(card_id) is None
    with pytest.raises(UnknownCardError, match=f"found {card_id}; allowed: .* from 1 to 110"):
        catalogue[card_id]


def test_digest_follows_content_not_layout(tmp_path: Path, catalogue: Catalogue) -> None:
    rows = [card.as_dict() for card in catalogue]
    same = load_cards(write(tmp_path / "same.json", rows[::-1]))
    rows[3]["left"] = 9
    other = load_cards(write(tmp_path / "other.json", rows))
    assert same.digest == catalogue.digest
    assert other.digest != catalogue.digest


def test_other_card_file_is_used(tmp_path: Path) -> None:
    rows = [{**GEEZARD, "id": 7, "name": "Seven"}, {**GEEZARD, "id": 9, "name": "Nine"}]
    cards = load_cards(write(tmp_path / "cards.json", rows))
    assert cards[9].name == "Nine"
    with pytest.raises(UnknownCardError, match="a card id of the card file from 7 to 9"):
        cards[8]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"top": 0}, "row 2: top: found 0; allowed: a whole number from 1 to 10"),
        ({"left": 11}, "row 2: left: found 11"),
        ({"right": True}, "row 2: right: found true"),
        ({"bottom": "5"}, 'row 2: bottom: found "5"'),
        ({"level": 0}, "row 2: level: found 0; allowed: a whole number from 1 to 10"),
        ({"level": 11}, "row 2: level: found 11"),
        ({"element": "fire"}, 'row 2: element: found "fire"; allowed: null, Fire, Ice'),
        ({"element": ["Fire"]}, r'row 2: element: found \["Fire"\]'),
        ({"name": ""}, 'row 2: name: found ""; allowed: printable text'),
        ({"name": 5}, "row 2: name: found 5"),
        ({"type": None}, "row 2: type: found null"),
        ({"id": 0}, "row 2: id: found 0; allowed: a whole number from 1 to 9999"),
        ({"id": 1}, "row 2: id: found 1, as in row 1; allowed: each id once"),
        ({"name": "GEEZARD"}, 'row 2: name: found "geezard", as in row 1'),
        ({"colour": "red"}, 'row 2: found .*"colour".*; allowed: the keys id, name'),
    ],
)
def test_wrong_row_is_named(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    rows = [GEEZARD, {**GEEZARD, "id": 2, "name": "Two", **change}]
    with pytest.raises(CardFileError, match=message):
        load_cards(write(tmp_path / "cards.json", rows))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "is not JSON: line 1, column 2: expecting value"),
        ("[" * 100_000, "is not JSON: this is nested too deep"),
        ("{}", "allowed: a list of at least one card"),
        ("[]", "allowed: a list of at least one card"),
        ("[5]", "row 1: found 5"),
        ("\xff\xfe", "is not JSON: from byte 1 on this is no text in UTF-8"),
    ],
)
def test_wrong_file_is_refused(tmp_path: Path, text: str, message: str) -> None:
    path = tmp_path / "cards.json"
    path.write_bytes(text.encode("latin-1"))
    with pytest.raises(CardFileError, match=message):
        load_cards(path)


def test_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(CardFileError, match=r"none\.json: cannot be read: No such file"):
        load_cards(tmp_path / "none.json")
