"""Rules: four switches and whose reading of them is in force."""

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

    @classmethod
    def of(cls, switches: Iterable[str], variant: Variant = Variant.TRIPLECARGO) -> Rules:
        """Return the rules with the named switches on."""
        names = list(switches)
        for name in names:
            if name not in SWITCHES:
                raise RulesError.of("rules", name, f"none, or some of {', '.join(SWITCHES)}")
        return cls(variant=variant, **dict.fromkeys(names, True))

    @property
    def switches(self) -> tuple[bool, bool, bool, bool]:
        """Return the four switches in their fixed order."""
        return self.elemental, self.same, self.plus, self.same_wall

    def __str__(self) -> str:
        """Return the rules as the command line takes them: "elemental,same"."""
        names = [name for name, on in zip(SWITCHES, self.switches, strict=True) if on]
        return ",".join(names) or "none"


SWITCHES = tuple(name for name in Rules._fields if name != "variant")
