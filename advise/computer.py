"""The game's own computer player as an opponent: `ff8`.

It sees the viewer's hand under the rule Open, or with `sees_hand`; otherwise it plays against a
guess that it draws anew each turn. Its replies are then frequencies over a number of guesses,
seeded by the world, so that whoever compares moves compares them against the same guesses.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import ClassVar

import numpy as np
from numpy.random import Generator, Philox, SeedSequence

from advise.models import Model
from advise.opponent import Replies
from advise.table import TableTurn
from advise.view import View
from advise.world import World, state_in
from engine.game.board import HAND_SIZE
from engine.game.cards import Card, Catalogue, default_catalogue
from engine.game.facts import NO_CARD
from engine.game.moves import Move, unpack_move
from engine.kernel import Numbers, plain
from engine.players.computer import ComputerPlayer as Player
from engine.players.dealing import Dealing, deal_hand
from engine.players.decide import decide_many
from engine.players.layout import FOUND_LENGTH, MOVE, make_work
from engine.players.situation import Situation
from engine.players.stream import HIGHEST_STATE
from engine.players.tables import make_cards

USUAL_GUESSES = 32

_unpack_move = plain(unpack_move)


@dataclass(frozen=True, kw_only=True)
class ComputerPlayer(Player, Model):
    """The game's own player; without `levels` it plays the hand that it is dealt by others."""

    name: ClassVar[str] = "ff8"
    guesses: int = field(default=USUAL_GUESSES, compare=False)  # to estimate chances by
    seed: int = field(default=0, compare=False)  # of these guesses

    @property
    def is_deterministic(self) -> bool:
        """Tell whether its reply follows from what it sees, without chance."""
        has_guess = not self.sees_hand and self.search != 0
        return not has_guess and not self.has_noise

    def replies(self, world: World, view: View) -> Replies:
        """Return what it replies in a world, with probabilities; likely ones first."""
        situation = situation_in(world, view)
        if self.is_certain(situation):
            randoms = np.zeros((1, 1), dtype=np.int64)
        else:
            randoms = self._randoms(situation)
        if not self.sees(situation) and self.depth_with(situation.board.count(NO_CARD)) > 1:
            situation.check_dealt(default_catalogue())
        counts = Counter(self._moves(situation, randoms))
        return {move: count / counts.total() for move, count in counts.most_common()}

    def _moves(self, situation: Situation, randoms: Numbers) -> list[Move]:
        """Return the moves that it makes with these random numbers, [1, g]."""
        found = np.zeros((1, randoms.shape[1], FOUND_LENGTH), dtype=np.int64)
        asked = self.asked(situation)[np.newaxis]
        decide_many(make_cards(default_catalogue()), asked, randoms, make_work(), found)
        places = [_unpack_move(packed) for packed in found[0, :, MOVE].tolist()]
        return [Move(situation.own[slot], cell) for slot, cell in places]

    def _randoms(self, situation: Situation) -> Numbers:
        """Return random states for its guesses: the same in the same world, [1, g]."""
        seeds = SeedSequence([self.seed, *situation.own, *(situation.dealt or ())])
        drawn = Generator(Philox(seeds)).integers(HIGHEST_STATE + 1, size=(1, self.guesses))
        return drawn.astype(np.int64)

    def choose(self, turn: TableTurn) -> Move:
        """Return the move that it makes at a table, by one guess."""
        situation = situation_in(turn.world, turn.view)
        random = np.array([[int(turn.random.integers(HIGHEST_STATE + 1))]], dtype=np.int64)
        return self._moves(situation, random)[0]

    def draw_hand(
        self, catalogue: Catalogue, random: Generator, held: Sequence[Card]
    ) -> tuple[Card, ...] | None:
        """Return five cards as the game deals them; None when it is given no levels.

        A rare card that the other player holds is not there to be dealt.
        """
        if not self.levels:
            return None
        gone = {card.id for card in held}
        rares = [rare for rare in self.rares if rare not in gone]
        dealing = Dealing.of(self.levels, rares, self.rare_chance)
        hand, _ = deal_hand(dealing, int(random.integers(HIGHEST_STATE + 1)))
        return tuple(catalogue[card] for card in hand)

    def __str__(self) -> str:
        """Return it as text: `ff8:search=2,strategy=0,levels=1-3`."""
        parts = [f"search={self.search}", f"strategy={self.strategy}"]
        parts += ["sees_hand=true"] if self.sees_hand else []
        parts += [f"levels={_ranges(self.levels)}"] if self.levels else []
        parts += [f"rares={'.'.join(map(str, self.rares))}"] if self.rares else []
        parts += [f"rare_chance={self.rare_chance}"] if self.rare_chance else []
        return f"{self.name}:{','.join(parts)}"


def situation_in(world: World, view: View) -> Situation:
    """Return what the computer player has before it when it is its turn in a view.

    Where nobody says in which order it was dealt, its hand comes first, ascending, and then what
    it has played.
    """
    state = state_in(view, world)
    own = world.slots_left(view)
    dealt = world.dealt
    if dealt is None and view.played is not None:
        dealt = (*filter(None, own), *view.played)
    situation = Situation.of(
        state,
        own=[card and card.id for card in own],
        other=[*(card.id for card in view.hand), *[None] * (HAND_SIZE - len(view.hand))],
        dealt=None if dealt is None else [card.id for card in dealt],
    )
    return situation if not view.is_open else situation.opened()


def _ranges(levels: Sequence[int]) -> str:
    """Return ascending numbers with runs of them joined: 1-3.5."""
    runs: list[list[int]] = []
    for level in levels:
        if runs and runs[-1][-1] == level - 1:
            runs[-1].append(level)
        else:
            runs.append([level])
    return ".".join(f"{run[0]}-{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)
