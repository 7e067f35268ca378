"""Rules: four switches, whose reading of them is in force, and what is around a round.

Sudden Death says what follows a drawn round, and Open who sees which hand. Neither changes
what a placement captures.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum
from typing import NamedTuple

from engine.errors import RulesError


class Variant(StrEnum):
    """Two readings of the rules; they differ on one random placement in twenty."""

    TRIPLECARGO = "triplecargo"  # as Triplecargo's documents write them
    FF8 = "ff8"  # as the game's own program plays

    @property
    def counts_hands(self) -> bool:
        """Tell whether the unplayed card counts in the score, for its holder."""
        return self is Variant.FF8


VARIANT_BY_NAME = {variant.value: variant for variant in Variant}


class Rules(NamedTuple):
    """The rules in force. `same_wall` without `same` does nothing."""

    elemental: bool = False
    same: bool = False
    plus: bool = False
    same_wall: bool = False
    variant: Variant = Variant.TRIPLECARGO
    sudden_death: bool = False  # a drawn round is followed by another
    open: bool = False  # both hands are seen; concerns advice and the computer player only

    @classmethod
    def of(cls, switches: Iterable[str], variant: Variant = Variant.TRIPLECARGO) -> Rules:
        """Return the rules with the named switches on."""
        names = list(switches)
        for name in names:
            if name not in NAMED_RULES:
                raise RulesError.of("rules", name, f"none, or some of {', '.join(NAMED_RULES)}")
        return cls(variant=variant, **dict.fromkeys(names, True))

    @property
    def switches(self) -> tuple[bool, bool, bool, bool]:
        """Return the four switches in their fixed order."""
        return self.elemental, self.same, self.plus, self.same_wall

    def __str__(self) -> str:
        """Return the rules as the command line takes them: "elemental,same"."""
        names = [name for name in NAMED_RULES if getattr(self, name)]
        return ",".join(names) or "none"

    def check_rounds(self) -> None:
        """Raise `RulesError` when Sudden Death is on and a draw has no value that can be found."""
        if not self.sudden_death:
            return
        if not self.variant.counts_hands:
            allowed = f"false under {self.variant}, where no round is drawn"
        elif self.elemental:
            allowed = "false with elemental on, where every round draws its elements anew"
        else:
            return
        raise RulesError.of("rules.sudden_death", True, allowed)


SWITCHES = ("elemental", "same", "plus", "same_wall")  # that change what a placement captures
NAMED_RULES = (*SWITCHES, "sudden_death")  # that a command takes
RULE_SWITCHES = (*NAMED_RULES, "open")  # that a document may have
