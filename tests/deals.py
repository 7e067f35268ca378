"""A database of several parts with deals of all rules, and the same list made one by one."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

from engine.game.cards import default_catalogue
from engine.game.deal import Deal, Player
from engine.game.dealing import Dealer, ElementSource
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.search.solver import Solver
from engine.tablebase.retrograde import LAST_PLY
from engine.text.notation import format_state
from engine.text.wire import state_to_dict
from store.environment import Entry, Environment
from store.format import BLOCKS, root_key
from tests.databases import build, copied_root, later, states_below

PLY = 7  # late, so that a root takes no time, with the compiler or without
Json = dict[str, Any]


def roots_of_all_rules() -> list[State]:
    """Return a root for every choice of rules, either player starting."""
    roots = []
    choices = product(Variant, product([False, True], repeat=len(SWITCHES)))
    for number, (variant, switches) in enumerate(choices):
        on = [name for name, is_on in zip(SWITCHES, switches, strict=True) if is_on]
        rules, first = Rules.of(on, variant), Player(number % 2)
        dealer = Dealer(default_catalogue(), 11, rules, elements=ElementSource.FF8, first=first)
        roots.append(later(State.start(dealer.deal(number)), PLY, choice=number))
    return roots


def quick_opening() -> State:
    """Return an opening that is soon solved, because most of its cards are equal."""
    cards = default_catalogue()
    hands = [cards[1]] * 4 + [cards[3]], [cards[2]] * 4 + [cards[4]]
    return State.start(Deal.of(*hands, rules=Rules(plus=True, variant=Variant.FF8)))


def build_parts(path: Path) -> dict[State, int]:
    """Build a database of three parts, some deals in two of them; return how deep each is."""
    roots = roots_of_all_rules()
    shallow, deep, copied = roots[:20], roots[12:], [copied_root(PLY)]
    build(path, shallow, plies=PLY, merges=False)
    build(path, deep, merges=False)
    build(path, copied, merges=False)
    return dict.fromkeys(shallow, PLY) | dict.fromkeys([*deep, *copied], LAST_PLY)


def listed(stored: Mapping[State, int]) -> list[Json]:
    """Return the deals of a database in their order, from roots and how deep each is stored."""
    return [plain_deal(root.seated, stored[root]) for root in sorted(stored, key=root_key)]


def plain_deal(root: State, plies: int) -> Json:
    """Return a deal as it is listed, found out by playing and by search."""
    state = state_to_dict(root)
    letters = [element and element.value for element in root.elements]
    return {
        "notation": format_state(root),
        "hands": state["hands"],
        **({"board": state["board"]} if root.ply else {}),
        "rules": state["rules"],
        "elements": letters if any(letters) else None,
        "first": "A",
        "ply": root.ply,
        "plies": plies,
        "states": sum(1 for _ in states_below(root, plies)),
        "margin": Solver().solve(root).margin,
    }


def tear_blocks(part: Path) -> None:
    """Cut all blocks of a part short, so that no state of it can be read."""
    environment = Environment(part, writes=True)
    frames = list(environment.frames(BLOCKS))
    environment.commit([Entry(BLOCKS, key, frame[:-3]) for key, frame in frames])
    environment.close()


def cards_in(deal: Json) -> set[int]:
    """Return the ten cards of a deal as it is listed."""
    placed = {cell["card_id"] for cell in deal.get("board", []) if cell["card_id"]}
    return {*placed, *deal["hands"]["A"], *deal["hands"]["B"]}


def fits(deal: Json, wishes: Json) -> bool:
    """Tell whether a deal as it is listed has the rules and the card that are wished for."""
    card = wishes.get("card")
    return all(deal["rules"][name] == wish for name, wish in wishes.items() if name != "card") and (
        card is None or card in cards_in(deal)
    )
