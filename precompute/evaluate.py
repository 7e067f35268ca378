"""`precompute eval`: one state in, one answer out."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from typing import Annotated, Any

import msgspec
import typer

from console.options import DEFAULT_CARDS, CardsOption
from engine.errors import DamagedError, StateError
from engine.game.cards import Catalogue, load_cards
from engine.search.solver import Solver
from engine.search.transpositions import TranspositionTable
from engine.text.document import load_json, state_from_dict
from store.oracle import Oracle
from store.reader import Reader

LARGEST_TABLE = 4_096  # MiB; a whole deal's early plies fit in far less
LONGEST_INPUT = 1 << 20  # bytes; a state is about one thousand


def evaluate(
    *,
    moves: Annotated[bool, typer.Option("--moves", help="Also every legal move.")] = False,
    tt_bytes: Annotated[
        int, typer.Option(min=1, max=LARGEST_TABLE, metavar="MIB", help="Size of the table.")
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

    Example: precompute eval --moves < state.json
    """
    catalogue = load_cards(cards)
    state = state_from_dict(read_json(), catalogue)
    solver = Solver(TranspositionTable(tt_bytes))
    oracle = Oracle(open_database(db, catalogue), solver, on_damage=tell_damage)
    began = time.perf_counter()
    answer = msgspec.to_builtins(oracle.answer(state, moves=moves).as_object())
    seconds = time.perf_counter() - began
    typer.echo(json.dumps(answer))
    if verbose:
        typer.echo(
            f"precompute: {answer['nodes']:,} nodes in {seconds:.3f} s, compiling included; "
            f"a table of {len(solver.table):,} entries",
            err=True,
        )


def open_database(path: Path | None, catalogue: Catalogue) -> Reader | None:
    """Return the database to look in, None when there is none or it is damaged."""
    try:
        return Reader(path, catalogue) if path else None
    except DamagedError as error:
        tell_damage(error)
        return None


def tell_damage(error: DamagedError) -> None:
    """Say that the database is damaged; the answer comes from the search."""
    typer.echo(f"precompute: {error}; answered by search", err=True)


def read_json() -> Any:
    """Return the one JSON value on stdin, or raise `StateError`."""
    data = sys.stdin.buffer.read(LONGEST_INPUT + 1) if sys.stdin else b""
    if len(data) > LONGEST_INPUT:
        raise StateError.of("state", "more", f"at most {LONGEST_INPUT} bytes")
    return load_json(data)
