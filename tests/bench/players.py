"""The game's computer player: one decision, looking one, two and three plies ahead."""

from __future__ import annotations

import time
from collections.abc import Iterator
from functools import partial
from random import Random

import numpy as np

from engine.game.cards import default_catalogue
from engine.kernel import Numbers
from engine.players.computer import ComputerPlayer
from engine.players.decide import decide_many
from engine.players.layout import FOUND_LENGTH, make_work
from engine.players.tables import make_cards
from tests.bench.figures import Figure, measure_rate
from tests.situations import SWITCHES, draw_row, situation_of

STATES = 400
SECONDS = 0.2  # of each measurement, at least
CASES = ((0, 8, 1), (2, 8, 2), (4, 6, 3))  # search, empty cells, depth
RULE_SETS = {"none": False, "all, elements": True}


def asked_for(search: int, empty: int, has_rules: bool) -> Numbers:
    """Return many states with hidden hands, as the kernel takes them."""
    random = Random(search)
    player = ComputerPlayer(search=search)
    rules = {**dict.fromkeys(SWITCHES, has_rules), "open": False}
    rows = [{**draw_row(random, search, empty), "rules": rules} for _ in range(STATES)]
    return np.array([player.asked(situation_of(row, default_catalogue())) for row in rows])


def decision_rate(asked: Numbers) -> float:
    """Return the decisions per second, all states in one call."""
    cards, work = make_cards(default_catalogue()), make_work()
    randoms = np.arange(len(asked), dtype=np.int64)[:, np.newaxis]
    found = np.zeros((len(asked), 1, FOUND_LENGTH), dtype=np.int64)
    decide_many(cards, asked, randoms, work, found)  # compiles
    calls, began = 0, time.perf_counter()
    while time.perf_counter() - began < SECONDS:
        decide_many(cards, asked, randoms, work, found)
        calls += 1
    return calls * len(asked) / (time.perf_counter() - began)


def figures() -> Iterator[Figure]:
    """Measure each depth, without rules and with all."""
    for rule_name, has_rules in RULE_SETS.items():
        for search, empty, depth in CASES:
            rate = partial(decision_rate, asked_for(search, empty, has_rules))
            name = f"computer player, {rule_name}: depth {depth}, {empty} empty"
            yield measure_rate(name, "decisions", rate)
