"""Advice with a hidden hand: the open and guaranteed values of all moves, ply by ply."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from advise.fallible import fallible_values
from advise.guaranteed import bracket_moves
from advise.open_tables import make_tables
from advise.open_values import payoff_of, value_moves, values_of
from advise.racing import contenders
from advise.view import View
from advise.view_arrays import arrays_of, held_worlds, packed_moves
from advise.world_search import WorldSearch
from advise.worlds import Combinations, Shuffle, Worlds
from engine.game.cards import Card, default_catalogue
from engine.game.deal import Deal, Player
from engine.game.dealing import Dealer, ElementSource
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from tests.bench.figures import Figure, measure_cases

RULE_SETS = {
    "no rules": Rules(variant=Variant.FF8),
    "all rules": Rules.of(SWITCHES, Variant.FF8),
}
CASES, EARLY_CASES = 3, 2  # positions of a ply; of plies 0 and 1
LOW, ALL = range(1, 3), range(1, 11)  # levels
RARES_FROM = 8
PUPU = 48
FIRST_STAGE = {0: 4, 1: 8}

Task = Callable[[View, Worlds], int]


def sampled(
    ply: int, number: int, rules: Rules, levels: Iterable[int], most: int
) -> tuple[View, Worlds]:
    """Return a view after random play against a hand of these levels, and worlds of it."""
    draw = random.Random(f"{ply} {number}")
    cards = default_catalogue()
    pool = [card for card in cards if card.level in levels and card.id != PUPU]
    own = [card for card in cards if card.level < RARES_FROM]
    dealer = Dealer(cards, number, rules, elements=ElementSource.FF8)
    state = State.start(
        Deal.of(
            draw.sample(own, 5),
            draw.sample([card for card in pool if card.level < RARES_FROM], 5),
            rules=rules,
            elements=dealer.deal(ply).elements,
            first=Player(ply % 2),
        )
    )
    for _ in range(ply):
        state = state.play(draw.choice(state.legal_moves()))
    view = View.seen_by(state, Player.A)
    sets = Combinations([card for card in pool if is_left(card, view)], view.unseen)
    return view, sets.sample(0, most, Shuffle(sets.total, [number]))


def is_left(card: Card, view: View) -> bool:
    """Tell whether the opponent may hold a card."""
    return card not in (view.played or ())


def value_all(view: View, worlds: Worlds) -> int:
    """Value every move in every world."""
    value_moves(view, worlds)
    return 0


def bracket_all(view: View, worlds: Worlds) -> int:
    """Value every move in every world, and bracket what it guarantees."""
    tables = make_tables(view, worlds)
    values_of(view, tables)
    bracket_moves(tables, payoff_of(view))
    return 0


def race(view: View, worlds: Worlds) -> int:
    """Value every move in the first worlds, and those that are not far behind in the others."""
    arrays, held = arrays_of(view), held_worlds(view, worlds)
    search, moves, first = WorldSearch(arrays), packed_moves(arrays), FIRST_STAGE[view.ply]
    begun = search.finals(held._replace(members=held.members[:first]), moves)
    left = moves[contenders(payoff_of(view)[begun])]
    search.finals(held._replace(members=held.members[first:]), left)
    return 0


def value_fallible(view: View, worlds: Worlds) -> int:
    """Value every move against an opponent that errs."""
    fallible_values(view, worlds, payoff_of(view))
    return 0


MANY = 10**6
LINES: list[tuple[str, Task, int, range, int]] = [
    ("ply 7, all cards, open", value_all, 7, ALL, MANY),
    ("ply 6, all cards, open", value_all, 6, ALL, MANY),
    ("ply 5, levels 1-2, open and guaranteed", bracket_all, 5, LOW, MANY),
    ("ply 5, all cards, open and guaranteed", bracket_all, 5, ALL, MANY),
    ("ply 4, levels 1-2, open and guaranteed", bracket_all, 4, LOW, MANY),
    ("ply 4, all cards, open", value_all, 4, ALL, MANY),
    ("ply 3, levels 1-2, all worlds, open", value_all, 3, LOW, MANY),
    ("ply 2, 100 worlds, open", value_all, 2, LOW, 100),
    ("ply 1, 40 worlds, racing", race, 1, LOW, 40),
    ("ply 0, 16 worlds, racing", race, 0, LOW, 16),
    ("ply 4, 100 worlds, fallible", value_fallible, 4, LOW, 100),
    ("ply 3, 100 worlds, fallible", value_fallible, 3, LOW, 100),
]


def figures() -> Iterator[Figure]:
    """Measure everything, with one thread."""
    for name, task, ply, levels, most in LINES:
        for rule_name, rules in RULE_SETS.items():
            count = CASES if ply > 1 else EARLY_CASES
            views = [sampled(ply, number, rules, levels, most) for number in range(count)]
            view, worlds = views[0]
            few = worlds._replace(members=worlds.members[:10], weights=worlds.weights[:10])
            task(view, few)  # compiles
            cases = [partial(task, *asked) for asked in views]
            yield measure_cases(f"{name}, {rule_name}", cases)
