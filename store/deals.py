"""The deals of a database, page by page: all of them, or those of some rules, or with a card.

Deals come in the order of their keys, each once. Nothing is indexed by rules or cards, so to
find some is to look at all: a page ends when it is full, or when enough was looked at. Its
cursor is the key that was looked at last, and the next page begins behind it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from msgspec import UNSET

from engine.errors import DamagedError
from engine.game.facts import Facts
from engine.game.rules import SWITCHES, Variant
from engine.game.state import State
from engine.text.notation import card_ids_of, parse_state, rules_of
from engine.text.objects import Letter, StoredDeal
from engine.text.wire import rules_object, state_object
from store.reader import Reader
from store.records import RootRecord

MOST_DEALS = 1000  # on a page
USUAL_DEALS = 100
LOOKED_AT = 10_000  # records for one page

Damage = Callable[[DamagedError], None]


class DealFilter(NamedTuple):
    """Which deals are wanted; None where any will do."""

    elemental: bool | None = None
    same: bool | None = None
    plus: bool | None = None
    same_wall: bool | None = None
    variant: Variant | None = None
    card: int | None = None  # the id of one of the ten

    def fits(self, notation: str) -> bool:
        """Tell whether a root is wanted, from its text: most are not, and need not be read."""
        rules = rules_of(notation)
        if rules.sudden_death:  # a table of ten cards, and no deal
            return False
        given = ((getattr(self, name), getattr(rules, name)) for name in ("variant", *SWITCHES))
        return all(wish in (None, found) for wish, found in given) and (
            self.card is None or self.card in card_ids_of(notation)
        )


class DealPage(NamedTuple):
    """Some deals, and where the next page begins."""

    deals: list[StoredDeal]
    cursor: bytes | None  # None when there is no more


def page_of(
    reader: Reader,
    wanted: DealFilter,
    after: bytes = b"",
    *,
    limit: int = USUAL_DEALS,
    looked_at: int = LOOKED_AT,
    on_damage: Damage = lambda _: None,
) -> DealPage:
    """Return the deals beyond a cursor; fewer than `limit` when enough records were looked at."""
    deals: list[StoredDeal] = []
    for looked, (key, record) in enumerate(reader.parts.roots(after, on_damage)):
        if len(deals) == limit or looked == looked_at:
            return DealPage(deals, after)
        after = key
        if wanted.fits(record.root):
            deals.append(_stored_deal(reader, record, on_damage))
    return DealPage(deals, None)


def pages(reader: Reader, wanted: DealFilter, *, on_damage: Damage) -> Iterator[DealPage]:
    """Return page after page, to the last."""
    after: bytes | None = b""
    while after is not None:
        page = page_of(reader, wanted, after, on_damage=on_damage)
        yield page
        after = page.cursor


def _stored_deal(reader: Reader, record: RootRecord, on_damage: Damage) -> StoredDeal:
    root = parse_state(record.root, reader.catalogue)
    facts = root.facts
    state = state_object(facts)
    return StoredDeal(
        notation=record.root,
        hands=state.hands,
        board=state.board if facts.ply else UNSET,
        rules=rules_object(facts.rules),
        elements=_letters(facts),
        first="A",
        ply=facts.ply,
        plies=record.plies,
        states=record.states,
        margin=_margin(reader, root, on_damage),
    )


def _letters(facts: Facts) -> list[Letter | None] | None:
    letters: list[Letter | None] = [e.value if e else None for e in facts.elements]
    return letters if any(letters) else None


def _margin(reader: Reader, root: State, on_damage: Damage) -> int | None:
    """Return what a root is worth, None where that cannot be read."""
    try:
        found = reader.get(root)
    except DamagedError as error:
        on_damage(error)
        return None
    return found.margin(root) if found else None
