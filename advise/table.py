"""At the table: what is there at a turn, for each to look at what it may see.

Dealer → seat: deal, each player's cards in slot order → TableTurn → a model's choice → ...
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from numpy.random import Generator

from advise.opponent import Opponent, Replies
from advise.view import View
from advise.world import World
from engine.game.board import CELLS
from engine.game.cards import Card, Catalogue
from engine.game.chances import chances_of, draw
from engine.game.deal import Deal, Player
from engine.game.dealing import Dealer, game_random
from engine.game.moves import Move
from engine.game.state import State

Slots = Mapping[Player, tuple[Card, ...]]  # the five cards each was dealt, in slot order

# Turns at which no move is made, so that their random numbers are free: one for each hand.
_HAND_TURNS = {player: CELLS + 1 + player for player in Player}


@dataclass(frozen=True)
class TableTurn:
    """A turn at the table. Who does not see both hands looks at `view` and `world` alone."""

    state: State
    slots: Slots
    seed: int
    number: int  # of the game
    history: tuple[Move, ...] = ()

    @property
    def mover(self) -> Player:
        """Return whose turn it is."""
        return self.state.to_move

    @cached_property
    def random(self) -> Generator:
        """Return the random numbers of this turn; they are made when they are needed."""
        return game_random(self.seed, self.number, self.state.ply)

    @cached_property
    def own_view(self) -> View:
        """Return what the mover sees."""
        return View.seen_by(self.state, self.mover)

    @cached_property
    def view(self) -> View:
        """Return what the other player sees, who may ask what the mover replies."""
        return View.seen_by(self.state, self.mover.opponent)

    @cached_property
    def world(self) -> World:
        """Return what that view hides: the mover's hand."""
        return World.true_in(self.state, self.view, self.slots[self.mover])


class TablePlayer(Opponent, Protocol):
    """An opponent who can take a seat: it chooses, and may say what it expects."""

    @property
    def needs_open(self) -> bool:
        """Tell whether it can play with the rule Open only."""

    def choose(self, turn: TableTurn) -> Move:
        """Return the move that it makes."""

    def forecast(self, turn: TableTurn) -> float | None:
        """Return the points it expects before its move; None when it has no idea."""

    def draw_hand(
        self, catalogue: Catalogue, random: Generator, held: Sequence[Card]
    ) -> tuple[Card, ...] | None:
        """Return five cards that it plays with, in slot order; None for those of the deal.

        `held` are the other player's cards.
        """


def drawn(replies: Replies, random: Generator) -> Move:
    """Return one of the replies by its probability, rounded to millionths."""
    moves = list(replies)
    if len(moves) == 1:
        return moves[0]
    return moves[draw(chances_of(list(replies.values())), float(random.random()))]


def seat(
    dealer: Dealer, number: int, deal: Deal, players: Mapping[Player, TablePlayer | None]
) -> tuple[Deal, Slots]:
    """Return the dealer's deal `number` for these players, and their cards in slot order.

    Some bring a hand of their own (None is a person, who does not); all else stays the same.
    """
    held = slots_of(deal)
    for player in Player:
        model = players[player]
        if model is not None:
            random = game_random(dealer.seed, number, _HAND_TURNS[player])
            own = model.draw_hand(dealer.catalogue, random, held[player.opponent])
            held[player] = own or held[player]
    if tuple(held.values()) == deal.hands:
        return deal, held
    hands = held[Player.A], held[Player.B]
    return Deal.of(*hands, rules=deal.rules, elements=deal.elements, first=deal.first), held


def slots_of(deal: Deal) -> dict[Player, tuple[Card, ...]]:
    """Return both hands in the order of their slots when nobody says otherwise: ascending."""
    return dict(zip(Player, deal.hands, strict=True))
