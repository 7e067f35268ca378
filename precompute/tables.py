"""`precompute info --sudden-death`: the openings of all tables; and tables checked, for verify."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from engine.errors import DamagedError, TriadError
from engine.game.cards import Catalogue
from engine.game.splits import SPLITS, hands_of, opening_of
from engine.game.state import State
from engine.search.sudden_death import (
    UNDECIDED,
    RoundSolver,
    RoundTable,
    round_in,
    value_in,
)
from engine.text.notation import parse_state
from store.reader import Reader
from store.records import RootRecord, digest_blocks, digest_content
from store.rounds import is_table, table_key


def list_tables(path: Path, catalogue: Catalogue, *, json_output: bool) -> None:
    """Write the tables of the database at `path`: as JSON one a line, with all openings."""
    reader = Reader(path, catalogue)
    try:
        for root in table_roots(reader):
            table = reader.round_table(root.facts)
            if table is not None:
                typer.echo(json.dumps(table_object(root, table)) if json_output else line_of(table))
    finally:
        reader.close()


def table_roots(reader: Reader) -> Iterator[State]:
    """Return the roots that stand for tables."""
    for _, record in reader.parts.roots():
        root = parse_state(record.root, reader.catalogue)
        if is_table(root):
            yield root


def table_object(root: State, table: RoundTable) -> dict[str, Any]:
    """Return a table with all its openings, whoever is called A."""
    from engine.text.wire import rules_to_dict

    cards = sorted(root.deal.slots)
    openings = []
    for split in range(len(SPLITS)):
        starter, other = ([card.id for card in hand] for hand in hands_of(split, cards))
        value, number = value_in(table.decisions[split]), round_in(table.decisions[split])
        for first, hands, sign in (("A", (starter, other), 1), ("B", (other, starter), -1)):
            openings.append(
                {
                    "A": hands[0],
                    "B": hands[1],
                    "first": first,
                    "value_for_A": sign * value,
                    "round": number or None,
                }
            )
    openings.sort(key=lambda opening: (opening["A"], opening["first"]))
    return {"rules": rules_to_dict(table.rules), "cards": list(table.cards), "openings": openings}


def line_of(table: RoundTable) -> str:
    """Return a table in one line."""
    open_ones = 2 * table.decisions.count(UNDECIDED)
    total = 2 * len(table.decisions)
    return (
        f"{','.join(map(str, table.cards))}  {table.rules}: {total - open_ones} of {total} "
        f"openings are decided, within {table.rounds} rounds; {open_ones} are drawn for ever"
    )


def check_table(
    reader: Reader, record: RootRecord, splits: list[int], solver: RoundSolver
) -> Iterator[str]:
    """Return what is wrong with a table: its digest, and splits that are looked at again."""
    root = parse_state(record.root, reader.catalogue)
    try:
        table = reader.round_table(root.facts)
        if table is None:
            raise DamagedError("the table is missing")
    except TriadError as error:
        yield f"{record.root}: {error}"
        return
    if digest_blocks([(table_key(root), digest_content(table.decisions))]) != record.digest:
        yield f"{record.root}: the content digest is not the record's"
    cards = sorted(root.deal.slots)
    for split in splits:
        number = round_in(table.decisions[split])
        before = bytes(
            byte if not number or round_in(byte) < number else UNDECIDED for byte in table.decisions
        )
        found = solver.decide(opening_of(split, cards, root.rules), before)
        if found != value_in(table.decisions[split]):
            yield f"{record.root}: split {split} is not worth what the table says"
