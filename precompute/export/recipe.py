"""What an export holds: everything its content depends on, and nothing else.

Threads, chunks, tables and formats are not part of it: they change no row.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any, NamedTuple

from engine.errors import InputError
from engine.game.deal import Elements
from engine.game.dealing import Dealer, ElementSource
from engine.game.rules import Rules
from engine.game.state import State
from engine.tablebase.retrograde import LAST_PLY
from engine.text.notation import format_state


class Mode(Enum):
    """Which states are exported."""

    TRAJECTORY = "trajectory"  # those of sampled games
    FULL = "full"  # all below a root, depth first, labelled by search
    GRAPH = "graph"  # all below a root, ply by ply, labelled by the retrograde solve


class PolicyFormat(Enum):
    """How good moves are told."""

    ONEHOT = "onehot"  # the first best move
    MCTS = "mcts"  # how often a tree search chose each move
    SOFT = "soft"  # softmax of the exact scores of all moves


class ValueMode(Enum):
    """How a state's worth is told."""

    WINLOSS = "winloss"  # -1, 0, 1 for the side to move
    MARGIN = "margin"  # A's cards less B's


class OffLine(Enum):
    """How a game off the best line goes on."""

    RANDOM = "random"  # any other move
    WEIGHTED = "weighted"  # softmax of the exact scores
    MCTS = "mcts"  # as a tree search would choose


class Play(Enum):
    """How a game goes on."""

    PV = "pv"  # the best move
    MCTS = "mcts"  # drawn as the tree search chose; the best move where there was none
    HEURISTIC = "heuristic"  # drawn by features of the moves
    MIX = "mix"  # one of these at each ply


class Weights(NamedTuple):
    """What each feature of a move counts for the heuristic."""

    corner: float = 1.0
    edge: float = 0.3
    center: float = -0.2
    greedy: float = 0.8
    defense: float = 0.6
    element: float = 0.6


class Mix(NamedTuple):
    """Shares of the heuristic, at the first ply and at the last, and of the tree search."""

    heuristic_early: float = 0.65
    heuristic_late: float = 0.10
    mcts: float = 0.25

    def heuristic(self, ply: int) -> float:
        """Return the share of the heuristic at a ply."""
        way = ply / LAST_PLY
        return self.heuristic_early + (self.heuristic_late - self.heuristic_early) * way


@dataclass(frozen=True)
class Labels:
    """How states are labelled."""

    policy: PolicyFormat = PolicyFormat.ONEHOT
    soft_temperature: float = 1.0
    mcts_rollouts: int = 100
    value: ValueMode = ValueMode.WINLOSS


@dataclass(frozen=True)
class Stepping:
    """How the games of an export go on."""

    play: Play = Play.MIX
    mix: Mix = Mix()
    weights: Weights = Weights()
    off_rate: float = 0.0
    off_strategy: OffLine = OffLine.RANDOM

    def check(self, policy: PolicyFormat) -> None:
        """Raise `InputError` when the shares of a mixture are more than the whole."""
        share = max(self.mix.heuristic_early, self.mix.heuristic_late) + self.mix.mcts
        if self.play is Play.MIX and policy is PolicyFormat.MCTS and share > 1:
            raise InputError.of(
                "--mix-mcts", self.mix.mcts, "a share that is at most 1 with the heuristic's"
            )


@dataclass(frozen=True)
class Recipe:
    """All that an export's rows depend on."""

    mode: Mode
    dealer: Dealer
    labels: Labels = Labels()
    stepping: Stepping = Stepping()  # of games
    games: int = 1
    root: State | None = None  # of everything below it
    deepest: int = LAST_PLY
    max_rows: int | None = None
    has_terminal: bool = False

    @property
    def rules(self) -> Rules:
        """Return the rules that are in force in all rows."""
        return self.root.rules if self.root else self.dealer.rules

    def flags(self) -> dict[str, Any]:
        """Return the options that give these rows, for a manifest."""
        labels = self.labels
        common = {
            "mode": self.mode.value,
            "rules": str(self.rules),
            "variant": self.rules.variant,
            "policy_format": labels.policy.value,
            "soft_temperature": labels.soft_temperature,
            "mcts_rollouts": labels.mcts_rollouts,
            "value_mode": labels.value.value,
            "include_terminal": self.has_terminal,
        }
        return common | (self._flags_of_root(self.root) if self.root else self._flags_of_games())

    def _flags_of_root(self, root: State) -> dict[str, Any]:
        plies = min(self.deepest, LAST_PLY)
        return {"state": format_state(root), "plies": plies, "max_rows": self.max_rows}

    def _flags_of_games(self) -> dict[str, Any]:
        dealer, stepping = self.dealer, self.stepping
        return {
            "games": self.games,
            "hand_strategy": dealer.strategy.value,
            "elements": _elements(dealer.elements),
            "first": "random" if dealer.first is None else dealer.first.name,
            "play_strategy": stepping.play.value,
            **{f"mix_{name}": share for name, share in stepping.mix._asdict().items()},
            "off_pv_rate": stepping.off_rate,
            "off_pv_strategy": stepping.off_strategy.value,
            **{f"heur_w_{name}": weight for name, weight in stepping.weights._asdict().items()},
        }


def _elements(source: ElementSource | Elements) -> str:
    if isinstance(source, ElementSource):
        return source.value
    return ",".join(element if element else "-" for element in source)
