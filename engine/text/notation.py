"""States, hands, rules and layouts as text.

A state is written in five fields, joined by "_", all of it safe in a URL:

    ff8-es_12AF.1.L.2.34B.3_1.2.3.4_6.7.8.9_A
    │   │  │                │       │       └ who is to move
    │   │  │                │       └ B's hand, ascending
    │   │  │                └ A's hand, ascending
    │   │  └ the nine cells in order: 12AF card 12, A's, on a Fire cell; L an empty
    │   │    Wind cell; 2 two empty cells without element; joined by "."
    │   └ rules that are on: e(lemental) s(ame) p(lus) w(all), sudden d(eath)
    └ variant: tc or ff8

Every state has exactly one such text: an opening without elements has the cells "9".
Another spelling (leading zeros, a hand in another order, runs of empty cells not
taken together) is refused, so that a text can serve as a key.
"""

from __future__ import annotations

import re
from collections import deque
from functools import cache, lru_cache

from engine.errors import NotationError
from engine.game.board import CELLS, HAND_SIZE
from engine.game.cards import ELEMENT_BY_LETTER, Card, Catalogue, Element
from engine.game.deal import NO_ELEMENTS, Elements, Player
from engine.game.dealing import ElementSource
from engine.game.facts import Facts
from engine.game.rules import NAMED_RULES, Rules, Variant
from engine.game.state import Placed, State

FIELD, ITEM = "_", "."
VARIANT_CODES = {Variant.TRIPLECARGO: "tc", Variant.FF8: "ff8"}
RULE_LETTERS = "espwd"  # in the order of NAMED_RULES
LONGEST_NOTATION = 256  # the longest state there can be is well below

_NOTATION_ALLOWED = (
    "five parts joined by _ (rules, cells, A's hand, B's hand, who is to move), "
    "such as tc_9_1.2.3.4.5_6.7.8.9.10_A"
)
_LETTERS = "".join(ELEMENT_BY_LETTER)
_CARD = r"[1-9][0-9]{0,3}"
_RULES = re.compile(rf"({'|'.join(VARIANT_CODES.values())})(?:-(e?s?p?w?d?))?", re.ASCII)
_CELL = re.compile(rf"([1-9])|(?:({_CARD})([AB]))?([{_LETTERS}]?)", re.ASCII)
_HAND = re.compile(rf"(?:{_CARD}(?:\.{_CARD})*)?", re.ASCII)
HIDDEN_HAND = re.compile(rf"(?:({_CARD}(?:\.{_CARD})*)\.)?x([1-5])", re.ASCII)
_PLACED = re.compile(rf"({_CARD})[AB]", re.ASCII)


def format_state(state: State) -> str:
    """Return the state's text."""
    return format_facts(state.facts)


def format_facts(facts: Facts) -> str:
    """Return the text of a state's facts."""
    hand_a, hand_b = facts.hands
    return FIELD.join(
        (
            _format_rules(facts.rules),
            ITEM.join(_cell_items(facts)),
            _format_hand(hand_a),
            _format_hand(hand_b),
            "AB"[facts.to_move],
        )
    )


def parse_state(text: str, catalogue: Catalogue) -> State:
    """Return the state a text describes.

    Raises `NotationError` when the text is none, and `StateError` when what it says
    cannot be.
    """
    fields = text.split(FIELD) if len(text) <= LONGEST_NOTATION else []
    if len(fields) != 5:
        raise NotationError.of("notation", text, _NOTATION_ALLOWED)
    rules = _parse_rules(fields[0])
    board, elements = parse_cells(fields[1], rules, catalogue)
    hands = [
        _parse_hand(field, player, catalogue)
        for field, player in zip(fields[2:4], Player, strict=True)
    ]
    if fields[4] not in Player.__members__:
        raise NotationError.of("notation.mover", fields[4], "A or B")
    return State.of(board, hands, Player[fields[4]], rules=rules, elements=elements)


def rules_of(text: str) -> Rules:
    """Return the rules of a state's text, without reading the rest of it."""
    return _parse_rules(text.partition(FIELD)[0])


def card_ids_of(text: str) -> set[int]:
    """Return the ids of all cards in a state's text, without reading the rest of it."""
    _, cells, hand_a, hand_b, _ = text.split(FIELD)
    held = filter(None, (*hand_a.split(ITEM), *hand_b.split(ITEM)))
    return set(map(int, (*_PLACED.findall(cells), *held)))


def parse_hands(text: str, catalogue: Catalogue) -> tuple[list[Card], list[Card]]:
    """Return two hands from "1,2,3,4,5:6,7,8,9,10": ids or names, A's first."""
    hands = text.split(":")
    if len(hands) != len(Player):
        raise NotationError.of(
            "hands", text, "two hands of card ids or names, 1,2,3,4,5:6,7,8,9,10"
        )
    hand_a, hand_b = (_parse_names(hand, catalogue) for hand in hands)
    return hand_a, hand_b


def parse_rules(text: str, variant: Variant = Variant.TRIPLECARGO) -> Rules:
    """Return the rules from "elemental,same" or "none"."""
    names = [name.strip() for name in text.split(",")]
    return Rules.of([] if names in (["none"], [""]) else names, variant)


