"""Hidden hands and priors read from plain dicts: every check, and every message."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

from advise.prior import Deck, Decks, Levels, Pool, Prior
from app.advice_objects import MOST_HANDS, MOST_POOL
from engine.errors import MISSING, OpponentError, Problem, Words, first_problems
from engine.game.board import HAND_SIZE
from engine.game.cards import Card, Catalogue
from engine.text.document import Problems, check_fields, read_card

HIDDEN_FIELDS = frozenset(("unseen", "known", "played", "from"))
# Of each form of a prior: what else it may say.
FORMS: Mapping[str, tuple[str, ...]] = {
    "pool": ("copies",),
    "levels": ("rares", "rare_chance"),
    "hands": (),
    "worlds": (),
}
FIVE = "a list of five card ids"


class Hidden(NamedTuple):
    """A hand that is not seen, as it was given."""

    unseen: int
    known: list[Card]
    played: list[Card] | None
    prior: Prior | None


def read_hidden(
    data: Mapping[str, object], where: str, catalogue: Catalogue, problems: Problems
) -> Hidden:
    """Return a hidden hand; what is wrong with it is added to the problems."""
    check_fields(data, HIDDEN_FIELDS, ("unseen",), f"{where}.", problems)
    unseen = data.get("unseen", 0)
    if type(unseen) is not int or not 0 <= unseen <= HAND_SIZE:
        allowed = f"a whole number from 0 to {HAND_SIZE}"
        problems.append(Problem(f"{where}.unseen", unseen, allowed))
        unseen = 0
    known = read_cards(data.get("known", []), f"{where}.known", catalogue, problems)
    played = None
    if "played" in data:
        played = read_cards(data["played"], f"{where}.played", catalogue, problems)
    prior = None
    if "from" in data:
        prior = read_prior(data["from"], f"{where}.from", catalogue, problems)
    elif unseen:
        problems.append(Problem(f"{where}.from", MISSING, _forms()))
    return Hidden(unseen, known, played, prior)


def read_cards(
    data: object, where: str, catalogue: Catalogue, problems: Problems, most: int = HAND_SIZE
) -> list[Card]:
    """Return the cards of a list of ids."""
    if not isinstance(data, list) or len(data) > most:
        found = Words(f"a list of {len(data):,}") if isinstance(data, list) else data
        problems.append(Problem(where, found, f"a list of at most {most} card ids"))
        return []
    wrong: Problems = []
    cards = [read_card(each, f"{where}[{n}]", catalogue, wrong) for n, each in enumerate(data)]
    problems += first_problems(wrong)
    return [card for card in cards if card]


def read_prior(data: object, where: str, catalogue: Catalogue, problems: Problems) -> Prior | None:
    """Return a prior; None where anything is wrong with it."""
    if not isinstance(data, dict):
        problems.append(Problem(where, data, _forms()))
        return None
    forms = [form for form in FORMS if form in data]
    if len(forms) != 1:
        found = Words(" and ".join(forms)) if forms else data
        problems.append(Problem(where, found, _forms()))
        return None
    (form,) = forms
    count = len(problems)
    check_fields(data, frozenset((form, *FORMS[form])), (), f"{where}.", problems)
    prior = _READERS[form](data, where, catalogue, problems)
    return prior if len(problems) == count else None


def _forms() -> str:
    return f"an object with one of {', '.join(FORMS)}"


def _read_pool(
    data: Mapping[str, object], where: str, catalogue: Catalogue, problems: Problems
) -> Prior:
    cards = read_cards(data["pool"], f"{where}.pool", catalogue, problems, MOST_POOL)
    seen: set[int] = set()
    for number, card in enumerate(cards):
        if card.id in seen:
            problems.append(Problem(f"{where}.pool[{number}]", card.id, "each card once"))
        seen.add(card.id)
    copies = data.get("copies", False)
    if not isinstance(copies, bool):
        problems.append(Problem(f"{where}.copies", copies, "true or false"))
        copies = False
    return Pool.of(seen, copies=copies)


def _read_levels(
    data: Mapping[str, object], where: str, catalogue: Catalogue, problems: Problems
) -> Prior | None:
    levels, rares = data["levels"], data.get("rares", [])
    for name, given in (("levels", levels), ("rares", rares)):
        if not isinstance(given, list) or len(given) > MOST_POOL:
            problems.append(Problem(f"{where}.{name}", given, "a list of whole numbers"))
            return None
    assert isinstance(levels, list)
    assert isinstance(rares, list)
    if not levels:
        problems.append(Problem(f"{where}.levels", levels, "levels from 1 to 7, at least one"))
        return None
    if rares and "rare_chance" not in data:
        problems.append(Problem(f"{where}.rare_chance", MISSING, "percent, with rares"))
        return None
    chance = data.get("rare_chance", 0)
    try:
        prior = Levels.of(levels, rares, chance)  # type: ignore[arg-type]
    except OpponentError as error:
        problems += [each._replace(field=f"{where}.{each.field}") for each in error.problems]
        return None
    for card in (*prior.dealing.pool, *prior.dealing.rares):
        read_card(card, where, catalogue, problems)  # another card file may lack it
    return prior


def _read_decks(name: str, field: str) -> Callable[..., Prior | None]:
    """Return the reader of a list of hands."""

    def read(
        data: Mapping[str, object], where: str, catalogue: Catalogue, problems: Problems
    ) -> Prior | None:
        given = data[name]
        where = f"{where}.{name}"
        if not isinstance(given, list) or not 1 <= len(given) <= MOST_HANDS:
            found = Words(f"a list of {len(given):,}") if isinstance(given, list) else given
            problems.append(Problem(where, found, f"a list of 1 to {MOST_HANDS:,} hands"))
            return None
        wrong: Problems = []
        decks = [
            _read_deck(each, field, f"{where}[{number}]", catalogue, wrong)
            for number, each in enumerate(given)
        ]
        problems += first_problems(wrong)
        return Decks(tuple(deck for deck in decks if deck), is_ordered=name == "worlds")

    return read


def _read_deck(
    data: object, field: str, where: str, catalogue: Catalogue, problems: Problems
) -> Deck | None:
    if not isinstance(data, dict):
        problems.append(Problem(where, data, f"an object with {field} and weight"))
        return None
    check_fields(data, frozenset((field, "weight")), (field,), f"{where}.", problems)
    if field not in data:
        return None
    cards = data[field]
    if not isinstance(cards, list) or len(cards) != HAND_SIZE:
        problems.append(Problem(f"{where}.{field}", cards, FIVE))
        return None
    found = read_cards(cards, f"{where}.{field}", catalogue, problems)
    weight = data.get("weight", 1.0)
    if isinstance(weight, bool) or not isinstance(weight, int | float) or weight < 0:
        problems.append(Problem(f"{where}.weight", weight, "a finite number, 0 or more"))
        return None
    return Deck(tuple(card.id for card in found), float(weight))


_READERS: Mapping[str, Callable[..., Prior | None]] = {
    "pool": _read_pool,
    "levels": _read_levels,
    "hands": _read_decks("hands", "cards"),
    "worlds": _read_decks("worlds", "dealt"),
}
