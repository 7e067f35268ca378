"""What any model replies in many worlds: it is asked particle by particle, which is slow."""

from __future__ import annotations

from collections import Counter

import numpy as np

from advise.opponent import Opponent, Replies
from advise.particles import Hands, Particles, Reactions, ids_by_slot
from advise.public import slots_of
from advise.view import View
from advise.view_arrays import ViewArrays
from advise.world import World
from engine.game.board import CELLS, HAND_SIZE
from engine.game.cards import Catalogue
from engine.game.deal import Player
from engine.game.facts import NO_CARD
from engine.game.state import Placed
from engine.kernel import Numbers


class AnyReactor:
    """Asks a model for its replies, one particle after the other."""

    def __init__(
        self, model: Opponent, view: View, arrays: ViewArrays, hands: Hands, catalogue: Catalogue
    ) -> None:
        """Prepare for a view, whose opponent holds these hands."""
        self._model, self._view, self._arrays = model, view, arrays
        self._hands, self._catalogue = hands, catalogue

    def replies(self, particles: Particles) -> Reactions:
        """Return what it replies."""
        views = self._views(particles)
        rows = [
            (number, move.card_id, move.cell, chance)
            for number, (state, world) in enumerate(
                zip(particles.state.tolist(), particles.world.tolist(), strict=True)
            )
            for move, chance in self._ask(views[state], world).items()
        ]
        whole = np.array([row[:3] for row in rows], dtype=np.int64).reshape(-1, 3)
        chances = np.array([row[3] for row in rows], dtype=np.float64)
        return Reactions(whole[:, 0], whole[:, 1], whole[:, 2], chances)

    def _ask(self, view: View, row: int) -> Replies:
        """Return its replies in a world."""
        dealt = self._hands.dealt[row].tolist()
        if view.played is not None and NO_CARD not in dealt:
            world = World.of_dealt([self._catalogue[card] for card in dealt], view)
        else:
            held = Counter(self._hands.held[row].tolist()) - Counter({NO_CARD: HAND_SIZE})
            gone = Counter(card.id for card in view.played or ())
            gone -= Counter(card.id for card in self._view.played or ())
            known = Counter(card.id for card in view.known)
            unseen = (held - gone - known).elements()
            world = World.of([self._catalogue[card] for card in unseen])
        return self._model.replies(world, view)

    def _views(self, particles: Particles) -> list[View]:
        """Return what the viewer sees of each state."""
        states = particles.states
        ids, slots = ids_by_slot(self._arrays, states), slots_of(states.codes)
        boards = np.take_along_axis(ids, slots, axis=1).tolist()
        gone = states.gone.tolist()
        return [
            self._seen(boards[number], slots[number], int(code), gone[number])
            for number, code in enumerate(states.codes.tolist())
        ]

    def _seen(self, board: list[int], slots: Numbers, code: int, gone: list[int]) -> View:
        """Return what the viewer sees of a state, in which the opponent is to move."""
        view, seat = self._view, self._arrays.seat
        first = view.first
        placed = [
            Placed(self._catalogue[card], Player(((code >> (4 * CELLS + cell)) & 1) ^ first))
            if card != NO_CARD
            else None
            for cell, card in enumerate(board)
        ]
        own = range(HAND_SIZE * seat, HAND_SIZE * (seat + 1))
        down = set(slots.tolist())
        hand = [self._catalogue[int(self._arrays.ids[slot])] for slot in own if slot not in down]
        left = [self._catalogue[card] for card in gone]
        known = tuple(sorted((Counter(view.known) - Counter(left)).elements()))
        played = None if view.played is None else tuple(sorted((*view.played, *left)))
        in_hand = len(view.known) + view.unseen - len(left)
        return View(
            view.viewer,
            tuple(placed),
            tuple(sorted(hand)),
            view.opponent,
            view.rules,
            view.elements,
            in_hand - len(known),
            known,
            played,
        )