def parse_layout(text: str, besides: str = "") -> Elements:
    """Return the elements of nine cells from "F,-,-,I,-,-,-,-,-".

    The error says what else is allowed `besides`.
    """
    letters = [letter.strip() for letter in text.split(",")]
    if len(letters) != CELLS or not all(x == "-" or x in ELEMENT_BY_LETTER for x in letters):
        allowed = f"nine of -, {', '.join(ELEMENT_BY_LETTER)}, joined by commas"
        raise NotationError.of("elements", text, besides + allowed)
    return tuple(ELEMENT_BY_LETTER.get(letter) for letter in letters)


def parse_elements(text: str) -> ElementSource | Elements:
    """Return how the elements are chosen: drawn, or as given."""
    names = [source.value for source in ElementSource]
    return ElementSource(text) if text in names else parse_layout(text, f"{', '.join(names)}, or ")


@cache
def _format_rules(rules: Rules) -> str:
    letters = zip(RULE_LETTERS, NAMED_RULES, strict=True)
    on = "".join(letter for letter, name in letters if getattr(rules, name))
    return VARIANT_CODES[rules.variant] + (f"-{on}" if on else "")


@cache
def _parse_rules(text: str) -> Rules:
    match = _RULES.fullmatch(text)
    if not match or match[2] == "":
        allowed = 'tc or ff8; then, if any rule is on, "-" and some of e, s, p, w, d in this order'
        raise NotationError.of("notation.rules", text, allowed)
    variant = next(variant for variant, code in VARIANT_CODES.items() if code == match[1])
    letters = zip(NAMED_RULES, RULE_LETTERS, strict=True)
    return Rules.of([name for name, letter in letters if letter in (match[2] or "")], variant)


@lru_cache(maxsize=1 << 14)
def _format_hand(hand: tuple[int, ...]) -> str:
    return ITEM.join(map(str, hand))


def _cell_items(facts: Facts) -> list[str]:
    """Return the items of the nine cells; those with nothing on them in runs."""
    items: list[str] = []
    run, owners = 0, facts.owners
    for card, element in zip(facts.board, facts.elements, strict=True):
        if card or element:
            if run:
                items.append(str(run))
                run = 0
            items.append(_cell_item(card, owners & 1, element))
        else:
            run += 1
        owners >>= 1
    if run:
        items.append(str(run))
    return items


@lru_cache(maxsize=1 << 14)
def _cell_item(card: int, owner: int, element: Element | None) -> str:
    """Return the item of a cell that has something on it."""
    return (f"{card}{'AB'[owner]}" if card else "") + (element or "")


def parse_cells(
    text: str, rules: Rules, catalogue: Catalogue
) -> tuple[list[Placed | None], Elements]:
    """Return the cards and elements of the nine cells, or raise `NotationError`."""
    board: list[Placed | None] = []
    elements: list[Element | None] = []
    was_run = False
    for item in text.split(ITEM):
        where = f"notation.cells[{len(board)}]"
        match = _CELL.fullmatch(item)
        if not match or not item:
            allowed = (
                f"a card (12A), an element ({_LETTERS}), both, or a number of empty cells (1 to 9)"
            )
            raise NotationError.of(where, item, allowed)
        if match[1] and was_run:
            raise NotationError.of(where, item, "empty cells in a row as one number")
        if match[4] and not rules.elemental:
            raise NotationError.of(where, item, "no element, as Elemental is off")
        was_run = bool(match[1])
        empty = int(match[1] or 1)
        board += [Placed(catalogue[int(match[2])], Player[match[3]]) if match[2] else None] * empty
        elements += [ELEMENT_BY_LETTER.get(match[4])] * empty
    if len(board) != CELLS:
        allowed = f"nine cells in all; these are {len(board)}"
        raise NotationError.of("notation.cells", text, allowed)
    return board, tuple(elements) if rules.elemental else NO_ELEMENTS


def _parse_hand(text: str, player: Player, catalogue: Catalogue) -> list[Card]:
    if HIDDEN_HAND.fullmatch(text):
        allowed = "cards that are seen; POST /advise and triad advise take hidden hands"
        raise NotationError.of(f"notation.hand{player.name}", text, allowed)
    ids = [int(item) for item in text.split(ITEM)] if text and _HAND.fullmatch(text) else []
    if ids != sorted(ids) or len(ids) > HAND_SIZE or bool(text) != bool(ids):
        raise NotationError.of(
            f"notation.hand{player.name}", text, 'at most five card ids, ascending, joined by "."'
        )
    return [catalogue[card_id] for card_id in ids]


def _parse_names(text: str, catalogue: Catalogue) -> list[Card]:
    """Return the cards of a comma-separated list; a name may have a comma in it."""
    pieces = deque(text.split(","))
    cards: list[Card] = []
    while pieces:
        piece = pieces.popleft()
        card = catalogue.get_named(f"{piece.strip()}, {pieces[0].strip()}") if pieces else None
        if card:
            pieces.popleft()
        cards.append(card or catalogue.find(piece))
    return cards
