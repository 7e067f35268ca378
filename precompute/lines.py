"""`precompute eval --lines`: a state a line in, an answer a line out.

    stdin → blocks → lines → chunks → threads: read, look up, search, write → stdout, in order

What one read of stdin gives is answered together, so that a line that comes alone is answered at
once, and lines that come in crowds share what a call costs. Chunks of states that take long are
made smaller, so that answers go on coming.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from threading import local
from typing import NamedTuple

import msgspec

from engine.errors import InputError, StateError, Words, shown
from engine.search.workspace import Query
from engine.text.objects import encode
from engine.text.wire import read_facts
from precompute.limits import LONGEST_STATE
from store.answer import Answer
from store.many import ManyOracle
from work.tasks import Task

BLOCK_BYTES = 1 << 16  # read at a time; what a pipe holds, and some eighty states
FIRST_LINES = 8  # of a chunk, before it is known how long a line takes
CHUNK_SECONDS = 0.02
TOO_LONG = None  # stands for a line that was not kept

Line = bytes | None


class Chunk(NamedTuple):
    """Lines that are answered together."""

    first: int  # number of its first line, from 1
    lines: Sequence[Line]


class Answered(NamedTuple):
    """What is written for a chunk."""

    text: bytes
    lines: int
    refused: int


def blocks_of_lines(read: Callable[[int], bytes]) -> Iterator[list[Line]]:
    """Return lines as they come, all that a read gives together; no more is kept of a long one."""
    rest, is_too_long = b"", False
    while block := read(BLOCK_BYTES):
        *whole, rest = (rest + block).split(b"\n")
        lines: list[Line] = [line if len(line) <= LONGEST_STATE else TOO_LONG for line in whole]
        if lines and is_too_long:  # its last part
            lines[0], is_too_long = TOO_LONG, False
        if is_too_long or len(rest) > LONGEST_STATE:
            rest, is_too_long = b"", True
        yield lines
    if rest or is_too_long:
        yield [TOO_LONG if is_too_long else rest]


def text_of(answer: Answer) -> bytes:
    """Return an answer as it is written: as `json.dumps` would."""
    return msgspec.json.format(encode(answer.as_object()), indent=0)


class AnswerLines(Task[Chunk, Answered]):
    """Answers chunks of lines."""

    name = "eval"

    def __init__(self, make_oracle: Callable[[], ManyOracle], *, moves: bool) -> None:
        """Answer with oracles that `make_oracle` returns, one for each thread."""
        self.chunk_lines = FIRST_LINES
        self._make_oracle, self._moves = make_oracle, moves
        self._queries: list[Query] = []
        self._local = local()

    def chunks(self, read: Callable[[int], bytes]) -> Iterator[Chunk]:
        """Return what comes in chunks of the size that fits what came before."""
        number = 1
        for lines in blocks_of_lines(read):
            while lines:
                size = self.chunk_lines  # threads may change it at any moment
                yield Chunk(number, lines[:size])
                number += len(lines[:size])
                del lines[:size]

    def run(self, item: Chunk, threads: int) -> Answered:  # noqa: ARG002
        """Return what is written for a chunk: a line for each of its lines."""
        began = time.perf_counter()
        results = self._results(item.lines)
        texts = [
            error_text(result, number) if isinstance(result, InputError) else text_of(result)
            for number, result in enumerate(results, item.first)
        ]
        pace = len(texts) / (time.perf_counter() - began)
        self.chunk_lines = max(1, int(pace * CHUNK_SECONDS))
        refused = sum(isinstance(result, InputError) for result in results)
        return Answered(b"\n".join([*texts, b""]), len(texts), refused)

    def _results(self, lines: Sequence[Line]) -> list[Answer | InputError]:
        """Return the answers of lines, or what is wrong with them."""
        oracle, query = self._means()
        results: dict[int, Answer | InputError] = {}
        asked = {}
        for place, line in enumerate(lines):
            try:
                if line is TOO_LONG:
                    raise StateError.of("state", Words("more"), f"at most {LONGEST_STATE} bytes")
                asked[place] = read_facts(line, oracle.catalogue)
            except InputError as error:
                results[place] = error
        answers = oracle.answers(list(asked.values()), moves=self._moves, query=query)
        results |= zip(asked, answers, strict=True)
        return [results[place] for place in range(len(lines))]

    def _means(self) -> tuple[ManyOracle, Query]:
        """Return what this thread answers with."""
        if not hasattr(self._local, "means"):
            query = Query()
            self._queries.append(query)
            self._local.means = self._make_oracle(), query
        means: tuple[ManyOracle, Query] = self._local.means
        return means

    def stop(self) -> None:
        """End the searches that run."""
        for query in self._queries:
            query.stop()


def error_text(error: InputError, number: int) -> bytes:
    """Return what is written for a line that is refused."""
    errors = [
        {"field": problem.field, "found": shown(problem.found), "allowed": problem.allowed}
        for problem in error.problems
    ]
    told = {"error": {"line": number, "detail": str(error), "errors": errors}}
    return msgspec.json.format(encode(told), indent=0)
