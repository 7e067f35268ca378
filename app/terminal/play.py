"""A game in the terminal: show the board, ask or choose, tell every capture."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from advise.models import Perfect
from advise.table import Slots, TablePlayer, TableTurn, next_slots, slots_of
from app.terminal.judge import Judge, Ranked, mover_score, round_of, worth_text
from app.terminal.review import Turn, review
from engine.errors import InputError, MoveError
from engine.game.board import CELLS
from engine.game.cards import Catalogue
from engine.game.deal import Player
from engine.game.moves import Move
from engine.game.splits import next_round
from engine.game.state import Capture, State
from engine.text.notation import format_state
from engine.text.picture import draw_state

HELP = (
    "CARD CELL places a card (by id or name: 34 0, Squall 4); "
    "hint: every move with its worth; help; quit"
)
NO_HINTS = "there are no hints while hands are hidden: they would tell the other hand"

MOST_ROUNDS = 100  # of one game; people end it sooner

CELL_NAMES = [str(cell) for cell in range(CELLS)]

Say = Callable[[str], None]
Ask = Callable[[str], str]


class GivenUpError(Exception):
    """The person at the table left."""


@dataclass(frozen=True)
class TerminalGame:
    """Where a game is played: the cards, who plays, and how a person is spoken with."""

    catalogue: Catalogue
    players: Mapping[Player, TablePlayer | None]  # None: a person
    say: Say
    ask: Ask
    judge: Judge
    has_hints: bool = False
    seed: int = 0
    number: int = 0
    slots: Slots | None = None  # cards in the order they were dealt; ascending when left out

    def play(self, state: State) -> list[Turn]:
        """Play from `state` to the end and return the turns; after a draw, by what its rules say.

        Players that hold a draw for ever are parted after many rounds.
        """
        turns: list[Turn] = []
        slots = self.slots or slots_of(state.deal)
        for number in range(1, MOST_ROUNDS + 1):
            state = self._play_round(state, slots, turns, number)
            if state.margin or not state.rules.sudden_death:
                return turns
            if number < MOST_ROUNDS:
                slots = next_slots(slots, state)
                state = next_round(state)
                self.say(
                    f"round {number + 1}: each takes the cards of its colour, "
                    f"{state.to_move.name} starts"
                )
        self.say(f"still drawn after {MOST_ROUNDS} rounds: nobody wins")
        return turns

    def _play_round(self, state: State, slots: Slots, turns: list[Turn], number: int) -> State:
        """Play round `number` until the board is full; add its turns, return how it ended."""
        first = len(turns)
        if state.rules.sudden_death:
            self.say(
                "worths are of all rounds: there is a table of these cards"
                if self.judge.known(state)
                else "worths are of this round only: there is no table of these cards"
            )
        while not state.is_over:
            self.say(draw_state(state, self._face_down(state)))
            history = tuple(turn.move for turn in turns[first:])
            turn = TableTurn(state, slots, self.seed, self.number, history, number)
            move = self._choose(turn)
            self.say(self._told(state, move, state.captures(move)))
            turns.append(Turn(state, move))
            state = state.play(move)
        self.say(draw_state(state))
        self.say(result_text(state))
        self.say(f"notation: {format_state(state)}")
        return state

    def say_review(self, turns: list[Turn]) -> None:
        """Say of every turn what it was worth and gave away."""
        for reviewed in review(turns, self.judge):
            state, move = reviewed.turn
            worth = worth_text(reviewed.before, reviewed.round, by_rounds=state.rules.sudden_death)
            line = f"{state.ply + 1}. {state.to_move.name} {self._named(move):<24} {worth:<8} "
            if reviewed.given_away:
                line += f"gave away {reviewed.given_away}; best: {self._named(reviewed.best_move)}"
            else:
                line += "best"
            self.say(line)

    def _face_down(self, state: State) -> list[Player]:
        """Return whose hands are hidden: those of who is not asked, and is not to move."""
        if state.rules.open:
            return []
        people = [player for player in Player if self.players[player] is None]
        shown = people[0] if len(people) == 1 else state.to_move
        return [shown.opponent]

    def _choose(self, turn: TableTurn) -> Move:
        state = turn.state
        player = self.players[state.to_move]
        if player is None:
            return self._asked(state)
        if state.rules.sudden_death and isinstance(player, Perfect):
            best = self.judge.solve(state).best_move  # the one who looks beyond this round
            assert best is not None, "a finished game has no mover"
            return best
        return player.choose(turn)

    def _asked(self, state: State) -> Move:
        """Ask until the answer is a legal move."""
        if self.has_hints:
            self._say_hints(state)
        while True:
            answer = self.ask(f"{state.to_move.name}> ").strip()
            if answer == "quit":
                raise GivenUpError
            if answer in ("", "help", "?"):
                self.say(HELP)
            elif answer == "hint":
                self._say_hints(state)
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
        if not card or cell not in CELL_NAMES:
            raise MoveError.of("move", answer, HELP)
        return Move(self.catalogue.find(card).id, int(cell))

    def _say_hints(self, state: State) -> None:
        if not state.rules.open:
            self.say(NO_HINTS)
            return
        self.say("\n".join(self._described(state, entry) for entry in self.judge.rank(state)))

    def _described(self, state: State, entry: Ranked) -> str:
        cells = ", ".join(str(capture.cell) for capture in state.captures(entry.move))
        score = mover_score(state, entry, state.to_move)
        worth = worth_text(score, round_of(entry), by_rounds=state.rules.sudden_death)
        return f"  {worth:<8} {self._named(entry.move):<24} captures {cells or 'nothing'}"

    def _named(self, move: Move) -> str:
        return f"{self.catalogue[move.card_id].name} ({move.card_id}) on {move.cell}"

    def _told(self, state: State, move: Move, captures: tuple[Capture, ...]) -> str:
        lines = [f"{state.to_move.name} places {self._named(move)}"]
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
