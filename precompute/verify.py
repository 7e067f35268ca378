"""`precompute verify`: is everything in a database as it should be?"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass, field
from typing import Annotated

import typer
from numpy.random import Generator, Philox, SeedSequence

from console.options import (
    DEFAULT_CARDS,
    DEFAULT_DATABASE,
    CardsOption,
    DatabaseOption,
    JsonOption,
    SeedOption,
)
from console.progress import progress_bar
from console.run import FAILED
from engine.errors import DamagedError, TriadError, counted
from engine.game.cards import load_cards
from engine.game.dealing import check_seed
from engine.game.splits import SPLITS
from engine.game.state import State
from engine.search.solver import Solver
from engine.search.sudden_death import RoundSolver
from engine.tablebase.blocks import runs_of
from engine.tablebase.root import make_root
from engine.text.notation import format_state, parse_state, rules_of
from precompute.tables import check_table
from store.format import OLD_FORMAT, as_key, block_from, block_key
from store.parts import Parts
from store.reader import Reader
from store.records import (
    RootRecord,
    digest_blocks,
    digest_content,
    old_digest,
    read_roots,
)
from store.totals import Totals

SAMPLES = 20  # states of each root that are solved again
MOST_SAMPLES = 1_000_000


@dataclass
class Findings:
    """What was checked, and what was wrong."""

    roots: int = 0
    blocks: int = 0
    states: int = 0
    sampled: int = 0
    tables: int = 0  # of Sudden Death
    problems: list[str] = field(default_factory=list)


def verify(
    *,
    db: DatabaseOption = DEFAULT_DATABASE,
    samples: Annotated[
        int,
        typer.Option(
            min=0, max=MOST_SAMPLES, help="States of each deal to check against moves and search."
        ),
    ] = SAMPLES,
    seed: SeedOption = 0,
    json_output: JsonOption = False,
    cards: CardsOption = DEFAULT_CARDS,
) -> None:
    """Check a database: every block, all counts and digests, sampled states against the search.

    Example: precompute verify --db data/db --samples 100
    """
    check_seed(seed)
    reader = Reader(db, load_cards(cards), anew=True)
    findings = Findings()
    records = [record for _, record in reader.parts.roots()]
    findings.problems += check_parts(reader.parts)
    with progress_bar() as bar:
        for number, record in enumerate(bar.track(records, description="verify")):
            random = Generator(Philox(SeedSequence([seed, number])))
            if rules_of(record.root).sudden_death:
                splits = random.permutation(len(SPLITS))[:samples].tolist()
                findings.tables += 1
                findings.problems += check_table(reader, record, splits, RoundSolver())
                continue
            check_blocks(reader, record, findings)
            check_states(reader, record, samples, random, findings)
    show(findings, json_output)
    if findings.problems:
        raise typer.Exit(FAILED)


def show(findings: Findings, json_output: bool) -> None:
    """Say what was checked, and what was wrong."""
    if json_output:
        typer.echo(json.dumps({"ok": not findings.problems, **asdict(findings)}))
        return
    typer.echo(
        f"checked {counted(findings.roots, 'deal')}: "
        f"{findings.blocks:,} blocks with their checksums and digests, "
        f"{findings.states:,} states counted, "
        f"{findings.sampled:,} states against their moves and the search"
    )
    if findings.tables:
        typer.echo(f"checked {counted(findings.tables, 'table')} of Sudden Death")
    for problem in findings.problems:
        typer.echo(f"wrong: {problem}")
    found = counted(len(findings.problems), "problem")
    typer.echo(found if findings.problems else "all is well")


def check_parts(parts: Parts) -> Iterator[str]:
    """Return what is wrong with the parts: those that are damaged, and counts that do not fit."""
    for left in parts.left_out:
        yield left.reason
    for opened in parts.opened:
        records = [record for _, record in read_roots(opened.environment)]
        is_old = opened.manifest.format == OLD_FORMAT
        digest = old_digest(records) if is_old else Totals.of(records).digest
        if digest != opened.manifest.digest:
            yield f"{opened.part.name}: the content digest is not the manifest's"
    (generation,) = parts.generations
    counted_anew = Totals.of(record for _, record in parts.roots()).to_dict()
    if generation.totals and not parts.left_out and counted_anew != generation.totals:
        yield f"{generation.name}: its totals are not those of its parts"


def check_blocks(reader: Reader, record: RootRecord, findings: Findings) -> None:
    """Read every block of a root; compare counts and digest with its record."""
    root = parse_state(record.root, reader.catalogue)
    kernel_root, stored = make_root(root), reader.stored(root)
    digests = []
    findings.roots += 1
    for layer in record.layers:
        states = 0
        for run in runs_of(kernel_root, layer.ply):
            findings.blocks += 1
            try:
                content = reader.content(stored, run)
                states += int(block_from(run, content).offsets[-1])
                digests.append((as_key(block_key(stored.key, run)), digest_content(content)))
            except DamagedError as error:
                findings.problems.append(f"{record.root}, ply {layer.ply}: {error}")
        findings.states += states
        if states != layer.states:
            findings.problems.append(
                f"{record.root}, ply {layer.ply}: {states:,} states instead of {layer.states:,}"
            )
    if digest_blocks(digests) != record.digest:
        findings.problems.append(f"{record.root}: the content digest is not the record's")


def check_states(
    reader: Reader, record: RootRecord, samples: int, random: Generator, findings: Findings
) -> None:
    """Compare sampled states with the states after their moves, and with the search."""
    root = parse_state(record.root, reader.catalogue)
    solver = Solver()
    for _ in range(samples):
        state = root
        for _ in range(int(random.integers(record.plies - root.ply + 1))):
            moves = state.legal_moves()
            state = state.play(moves[int(random.integers(len(moves)))])
        findings.sampled += 1
        findings.problems += check_state(reader, state, solver)


def check_state(reader: Reader, state: State, solver: Solver) -> Iterator[str]:
    """Return what is wrong with one stored state."""
    try:
        found = reader.probe(state)
        margin = found.margin(state)
        if found.has_children:
            better = min if state.ply & 1 else max
            if better(reader.children(found).starter_cards) != found.starter_cards:
                yield f"{format_state(state)}: its best move is not worth what it is"
    except TriadError as error:
        yield f"{format_state(state)}: {error}"
        return
    searched = solver.solve(state).margin
    if margin != searched:
        yield f"{format_state(state)}: stored margin {margin}, searched {searched}"
