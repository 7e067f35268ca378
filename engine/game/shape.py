"""The shape of the game, in numbers and words: what is known without a kernel."""

from __future__ import annotations

from typing import Final, Literal

CELLS = 9
SLOTS = 10
HAND_SIZE = 5
SEATS = 2
SIDES = 4
MILLION: Final = 1_000_000  # chances are drawn by, and written, in millionths

Value = Literal[-1, 0, 1]  # lost, drawn, won
Rounds = Literal["all", 1]  # of Sudden Death, that an answer looks at
RuleName = Literal["same", "plus", "basic", "combo"]  # by which a card is captured
RULE_NAMES: tuple[RuleName, ...] = ("same", "plus", "basic", "combo")  # by number of rule
