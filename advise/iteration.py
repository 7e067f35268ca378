"""Kernels: a game of two moves by regret matching, with a bracket around its value.

The opponent sees the world and chooses an option; you see only which option it was, as an
information set, and choose a reply. `stakes[world, option, reply]` is what you get.

    lower   what your averaged replies secure, whatever the opponent does in each world
    upper   what the opponent's averaged options hold you to, whatever you reply

Regret matching+ (regrets never fall below 0), the two players in turn, averages weighted by the
number of the iteration. Both bounds hold at every iteration; they only get closer.

Values are linear in either player's strategy, so the bounds of the averages come from averages
of what is computed anyhow, and cost next to nothing.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from engine.kernel import Numbers, inline_kernel, kernel

Reals: TypeAlias = npt.NDArray[np.float64]
Stakes: TypeAlias = npt.NDArray[np.float32]  # [worlds, options, replies]

LOWER, UPPER, ITERATIONS = range(3)


class Game(NamedTuple):
    """What is played for. Each world of an information set has another chance in it."""

    stakes: Stakes
    information: Numbers  # [worlds, options]: the information set you are in after an option
    shares: Reals  # [worlds]: probabilities; what they lack to 1 is `settled`
    settled: float  # the worth of worlds that are not in the game
    ceiling: float  # a bound from elsewhere: your value is not above it


class Minds(NamedTuple):
    """What both players keep from iteration to iteration; zeros at the start."""

    regrets: Reals  # [information sets, replies]
    replies: Reals  # [information sets, replies]: this iteration's probabilities
    reply_sums: Reals  # [information sets, replies]
    gains: Reals  # [information sets, replies]: what each reply brings, this iteration
    gain_sums: Reals  # [information sets, replies]
    best_replies: Reals  # [information sets, replies]: the averages behind the lower bound
    their_regrets: Reals  # [worlds, options]
    their_values: Reals  # [options]: what each option costs, this iteration
    value_sums: Reals  # [worlds, options]
    given: Reals  # [information sets, replies]: what replies bring besides, whatever it does


@inline_kernel
def match_regrets(regrets: Reals, chances: Reals) -> None:
    """Write probabilities in proportion to regrets; equal ones when there are none."""
    total = 0.0
    for choice in range(len(regrets)):
        total += regrets[choice]
    for choice in range(len(regrets)):
        chances[choice] = regrets[choice] / total if total > 0.0 else 1.0 / len(regrets)


@kernel
def choose_replies(minds: Minds, weight: float) -> float:
    """Settle this iteration's replies, add them to the sums; return what they bring besides."""
    besides = 0.0
    for place in range(len(minds.regrets)):
        match_regrets(minds.regrets[place], minds.replies[place])
        for reply in range(minds.replies.shape[1]):
            minds.reply_sums[place, reply] += weight * minds.replies[place, reply]
            minds.gains[place, reply] = minds.given[place, reply]
            besides += minds.replies[place, reply] * minds.given[place, reply]
    return besides


@inline_kernel
def value_options(game: Game, minds: Minds, world: int, weight: float) -> float:
    """Write what each option costs in a world; return the least of the sums so far."""
    _, options, replies = game.stakes.shape
    least = np.inf
    for option in range(options):
        place = game.information[world, option]
        value = 0.0
        for reply in range(replies):
            value += minds.replies[place, reply] * game.stakes[world, option, reply]
        minds.their_values[option] = value
        minds.value_sums[world, option] += weight * value
        least = min(least, minds.value_sums[world, option])
    return least


@inline_kernel
def regret_options(regrets: Reals, values: Reals) -> float:
    """Add to the opponent's regrets in a world; return the new ones' sum."""
    total, mean, count = 0.0, 0.0, len(regrets)
    for option in range(count):
        total += regrets[option]
        mean += regrets[option] * values[option]
    if total > 0.0:
        mean /= total
    else:
        for option in range(count):
            mean += values[option] / count
    total = 0.0
    for option in range(count):
        regrets[option] = max(0.0, regrets[option] + mean - values[option])
        total += regrets[option]
    return total


@inline_kernel
def add_gains(game: Game, minds: Minds, world: int, total: float) -> None:
    """Add what replies bring in a world, by the opponent's newest regrets, which add up so."""
    _, options, replies = game.stakes.shape
    for option in range(options):
        chance = minds.their_regrets[world, option] / total if total > 0.0 else 1.0 / options
        if chance > 0.0:
            place, share = game.information[world, option], chance * game.shares[world]
            for reply in range(replies):
                minds.gains[place, reply] += share * game.stakes[world, option, reply]


@kernel
def regret_replies(minds: Minds, weight: float) -> float:
    """Add to your regrets; return what the best replies bring against the sums so far."""
    places, replies = minds.gains.shape
    total = 0.0
    for place in range(places):
        mean, best = 0.0, -np.inf
        for reply in range(replies):
            mean += minds.replies[place, reply] * minds.gains[place, reply]
        for reply in range(replies):
            regret = minds.regrets[place, reply] + minds.gains[place, reply] - mean
            minds.regrets[place, reply] = max(0.0, regret)
            minds.gain_sums[place, reply] += weight * minds.gains[place, reply]
            best = max(best, minds.gain_sums[place, reply])
        total += best
    return total


@kernel
def iterate(game: Game, minds: Minds, width: float, most: int, bracket: Reals) -> None:
    """Iterate until the bracket is narrow enough, or `most` times; write LOWER and UPPER."""
    lower, upper, weights = -np.inf, game.ceiling, 0.0
    number, besides = 0, 0.0
    while number < most and upper - lower > width:
        number += 1
        weight = float(number)
        weights += weight
        besides += weight * choose_replies(minds, weight)
        secured = besides
        for world in range(len(game.shares)):
            secured += game.shares[world] * value_options(game, minds, world, weight)
            total = regret_options(minds.their_regrets[world], minds.their_values)
            add_gains(game, minds, world, total)
        held = game.settled + regret_replies(minds, weight) / weights
        secured = game.settled + secured / weights
        upper = min(upper, held)
        if secured > lower:
            lower = secured
            for place in range(len(minds.reply_sums)):
                for reply in range(minds.reply_sums.shape[1]):
                    minds.best_replies[place, reply] = minds.reply_sums[place, reply] / weights
    bracket[LOWER], bracket[UPPER] = min(lower, upper), upper  # but for the last digit, they are
    bracket[ITERATIONS] = number
