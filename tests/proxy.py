"""A proxy as one stands in front of the service: passes on, or answers with an HTML page.

A file says what it answers by itself, read anew for every request: {"/apply": 502}, by how paths
begin. Bodies beyond a limit are refused, as nginx and its kind do.
"""

from __future__ import annotations

import argparse
import json
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import httpx

LARGEST_BODY = 50_000  # bytes
TOO_LARGE = 413
OF_ONE_HOP = {"connection", "content-length", "date", "server", "transfer-encoding"}
PAGE = "<html><head><title>{0}</title></head><body><h1>{0}</h1><hr>proxy</body></html>"


def handler(upstream: str, faults: Path) -> type[BaseHTTPRequestHandler]:
    """Return what handles requests to a proxy for `upstream`."""
    client = httpx.Client(base_url=upstream)

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:  # noqa: N802  so the base class wants it
            self.answer(b"")

        def do_POST(self) -> None:  # noqa: N802
            self.answer(self.rfile.read(int(self.headers["Content-Length"])))

        def answer(self, body: bytes) -> None:
            status = TOO_LARGE if len(body) > LARGEST_BODY else self.fault()
            if status:
                page = PAGE.format(status).encode()
                self.reply(status, {"Content-Type": "text/html"}, page)
                return
            headers = {"Content-Type": self.headers.get("Content-Type", "")} if body else {}
            found = client.request(self.command, self.path, content=body, headers=headers)
            self.reply(found.status_code, dict(found.headers), found.content)

        def fault(self) -> int:
            """Return the status that the proxy answers with by itself; 0 for none."""
            statuses: dict[str, int] = json.loads(faults.read_text())
            return next((statuses[path] for path in statuses if self.path.startswith(path)), 0)

        def reply(self, status: int, headers: dict[str, str], content: bytes) -> None:
            self.send_response(status)
            for name, value in headers.items():
                if name.lower() not in OF_ONE_HOP:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    return Handler


def main() -> None:
    """Serve until told to stop."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--upstream", required=True)
    parser.add_argument("--faults", type=Path, required=True)
    given = parser.parse_args()
    handle = handler(given.upstream, given.faults)
    ThreadingHTTPServer(("127.0.0.1", given.port), handle).serve_forever()


if __name__ == "__main__":
    main()
