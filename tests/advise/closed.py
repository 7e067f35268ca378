"""Views of closed games for tests: from vectors, from seeds, and drawn; and their slow twins.

The twins play with `tests.naive` on plain dicts: no kernel, no table, nothing shared.
"""

from __future__ import annotations

import random
from typing import Any, NamedTuple

import numpy as np
from hypothesis import strategies as st

from advise import View, World, state_in
from advise.worlds import Combinations, Worlds
from engine.game.cards import ELEMENT_BY_LETTER, default_catalogue
from engine.game.deal import Deal, Player
from engine.game.moves import Move
from engine.game.rules import Rules, Variant
from engine.game.state import Placed, State
from tests import naive
from tests.conftest import IS_JIT_OFF
from tests.strategies import free_states, small_catalogues

CATALOGUE = default_catalogue()
PLAIN = Rules(variant=Variant.FF8)
ALL_RULES = Rules(True, True, True, True, Variant.FF8)
POINTS = {-1: 0.0, 0: 0.5, 1: 1.0}


class Closed(NamedTuple):
    """A view whose mover is its viewer, and the worlds that it may be."""

    view: View
    worlds: Worlds


def view_of_row(row: dict[str, Any]) -> View:
    """Return the view that a row of closed.jsonl describes."""
    state = row["state"]
    board = [
        Placed(CATALOGUE[entry["card_id"]], Player[entry["owner"]]) if entry["card_id"] else None
        for entry in state["board"]
    ]
    rules = dict(state["rules"])
    elements = [ELEMENT_BY_LETTER[letter] if letter else None for letter in state["board_elements"]]
    return View.of(
        board,
        [CATALOGUE[card] for card in state["hands"][state["to_move"]]],
        Player[state["to_move"]],
        Rules(**{**rules, "variant": Variant(rules["variant"])}),
        tuple(elements),
        unseen=row["unseen"],
        played=[CATALOGUE[card] for card in row["played"]],
    )


def closed_of_row(row: dict[str, Any]) -> Closed:
    """Return the view that a row of closed.jsonl describes, and its worlds."""
    pool = [CATALOGUE[card] for card in row["pool"]]
    return Closed(view_of_row(row), Combinations(pool, row["unseen"]).everything())


def closed_at(ply: int, seed: int, rules: Rules, pool: int) -> Closed:
    """Return a view after random play, with so many cards in the pool."""
    draw = random.Random(seed)
    common = [card for card in CATALOGUE if not card.is_unique]
    low = [card for card in common if card.level <= 2]
    elements = tuple(draw.choice([None, None, *ELEMENT_BY_LETTER.values()]) for _ in range(9))
    first = Player.A if ply % 2 == 0 else Player.B
    hands = draw.sample(common, 5), draw.sample(low, 5)
    state = State.start(Deal.of(*hands, rules=rules, elements=elements, first=first))
    for _ in range(ply):
        state = state.play(draw.choice(state.legal_moves()))
    view = View.seen_by(state, Player.A)
    assert view.played is not None
    chosen = sorted(draw.sample([card for card in low if card not in view.played], pool))
    return Closed(view, Combinations(chosen, view.unseen).everything())


@st.composite
def closed_views(draw: st.DrawFn, min_ply: int = 4, max_ply: int = 8, most: int = 6) -> Closed:
    """Draw a view, owners free, and its worlds: sets, or multisets where copies are allowed."""
    catalogue = draw(st.just(CATALOGUE) | small_catalogues())
    state = draw(free_states(min_ply, max_ply, catalogue))
    view = View.seen_by(state, state.to_move)
    is_ff8 = view.rules.variant is Variant.FF8
    others = [
        card
        for card in catalogue
        if (not card.is_unique if is_ff8 else card not in (view.played or ()))
    ]
    pool = draw(st.permutations(others))[: draw(st.integers(view.unseen, max(view.unseen, most)))]
    if is_ff8 and draw(st.booleans()):
        return Closed(view, Combinations([], view.unseen, repeats=pool).everything())
    return Closed(view, Combinations(pool, view.unseen).everything())


EXAMPLES = 5 if IS_JIT_OFF else 60


def state_of(closed: Closed, world: int) -> State:
    """Return the state in a world."""
    places = closed.worlds.members[world].tolist()
    return state_in(closed.view, World.of([closed.worlds.pool[place] for place in places]))


def mirrored(view: View) -> View:
    """Return the view with the players' names exchanged."""
    board = [placed and placed._replace(owner=placed.owner.opponent) for placed in view.board]
    return View(
        view.viewer.opponent,
        tuple(board),
        view.hand,
        view.to_move.opponent,
        view.rules,
        view.elements,
        view.unseen,
        view.known,
        view.played,
    )


def document_of(closed: Closed, held: tuple[int, ...]) -> dict[str, Any]:
    """Return the state in which the opponent holds these cards, as the naive twin plays it."""
    view = closed.view
    board = [
        {
            "cell": cell,
            "card_id": placed.card.id if placed else None,
            "owner": placed.owner.name if placed else None,
            "element": element.value if element else None,
        }
        for cell, (placed, element) in enumerate(zip(view.board, view.elements, strict=True))
    ]
    hands = {view.viewer.name: [card.id for card in view.hand], view.opponent.name: list(held)}
    rules = {**view.rules._asdict(), "variant": view.rules.variant.value}
    turn = {"to_move": view.to_move.name, "turn": view.ply}
    return {"board": board, "hands": hands, "rules": rules, **turn}


def points(document: dict[str, Any], viewer: Player) -> float:
    """Return the viewer's points under perfect play with open hands."""
    margin = naive.minimax(document)
    return POINTS[int(np.sign(margin if viewer is Player.A else -margin))]


def held_in(closed: Closed) -> list[tuple[int, ...]]:
    """Return the card ids of each world, in the worlds' order."""
    pool = closed.worlds.pool
    return [tuple(pool[place].id for place in row) for row in closed.worlds.members.tolist()]


Stake = dict[Move, dict[Move, float]]  # points by the opponent's reply and your next move


def naive_stakes(closed: Closed, move: Move) -> list[Stake]:
    """Return for each world what every reply, and every move of yours after it, leads to."""
    stakes = []
    for held in held_in(closed):
        after = naive.play(document_of(closed, held), *move)
        stake: Stake = {}
        for theirs in naive.legal_moves(after):
            then = naive.play(after, *theirs)
            stake[Move(*theirs)] = {
                Move(*mine): points(naive.play(then, *mine), closed.view.viewer)
                for mine in naive.legal_moves(then)
            }
        stakes.append(stake)
    return stakes
