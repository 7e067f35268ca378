"""Read published databases: what a state is worth, and its moves, from stored blocks.

A database is the parts of its current generation, and several folders may be read as one. The
keys of all directories, which stay in memory, say which parts to ask; where more than one has
a root, the one that has it deepest answers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from pathlib import Path
from threading import Lock, local
from typing import NamedTuple

import numpy as np

from engine.errors import DamagedError, NotStoredError
from engine.game.cards import Catalogue
from engine.game.facts import Facts
from engine.game.score import seat_cards, worths
from engine.game.state import State
from engine.search.sudden_death import RoundTable
from engine.tablebase.blocks import (
    BLOCK_PLACEMENTS,
    NOT_REACHABLE,
    Offspring,
    Packed,
    Peek,
    Run,
    list_children,
    make_offspring,
    make_peek,
    read_children,
    run_at,
)
from engine.tablebase.lookup import find_cards, find_codes, make_finds
from engine.tablebase.root import NO_CODE, Root, make_root, row_of
from store.environment import Environment
from store.format import (
    BLOCKS,
    DIRECTORY,
    as_key,
    block_from,
    block_key,
    directory_key,
    directory_token,
    root_key,
)
from store.parts import Parts
from store.records import plan_from_json
from store.rounds import is_table, read_table

BLOCKS_KEPT = 1024  # decoded; about 50 KB each
ROOTS_KEPT = 4096
CHILDREN_KEPT = 8192
EARLY_PLY = 2


class StoredRoot(NamedTuple):
    """A root of the database, ready to be asked."""

    key: int
    root: Root
    plies: int  # the deepest that is stored
    state: State
    part: Environment  # that has it

    def __eq__(self, other: object) -> bool:
        """Tell whether both are the same root."""
        return isinstance(other, StoredRoot) and self.key == other.key

    def __hash__(self) -> int:
        """Return a hash that fits `__eq__`."""
        return hash(self.key)


class Found(NamedTuple):
    """A state that the database has, within its root."""

    root: StoredRoot
    code: int
    ply: int
    starter_cards: int  # at the end

    @property
    def mover_cards(self) -> int:
        """Return the cards at the end of who is to move."""
        return seat_cards(self.ply & 1, self.starter_cards)

    def margin(self, state: State) -> int:
        """Return the margin of the state that was asked about."""
        return worths(state.rules.variant, state.to_move, self.ply)[self.mover_cards][1]

    @property
    def has_children(self) -> bool:
        """Tell whether the states after its moves are stored too."""
        return self.ply < self.root.plies


class Block(NamedTuple):
    """A block of a root: which placements it has, and what they hold."""

    run: Run
    packed: Packed


class Children(NamedTuple):
    """The legal moves of a state and what they lead to."""

    moves: list[int]  # packed
    codes: list[int]
    starter_cards: list[int]  # at the end


class Users:
    """Who uses something that is to be closed: it is when the last of them has left."""

    def __init__(self, close: Callable[[], None]) -> None:
        """Begin with nobody."""
        self._close, self._lock = close, Lock()
        self._count, self._is_closing = 0, False

    def join(self) -> bool:
        """Come to use it; tell whether that may be: not when it is being closed."""
        with self._lock:
            self._count += not self._is_closing
            return not self._is_closing

    def leave(self) -> None:
        """Use it no more."""
        with self._lock:
            self._count -= 1
            is_last = self._is_closing and not self._count
        if is_last:
            self._close()

    def close(self) -> None:
        """Close it now, or when the last has left."""
        with self._lock:
            is_first, self._is_closing = not self._is_closing, True
            is_unused = is_first and not self._count
        if is_unused:
            self._close()


class _Thread(local):
    """Scratch of one thread."""

    def __init__(self) -> None:
        self.peek: Peek = make_peek()
        self.room: Offspring = make_offspring()


class Reader:
    """The parts of published generations, open for reading; safe for threads."""

    def __init__(
        self,
        path: Path | Sequence[Path],
        catalogue: Catalogue,
        *,
        blocks_kept: int = BLOCKS_KEPT,
        anew: bool = False,
    ) -> None:
        """Open the database at `path`, or those at several, or raise `StoreError`.

        With `anew` all files are read, whatever is remembered of them.
        """
        self.catalogue = catalogue
        self.parts = Parts([path] if isinstance(path, Path) else path, catalogue, anew=anew)
        self._roots = lru_cache(ROOTS_KEPT)(self._read_roots)
        self._tables = lru_cache(ROOTS_KEPT)(self._read_table)
        self._blocks = lru_cache(blocks_kept)(self._read_block)
        self._children = lru_cache(CHILDREN_KEPT)(self._read_children)
        self._thread = _Thread()
        self.users = Users(self.parts.close)

    def close(self) -> None:
        """Close the files, when nobody who joined the users reads them any more."""
        self.users.close()

    def stored(self, root: State) -> StoredRoot:
        """Return a root of the database, or raise `NotStoredError`."""
        for stored in self._roots(directory_key(root)):
            if stored.state == root:
                return stored
        raise NotStoredError("the database does not have this root")

    def round_table(self, facts: Facts) -> RoundTable | None:
        """Return the table of Sudden Death of a state's cards and rules, None if there is none."""
        return self._tables(directory_token(facts.cards, facts.rules, facts.elements))

    def _read_table(self, directory: int) -> RoundTable | None:
        """Return the table that a part has in this place of its directory."""
        for part in self.parts.with_directory(directory):
            content = part.environment.read(DIRECTORY, as_key(directory))
            for root, _ in plan_from_json(content, self.catalogue):
                if is_table(root):
                    return read_table(part.environment, root)
        return None

    def block(self, root: StoredRoot, ply: int, number: int) -> Block:
        """Return a block, ready to be asked, or raise `DamagedError`."""
        return self._blocks(root, ply, number)

    def probe(self, state: State) -> Found:
        """Return what is stored about a state, or raise `NotStoredError`."""
        (found,) = self.find([state.facts])
        if found is None:
            raise NotStoredError("the database does not have this state")
        return found

    def get(self, state: State, default: Found | None = None) -> Found | None:
        """Return what is stored about a state, or `default`."""
        return self.find([state.facts])[0] or default

    def find(self, asked: Sequence[Facts]) -> list[Found | None]:
        """Return where states are and what they are worth; None for those that are not stored.

        A state belongs to a root when its cards fit and it can be reached from there. Each root,
        and each block, is asked once for all states that may be in it.
        """
        found: list[Found | None] = [None] * len(asked)
        alike: dict[int, list[int]] = {}  # numbers of states, by their place in the directory
        for number, facts in enumerate(asked):
            if facts.rules.sudden_death:  # what follows a draw is not in a deal
                continue
            token = directory_token(facts.cards, facts.rules, facts.elements)
            alike.setdefault(token, []).append(number)
        for token, numbers in alike.items():
            left = numbers
            for root in self._roots(token):
                if left:
                    self._find_below(root, asked, left, found)
                    left = [number for number in left if found[number] is None]
        return found

    def _find_below(
        self,
        root: StoredRoot,
        asked: Sequence[Facts],
        numbers: Sequence[int],
        found: list[Found | None],
    ) -> None:
        """Fill in those of the numbered states that lie below a root."""
        finds = make_finds(len(numbers))
        find_codes(root.root, np.array([row_of(asked[n]) for n in numbers]), finds)
        codes, placements = finds.codes.tolist(), finds.placements.tolist()
        blocks: dict[tuple[int, int], list[int]] = {}
        for place, number in enumerate(numbers):
            ply = asked[number].ply
            if codes[place] != NO_CODE and ply <= root.plies:
                block = ply, placements[place] // BLOCK_PLACEMENTS[ply]
                blocks.setdefault(block, []).append(place)
        for (ply, block_number), places in blocks.items():
            run, packed = self.block(root, ply, block_number)
            find_cards(root.root, run, packed, np.array(places), finds, self._thread.peek)
        for place, cards in enumerate(finds.starter_cards.tolist()):
            if cards != NOT_REACHABLE:
                ply = asked[numbers[place]].ply
                found[numbers[place]] = Found(root, codes[place], ply, cards)

    def children(self, found: Found) -> Children:
        """Return every legal move, in the documented order, and what it leads to.

        `found` must have children. Those of early states are asked for again and again: every
        line begins with them.
        """
        return self._children(found) if found.ply <= EARLY_PLY else self._read_children(found)

    def _read_children(self, found: Found) -> Children:
        """Return the legal moves and what they lead to; each block they are in is read once."""
        root, room = found.root.root, self._thread.room
        ply = found.ply + 1
        size = BLOCK_PLACEMENTS[ply]
        count = list_children(root, found.code, room)
        for number in sorted({place // size for place in room.placements[:count].tolist()}):
            run, packed = self.block(found.root, ply, number)
            if not read_children(root, run, packed, room, count, self._thread.peek):
                raise DamagedError(f"a state of ply {ply} is missing")
        return Children(
            room.moves[:count].tolist(), room.codes[:count].tolist(), room.cards[:count].tolist()
        )

    def _read_roots(self, directory: int) -> list[StoredRoot]:
        """Return the roots that a multiset of cards can belong to."""
        deepest: dict[State, StoredRoot] = {}
        for part in self.parts.with_directory(directory):
            content = part.environment.read(DIRECTORY, as_key(directory))
            for root, plies in plan_from_json(content, self.catalogue):
                if root not in deepest or deepest[root].plies < plies:
                    key = root_key(root)
                    deepest[root] = StoredRoot(key, make_root(root), plies, root, part.environment)
        return sorted(deepest.values(), key=lambda stored: stored.key)

    def content(self, root: StoredRoot, run: Run) -> bytes:
        """Return what a block holds, or raise `DamagedError`."""
        content = root.part.read(BLOCKS, as_key(block_key(root.key, run)))
        if content is None:
            raise DamagedError(f"the block of ply {run.ply} from {run.first} is missing")
        return content

    def _read_block(self, root: StoredRoot, ply: int, number: int) -> Block:
        """Return a block in the form that can be asked."""
        run = run_at(root.root, ply, number * BLOCK_PLACEMENTS[ply])
        return Block(run, block_from(run, self.content(root, run)))
