"""Cards and the catalogue they come from.

A card file is a JSON array of objects, one per card, with exactly these keys:

    {"id": 1, "name": "Geezard", "level": 1, "type": "Monster",
     "top": 1, "right": 4, "bottom": 1, "left": 5, "element": null}

Any file of this schema can be used instead of the project's own.
"""

from __future__ import annotations

import difflib
import hashlib
import json
from collections.abc import Iterator, Mapping
from enum import StrEnum
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from engine.errors import LONGEST_NAME, CardFileError, UnknownCardError, shown, why_no_json

# The same place in a checkout and in an installed wheel.
CARD_FILE = Path(__file__).resolve().parents[2] / "data" / "cards.json"

HIGHEST_ID = 9_999  # lookup by id is a dense table; this keeps it small
SIDES = ("top", "right", "bottom", "left")
KEYS = ("id", "name", "level", "type", *SIDES, "element")
LEVELS = range(1, 11)
RANKS = range(1, 11)
UNIQUE_LEVELS = range(8, 11)  # one copy of each in the world, under the game's own rules


class Element(StrEnum):
    """The eight elements; the value is the letter that states are written with."""

    FIRE = "F"
    ICE = "I"
    THUNDER = "T"
    WATER = "W"
    EARTH = "E"
    POISON = "P"
    HOLY = "H"
    WIND = "L"

    @property
    def label(self) -> str:
        """Return the name as card files write it: "Fire"."""
        return self.name.capitalize()


ELEMENTS = tuple(Element)
NO_ELEMENT = 0  # the number of none, in arrays
_ELEMENT_NUMBERS = {None: NO_ELEMENT} | {e: i for i, e in enumerate(ELEMENTS, start=1)}
ELEMENT_BY_LETTER = {element.value: element for element in Element}
ELEMENT_BY_LABEL = {element.label: element for element in Element}


def element_number(element: Element | None) -> int:
    """Return what stands for an element in arrays: 1 to 8 in their order, NO_ELEMENT for none."""
    return _ELEMENT_NUMBERS[element]


class Card(NamedTuple):
    """One card: four ranks, clockwise from the top, and at most one element."""

    id: int
    name: str
    level: int
    type: str
    ranks: tuple[int, int, int, int]
    element: Element | None

    @property
    def is_unique(self) -> bool:
        """Tell whether the game has a single copy of this card."""
        return self.level in UNIQUE_LEVELS

    def as_dict(self) -> dict[str, Any]:
        """Return the card as a row of a card file."""
        return {
            "id": self.id,
            "name": self.name,
            "level": self.level,
            "type": self.type,
            **dict(zip(SIDES, self.ranks, strict=True)),
            "element": self.element.label if self.element else None,
        }


class Catalogue:
    """All cards of a card file, by id and by name. Never changes once made."""

    def __init__(self, cards: tuple[Card, ...]) -> None:
        """Index `cards`, whose ids and names are distinct, and digest them."""
        self.cards = tuple(sorted(cards))
        self._by_id: list[Card | None] = [None] * (self.cards[-1].id + 1)
        for card in self.cards:
            self._by_id[card.id] = card
        self._by_name = {card.name: card for card in self.cards}
        self._by_folded_name = {card.name.casefold(): card for card in self.cards}
        self.ids = frozenset(card.id for card in self.cards)
        self.digest = _digest(self.cards)

    def __len__(self) -> int:
        """Return the number of cards."""
        return len(self.cards)

    def __iter__(self) -> Iterator[Card]:
        """Iterate over the cards by ascending id."""
        return iter(self.cards)

    def get(self, card_id: int) -> Card | None:
        """Return the card of this id, or None."""
        return self._by_id[card_id] if 0 <= card_id < len(self._by_id) else None

    def __getitem__(self, card_id: int) -> Card:
        """Return the card of this id, or raise `UnknownCardError`."""
        card = self.get(card_id)
        if card is None:
            raise UnknownCardError.of("card", card_id, self.allowed_ids)
        return card

    @property
    def allowed_ids(self) -> str:
        """Return what card ids are allowed, in words."""
        first, last = self.cards[0].id, self.cards[-1].id
        gaps = "" if last - first + 1 == len(self.cards) else " of the card file"
        return f"a card id{gaps} from {first} to {last}"

    def get_named(self, name: str) -> Card | None:
        """Return the card of this name, exact, else whatever the case, or None."""
        return self._by_name.get(name) or self._by_folded_name.get(name.casefold())

    def named(self, name: str) -> Card:
        """Return the card of this name, or raise `UnknownCardError`."""
        card = self.get_named(name)
        if card is None:
            raise UnknownCardError.of("card", name, f"a card's name{self._suggestion(name)}")
        return card

    def find(self, text: str) -> Card:
        """Return the card that `text` names, by id or by name, or raise `UnknownCardError`."""
        text = text.strip()
        is_id = text.isascii() and text.isdigit() and len(text) <= len(str(HIGHEST_ID))
        card = self.get(int(text)) if is_id else self.get_named(text)
        if card is None:
            allowed = f"{self.allowed_ids}, or a card's name{self._suggestion(text)}"
            raise UnknownCardError.of("card", int(text) if is_id else text, allowed)
        return card

    def _suggestion(self, name: str) -> str:
        if len(name) > LONGEST_NAME:
            return ""
        close = difflib.get_close_matches(name.casefold(), self._by_folded_name, n=3, cutoff=0.6)
        names = " or ".join(shown(self._by_folded_name[folded].name) for folded in close)
        return f" (did you mean {names}?)" if names else ""


