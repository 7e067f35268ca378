"""The audit, against advisories that are served here."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Thread

import pytest

from tests.servers import free_port

LOCK = f"""\
good==1.0 --hash=sha256:{"0" * 64}
bad==2.0 --hash=sha256:{"1" * 64}
"""
ADVISORY = {
    "id": "OSV-1",
    "summary": "it is bad",
    "affected": [{"package": {"name": "bad", "ecosystem": "PyPI"}, "versions": ["2.0"]}],
}


class Advisories(BaseHTTPRequestHandler):
    """Knows one vulnerability, of one package."""

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        is_bad = asked["package"]["name"] == "bad"
        self.send_response(200)
        self.end_headers()
        self.wfile.write(json.dumps({"vulns": [ADVISORY]} if is_bad else {}).encode())

    def log_message(self, format: str, *args: object) -> None:
        pass


@pytest.fixture
def advisories() -> Iterator[str]:
    with HTTPServer(("127.0.0.1", 0), Advisories) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


def audit(lock: Path, url: str) -> tuple[int, list[str]]:
    """Run the audit; return its exit code and what it printed."""
    options = ["--vulnerability-service=osv", f"--osv-url={url}"]
    done = subprocess.run(
        [sys.executable, "-m", "tests.audit", str(lock), *options],
        cwd=Path(__file__).parent.parent,
        capture_output=True,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()


def test_a_known_vulnerability_fails(tmp_path: Path, advisories: str) -> None:
    lock = tmp_path / "lock"
    lock.write_text(LOCK)
    told = f"{lock}: 2 of 2 packages audited, 1 known vulnerabilities"
    assert audit(lock, advisories) == (1, ["bad 2.0: OSV-1", told])


def test_none_known_passes(tmp_path: Path, advisories: str) -> None:
    lock = tmp_path / "lock"
    lock.write_text(LOCK.splitlines()[0])
    told = f"{lock}: 1 of 1 packages audited, 0 known vulnerabilities"
    assert audit(lock, advisories) == (0, [told])


def test_no_way_to_the_advisories_is_said_and_passes(tmp_path: Path) -> None:
    lock = tmp_path / "lock"
    lock.write_text(LOCK)
    told = f"{lock}: nothing could be audited: there is no way to the advisories"
    assert audit(lock, f"http://127.0.0.1:{free_port()}") == (0, [told])


def test_a_lock_file_that_cannot_be_read_fails(tmp_path: Path, advisories: str) -> None:
    assert audit(tmp_path / "none", advisories) == (1, [])
