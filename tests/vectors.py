"""Read the test vectors: one JSON document per line."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

DIRECTORY = Path(__file__).parent / "vectors"


def load(name: str) -> list[dict[str, Any]]:
    """Return the documents of one vector file."""
    text = (DIRECTORY / f"{name}.jsonl").read_text(encoding="utf-8")
    return [json.loads(line) for line in text.splitlines()]
