"""`make attack`: a hostile client, on loopback, for a bounded time; and a report of what it found.

Mutated documents, random bytes as HTTP, half requests and hang-ups go to a real server, while
somebody else asks for states whose answers are known. A fault is an answer that is wrong, a
status from 500 on that is not 503, a body that is no problem object, or a server that dies.
"""

from __future__ import annotations

import argparse
import json
import random
import socket
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx

from engine.game.state import State
from engine.search.solver import Solver
from engine.text.wire import state_to_dict
from tests.databases import build, later, small_roots
from tests.servers import PATIENCE, Server, running

ODD_VALUES: list[Any] = [
    None, True, -1, 0, 10, 111, 2**64, 1.5, 1e308, "", "A", "C", "\x00", "é", [], {}, [[]],
    {"A": []}, "9" * 400, [0] * 50,
]  # fmt: skip
PATHS = ("/eval", "/eval?moves=true", "/eval/batch", "/apply")
BROWSED = ("/", "/docs", "/cards/{}", "/position/{}", "/deal?seed={}", "/database", "/{}")
SECONDS = 60.0


@dataclass
class Findings:
    """What was sent, and what came of it."""

    statuses: Counter[int] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    documents: int = 0
    raw: int = 0
    right: int = 0

    def note(self, what: str, response: httpx.Response) -> None:
        """Look at an answer."""
        self.statuses[response.status_code] += 1
        if response.status_code >= 500 and response.status_code != 503:
            self.faults.append(f"{response.status_code} for {what[:200]}")
        if response.status_code >= 400 and "problem+json" not in response.headers["content-type"]:
            self.faults.append(f"{response.headers['content-type']} for {what[:200]}")


class Attacker:
    """Sends what nobody should send."""

    def __init__(self, server: Server, seed: int) -> None:
        """Attack a server; the same seed sends the same."""
        self.server, self.chance = server, random.Random(seed)
        self.findings = Findings()
        self.client = httpx.Client(base_url=server.url, timeout=PATIENCE)
        self.roots = small_roots(4)
        self.margins = [Solver().solve(root).margin for root in self.roots]

    def document(self) -> None:
        """Send a state with something wrong in it."""
        document: Any = state_to_dict(self.some_state())
        for _ in range(self.chance.randint(1, 3)):
            mutate(document, self.chance)
        path = self.chance.choice(PATHS)
        if path == "/eval/batch":
            document = {"states": [document] * self.chance.randint(0, 4)}
        elif path == "/apply":
            document = {
                "state": document,
                "move": {"card_id": 1, "cell": self.chance.randint(-1, 9)},
            }
        text = damaged_text(json.dumps(document), self.chance)
        self.findings.documents += 1
        headers = {"content-type": "application/json"}
        response = self.client.post(path, content=text.encode("utf-8", "replace"), headers=headers)
        self.findings.note(f"{path} {text}", response)

    def browse(self) -> None:
        """Ask for an address with something odd in it."""
        odd = "".join(self.chance.choices("a1-_.%~é☃ {}'\"\\", k=self.chance.randint(0, 60)))
        path = self.chance.choice(BROWSED).format(odd)
        self.findings.note(path, self.client.get(httpx.URL(self.server.url).join(path)))

    def raw(self) -> None:
        """Send bytes that are hardly HTTP, and hang up."""
        self.findings.raw += 1
        good = b"POST /eval HTTP/1.1\r\nHost: x\r\nContent-Length: 20\r\n\r\n{}"
        data = bytearray(
            self.chance.choice([good, self.chance.randbytes(200), b"GET / HTTP/1.1\r\n"])
        )
        for _ in range(self.chance.randint(0, 3)):
            data[self.chance.randrange(len(data))] = self.chance.randrange(256)
        url = httpx.URL(self.server.url)
        with socket.create_connection((url.host, url.port or 80), timeout=PATIENCE) as connection:
            connection.sendall(data)
            if self.chance.random() < 0.5:
                connection.shutdown(socket.SHUT_WR)
                connection.recv(65536)

    def honest(self) -> None:
        """Ask for a state whose answer is known."""
        number = self.chance.randrange(len(self.roots))
        body = state_to_dict(self.roots[number])
        response = self.client.post("/eval", json=body)
        self.findings.note("an honest state", response)
        if response.status_code == 200 and response.json()["margin"] != self.margins[number]:
            self.findings.faults.append(f"a wrong answer: {response.text[:200]}")
        self.findings.right += response.status_code == 200

    def some_state(self) -> State:
        """Return a state in the middle of a game."""
        return later(self.chance.choice(self.roots), self.chance.randint(4, 9))

    def run(self, seconds: float) -> Findings:
        """Attack for so long."""
        acts: list[Callable[[], None]] = [self.document, self.browse, self.raw, self.honest]
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            act = self.chance.choices(acts, weights=(6, 2, 1, 1))[0]
            try:
                act()
            except (httpx.TransportError, OSError) as error:
                if self.server.process.poll() is not None:
                    self.findings.faults.append(f"the server died: {error}")
                    break
                if act is not self.raw:
                    self.findings.faults.append(f"{act.__name__}: {error!r}")
        return self.findings


def mutate(value: Any, chance: random.Random) -> None:
    """Change, remove or add something in a document."""
    while isinstance(value, dict | list) and value:
        key = (
            chance.choice(list(value)) if isinstance(value, dict) else chance.randrange(len(value))
        )
        if not isinstance(value[key], dict | list) or chance.random() < 0.3:
            change = chance.randrange(4)
            if change == 0:
                del value[key]
            elif change == 1 and isinstance(value, dict):
                value["x" * chance.randint(1, 90)] = deepcopy(chance.choice(ODD_VALUES))
            else:
                value[key] = deepcopy(chance.choice(ODD_VALUES))
            return
        value = value[key]


def damaged_text(text: str, chance: random.Random) -> str:
    """Return a text with a character changed, most often as it is."""
    if chance.random() < 0.7:
        return text
    place = chance.randrange(len(text))
    return text[:place] + chance.choice('{}[]",:0é\x00') + text[place + chance.randint(0, 1) :]


def main() -> None:
    """Attack, and say what came of it."""
    parser = argparse.ArgumentParser(prog="make attack", description=__doc__)
    parser.add_argument("--seconds", type=float, default=SECONDS, help="how long (%(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="what is sent (%(default)s)")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder)
        build(path / "db", small_roots(4)[:2])
        with running(path, "--db", str(path / "db")) as server:
            findings = Attacker(server, arguments.seed).run(arguments.seconds)
    asked = findings.statuses.total()
    print(f"{asked:,} requests, {findings.documents:,} documents, {findings.raw:,} raw connections")
    print(f"{findings.right:,} honest answers, all right" if not findings.faults else "faults:")
    for fault in findings.faults:
        print(f"  {fault}")
    print("statuses: " + ", ".join(f"{s}: {n:,}" for s, n in sorted(findings.statuses.items())))
    raise SystemExit(bool(findings.faults))


if __name__ == "__main__":
    main()
