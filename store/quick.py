"""Answers of the database as JSON bytes, many states at a time, without an object for each.

Plain documents become rows of facts, rows become codes below the roots that share their cards,
codes find their blocks, lines are followed, and a kernel writes the answers. Every state for which
something of this does not work out has no answer here, and is left to the `Oracle`; where there is
an answer, it is the oracle's, byte for byte.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import lru_cache
from threading import local
from typing import NamedTuple

import numpy as np

from engine.game.board import CELLS
from engine.game.cards import Catalogue
from engine.game.facts import TABLE_LENGTH, Rows, make_rows, table_of
from engine.game.state import State
from engine.game.zobrist import Book, make_book, table_halves
from engine.kernel import Numbers
from engine.search.solver import Solver
from engine.search.transpositions import TranspositionTable
from engine.tablebase.blocks import BLOCK_PLACEMENTS, NOT_REACHABLE, make_peek, run_at, unpack
from engine.tablebase.lookup import Finds, find_cards, find_codes, make_finds
from engine.tablebase.root import NO_CODE
from engine.tablebase.transition import make_below
from engine.text.document import state_to_dict
from engine.text.lexer import NOT_PLAIN
from engine.text.quill import LONGEST_ANSWER, Ink, Page, put_answers
from engine.text.scan import Known, known_cards, make_draft, scan_batch, scan_state
from store.format import directory_token
from store.reader import ROOTS_KEPT, SEARCHED_PLY, Found, Reader, StoredRoot

LINE_TABLE = 1  # MiB: lines are searched from late states, and every thread has one


class Alphabet(NamedTuple):
    """What reading and writing need to know of a catalogue."""

    known: Known
    book: Book


def make_alphabet(catalogue: Catalogue) -> Alphabet:
    """Return what reading and writing need to know; takes some milliseconds."""
    return Alphabet(known_cards(catalogue), make_book(catalogue))


class Batch(NamedTuple):
    """The states of a batch: their facts, and where each stands in the text."""

    rows: Rows
    spans: list[list[int]]  # beginning and end


class _Thread(local):
    """Scratch of one thread."""

    def __init__(self) -> None:
        self.draft = make_draft()
        self.peek = make_peek()
        self.solver = Solver(TranspositionTable(LINE_TABLE))


def read_batch(data: bytes, limit: int, alphabet: Alphabet) -> Batch | None:
    """Return the states of {"states": [...]}; None when they are not plain, or too many."""
    rows, spans = make_rows(limit), np.zeros((limit, 2), dtype=np.int64)
    text = np.frombuffer(data, dtype=np.uint8)
    count = scan_batch(text, alphabet.known, rows, spans, make_draft())
    return None if count == NOT_PLAIN else Batch(rows[:count], spans[:count].tolist())


class Quick:
    """Answers from one reader; safe for threads."""

    def __init__(self, reader: Reader, alphabet: Alphabet) -> None:
        """Answer from `reader`, whose catalogue `alphabet` is of."""
        self.reader, self.alphabet = reader, alphabet
        self._roots = lru_cache(ROOTS_KEPT)(self._roots_with)
        self._thread = _Thread()

    def answer(self, data: bytes) -> bytes | None:
        """Return the answer to one state, if there is one."""
        rows = make_rows(1)
        text = np.frombuffer(data, dtype=np.uint8)
        if not scan_state(text, self.alphabet.known, rows[0], self._thread.draft):
            return None
        return self.answers(rows)[0]

    def answers(self, rows: Rows) -> list[bytes | None]:
        """Return the answers to the states of these facts; None for those that have none here.

        Raises `DamagedError` when something that is needed cannot be read.
        """
        answers: list[bytes | None] = [None] * len(rows)
        tables: dict[bytes, list[int]] = {}
        for number, row in enumerate(rows):
            tables.setdefault(row[:TABLE_LENGTH].tobytes(), []).append(number)
        for table, left in tables.items():
            for root, ink in self._roots(table):
                numbers = [number for number in left if answers[number] is None]
                if numbers:
                    self._answer_below(root, ink, rows, numbers, answers)
        return answers

    def _roots_with(self, table: bytes) -> list[tuple[StoredRoot, Ink]]:
        """Return the roots whose cards, rules and elements these are."""
        cards, rules, elements = table_of(np.frombuffer(table, dtype=np.int64))
        halves = table_halves(rules, elements)
        roots = self.reader.roots_of(directory_token(cards, rules, elements))
        return [(root, Ink(self.alphabet.book, halves, root.below.root.ids)) for root in roots]

    def _answer_below(
        self,
        root: StoredRoot,
        ink: Ink,
        rows: Rows,
        numbers: Sequence[int],
        answers: list[bytes | None],
    ) -> None:
        """Fill in the answers to those states that lie below a root."""
        picked = rows[numbers]
        finds = make_finds(len(picked))
        find_codes(root.below.root, picked, finds)
        self._read_blocks(root, finds)
        found = np.flatnonzero(finds.cards != NOT_REACHABLE)
        if not len(found):
            return
        self._follow(root, finds, found)
        page: Page = np.empty(LONGEST_ANSWER * len(found), dtype=np.uint8)
        ends = np.zeros(len(found) + 1, dtype=np.int64)
        put_answers(page, ink, picked, (found, finds.cards, finds.lines), ends)
        written = page.tobytes()
        for place, number in enumerate(found.tolist()):
            answers[numbers[number]] = written[ends[place] : ends[place + 1]]

    def _read_blocks(self, root: StoredRoot, finds: Finds) -> None:
        """Ask every block that is needed once for all states that it has."""
        blocks: dict[tuple[int, int], list[int]] = {}
        columns = finds.plies.tolist(), finds.codes.tolist(), finds.placements.tolist()
        for number, (ply, code, placement) in enumerate(zip(*columns, strict=True)):
            if code != NO_CODE and ply <= root.plies:
                place = ply, placement // BLOCK_PLACEMENTS[ply]
                blocks.setdefault(place, []).append(number)
        for (ply, block), members in blocks.items():
            run = run_at(root.below.root, ply, block * BLOCK_PLACEMENTS[ply])
            packed = self.reader.block(root, run)
            find_cards(root.below, run, packed, np.array(members), finds, self._thread.peek)

    def _follow(self, root: StoredRoot, finds: Finds, found: Numbers) -> None:
        """Write the lines of what was found: early moves as stored, the rest by search."""
        plies, codes, lines = finds.plies[found], finds.codes[found], finds.lines[found]
        cards = np.where(plies & 1, CELLS - finds.cards[found], finds.cards[found])
        for place in np.flatnonzero(plies < SEARCHED_PLY).tolist():
            ply = int(plies[place])
            state = Found(root, int(codes[place]), int(finds.cards[found[place]]))
            early, rest = self.reader.early_line(state)
            lines[place, ply : ply + len(early)] = early
            codes[place], cards[place] = rest.code, rest.mover_cards
        self._thread.solver.lines(root.state.deal, codes, cards, lines)
        finds.lines[found] = lines


def warm_up(opening: State, alphabet: Alphabet) -> None:
    """Run the kernels of this file once, so that they are compiled; needs no database.

    The block is made up: every placement of the first ply has one state, which is worth nothing.
    """
    first = opening.play(opening.legal_moves()[0])
    data = json.dumps({"states": [state_to_dict(first)]}).encode()
    batch = read_batch(data, 1, alphabet)
    assert batch is not None
    below = make_below(opening)
    run = run_at(below.root, first.ply, 0)
    ones = np.ones(run.last - run.first, dtype=np.uint16)
    packed = unpack(ones, np.zeros(len(ones), dtype=np.uint8))
    finds = make_finds(1)
    chosen = np.zeros(1, dtype=np.int64)
    find_codes(below.root, batch.rows, finds)
    find_cards(below, run, packed, chosen, finds, make_peek())
    ink = Ink(alphabet.book, table_halves(opening.rules, opening.elements), below.root.ids)
    page: Page = np.empty(LONGEST_ANSWER, dtype=np.uint8)
    said = (chosen, finds.cards, finds.lines)
    put_answers(page, ink, batch.rows, said, np.zeros(2, dtype=np.int64))
    scan_state(np.frombuffer(b"", dtype=np.uint8), alphabet.known, batch.rows[0], make_draft())
    full = np.array([late_code(opening)])
    Solver().lines(opening.deal, full, chosen, finds.lines)


def late_code(opening: State) -> int:
    """Return the code of some finished game."""
    state = opening
    while not state.is_over:
        state = state.play(state.legal_moves()[0])
    return state.code
