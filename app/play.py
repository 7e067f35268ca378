"""A game in the terminal: show the board, ask or choose, tell every capture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from numpy.random import Generator

from app.players import CHOOSERS, PlayerKind
from engine.cards import Catalogue
from engine.deal import Player
from engine.dealing import game_random
from engine.errors import InputError, MoveError
from engine.notation import format_state
from engine.picture import draw_state
from engine.state import Capture, Move, State

HELP = "CARD CELL places a card (by id or name: 34 0, Squall 4); moves, help, quit"

Say = Callable[[str], None]
Ask = Callable[[str], str]


class GivenUpError(Exception):
    """The person at the table left."""


@dataclass(frozen=True)
class Table:
    """Where a game is played: the cards, who plays, and how a person is spoken with."""

    catalogue: Catalogue
    players: Mapping[Player, PlayerKind]
    say: Say
    ask: Ask
    seed: int = 0
    number: int = 0

    def play(self, state: State) -> State:
        """Play from `state` to the end and return the final state."""
        while not state.is_over:
            self.say(draw_state(state))
            random = game_random(self.seed, self.number, state.ply)
            move = self._choose(state, random)
            captures = state.captures(move)
            self.say(self._told(state, move, captures))
            state = state.play(move)
        self.say(draw_state(state))
        self.say(result_text(state))
        self.say(f"notation: {format_state(state)}")
        return state

    def _choose(self, state: State, random: Generator) -> Move:
        kind = self.players[state.to_move]
        return CHOOSERS[kind](state, random) if kind in CHOOSERS else self._asked(state)

    def _asked(self, state: State) -> Move:
        """Ask until the answer is a legal move."""
        while True:
            answer = self.ask(f"{state.to_move.name}> ").strip()
            if answer == "quit":
                raise GivenUpError
            if answer in ("", "help", "?"):
                self.say(HELP)
            elif answer == "moves":
                self.say("\n".join(self._described(state, move) for move in state.legal_moves()))
            else:
                try:
                    move = self._parsed(answer)
                    state.captures(move)
                except InputError as error:
                    self.say(f"{error}")
                else:
                    return move

    def _parsed(self, answer: str) -> Move:
        card, _, cell = answer.rpartition(" ")
        if not card or not (cell.isascii() and cell.isdigit()):
            raise MoveError.of("move", answer, HELP)
        return Move(self.catalogue.find(card).id, int(cell))

    def _described(self, state: State, move: Move) -> str:
        cells = ", ".join(str(capture.cell) for capture in state.captures(move))
        name = self.catalogue[move.card_id].name
        return f"  {move.card_id:>3} {move.cell}  {name:<16} captures {cells or 'nothing'}"

    def _told(self, state: State, move: Move, captures: tuple[Capture, ...]) -> str:
        name = self.catalogue[move.card_id].name
        lines = [f"{state.to_move.name} places {name} ({move.card_id}) on {move.cell}"]
        for capture in captures:
            taken = self.catalogue[capture.card_id].name
            lines.append(
                f"  {capture.rule}: {taken} on {capture.cell}, by the card on {capture.by_cell}"
            )
        return "\n".join(lines)


def result_text(state: State) -> str:
    """Return who won a finished game, and how high."""
    score_a, score_b = state.score
    if state.margin == 0:
        return f"draw, {score_a} : {score_b}"
    winner = Player.A if state.margin > 0 else Player.B
    return f"{winner.name} wins, {max(score_a, score_b)} : {min(score_a, score_b)}"
