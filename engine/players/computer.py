"""The computer player of the game, as Python meets it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from engine.errors import OpponentError, Problem
from engine.game.board import HAND_SIZE
from engine.game.cards import Catalogue, default_catalogue
from engine.game.facts import NO_CARD
from engine.game.moves import Move, unpack_move
from engine.kernel import plain
from engine.players.dealing import Dealing, check_random, deal_hand
from engine.players.decide import decide
from engine.players.layout import (
    DEPTH,
    FOUND,
    GUESS,
    MOVES,
    PLACEMENTS,
    RANDOM,
    RAW,
    ROOT,
    ROOT_LENGTH,
    SEARCH,
    STRATEGY,
    WEIGHTED,
    Asked,
    make_work,
)
from engine.players.situation import Situation
from engine.players.tables import (
    DEPTHS,
    NOISE,
    ROWS,
    SEES_HAND,
    STRATEGIES,
    WEIGHTS,
    make_cards,
)

_unpack_move = plain(unpack_move)
_LIKE_THE_FIRST = (1, 6, 7)  # of 1 all scores are half as high, as no card's power is enough


class RootScore(NamedTuple):
    """What the player takes one of its moves for."""

    slot: int
    cell: int
    weighted: int
    raw: int


class Decision(NamedTuple):
    """A move of the computer player, and all it went by."""

    move: Move
    slot: int
    depth: int  # plies it looked ahead
    raw: int
    weighted: int
    guess: tuple[int, ...] | None  # the other's five cards; None when it saw them
    placements: int  # cards it put down while thinking
    rng: int  # the state of the random numbers afterwards
    root: tuple[RootScore, ...]  # every move, as it was tried


@dataclass(frozen=True, kw_only=True)
class ComputerPlayer:
    """The game's own player. `search` from 16 to 23 is the row 16 below, with `sees_hand`."""

    search: int = 0  # row of depths
    strategy: int = 0  # row of weights
    sees_hand: bool | None = None  # even when the rule Open is off; None: as `search` says
    levels: tuple[int, ...] = ()  # it is dealt from; none means level 1
    rares: tuple[int, ...] = ()
    rare_chance: int = 0
    dealing: Dealing = field(init=False, compare=False, repr=False)

    def __post_init__(self) -> None:
        """Check the parameters, and write each in one way."""
        problems = [*_search_problems(self.search, self.sees_hand)]
        if type(self.strategy) is not int or not 0 <= self.strategy < STRATEGIES:
            allowed = f"a whole number from 0 to {STRATEGIES - 1}"
            problems.append(Problem("strategy", self.strategy, allowed))
        try:
            dealing = Dealing.of(self.levels, self.rares, self.rare_chance)
        except OpponentError as error:
            problems += error.problems
        if problems:
            raise OpponentError(problems)
        plain_form = {
            "sees_hand": bool(self.sees_hand or self.search & SEES_HAND),
            "search": self.search % ROWS,
            "levels": dealing.levels if self.levels else (),
            "rares": dealing.rares,
            "dealing": dealing,
        }
        for name, value in plain_form.items():
            object.__setattr__(self, name, value)

    @property
    def has_noise(self) -> bool:
        """Tell whether chance decides between moves that it scores."""
        return bool(WEIGHTS[self.strategy, NOISE])

    def depth_with(self, empty: int) -> int:
        """Return how many plies it looks ahead with so many empty cells."""
        return int(DEPTHS[self.search, empty])

    @property
    def plain_strategy(self) -> int:
        """Return the first strategy that plays like this one."""
        return 0 if self.strategy in _LIKE_THE_FIRST else self.strategy

    def sees(self, situation: Situation) -> bool:
        """Tell whether it sees the other's hand."""
        return bool(self.sees_hand or situation.rules.open)

    def is_certain(self, situation: Situation) -> bool:
        """Tell whether its move follows from the situation, whatever it may guess."""
        depth = self.depth_with(situation.board.count(NO_CARD))
        return (self.sees(situation) or depth == 1) and not self.has_noise

    def asked(self, situation: Situation) -> Asked:
        """Return a situation and how it plays there, as `decide_many` takes them."""
        asked = situation.asked()
        asked[SEARCH] = self.search | SEES_HAND * self.sees(situation)
        asked[STRATEGY] = self.strategy
        return asked

    def decide(
        self, situation: Situation, rng: int, catalogue: Catalogue | None = None
    ) -> Decision:
        """Return the move it makes, with random numbers from the state `rng` on.

        Raise `OpponentError` when it has to guess and its dealt cards are not known.
        """
        check_random(rng)
        catalogue = catalogue or default_catalogue()
        has_seen = self.sees(situation)
        if not has_seen:
            situation.check_dealt(catalogue)
        work = make_work()
        move = decide(make_cards(catalogue), self.asked(situation), rng, work)
        slot, cell = _unpack_move(int(move))
        found = work[FOUND:].tolist()
        rows = work[ROOT : ROOT + ROOT_LENGTH * found[MOVES]].reshape(-1, ROOT_LENGTH).tolist()
        return Decision(
            Move(situation.own[slot], cell),
            slot,
            found[DEPTH],
            found[RAW],
            found[WEIGHTED],
            None if has_seen else tuple(found[GUESS : GUESS + HAND_SIZE]),
            found[PLACEMENTS],
            found[RANDOM],
            tuple([RootScore(*row) for row in rows]),
        )

    def deal_hand(self, rng: int) -> tuple[tuple[int, ...], int]:
        """Return five card ids in dealt order, and the state of the random numbers afterwards."""
        return deal_hand(self.dealing, rng)


def _search_problems(search: int, sees_hand: bool | None) -> list[Problem]:
    """Return what is wrong with the row of depths, and with what is seen."""
    allowed = f"a whole number from 0 to {ROWS - 1}; with {SEES_HAND} added it sees the hand"
    if type(search) is not int or not 0 <= search & ~SEES_HAND < ROWS:
        return [Problem("search", search, allowed)]
    if sees_hand is not None and type(sees_hand) is not bool:
        return [Problem("sees_hand", sees_hand, "true or false")]
    if search & SEES_HAND and sees_hand is False:
        return [Problem("sees_hand", False, f"true with search {search}, which says so")]
    return []
