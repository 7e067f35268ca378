"""Particles: worlds in public states, and what a model replies there, with chances.

A reactor answers for many particles at once:

    ComputerReactor   the game's computer player, its scores shared by the worlds of a state
    StateReactor      random, greedy, perfect, tremble, softmax: each world's states by kernels
    AnyReactor        any other model, asked particle by particle
"""

from __future__ import annotations

from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from numpy.random import SeedSequence

from advise.public import PublicStates
from advise.view_arrays import ViewArrays
from engine.game.board import CELLS, EMPTY, SLOTS, owners_of
from engine.kernel import Numbers, plain

_owners_of = plain(owners_of)
_ID_BITS = 12  # more than any catalogue has cards
_FACTORS = [np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB)]


class Particles(NamedTuple):
    """Worlds in public states; those of a state need not lie together."""

    states: PublicStates
    ply: int  # of the states
    state: Numbers  # [particles]
    world: Numbers  # [particles]


class Reactions(NamedTuple):
    """What is replied at particles: those of a particle add up to 1."""

    particle: Numbers  # [n]
    card: Numbers  # [n]: id
    cell: Numbers  # [n]
    chance: npt.NDArray[np.float64]  # [n]


def room_for(count: int) -> Reactions:
    """Return room for so many replies."""
    whole = np.empty((3, count), dtype=np.int64)
    return Reactions(whole[0], whole[1], whole[2], np.empty(count))


class Hands(NamedTuple):
    """The worlds of a reactor."""

    held: Numbers  # [worlds, 5]: by slot, NO_CARD where one was played
    dealt: Numbers  # [worlds, 5]
    copies: Numbers | None = None  # [worlds]: tells worlds apart that have the same cards


class Reactor(Protocol):
    """Replies of a model in many worlds."""

    def replies(self, particles: Particles) -> Reactions:
        """Return what the model replies at each particle."""


def ids_by_slot(view: ViewArrays, states: PublicStates) -> Numbers:
    """Return the cards of each state by slot [n, 16]; NO_CARD for slots that are not seen."""
    ids = np.zeros((len(states.codes), EMPTY + 1), dtype=np.int64)
    ids[:, :SLOTS] = view.ids
    for column in range(states.gone.shape[1]):
        ids[:, view.slots[column]] = states.gone[:, column]
    return ids


def owned_masks(codes: Numbers, slots: Numbers, seat: int) -> Numbers:
    """Return the masks of the cells that a seat owns."""
    occupied = ((slots != EMPTY) << np.arange(CELLS)).sum(axis=1)
    owners: Numbers = _owners_of(codes)  # type: ignore[arg-type, assignment]
    return owners if seat else ~owners & occupied


def hand_keys(dealt: Numbers) -> Numbers:
    """Return a number for each hand of five cards, by slot, which no other hand has."""
    keys: Numbers = dealt @ (1 << (_ID_BITS * np.arange(dealt.shape[1])))
    return keys


def guess_seeds(keys: Numbers, seed: int, ply: int, guesses: int) -> Numbers:
    """Return states of the game's random numbers [hands, guesses], by hand, seed and ply."""
    words = SeedSequence([seed, ply]).generate_state(guesses, np.uint64)
    mixed = keys.astype(np.uint64)[:, np.newaxis] + words
    for factor in _FACTORS:
        mixed = (mixed ^ (mixed >> np.uint64(31))) * factor
    return (mixed >> np.uint64(32)).astype(np.int64)
