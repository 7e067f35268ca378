"""A slow twin of `advise.response`: plain expectimax over information sets, on plain dicts.

It plays with `tests.naive` and `tests.computer`: no kernel, no table, nothing shared. A player is
a function of a state and of the five dealt cards, which says what it replies, with chances. With
`sees_worlds` it cheats: every world has a plan of its own (strategy fusion).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, NamedTuple

import numpy as np

from tests import naive
from tests.advise.closed import POINTS
from tests.computer import Twin

Document = dict[str, Any]
Place = tuple[int, int]  # card, cell
Player = Callable[[Document, list[int]], dict[Place, float]]


class Case(NamedTuple):
    """A state, how likely it is, and who plays there with which dealt cards."""

    chance: float
    state: Document
    dealt: list[int]
    player: Player


def points(state: Document, viewer: str) -> float:
    margin = naive.margin(state)
    return POINTS[int(np.sign(margin if viewer == "A" else -margin))]


OwnPlan = Callable[[list[Case], str], Place]


def value(
    cases: list[Case], viewer: str, *, sees_worlds: bool = False, plan: OwnPlan | None = None
) -> float:
    """Return what your best play, or a plan, brings in cases that look alike; it is your turn."""
    if sees_worlds and len(cases) > 1:
        return sum(value([case], viewer) for case in cases)
    if plan is not None:
        return value_after(cases, plan(cases, viewer), viewer, plan=plan)
    moves = naive.legal_moves(cases[0].state)
    return max(value_after(cases, move, viewer, sees_worlds=sees_worlds) for move in moves)


def grab(cases: list[Case], _: str) -> Place:
    """Choose what takes most at once."""
    return next(iter(grabbing(cases[0].state, [])))


def trust_open(cases: list[Case], viewer: str) -> Place:
    """Choose what is best on average if both players saw everything from then on."""
    sign = 1 if viewer == "A" else -1

    def mean(move: Place) -> float:
        margins = [(case.chance, naive.minimax(naive.play(case.state, *move))) for case in cases]
        return sum(chance * POINTS[int(np.sign(sign * margin))] for chance, margin in margins)

    return max(naive.legal_moves(cases[0].state), key=mean)


def value_after(
    cases: list[Case],
    move: Place,
    viewer: str,
    *,
    sees_worlds: bool = False,
    plan: OwnPlan | None = None,
) -> float:
    """Return what a move brings: the others reply, and what they reply is seen."""
    after = [case._replace(state=naive.play(case.state, *move)) for case in cases]
    seen: dict[Place, list[Case]] = {}
    total = 0.0
    for case in after:
        if case.state["turn"] == 9:
            total += case.chance * points(case.state, viewer)
            continue
        for reply, chance in case.player(case.state, case.dealt).items():
            then = naive.play(case.state, *reply)
            seen.setdefault(reply, []).append(
                case._replace(chance=case.chance * chance, state=then)
            )
    for alike in seen.values():
        if alike[0].state["turn"] == 9:
            total += sum(case.chance * points(case.state, viewer) for case in alike)
        else:
            total += value(alike, viewer, sees_worlds=sees_worlds, plan=plan)
    return total


def uniform(state: Document, _: list[int]) -> dict[Place, float]:
    moves = naive.legal_moves(state)
    return dict.fromkeys(moves, 1 / len(moves))


def grabbing(state: Document, _: list[int]) -> dict[Place, float]:
    taken = {move: len(naive.captures(state, *move)) for move in naive.legal_moves(state)}
    return {max(taken, key=lambda move: taken[move]): 1.0}


def mover_scores(state: Document) -> dict[Place, int]:
    sign = 1 if state["to_move"] == "A" else -1
    moves = naive.legal_moves(state)
    return {move: sign * naive.minimax(naive.play(state, *move)) for move in moves}


def trembling(error: float) -> Player:
    def replies(state: Document, _: list[int]) -> dict[Place, float]:
        scores = mover_scores(state)
        best = max(scores, key=lambda move: scores[move])
        slip = error / len(scores)
        chances = {move: slip + (1 - error) * (move == best) for move in scores}
        return {move: chance for move, chance in chances.items() if chance}

    return replies


def softened(temperature: float) -> Player:
    def replies(state: Document, _: list[int]) -> dict[Place, float]:
        scores = mover_scores(state)
        points = {move: POINTS[int(np.sign(score))] for move, score in scores.items()}
        weights = {move: np.exp((worth - 1) / temperature) for move, worth in points.items()}
        total = sum(weights.values())
        return {move: weight / total for move, weight in weights.items()}

    return replies


def computer(search: int, strategy: int, rngs: Iterable[int] = (0,)) -> Player:
    """Return the game's computer player, counted over these states of its random numbers."""
    given = list(rngs)

    def replies(state: Document, dealt: list[int]) -> dict[Place, float]:
        mine = state["to_move"]
        other = "A" if mine == "B" else "B"
        left = list(state["hands"][mine])
        slots = []
        for card in dealt:
            slots.append(card if card in left else None)
            if card in left:
                left.remove(card)
        row = {
            "rules": {**state["rules"], "open": False},
            "elements": [cell["element"] for cell in state["board"]],
            "strategy": strategy,
            "search": search,
            "computer_hand": slots,
            "human_hand": [*state["hands"][other], None, None, None, None][:5],
            "computer_dealt": dealt,
            "board": [
                (cell["card_id"], "computer" if cell["owner"] == mine else "human")
                if cell["card_id"]
                else None
                for cell in state["board"]
            ],
        }
        chances: dict[Place, float] = {}
        for rng in given:
            move = Twin({**row, "rng": rng}).decide()["move"]
            place = move["card_id"], move["cell"]
            chances[place] = chances.get(place, 0.0) + 1 / len(given)
        return chances

    return replies
