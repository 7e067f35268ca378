"""Logs on stderr, by a thread of its own: lines for people on a terminal, JSON elsewhere."""

from __future__ import annotations

import atexit
import logging
import sys
import time
from logging.handlers import QueueHandler, QueueListener
from queue import SimpleQueue
from typing import Any

import msgspec

from app.settings import LogLevel

LONGEST_QUEUE = 10_000  # records that wait to be written, some kilobytes each
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
        fields |= _fields_of(record)
        if record.exc_info:
            fields["traceback"] = self.formatException(record.exc_info)
        return msgspec.json.encode(fields, enc_hook=str).decode()


class TerminalFormatter(logging.Formatter):
    """Writes a record as a line for people: time, level if it is not usual, event, fields."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        moment = time.strftime("%H:%M:%S", time.localtime(record.created))
        level = "" if record.levelno == logging.INFO else f"{record.levelname.lower()}: "
        fields = " ".join(f"{key}={value}" for key, value in _fields_of(record).items())
        line = f"{moment} {level}{record.getMessage()} {fields}".rstrip()
        return f"{line}\n{self.formatException(record.exc_info)}" if record.exc_info else line


def _fields_of(record: logging.LogRecord) -> dict[str, Any]:
    """Return what was given with a record."""
    return {key: value for key, value in vars(record).items() if key not in _STANDARD}


class _PlainQueueHandler(QueueHandler):
    """Hands records on as they are: formatting is the writing thread's work.

    Where nobody takes the log, the latest records are left out, rather than fill the memory.
    """

    def __init__(self, queue: SimpleQueue[logging.LogRecord]) -> None:
        """Put records into `queue`."""
        super().__init__(queue)
        self._waiting = queue.qsize
        self._left_out = 0

    def prepare(self, record: logging.LogRecord) -> logging.LogRecord:
        """Return the record."""
        return record

    def enqueue(self, record: logging.LogRecord) -> None:
        """Have a record written, or count that it is not."""
        if self._waiting() >= LONGEST_QUEUE:
            self._left_out += 1
            return
        self.tell_left_out()
        super().enqueue(record)

    def tell_left_out(self) -> None:
        """Have it written how many records were not."""
        if self._left_out:
            about = {"name": "triad.logs", "levelno": logging.WARNING, "levelname": "WARNING"}
            told = {"msg": "lines were left out: nobody took the log", "lines": self._left_out}
            self._left_out = 0
            super().enqueue(logging.makeLogRecord(about | told))


def set_up(level: LogLevel) -> None:
    """Send all logs through a queue to a thread that writes them."""
    stream = logging.StreamHandler(sys.stderr)
    stream.setFormatter(TerminalFormatter() if sys.stderr.isatty() else JsonFormatter())
    queue: SimpleQueue[logging.LogRecord] = SimpleQueue()
    listener = QueueListener(queue, stream)
    listener.start()
    handler = _PlainQueueHandler(queue)
    atexit.register(listener.stop)
    atexit.register(handler.tell_left_out)  # goes before
    root = logging.getLogger()
    root.handlers = [handler]
    root.setLevel(level.value.upper())
    for name in ("uvicorn", "uvicorn.error", "uvicorn.access"):
        logger = logging.getLogger(name)
        logger.handlers, logger.propagate = [], True
    logging.getLogger("uvicorn.access").disabled = True  # we write our own line per request
