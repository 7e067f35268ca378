"""Scores that worlds share lead to the moves that the computer player makes in each of them."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from engine.game.cards import Catalogue
from engine.game.rules import Rules, Variant
from engine.kernel import Numbers
from engine.players.computer import ComputerPlayer
from engine.players.decide import decide_many
from engine.players.layout import ASKED_LENGTH, FOUND_LENGTH, MOVE, make_work
from engine.players.replies import Hidden, Made, count_hits, make_memory, reply_all
from engine.players.situation import Situation
from engine.players.tables import make_cards
from tests.conftest import IS_JIT_OFF

WORLDS, GUESSES = (2, 2) if IS_JIT_OFF else (20, 8)
SEARCHES = [0, 1, 2, 3, 16, 17, 18]
ALL_RULES = Rules(True, True, True, True, Variant.FF8)
BOARDS = 3 if IS_JIT_OFF else 12


def draw_board(draw: Random, ply: int) -> tuple[tuple[int, ...], int]:
    """Return cards on a board, and which cells the player owns."""
    board, owned = [0] * 9, 0
    for cell in draw.sample(range(9), ply):
        board[cell] = draw.randrange(1, 78)
        owned |= draw.randrange(2) << cell
    return tuple(board), owned


def draw_hands(draw: Random, left: int) -> tuple[Numbers, Numbers]:
    """Return dealt hands, and what is left of them by slot."""
    dealt = np.array([draw.sample(range(1, 34), 5) for _ in range(WORLDS)])
    slots = dealt.copy()
    for row in slots:
        row[draw.sample(range(5), 5 - left)] = 0
    return dealt, slots


@pytest.mark.parametrize("strategy", range(6))
@pytest.mark.parametrize("search", SEARCHES)
def test_moves_are_those_of_each_world_alone(
    catalogue: Catalogue, search: int, strategy: int
) -> None:
    draw, cards = Random(f"{search} {strategy}"), make_cards(catalogue)
    player = ComputerPlayer(search=search, strategy=strategy)
    for number in range(BOARDS):
        ply = draw.randrange(5 if IS_JIT_OFF else 3, 9)
        rules = ALL_RULES if number % 2 else Rules(variant=Variant.FF8)
        board, owned = draw_board(draw, ply)
        dealt, slots = draw_hands(draw, max((10 - ply) // 2, 1))
        other = (*[draw.randrange(1, 78) for _ in range((10 - ply) // 2)], 0, 0, 0, 0, 0)[:5]
        asked = np.array(
            [
                player.asked(
                    Situation(board, owned, tuple(own), other, tuple(hand), rules, (None,) * 9)
                )
                for own, hand in zip(slots.tolist(), dealt.tolist(), strict=True)
            ]
        )
        randoms = np.array([[draw.randrange(1 << 32) for _ in range(GUESSES)] for _ in dealt])
        found = np.zeros((WORLDS, GUESSES, FOUND_LENGTH), dtype=np.int64)
        decide_many(cards, asked, randoms, make_work(), found)
        nothing = np.zeros((1, 0), dtype=np.int64)
        hidden = Hidden(
            slots, dealt, randoms, asked[:1], nothing, np.zeros(WORLDS, np.int64), np.arange(WORLDS)
        )
        whole = np.zeros((3, WORLDS * GUESSES), dtype=np.int64)
        made = Made(whole[0], whole[1], whole[2], np.zeros(WORLDS * GUESSES))
        memory = make_memory(cards, ASKED_LENGTH, GUESSES)
        count = reply_all(memory, hidden, made)
        chances: list[dict[tuple[int, int], float]] = [{} for _ in range(WORLDS)]
        for row in range(count):
            place = int(made.card[row]), int(made.cell[row])
            chances[int(made.particle[row])][place] = float(made.chance[row])
        expected: list[dict[tuple[int, int], float]] = [{} for _ in range(WORLDS)]
        for world in range(WORLDS):
            for move in found[world, :, MOVE].tolist():
                place = int(slots[world, move // 9]), move % 9
                expected[world][place] = expected[world].get(place, 0.0) + 1 / GUESSES
        assert [sorted(each) for each in chances] == [sorted(each) for each in expected]
        assert all(
            each[place] == pytest.approx(other_each[place])
            for each, other_each in zip(chances, expected, strict=True)
            for place in each
        )
        card, cell = next(iter(expected[0]))
        hits, tries = np.zeros(WORLDS, np.int64), np.zeros(WORLDS, np.int64)
        count_hits(memory, hidden, card, cell, hits, tries)
        shares = [each.get((card, cell), 0.0) for each in expected]
        assert (hits / tries).tolist() == pytest.approx(shares)
