"""The plan of a job: which roots, in which order, how deep."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from console.deals import refuse_sudden_death
from engine.errors import DealError, InputError, NotationError, Problem, StateError
from engine.game.cards import Card, Catalogue
from engine.game.dealing import Dealer
from engine.game.state import State
from engine.tablebase.retrograde import LAST_PLY
from engine.text.document import load_json, state_from_dict
from engine.text.notation import format_state, parse_hands, parse_state
from precompute.limits import DEFAULT_PLIES
from store.records import PlannedRoot

Hands = tuple[list[Card], list[Card]]

ALL_PLIES = "all"
MOST_SAMPLED = 1_000_000  # in one job: the plan is made in memory


def parse_plies(text: str | None, default: int = DEFAULT_PLIES) -> int:
    """Return the deepest ply to be stored."""
    if text is None:
        return default
    if text == ALL_PLIES:
        return LAST_PLY
    if text not in map(str, range(LAST_PLY + 1)):
        raise NotationError.of("plies", text, f"0 to {LAST_PLY}, or {ALL_PLIES}")
    return int(text)


def plan_roots(states: Iterable[State], plies: int, catalogue: Catalogue) -> list[PlannedRoot]:
    """Return the plan for these roots, each once, in the order given.

    A root is written down as seen from its starter, and read again, so that what is
    planned, stored and looked up is one and the same.
    """
    planned: dict[str, PlannedRoot] = {}
    for state in states:
        if state.is_over:
            raise StateError.of("state", format_state(state), "a state that has moves left")
        notation = format_state(state.seated)
        if notation not in planned:
            root = parse_state(notation, catalogue)
            planned[notation] = PlannedRoot(root, max(plies, state.ply))
    return list(planned.values())


def openings(dealers: Sequence[Dealer], given: Sequence[GivenHands]) -> Iterator[State]:
    """Return an opening for each pair of hands and each dealer (one for each starter)."""
    for number, (hands, place) in enumerate(given):
        for dealer in dealers:
            with _within(place):
                deal = dealer.deal(number, hands)
            yield State.start(deal)


def sampled(dealers: Sequence[Dealer], count: int) -> Iterator[State]:
    """Return so many sampled openings, from each dealer."""
    if not 1 <= count <= MOST_SAMPLED:
        raise DealError.of("sample", count, f"1 to {MOST_SAMPLED:,}")
    for number in range(count):
        for dealer in dealers:
            yield State.start(dealer.deal(number))


class GivenHands(NamedTuple):
    """Two hands, and where they were read: a line of a file, or nowhere in particular."""

    hands: Hands
    place: str = ""


def read_hands(specs: Sequence[str], catalogue: Catalogue) -> list[GivenHands]:
    """Return the pairs of hands of all specifications: text, or @FILE with one a line."""
    given: list[GivenHands] = []
    for spec in specs:
        if spec.startswith("@"):
            given += _hands_in_file(Path(spec[1:]), catalogue)
        else:
            given.append(GivenHands(parse_hands(spec, catalogue)))
    if not given:
        raise DealError.of("hands", " ".join(specs), "at least one deal")
    return given


def _hands_in_file(path: Path, catalogue: Catalogue) -> Iterator[GivenHands]:
    """Return the hands in a file; empty lines and those that begin with # do not count."""
    try:
        text = path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise NotationError.of("hands", str(path), "a text file in UTF-8") from error
    for number, line in enumerate(map(str.strip, text.splitlines()), start=1):
        if line and not line.startswith("#"):
            place = f"{path}:{number}"
            with _within(place):
                hands = _hands_in_line(line, catalogue)
            yield GivenHands(hands, place)


def _hands_in_line(line: str, catalogue: Catalogue) -> Hands:
    """Return the hands of one line: `1,2,3,4,5:6,7,8,9,10`, or {"A": [...], "B": [...]}."""
    if not line.startswith("{"):
        return parse_hands(line, catalogue)
    found = load_json(line.encode(), "hands")
    found = found.get("hands", found) if isinstance(found, dict) else found
    if not isinstance(found, dict) or sorted(found) != ["A", "B"]:
        raise NotationError.of("hands", found, '{"A": [five cards], "B": [five cards]}')
    texts = []
    for player in "AB":
        cards = found[player]
        if not isinstance(cards, list) or not all(isinstance(card, int | str) for card in cards):
            raise NotationError.of(f"hands.{player}", cards, "a list of card ids or names")
        texts.append(",".join(map(str, cards)))
    return parse_hands(":".join(texts), catalogue)


def read_states(spec: str, catalogue: Catalogue) -> list[State]:
    """Return the state of a notation, or those of @FILE: one JSON state, or one a line."""
    states = _read_states(spec, catalogue)
    for state in states:
        refuse_sudden_death(state.rules)
    return states


def _read_states(spec: str, catalogue: Catalogue) -> list[State]:
    if not spec.startswith("@"):
        return [parse_state(spec, catalogue)]
    path = Path(spec[1:])
    data = path.read_bytes()
    lines = [line for line in map(bytes.strip, data.splitlines()) if line]
    if len(lines) < 2 or not all(line[:1] + line[-1:] == b"{}" for line in lines):
        with _within(f"{path}"):
            return [state_from_dict(load_json(data), catalogue)]
    states = []
    for number, line in enumerate(lines, start=1):
        with _within(f"{path}:{number}"):
            states.append(state_from_dict(load_json(line), catalogue))
    return states


@contextmanager
def _within(place: str) -> Iterator[None]:
    """Name the place, if there is one, in every problem that is found within."""
    try:
        yield
    except InputError as error:
        if not place:
            raise
        raise DealError(
            [
                Problem(f"{place}: {problem.field}", problem.found, problem.allowed)
                for problem in error.problems
            ]
        ) from error
