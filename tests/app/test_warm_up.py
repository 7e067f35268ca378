"""After the warm-up no kernel is compiled, or loaded, any more: nobody waits for one.

What is looked at is a process of its own, as others in this one have run kernels already:

    python -c "from tests.app.test_warm_up import main; main()" questions.json

It starts a service, notes which signatures every kernel has, answers all that there is to
answer, and prints the kernels that have others now. It makes no states itself, as that would
run kernels before anybody asks.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from starlette.types import Message

from app.batch import Batch
from app.exchange import Exchange, Policy
from app.hot import position_object
from app.routes import applied
from app.service import Service, ServicePhase
from app.settings import load_settings
from app.wishes import Wishes
from engine.game.board import CELLS
from engine.game.state import State
from engine.kernel import Kernel
from engine.text.notation import format_state, parse_state
from engine.text.objects import encode
from engine.text.wire import state_to_dict
from tests.conftest import IS_JIT_OFF
from tests.databases import build, later, small_roots

pytestmark = pytest.mark.skipif(IS_JIT_OFF, reason="there is nothing to compile")

PROGRAM = "from tests.app.test_warm_up import main; main()"
PACKAGES = ("engine", "store", "app")
PATIENCE = 300  # seconds; a fresh machine compiles
FIRST_PLY = 2  # of the roots: from there to the end every way to read is taken
ALL_WISHES = [Wishes(moves, pv) for moves in (True, False) for pv in (True, False)]

Signatures = dict[str, int]


def signatures() -> Signatures:
    """Return how many signatures each kernel of the loaded modules has been compiled for."""
    return {
        f"{value.__module__}.{value.py_func.__name__}": len(value.signatures)
        for name, module in list(sys.modules.items())
        if name.split(".")[0] in PACKAGES
        for value in vars(module).values()
        if isinstance(value, Kernel)
    }


async def never_send(message: Message) -> None:
    raise AssertionError(message)


async def answer_everything(service: Service, questions: dict[str, Any]) -> list[str]:
    """Ask a service in every way there is; return where the answers came from."""
    states = [encode(document) for document in questions["states"]]
    sources: list[str] = []
    for wishes in ALL_WISHES:
        for data in states:
            answer = await service.answer(await service.read(data), wishes)
            encode(answer.as_object())
            sources.append(answer.source)
        scope = {"type": "http", "path": "/eval/batch", "headers": []}
        exchange = Exchange(Policy(1 << 20, frozenset(), False, 1.0), scope, never_send)
        batch = b'{"states":[' + b",".join(states) + b"]}"
        results = await Batch(service, wishes, exchange).results(batch)
        sources += [json.loads(result)["source"] for result in results]
    for notation in questions["notations"]:
        state = parse_state(notation, service.catalogue)
        answer = await service.answer(state.facts, Wishes())
        encode(position_object(state, answer.as_object()))
    for request in questions["moves"]:
        encode(applied(encode(request), service))
    await service.describe()
    return sources


async def compiled_while_answering(questions: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Return the kernels that got signatures after the start, and the sources of answers."""
    service = Service(load_settings({"db": Path(questions["db"]), "time_limit": PATIENCE}))
    if questions["is_warmed"]:
        await service.start()
        until = time.monotonic() + PATIENCE
        while service.phase is not ServicePhase.READY:
            assert time.monotonic() < until
            await asyncio.sleep(0.01)
    else:
        await service._take_over()
    before = signatures()
    sources = await answer_everything(service, questions)
    after = signatures()
    await service.stop()
    return [kernel for kernel in after if after[kernel] != before.get(kernel, 0)], sources


def main() -> None:
    """Answer the questions of a file; print the kernels that had to be compiled for it."""
    questions = json.loads(Path(sys.argv[1]).read_text(encoding="utf-8"))
    compiled, sources = asyncio.run(compiled_while_answering(questions))
    json.dump({"kernels": len(signatures()), "compiled": compiled, "sources": sources}, sys.stdout)


def asked_about(states: list[State]) -> dict[str, Any]:
    """Return the questions about states: as documents, as notations, with moves played."""
    return {
        "states": [state_to_dict(state) for state in states],
        "notations": [format_state(state) for state in states],
        "moves": [
            {"state": state_to_dict(state), "move": state.legal_moves()[-1]._asdict()}
            for state in states
            if not state.is_over
        ],
    }


@pytest.fixture(scope="module")
def questions(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    path = tmp_path_factory.mktemp("db")
    roots, others = small_roots(2, FIRST_PLY), small_roots(4, 0)[2:]
    build(path, roots)
    stored = [later(root, ply) for root in roots for ply in range(FIRST_PLY, CELLS + 1)]
    misses = [later(other, ply) for other in others for ply in range(CELLS + 1)]
    return {"db": str(path), **asked_about([*stored, *misses])}


def asked(tmp_path: Path, questions: dict[str, Any], *, is_warmed: bool) -> dict[str, Any]:
    file = tmp_path / "questions.json"
    file.write_text(json.dumps({**questions, "is_warmed": is_warmed}), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(file)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout)
    assert told["kernels"] > 20
    assert {"database", "search"} == set(told["sources"])
    return told


def test_no_kernel_is_compiled_after_the_warm_up(tmp_path: Path, questions: dict[str, Any]) -> None:
    assert asked(tmp_path, questions, is_warmed=True)["compiled"] == []


def test_kernels_are_compiled_while_answering_without_the_warm_up(
    tmp_path: Path, questions: dict[str, Any]
) -> None:
    """So that the test above can fail."""
    compiled = asked(tmp_path, questions, is_warmed=False)["compiled"]
    assert {"engine.search.exact.solve", "engine.search.exact.rank"} <= set(compiled)
    assert "engine.tablebase.lookup.find_codes" in compiled
