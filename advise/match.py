"""A match: two players, many deals, each deal played twice with sides swapped.

Deal i draws from SeedSequence([seed, i]), the turns of both its games from
SeedSequence([seed, i, turn]). So a game is a function of its deal's number and of who sits where,
and naming the players the other way round gives the same games.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from advise.models import any_move
from advise.solvers import points_of
from advise.table import TablePlayer, TableTurn, seat
from engine.errors import OpponentError
from engine.game.board import CELLS
from engine.game.deal import Deal, Player
from engine.game.dealing import Dealer
from engine.game.moves import Move
from engine.game.score import score_for, sign_of
from engine.game.state import State

GAMES_PER_DEAL = 2


class Forecast(NamedTuple):
    """What a player expected of a game, and what it got."""

    is_first: bool  # whether it is the player named first
    expected: float
    points: float


class Game(NamedTuple):
    """A finished game, seen from the player named first."""

    points: float  # 1, ½, 0
    score: int  # its cards less the other's
    moves: tuple[Move, ...]
    forecasts: tuple[Forecast, ...]


class Pair(NamedTuple):
    """Both games of a deal."""

    games: tuple[Game, Game]

    @property
    def points(self) -> float:
        """Return the mean points of the player named first."""
        return (self.games[0].points + self.games[1].points) / GAMES_PER_DEAL


@dataclass(frozen=True)
class Match:
    """Who plays, with which deals, and how."""

    dealer: Dealer
    first: TablePlayer
    second: TablePlayer
    from_ply: int = 0  # random play before it
    forecast_ply: int | None = None  # from which on forecasts are noted, each player's first one

    def __post_init__(self) -> None:
        """Check that both can play so."""
        for name, player in (("a", self.first), ("b", self.second)):
            check_seat(name, player, is_open=self.dealer.rules.open)

    def play(self, number: int) -> Pair:
        """Play both games of a deal: the player named first is A, then B."""
        deal = self.dealer.deal(number)
        return Pair((self._game(number, deal, Player.A), self._game(number, deal, Player.B)))

    def _game(self, number: int, deal: Deal, side: Player) -> Game:
        """Play a deal with the player named first on one side."""
        players = {side: self.first, side.opponent: self.second}
        deal, slots = seat(self.dealer, number, deal, players)
        state = State.start(deal)
        history: tuple[Move, ...] = ()
        expected: dict[Player, float] = {}
        while not state.is_over:
            turn = TableTurn(state, slots, self.dealer.seed, number, history)
            self._ask(players, turn, expected)
            move = self._move(players[state.to_move], turn)
            state, history = state.play(move), (*history, move)
        return _finished(state, side, expected, history)

    def _ask(
        self,
        players: Mapping[Player, TablePlayer],
        turn: TableTurn,
        expected: dict[Player, float],
    ) -> None:
        """Note the mover's forecast, when it is time and it has given none yet."""
        ply, mover = turn.state.ply, turn.mover
        if self.forecast_ply is None or ply < self.forecast_ply or mover in expected:
            return
        forecast = players[mover].forecast(turn)
        if forecast is not None:
            expected[mover] = forecast

    def _move(self, player: TablePlayer, turn: TableTurn) -> Move:
        if turn.state.ply < self.from_ply:
            return any_move(turn.state, turn.random)
        return player.choose(turn)


def check_seat(name: str, player: TablePlayer, *, is_open: bool) -> None:
    """Raise `OpponentError` for a player that cannot play with hidden hands, if they are."""
    if player.needs_open and not is_open:
        allowed = (
            f"players that need not see the other hand, as hands are hidden; {player.name} does"
        )
        raise OpponentError.of(name, str(player), allowed)


def _finished(
    state: State, side: Player, expected: Mapping[Player, float], history: tuple[Move, ...]
) -> Game:
    """Return a finished game as the player on `side` sees it."""
    points = {player: points_of(sign_of(score_for(player, state.margin))) for player in Player}
    forecasts = tuple(
        Forecast(player is side, expected[player], points[player]) for player in sorted(expected)
    )
    return Game(points[side], score_for(side, state.margin), history, forecasts)


def check_plies(from_ply: int, forecast_ply: int | None) -> None:
    """Raise `OpponentError` for plies at which no move is made."""
    for name, ply in (("from_ply", from_ply), ("forecast_ply", forecast_ply)):
        if ply is not None and not 0 <= ply < CELLS:
            raise OpponentError.of(name, ply, f"0 to {CELLS - 1}")
