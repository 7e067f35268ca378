"""How a hand is drawn: a name, apart from the drawing, which needs numpy (`dealing.py`)."""

from __future__ import annotations

from enum import Enum


class Strategy(Enum):
    """How a hand is drawn."""

    RANDOM = "random"  # five different cards, uniform
    STRATIFIED = "stratified"  # one card of each pair of levels 1-2, 3-4, ..., 9-10
