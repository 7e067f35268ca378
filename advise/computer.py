"""The game's own computer player as an opponent: what it replies, guess by guess.

It tries its slots in order and guesses by the levels of its five dealt cards, so its worlds have
both. Where it does not see the other hand, its replies are counted over guesses, whose random
numbers follow from the world: the same world gives the same replies.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator, Philox, SeedSequence

from advise.models import Model
from advise.opponent import Replies
from advise.table import TableTurn
from advise.view import View
from advise.world import World, state_in
from engine.game.board import CELLS, HAND_SIZE
from engine.game.cards import Card, Catalogue, default_catalogue
from engine.game.moves import Move, unpack_move
from engine.game.state import State
from engine.kernel import plain
from engine.players.computer import ComputerPlayer
from engine.players.dealing import Dealing, deal_hand
from engine.players.decide import decide_many
from engine.players.layout import FOUND_LENGTH, MOVE, make_work
from engine.players.situation import Situation
from engine.players.tables import make_cards

RANDOM_STATES = 1 << 32
LIKELIHOOD_GUESSES = 32  # for likelihoods and values that are reported; eight are enough to choose

_unpack_move = plain(unpack_move)


@dataclass(frozen=True)
class ComputerModel(Model):
    """The computer player; with `brings_hand` it is dealt its hand as the game deals."""

    player: ComputerPlayer = ComputerPlayer()
    brings_hand: bool = False
    guesses: int = LIKELIHOOD_GUESSES
    seed: int = 0
    catalogue: Catalogue | None = None  # the project's own when left out
    name = "ff8"

    @property
    def sees_hand(self) -> bool:
        """Tell whether it sees the other hand even when the rule Open is off."""
        return bool(self.player.sees_hand)

    @property
    def is_deterministic(self) -> bool:
        """Tell whether it never guesses, and adds no noise, whatever the state."""
        return all(self.is_certain_at(ply, is_open=False) for ply in range(CELLS))

    def is_certain_at(self, ply: int, *, is_open: bool) -> bool:
        """Tell whether its move at a ply follows from what it sees, whatever it may guess."""
        looks_at_own = self.player.depth_with(CELLS - ply) == 1
        return not self.player.has_noise and (self.sees_hand or is_open or looks_at_own)

    def replies(self, world: World, view: View) -> Replies:
        """Return what it replies in a world, counted over guesses where it guesses."""
        state = state_in(view, world)
        situation = situation_of(state, world.slots_left(view), world.dealt)
        if self.player.is_certain(situation):
            return {self._decide(situation, 0): 1.0}
        counts = self._counts(situation, self._randoms(world, view))
        total = counts.total()
        return {move: counts[move] / total for move in state.legal_moves() if counts[move]}

    def choose(self, turn: TableTurn) -> Move:
        """Return the move that it makes, after one guess."""
        dealt = turn.slots[turn.mover]
        situation = situation_of(turn.state, turn.world.slots_left(turn.view), dealt)
        rng = int(turn.random.integers(RANDOM_STATES))
        return self._decide(situation, rng)

    def draw_hand(
        self, catalogue: Catalogue, random: Generator, held: Sequence[Card]
    ) -> tuple[Card, ...] | None:
        """Return five cards dealt as the game deals, without rare cards that the other holds."""
        if not self.brings_hand:
            return None
        taken = {card.id for card in held}
        dealing = self.player.dealing
        rares = [card for card in dealing.rares if card not in taken]
        without = Dealing.of(dealing.levels, rares, dealing.rare_chance)
        hand, _ = deal_hand(without, int(random.integers(RANDOM_STATES)))
        return tuple(catalogue[card] for card in hand)

    def __str__(self) -> str:
        """Return it as text."""
        player = self.player
        parts = [f"search={player.search}", f"strategy={player.strategy}"]
        if player.sees_hand:
            parts.append("sees_hand=true")
        if self.brings_hand:
            parts.append(f"levels={'.'.join(map(str, player.levels))}")
        if self.brings_hand and player.rares:
            parts.append(f"rares={'.'.join(map(str, player.rares))}")
            parts.append(f"rare_chance={player.rare_chance}")
        return f"{self.name}:{','.join(parts)}"

    def _decide(self, situation: Situation, rng: int) -> Move:
        return self.player.decide(situation, rng, self.catalogue).move

    def _randoms(self, world: World, view: View) -> list[int]:
        """Return the states of the random numbers for its guesses in a world."""
        words = [self.seed, view.ply, *[card.id for card in (*world.unseen, *view.known)]]
        random = Generator(Philox(SeedSequence(words)))
        drawn: list[int] = random.integers(RANDOM_STATES, size=self.guesses).tolist()
        return drawn

    def _counts(self, situation: Situation, randoms: list[int]) -> Counter[Move]:
        """Return how often it makes each move."""
        catalogue = self.catalogue or default_catalogue()
        situation.check_dealt(catalogue)
        asked = self.player.asked(situation)[np.newaxis]
        found = np.zeros((1, len(randoms), FOUND_LENGTH), dtype=np.int64)
        decide_many(
            make_cards(catalogue),
            asked,
            np.array([randoms], dtype=np.int64),
            make_work(),
            found,
        )
        places = [_unpack_move(packed) for packed in found[0, :, MOVE].tolist()]
        return Counter(Move(situation.own[slot], cell) for slot, cell in places)


def situation_of(
    state: State, slots: Sequence[Card | None], dealt: Sequence[Card] | None
) -> Situation:
    """Return a state as the computer player, who is to move, has it before it.

    Dealt cards that nobody told are its hand, as long as it holds all five.
    """
    return Situation.of(
        state,
        own=[card.id if card else None for card in slots],
        dealt=[card.id for card in dealt] if dealt and len(dealt) == HAND_SIZE else None,
    )
