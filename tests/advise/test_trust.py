"""A model that is trusted in part: between what is secured and what the model gives away."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy.optimize import linprog

from advise.dealt import DealtWorlds
from advise.guaranteed import WIDTH, bracket_moves
from advise.open_tables import make_tables
from advise.open_values import payoff_of, values_of
from advise.opponent import Opponent
from advise.opponents import ComputerModel, ComputerPlayer, Greedy, Random, Tremble
from advise.posterior import Posterior
from advise.response import respond
from advise.trust import trusted
from engine.game.moves import Move
from engine.game.rules import Rules
from tests import naive
from tests.advise.closed import (
    ALL_RULES,
    CATALOGUE,
    PLAIN,
    Closed,
    closed_at,
    document_of,
    held_in,
    naive_stakes,
)
from tests.advise.expectimax import grabbing, uniform
from tests.conftest import IS_JIT_OFF

MODELS: list[Opponent] = [Random(), Greedy(), Tremble(0.3), ComputerModel(ComputerPlayer())]
PLIES = [5, 6, 7, 8] if IS_JIT_OFF else [4, 5, 6, 7, 8]


def posterior_in(closed: Closed, model: Opponent) -> Posterior:
    return Posterior.by_cards(DealtWorlds.of_sets(closed.view, closed.worlds), model)


@pytest.mark.parametrize("rules", [PLAIN, ALL_RULES], ids=["no rules", "all rules"])
@pytest.mark.parametrize("ply", PLIES)
@pytest.mark.parametrize("model", MODELS, ids=str)
def test_full_trust_is_response_and_none_is_guaranteed(
    model: Opponent, ply: int, rules: Rules
) -> None:
    closed = closed_at(ply, seed=ply, rules=rules, pool=5)
    posterior, payoff = posterior_in(closed, model), payoff_of(closed.view)
    full = trusted(closed.view, posterior, payoff, CATALOGUE, 1.0)
    response = respond(closed.view, posterior, payoff, CATALOGUE)
    for found, expected in zip(full, response.moves, strict=True):
        assert found.lower - 1e-9 <= expected.points <= found.upper + 1e-9
        assert found.upper - found.lower <= WIDTH
    if ply < 8:
        none = trusted(closed.view, posterior, payoff, CATALOGUE, 0.0)
        for found, secured in zip(none, bracket_moves(make_tables(*closed), payoff), strict=True):
            assert found.lower <= secured.upper + 1e-6
            assert secured.lower <= found.upper + 1e-6


def lower_value(closed: Closed, move: Move, trust: float, model: Any) -> float:
    """Return what a move is worth by a linear program, with payoffs by plain Python.

    Variables: your chances after each reply, then what each world brings at least.
    """
    stakes = naive_stakes(closed, move)
    seen = sorted({reply for stake in stakes for reply in stake})
    own = {
        reply: sorted({mine for stake in stakes for mine in stake.get(reply, {})}) for reply in seen
    }
    column, columns = {}, 0
    for reply in seen:
        for mine in own[reply]:
            column[reply, mine], columns = columns, columns + 1
    worlds, share = len(stakes), 1 / len(stakes)
    gain = np.zeros(columns + worlds)
    gain[columns:] = (1 - trust) * share
    rows = []
    for world, stake in enumerate(stakes):
        chances = model(closed, world, move)
        for reply, brought in stake.items():
            row = np.zeros(columns + worlds)
            row[columns + world] = 1
            for mine, points in brought.items():
                row[column[reply, mine]] = -points
                gain[column[reply, mine]] += trust * share * chances.get(tuple(reply), 0.0) * points
            rows.append(row)
    whole = np.zeros((len(seen), columns + worlds))
    for number, reply in enumerate(seen):
        for mine in own[reply]:
            whole[number, column[reply, mine]] = 1
    found = linprog(-gain, np.array(rows), np.zeros(len(rows)), whole, np.ones(len(seen)))
    return float(-found.fun)


def replies_of(player: Any) -> Any:
    def model(closed: Closed, world: int, move: Move) -> Any:
        after = naive.play(document_of(closed, held_in(closed)[world]), *move)
        return player(after, [])

    return model


@pytest.mark.parametrize("trust", [0.3, 0.8])
@pytest.mark.parametrize(
    ("model", "player"), [(Random(), uniform), (Greedy(), grabbing)], ids=["random", "greedy"]
)
def test_brackets_hold_what_a_linear_program_finds(
    model: Opponent, player: Any, trust: float
) -> None:
    closed = closed_at(5, seed=17, rules=ALL_RULES, pool=4)  # the last card is then forced
    found = trusted(
        closed.view, posterior_in(closed, model), payoff_of(closed.view), CATALOGUE, trust
    )
    moves = values_of(closed.view, make_tables(*closed)).moves
    for number in range(0, len(moves), 3):
        exact = lower_value(closed, moves[number], trust, replies_of(player))
        assert found[number].lower - 1e-6 <= exact <= found[number].upper + 1e-6


def test_trust_that_is_no_probability_is_refused() -> None:
    closed = closed_at(5, seed=1, rules=PLAIN, pool=3)
    posterior = posterior_in(closed, Random())
    with pytest.raises(ValueError, match=r"trust 1\.5 at ply 5"):
        trusted(closed.view, posterior, payoff_of(closed.view), CATALOGUE, 1.5)
