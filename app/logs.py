"""Logs: one JSON object a line, on stderr, written by a thread of its own."""

from __future__ import annotations

import atexit
import logging
import sys
import time
from logging.handlers import QueueHandler, QueueListener
from queue import SimpleQueue
from typing import Any

import orjson

from app.settings import LogLevel

_STANDARD = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message"}


class JsonFormatter(logging.Formatter):
    """Writes a record as one line of JSON: time, level, event, and what was given with it."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        moment = time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
        fields: dict[str, Any] = {
            "time": f"{moment}.{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "event": record.getMessage(),
        }
        fields |= {key: value for key, value in vars(record).items() if key not in _STANDARD}
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return orjson.dumps(fields, default=str).decode()


class _PlainQueueHandler(QueueHandler):
    """Hands records on as they are: formatting is the writing thread's work."""

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Return the record."""
        return record


def set_up(level: LogLevel) -> None:
    """Send all logs through a queue to a thread that writes them."""
    stream = logging.StreamHandler(sys.stderr)
    stream.setFormatter(JsonFormatter())
    queue: SimpleQueue[logging.LogRecord] = SimpleQueue()
    listener = QueueListener(queue, stream)
    listener.start()
    atexit.register(listener.stop)
    root = logging.getLogger()
    root.handlers = [_PlainQueueHandler(queue)]
    root.setLevel(level.value.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
    logging.getLogger("uvicorn.access").disabled = True  # we write our own line per request
