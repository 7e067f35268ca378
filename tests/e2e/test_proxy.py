"""The proxy of docs/reliability.md, as it stands there, in front of the real server."""

from __future__ import annotations

import getpass
import re
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import httpx
import pytest

from app.examples import STATE_EXAMPLE
from tests.conftest import IS_JIT_OFF
from tests.servers import PATIENCE, Server, free_port, running

NGINX = shutil.which("nginx", path="/usr/sbin:/usr/local/sbin:/usr/bin:/usr/local/bin")
OPENSSL = shutil.which("openssl")
PAGE = Path(__file__).parents[2] / "docs" / "reliability.md"

pytestmark = [
    pytest.mark.skipif(IS_JIT_OFF, reason="the service needs the compiler"),
    pytest.mark.skipif(not NGINX or not OPENSSL, reason="needs nginx and openssl"),
]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with running(folder, db=str(folder / "none")) as server:
        yield server


@pytest.fixture(scope="module")
def proxy(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[httpx.Client]:
    """Return a client of the proxy."""
    folder = tmp_path_factory.mktemp("proxy")
    port = free_port()
    make_certificate(folder)
    (folder / "nginx.conf").write_text(configuration(folder, port, server.port))
    command = [str(NGINX), "-p", str(folder), "-e", "error.log", "-c", "nginx.conf"]
    process = subprocess.Popen([*command, "-g", "daemon off;"])
    trusted = ssl.create_default_context(cafile=str(folder / "triad.crt"))
    with httpx.Client(base_url=f"https://127.0.0.1:{port}", verify=trusted) as client:
        try:
            wait_for(client, process)
            yield client
        finally:
            process.terminate()
            process.wait(PATIENCE)


def make_certificate(folder: Path) -> None:
    files = ["-keyout", str(folder / "triad.key"), "-out", str(folder / "triad.crt")]
    about = ["-subj", "/CN=triad.example", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = [str(OPENSSL), "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "1"]
    subprocess.run([*command, *files, *about], check=True, capture_output=True)


def configuration(folder: Path, port: int, service: int) -> str:
    """Return the example with the places of this machine, within what Debian has around it."""
    found = re.search(r"^```nginx\n(.+?)^```$", PAGE.read_text(), re.MULTILINE | re.DOTALL)
    assert found
    example = found[1]
    for ours, here in {
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "127.0.0.1:8000": f"127.0.0.1:{service}",
        "/etc/ssl/": f"{folder}/",
    }.items():
        assert ours in example
        example = example.replace(ours, here)
    kinds = ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    places = "".join(f"{kind}_temp_path {folder}/{kind};\n" for kind in kinds)
    around = f"user {getpass.getuser()};\npid nginx.pid;\nevents {{}}\n"
    return f"{around}http {{\naccess_log off;\n{places}{example}}}\n"


def wait_for(client: httpx.Client, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE
    while True:
        assert process.poll() is None
        assert time.monotonic() < until
        with suppress(httpx.TransportError):
            if client.get("/readyz").status_code == 200:
                return
        time.sleep(0.05)


def test_proxy_passes_answers_and_ids_on(proxy: httpx.Client, server: Server) -> None:
    answer = proxy.post("/eval", json=STATE_EXAMPLE)
    assert answer.status_code == 200
    assert answer.content == httpx.post(f"{server.url}/eval", json=STATE_EXAMPLE).content
    wrong = proxy.post("/eval", json={})
    assert wrong.json()["type"] == "urn:triadbase:problem:invalid"
    assert server.logged(wrong.headers["x-request-id"])[0]["status"] == 422


def test_proxy_keeps_counts_and_large_bodies_away(proxy: httpx.Client) -> None:
    assert proxy.get("/metrics").status_code == 403
    assert proxy.post("/eval", content=b" " * 2_000_001).status_code == 413


def test_proxy_slows_down_who_asks_too_often(proxy: httpx.Client) -> None:
    statuses = {proxy.get("/healthz").status_code for _ in range(2000)}
    assert statuses == {200, 429}