def load_cards(path: Path = CARD_FILE) -> Catalogue:
    """Read and check a card file; a wrong row is named in the error."""
    try:
        rows = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CardFileError(f"{path}: cannot be read: {error.strerror}") from error
    except (ValueError, RecursionError) as error:
        raise CardFileError(f"{path}: is not JSON: {why_no_json(error)}") from error
    if not isinstance(rows, list) or not rows:
        raise CardFileError(f"{path}: found {shown(rows)}; allowed: a list of at least one card")
    cards = tuple(_card(row, f"{path}: row {number}") for number, row in enumerate(rows, start=1))
    _check_distinct(cards, path)
    return Catalogue(cards)


@lru_cache(maxsize=1)
def default_catalogue() -> Catalogue:
    """Return the project's own 110 cards, read once."""
    return load_cards()


def _card(row: object, where: str) -> Card:
    if not isinstance(row, dict) or set(row) != set(KEYS):
        found = sorted(row) if isinstance(row, dict) else row
        raise CardFileError(f"{where}: found {shown(found)}; allowed: the keys {', '.join(KEYS)}")
    for key in ("name", "type"):
        if not isinstance(row[key], str) or not row[key].strip() or not row[key].isprintable():
            raise CardFileError(f"{where}: {key}: found {shown(row[key])}; allowed: printable text")
    if row["element"] is not None and row["element"] not in list(ELEMENT_BY_LABEL):
        allowed = ", ".join(ELEMENT_BY_LABEL)
        raise CardFileError(
            f"{where}: element: found {shown(row['element'])}; allowed: null, {allowed}"
        )
    top, right, bottom, left = (_number(row, side, RANKS, where) for side in SIDES)
    return Card(
        id=_number(row, "id", range(1, HIGHEST_ID + 1), where),
        name=row["name"],
        level=_number(row, "level", LEVELS, where),
        type=row["type"],
        ranks=(top, right, bottom, left),
        element=ELEMENT_BY_LABEL.get(row["element"]),
    )


def _number(row: Mapping[str, Any], key: str, allowed: range, where: str) -> int:
    value = row[key]
    if type(value) is not int or value not in allowed:
        raise CardFileError(
            f"{where}: {key}: found {shown(value)}; "
            f"allowed: a whole number from {allowed[0]} to {allowed[-1]}"
        )
    return value


def _check_distinct(cards: tuple[Card, ...], path: Path) -> None:
    for key, values in (
        ("id", [card.id for card in cards]),
        ("name", [card.name.casefold() for card in cards]),
    ):
        first_row: dict[object, int] = {}
        for number, value in enumerate(values, start=1):
            if value in first_row:
                raise CardFileError(
                    f"{path}: row {number}: {key}: found {shown(value)}, "
                    f"as in row {first_row[value]}; allowed: each {key} once"
                )
            first_row[value] = number


def _digest(cards: tuple[Card, ...]) -> str:
    """Return a digest of the cards' content, whatever the file's spacing and order."""
    rows = json.dumps([card.as_dict() for card in cards], sort_keys=True)
    return hashlib.blake2b(rows.encode(), digest_size=16).hexdigest()
