"""Rows of the computer player's vectors: as situations, and drawn at random."""

from __future__ import annotations

from random import Random
from typing import Any

from engine.game.cards import ELEMENT_BY_LETTER, Catalogue
from engine.game.deal import NO_ELEMENTS, Player
from engine.game.rules import Rules, Variant
from engine.game.state import Placed, State
from engine.players.computer import ComputerPlayer, Decision
from engine.players.situation import Situation

Row = dict[str, Any]

OWNERS = {"computer": Player.A, "human": Player.B}
SWITCHES = ("elemental", "same", "plus", "same_wall", "open")


def state_of(row: Row, catalogue: Catalogue) -> State:
    """Return the state of a row; the computer player is A."""
    board = [there and Placed(catalogue[there[0]], OWNERS[there[1]]) for there in row["board"]]
    hands = [
        [catalogue[card] for card in row[hand] if card] for hand in ("computer_hand", "human_hand")
    ]
    rules = Rules(variant=Variant.FF8, **{name: row["rules"][name] for name in SWITCHES})
    elements = tuple(ELEMENT_BY_LETTER.get(letter) for letter in row["elements"])
    return State.of(
        board, hands, Player.A, rules=rules, elements=elements if any(elements) else NO_ELEMENTS
    )


def situation_of(row: Row, catalogue: Catalogue) -> Situation:
    """Return what the computer player of a row has before it."""
    return Situation.of(
        state_of(row, catalogue),
        own=row["computer_hand"],
        other=row["human_hand"],
        dealt=row["computer_dealt"],
    )


def decide(row: Row, catalogue: Catalogue) -> Decision:
    """Return what the kernels decide in a row."""
    player = ComputerPlayer(search=row["search"], strategy=row["strategy"])
    return player.decide(situation_of(row, catalogue), row["rng"], catalogue)


def as_row(decision: Decision) -> Row:
    """Return a decision as the fields of a vector."""
    return {
        "depth": decision.depth,
        "guess": None if decision.guess is None else list(decision.guess),
        "move": {"slot": decision.slot, **decision.move._asdict()},
        "weighted": decision.weighted,
        "raw": decision.raw,
        "placements": decision.placements,
        "rng_after": decision.rng,
        "root": [list(score) for score in decision.root],
    }


def draw_row(random: Random, search: int, empty: int) -> Row:
    """Return a random row. Owners are free, and cards of few levels meet and tie often."""
    ply = 9 - empty
    highest = random.choice([11, 22, 77])
    own, other = random.sample(range(1, highest + 1), 5), random.sample(range(1, highest + 1), 5)
    if random.random() < 0.3:
        own[0] = random.randint(78, 110)  # its guess goes by such levels, too
    played = own[: ply // 2] + other[: (ply + 1) // 2]
    cells = random.sample(range(9), ply)
    board: list[Any] = [None] * 9
    for card, cell in zip(played, cells, strict=True):
        board[cell] = [card, random.choice(list(OWNERS))]
    blanks = [None] * 5
    hands = blanks[: ply // 2] + own[ply // 2 :], blanks[: (ply + 1) // 2] + other[(ply + 1) // 2 :]
    for hand in hands:
        random.shuffle(hand)  # which slots are empty must not matter
    letters = [None, None, *random.sample(sorted(ELEMENT_BY_LETTER), 2)]
    return {
        "rules": {name: random.random() < 0.6 for name in SWITCHES},
        "elements": [random.choice(letters) for _ in range(9)],
        "board": board,
        "computer_hand": hands[0],
        "human_hand": hands[1],
        "computer_dealt": own,
        "search": search,
        "strategy": random.randrange(8),
        "rng": random.randrange(2**32),
    }
