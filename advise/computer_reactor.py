"""What the game's computer player replies in many worlds at once."""

from __future__ import annotations

import numpy as np

from advise.computer import ComputerModel
from advise.particles import (
    Hands,
    Particles,
    Reactions,
    guess_seeds,
    hand_keys,
    ids_by_slot,
    owned_masks,
    room_for,
)
from advise.public import slots_of
from advise.view import View
from advise.view_arrays import ViewArrays
from engine.errors import OpponentError
from engine.game.board import CELLS, HAND_SIZE
from engine.game.cards import default_catalogue
from engine.game.facts import NO_CARD
from engine.kernel import Numbers
from engine.players.layout import (
    ASKED_LENGTH,
    BOARD,
    ELEMENTS,
    HELD,
    OPTIONS,
    OWNED,
    SEARCH,
    STRATEGY,
    Asked,
)
from engine.players.replies import Hidden, Made, Memory, count_hits, make_memory, reply_all
from engine.players.tables import SEES_HAND, make_cards

_COPY = 0x9E3779B97F4A7C  # far from every difference of two keys


class ComputerReactor:
    """Asks the computer player; where it guesses, a guess is drawn by world, ply and number."""

    def __init__(
        self,
        model: ComputerModel,
        view: View,
        arrays: ViewArrays,
        hands: Hands,
        *,
        guesses: int,
        seed: int,
    ) -> None:
        """Prepare for a view, whose opponent holds these hands."""
        self._model, self._is_open = model, view.is_open
        self._arrays, self._hands = arrays, hands
        self._guesses, self._seed = guesses, seed
        player = model.player
        sees = SEES_HAND * bool(player.sees_hand or view.is_open)
        self._search, self._strategy = player.search | sees, player.strategy
        self._cards = make_cards(model.catalogue or default_catalogue())
        self._memory: Memory | None = None

    def replies(self, particles: Particles) -> Reactions:
        """Return what it replies, counted over guesses where it guesses."""
        order = np.argsort(particles.state, kind="stable")
        hidden = self._hidden(particles, order)
        made = room_for(len(order) * hidden.randoms.shape[1])
        count = reply_all(self._scratch(), hidden, Made(*made))
        return Reactions(
            order[made.particle[:count]], made.card[:count], made.cell[:count], made.chance[:count]
        )

    def hits(self, particles: Particles, card: int, cell: int) -> tuple[Numbers, Numbers]:
        """Return how often it makes a move at each particle, and how often it was tried."""
        order = np.argsort(particles.state, kind="stable")
        hits, tries = (np.zeros(len(order), dtype=np.int64) for _ in range(2))
        found = np.empty_like(hits), np.empty_like(tries)
        hidden = self._hidden(particles, order)
        count_hits(self._scratch(), hidden, card, cell, hits, tries)
        found[0][order], found[1][order] = hits, tries
        return found

    def is_certain(self, ply: int) -> bool:
        """Tell whether it does not guess at a ply."""
        return self._model.is_certain_at(ply, is_open=self._is_open)

    def _scratch(self) -> Memory:
        if self._memory is None:
            self._memory = make_memory(self._cards, ASKED_LENGTH, self._guesses)
        return self._memory

    def _hidden(self, particles: Particles, order: Numbers) -> Hidden:
        return Hidden(
            self._hands.held,
            self._hands.dealt,
            self._randoms(particles.ply),
            self._boards(particles),
            np.ascontiguousarray(particles.states.gone),
            particles.state[order],
            particles.world[order],
        )

    def _randoms(self, ply: int) -> Numbers:
        """Return the states of the random numbers at a ply, for each world and guess."""
        if self.is_certain(ply):
            return np.zeros((len(self._hands.held), 1), dtype=np.int64)
        if NO_CARD in self._hands.dealt:
            allowed = "the five cards it was dealt, in order: it guesses by their levels"
            raise OpponentError.of("dealt", None, allowed)
        keys = hand_keys(self._hands.dealt)
        if self._hands.copies is not None:
            keys = keys + self._hands.copies * _COPY
        return guess_seeds(keys, self._seed, ply, self._guesses)

    def _boards(self, particles: Particles) -> Asked:
        """Return the public states as the computer player sees them, without its own slots."""
        view, states = self._arrays, particles.states
        asked = np.zeros((len(states.codes), ASKED_LENGTH), dtype=np.int64)
        slots = slots_of(states.codes)
        ids = ids_by_slot(view, states)
        asked[:, BOARD : BOARD + CELLS] = np.take_along_axis(ids, slots, axis=1)
        asked[:, ELEMENTS : ELEMENTS + CELLS] = view.elements
        own = HAND_SIZE * view.seat
        for slot in range(own, own + HAND_SIZE):
            is_down = (slots == slot).any(axis=1)
            asked[:, HELD + HAND_SIZE + slot - own] = np.where(is_down, NO_CARD, view.ids[slot])
        asked[:, OWNED] = owned_masks(states.codes, slots, 1 - view.seat)
        asked[:, OPTIONS], asked[:, SEARCH] = view.options, self._search
        asked[:, STRATEGY] = self._strategy
        return asked
