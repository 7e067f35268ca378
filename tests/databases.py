"""Small databases for tests: real jobs over roots that take milliseconds."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from engine.game.cards import default_catalogue
from engine.game.deal import Deal, Player
from engine.game.dealing import Dealer, ElementSource
from engine.game.rules import SWITCHES, Rules, Variant
from engine.game.state import State
from engine.tablebase.retrograde import LAST_PLY, Phase
from engine.text.wire import state_to_dict
from precompute.crew import LocalCrew
from precompute.job import Job, Report
from precompute.plan import plan_roots
from precompute.roots import SolvedRoot
from store.environment import Entry, Environment
from store.format import BLOCKS, MANIFEST_KEY, META
from store.generations import DATA, Folder
from store.part_list import Generation
from store.records import PlannedRoot, read_manifest, to_json
from store.totals import Totals
from store.writer import part_of
from tests.conftest import IS_JIT_OFF
from work.tasks import Crew

ROOT_PLY = 6 if IS_JIT_OFF else 4  # without the compiler a root of ply 4 takes minutes
PLENTY = 1 << 20  # MiB


class Unwatched:
    """Nobody looks on."""

    def begin(self, done: int, left: Sequence[PlannedRoot], means: str) -> None:
        pass

    def tell(self, text: str) -> None:
        pass

    def phase(self, root: State, phase: Phase) -> None:
        pass

    def staff(self, workers: int) -> None:
        pass

    def finish(self, solved: SolvedRoot) -> None:
        pass


def later(state: State, ply: int, choice: int = 3) -> State:
    """Return a state some moves later."""
    while state.ply < ply:
        moves = state.legal_moves()
        state = state.play(moves[(choice + 5 * state.ply) % len(moves)])
    return state


def small_roots(count: int = 4, ply: int = ROOT_PLY) -> list[State]:
    """Return roots of both variants, with all rules and elements, either player starting."""
    roots = []
    for number in range(count):
        rules = Rules.of(SWITCHES, list(Variant)[number % 2])
        first = Player(number // 2 % 2)
        dealer = Dealer(default_catalogue(), 5, rules, elements=ElementSource.FF8, first=first)
        roots.append(later(State.start(dealer.deal(number)), ply))
    return roots


def copied_root(ply: int = ROOT_PLY) -> State:
    """Return a root with equal cards in each hand and between the hands."""
    cards = list(default_catalogue())
    hands = [cards[0], cards[0], cards[1], cards[1], cards[2]], [cards[0], *cards[2:6]]
    rules = Rules.of(["same", "plus"], Variant.FF8)
    return later(State.start(Deal.of(*hands, rules=rules, first=Player.B)), ply)


def build(
    path: Path,
    roots: Sequence[State],
    *,
    plies: int = LAST_PLY,
    threads: int = 2,
    crew: Crew | None = None,
    merges: bool = True,
) -> Report:
    """Build or extend a database, in this process unless a crew is given."""
    plan = plan_roots(roots, plies, default_catalogue())
    crew = crew or LocalCrew(threads, PLENTY)
    job = Job(Folder(path), default_catalogue(), crew, merges=merges)
    report = job.run(plan, resume=False, watch=Unwatched())
    assert report is not None
    return report


def data_file(path: Path) -> Path:
    """Return the file of the only part of a database."""
    generation = Folder(path).served()
    (part,) = generation.parts
    return generation.file_of(part)


def publish_changed(path: Path, change: Callable[[Path], None]) -> Generation:
    """Publish a copy of the only part with something done to it, as if it had been written so."""
    folder = Folder(path)
    before = folder.served()
    totals = Totals.from_dict(before.totals)
    folder.fresh.mkdir()
    shutil.copyfile(data_file(path), folder.fresh / DATA)
    change(folder.fresh)
    part = part_of(folder.fresh, totals)
    return folder.publish_part(folder.fresh, part, [], totals, before.kind)


def change_manifest(**changes: object) -> Callable[[Path], None]:
    """Return what makes a part say something else of itself."""

    def change(part: Path) -> None:
        environment = Environment(part, writes=True)
        manifest = vars(read_manifest(environment)) | changes
        environment.commit([Entry.of(META, MANIFEST_KEY, to_json(manifest))])
        environment.close()

    return change


def tear_blocks(part: Path) -> None:
    """Cut the end off every block of a part."""
    environment = Environment(part, writes=True)
    frames = list(environment.frames(BLOCKS))
    environment.commit([Entry(BLOCKS, key, frame[:-3]) for key, frame in frames])
    environment.close()


def write_states(path: Path, states: Sequence[State]) -> str:
    """Write states to a file, one a line; return what `--state` takes."""
    path.write_text("".join(json.dumps(state_to_dict(state)) + "\n" for state in states))
    return f"@{path}"


def states_below(root: State, last_ply: int = LAST_PLY) -> Iterator[State]:
    """Return every state below a root, by playing."""
    layer = {root}
    while layer:
        yield from layer
        layer = {
            state.play(move)
            for state in layer
            if state.ply < last_ply
            for move in state.legal_moves()
        }


def exchanged(state: State) -> State:
    """Return the same state with A and B exchanged throughout."""
    board = [placed and placed._replace(owner=placed.owner.opponent) for placed in state.board]
    return State.of(
        board,
        (state.hands[1], state.hands[0]),
        state.to_move.opponent,
        rules=state.rules,
        elements=state.elements,
    )


def opening(number: int) -> dict[str, Any]:
    """Return an opening that takes a search tens of milliseconds."""
    rules = Rules.of(SWITCHES, Variant.FF8)
    return state_to_dict(State.start(Dealer(default_catalogue(), 9, rules).deal(number)))
