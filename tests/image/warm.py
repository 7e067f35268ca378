"""Start the service and wait until it is ready, which compiles its kernels into the cache."""

from __future__ import annotations

import sys
import time

from starlette.testclient import TestClient

from app.main import create_app
from app.settings import LogLevel, Settings

PATIENCE = 600  # seconds


def main() -> int:
    """Return 0 as soon as the service is ready."""
    until = time.monotonic() + PATIENCE
    with TestClient(create_app(Settings(log_level=LogLevel.WARNING))) as client:
        while time.monotonic() < until:
            if client.get("/readyz").status_code == 200:
                return 0
            time.sleep(0.5)
    return 1


if __name__ == "__main__":
    sys.exit(main())
