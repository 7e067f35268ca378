"""A small load generator, in a process of its own: keep-alive connections, one request each.

python -m tests.bench.load PORT CONNECTIONS SECONDS < lines of JSON

A line is {"path": ..., "body": ...}, or with "method": "GET" without a body.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from typing import Any


def as_request(path: str, body: str = "", method: str = "POST") -> bytes:
    """Return a request as bytes."""
    if method == "GET":
        return f"GET {path} HTTP/1.1\r\nHost: x\r\n\r\n".encode()
    content = body.encode()
    head = f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


async def ask(reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: bytes) -> int:
    """Send one request; return the status."""
    writer.write(request)
    head = await reader.readuntil(b"\r\n\r\n")
    lower = head.lower()
    start = lower.index(b"content-length:") + 15
    length = int(lower[start : lower.index(b"\r\n", start)])
    await reader.readexactly(length)
    return int(head[9:12])


async def connection(
    port: int, requests: list[bytes], offset: int, until: float
) -> list[tuple[int, float]]:
    """Ask one request after the other until the time is up; return statuses and seconds."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    samples = []
    number = offset
    while time.perf_counter() < until:
        began = time.perf_counter()
        status = await ask(reader, writer, requests[number % len(requests)])
        samples.append((status, time.perf_counter() - began))
        number += 1
    writer.close()
    return samples


async def load(port: int, connections: int, seconds: float, requests: list[bytes]) -> Any:
    """Return the rate, latencies and failures of some connections at once."""
    until = time.perf_counter() + seconds
    step = len(requests) // connections + 1
    samples = await asyncio.gather(
        *(connection(port, requests, number * step, until) for number in range(connections))
    )
    flat = sorted(seconds for part in samples for _, seconds in part)
    return {
        "rate": len(flat) / seconds,
        "p50": flat[len(flat) // 2],
        "p99": flat[len(flat) * 99 // 100],
        "failed": sum(status != 200 for part in samples for status, _ in part),
    }


if __name__ == "__main__":
    lines = [json.loads(line) for line in sys.stdin]
    made = [as_request(**line) for line in lines]
    result = asyncio.run(load(int(sys.argv[1]), int(sys.argv[2]), float(sys.argv[3]), made))
    print(json.dumps(result))
