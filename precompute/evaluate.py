"""`precompute eval`: one state in, one answer out; or one of each a line."""

from __future__ import annotations

import os
import sys
import time
from contextlib import closing, nullcontext
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Annotated

import typer

from console.options import DEFAULT_CARDS, CardsOption, refuse_given
from engine.errors import DamagedError, InputError, StateError, Words, counted
from engine.game.cards import Catalogue, load_cards
from engine.game.facts import Facts
from engine.kernel import interpreted
from engine.search.many import ManySolver
from engine.search.transpositions import TranspositionTable
from engine.text.wire import read_facts
from precompute.limits import LARGEST_TABLE, LONGEST_STATE, MOST_THREADS
from precompute.lines import AnswerLines, text_of
from precompute.say import say
from store.many import ManyOracle

if TYPE_CHECKING:
    from store.oracle import Oracle

# From here on Python searches a state in less time than numba takes to load: at most 25 ms, and
# 75 with all moves, against 200 and more. At ply 3 it would be 130, and 400.
INTERPRETED_PLY = 4

_telling, _told = Lock(), set[str]()


def evaluate(  # noqa: PLR0913  one parameter for each option
    context: typer.Context,
    *,
    lines: Annotated[
        bool, typer.Option("--lines", help="A state a line in, an answer a line out.")
    ] = False,
    threads: Annotated[
        int | None,
        typer.Option(
            min=1, max=MOST_THREADS, show_default="all cores", help="Threads, with --lines."
        ),
    ] = None,
    moves: Annotated[bool, typer.Option("--moves", help="Also every legal move.")] = False,
    tt_bytes: Annotated[
        int,
        typer.Option(
            min=1, max=LARGEST_TABLE, metavar="MIB", help="Size of the table, for each thread."
        ),
    ] = 8,
    verbose: Annotated[
        bool, typer.Option("--verbose", help="One line about the search on stderr.")
    ] = False,
    db: Annotated[
        Path | None, typer.Option(help="A database to look in first. Searched only when left out.")
    ] = None,
    cards: CardsOption = DEFAULT_CARDS,
) -> None:
    """Read one state as JSON on stdin; write its answer as JSON on stdout.

    Examples:
      precompute eval --moves < state.json

      precompute eval --lines --threads 2 < states.jsonl > answers.jsonl
    """
    catalogue = load_cards(cards)
    database = open_database(db, catalogue)

    def make_oracle() -> ManyOracle:
        return ManyOracle(catalogue, ManySolver(catalogue, TranspositionTable(tt_bytes)), database)

    if lines:
        answer_lines(AnswerLines(make_oracle, moves=moves), threads, verbose)
        return
    refuse_given(context, ["threads"], "leave it out without --lines: one state takes one thread")
    answer_one(make_oracle(), read_facts(read_all(), catalogue), moves, verbose)


def answer_one(oracle: ManyOracle, facts: Facts, moves: bool, verbose: bool) -> None:
    """Write the answer of one state."""
    is_quick = facts.ply >= INTERPRETED_PLY and oracle.database is None
    began = time.perf_counter()
    with interpreted() if is_quick else nullcontext():
        (answer,) = oracle.answers([facts], moves=moves)
    if isinstance(answer, InputError):
        raise answer
    seconds = time.perf_counter() - began
    typer.echo(text_of(answer).decode())
    if verbose:
        say(
            f"{answer.solution.nodes:,} nodes in {seconds:.3f} s, compiling included; "
            f"a table of {len(oracle.solver.table):,} entries"
        )


def answer_lines(task: AnswerLines, threads: int | None, verbose: bool) -> None:
    """Write an answer for every line of stdin, each as soon as it is its turn."""
    from work.machine import count_cores
    from work.stream import stream

    began, lines, refused = time.perf_counter(), 0, 0
    workers = threads or count_cores()
    with closing(stream(task, task.chunks(read_some), workers)) as chunks:
        for answered in chunks:
            sys.stdout.buffer.write(answered.text)
            sys.stdout.buffer.flush()
            lines += answered.lines
            refused += answered.refused
    if verbose:
        seconds = time.perf_counter() - began
        say(
            f"{counted(lines, 'line')} in {seconds:.3f} s, {refused:,} of them refused, "
            f"with {counted(workers, 'thread')}"
        )


def open_database(path: Path | None, catalogue: Catalogue) -> Oracle | None:
    """Return the database to look in, None when there is none or it is damaged."""
    if path is None:
        return None
    from store.oracle import Oracle
    from store.reader import Reader

    try:
        return Oracle(Reader(path, catalogue), on_damage=tell_damage)
    except DamagedError as error:
        tell_damage(error)
        return None


def tell_damage(error: DamagedError) -> None:
    """Say that the database is damaged, once: many states may meet it. They are searched."""
    text = f"{error}; answered by search"
    with _telling:
        if text not in _told:
            _told.add(text)
            say(text)


def read_some(most: int) -> bytes:
    """Return what there is on stdin, as soon as there is something; nothing at its end."""
    return os.read(sys.stdin.fileno(), most) if sys.stdin else b""


def read_all() -> bytes:
    """Return all that is on stdin, or raise `StateError` when it is more than a state takes."""
    data = sys.stdin.buffer.read(LONGEST_STATE + 1) if sys.stdin else b""
    if len(data) > LONGEST_STATE:
        raise StateError.of("state", Words("more"), f"at most {LONGEST_STATE} bytes")
    return data
