"""Make tables of Sudden Death: the task of a job, here and on a cluster, and how rounds follow.

A round looks at all splits that are not decided, each by itself, with what the rounds before it
have decided; so they are worked out in any order, and their results do not depend on who does it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

from engine.errors import DealError, NotationError
from engine.game.board import SLOTS
from engine.game.cards import Card, Catalogue
from engine.game.rules import Rules
from engine.game.shape import Value
from engine.game.splits import SPLITS, opening_of
from engine.game.state import State
from engine.search.sudden_death import RoundSolver, next_decisions, undecided
from engine.search.workspace import Query
from engine.text.notation import parse_cards
from precompute.roots import SolvedRoot, catalogue_at
from store.records import Kind, PlannedRoot
from store.rounds import Progress, planned_table, progress_key, stored_table, table_of
from store.writer import Writer
from work.tasks import Engagement, Means, Task

SPLITS_AT_ONCE = 32  # of an item: some seconds of work


class SplitItem(NamedTuple):
    """Splits of a table to be looked at in one round."""

    root: State  # that stands for the table
    splits: tuple[int, ...]
    decisions: bytes  # of the rounds before


class Found(NamedTuple):
    """What a round makes of splits, for their starters."""

    values: tuple[tuple[int, Value], ...]
    nodes: int


@dataclass(frozen=True)
class DecideSplits(Task[SplitItem, Found]):
    """Looks at splits, as many at a time as there are threads."""

    kind: Kind  # of the database that they are for
    cards: Path | None = None  # where a worker has the card file; None for its own
    name = "rounds"

    def objection(self, means: Means) -> str:
        """Return why a worker may not work here: other cards or code."""
        difference = Kind.of(catalogue_at(self.cards)).difference(self.kind)
        return difference or super().objection(means)

    def run(self, item: SplitItem, threads: int) -> Found:
        """Look at splits."""
        cards = sorted(item.root.deal.slots)

        def look(split: int) -> tuple[int, Value, int]:
            query = Query()
            opening = opening_of(split, cards, item.root.rules)
            return split, _solver().decide(opening, item.decisions, query), query.nodes

        if threads == 1:
            found = list(map(look, item.splits))
        else:
            found = list(_pool(threads).map(look, item.splits))
        values = tuple((split, value) for split, value, _ in found)
        return Found(values, sum(nodes for _, _, nodes in found))


_local = threading.local()
_pools: dict[int, ThreadPoolExecutor] = {}


def _solver() -> RoundSolver:
    """Return this thread's solver."""
    if not hasattr(_local, "solver"):
        _local.solver = RoundSolver()
    solver: RoundSolver = _local.solver
    return solver


def _pool(threads: int) -> ThreadPoolExecutor:
    """Return threads that keep their solvers from item to item."""
    if threads not in _pools:
        _pools[threads] = ThreadPoolExecutor(threads, thread_name_prefix="rounds")
    return _pools[threads]


def solve_table(
    planned: PlannedRoot,
    crew: Engagement[SplitItem, Found],
    writer: Writer,
    tell: Callable[[str], None],
) -> SolvedRoot:
    """Make a table round by round; each round is a checkpoint, from which a job goes on."""
    began, nodes = time.perf_counter(), 0
    key = progress_key(planned.root)
    content = writer.noted(key)
    rounds, decisions = Progress.from_bytes(content) if content else Progress(0, bytes(len(SPLITS)))
    while True:
        rounds += 1
        found = list(crew.results(_items(planned.root, decisions), in_order=False))
        nodes += sum(one.nodes for one in found)
        values = [value for one in found for value in one.values]
        after = next_decisions(decisions, values, rounds)
        if after == decisions:
            break
        decisions = after
        writer.note(key, Progress(rounds, decisions).to_bytes())
        decided = len(SPLITS) - len(undecided(decisions))
        tell(f"round {rounds}: {2 * decided} of {2 * len(SPLITS)} openings are decided")
    stored = stored_table(planned, table_of(planned.root, decisions))
    seconds = time.perf_counter() - began
    return SolvedRoot(planned, stored.record, [stored.block], nodes, seconds)


def _items(root: State, decisions: bytes) -> list[SplitItem]:
    """Return what a round has to look at."""
    left = undecided(decisions)
    return [
        SplitItem(root, tuple(left[start : start + SPLITS_AT_ONCE]), decisions)
        for start in range(0, len(left), SPLITS_AT_ONCE)
    ]


def plan_tables(specs: Sequence[str], rules: Rules, catalogue: Catalogue) -> list[PlannedRoot]:
    """Return the plan for tables of ten cards each: ids or names, or @FILE with ten a line."""
    planned: dict[str, PlannedRoot] = {}
    for spec in specs:
        lines = _lines_of(Path(spec[1:])) if spec.startswith("@") else [spec]
        for line in lines:
            one = planned_table(_ten(line, catalogue), rules)
            planned.setdefault(one.notation, one)
    if not planned:
        raise DealError.of("ten", " ".join(specs), "ten cards")
    return list(planned.values())


def _lines_of(path: Path) -> list[str]:
    """Return the lines of a file that say something."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError as error:
        raise NotationError.of("ten", str(path), "a text file in UTF-8") from error
    return [line for line in map(str.strip, lines) if line and not line.startswith("#")]


def _ten(line: str, catalogue: Catalogue) -> list[Card]:
    cards = parse_cards(line, catalogue)
    if len(cards) != SLOTS:
        raise DealError.of("ten", line, f"ten cards; these are {len(cards)}")
    return cards
