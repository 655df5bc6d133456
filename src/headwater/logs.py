"""Logging: every module has a logger of its own; what is done with its messages is decided here.

A library configures nothing: `import headwater` adds a NullHandler and no more.  `headwater run` writes a
rotating file into the warehouse (`log_to`), at most FILES * FILE_BYTES large, in text or as a JSON object per
line.  Failures are logged with their tracebacks; what a terminal shows of them is one line.

Secrets never reach the file: the finished line is redacted, so that messages, arguments and tracebacks are
treated alike, wherever the secret came from.
"""

from __future__ import annotations

import json
import logging
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from enum import Enum
from logging.handlers import RotatingFileHandler
from typing import Any

from headwater.errors import redact

__all__ = ["LogFormat", "LogLevel", "log_file", "log_to"]

OWN = "headwater"
FILE_BYTES = 5_000_000
FILES = 5  # the newest and four older ones


class LogLevel(Enum):
    DEBUG = "debug"
    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(Enum):
    TEXT = "text"
    JSON = "json"


def log_file(warehouse: str) -> str:
    """Where a project's log is."""
    return os.path.join(warehouse, "logs", "headwater.log")


@contextmanager
def log_to(
    path: str, level: LogLevel = LogLevel.INFO, form: LogFormat = LogFormat.TEXT
) -> Iterator[logging.Handler]:
    """A context in which Headwater's loggers, and libraries that warn, write to a rotating file."""
    os.makedirs(os.path.dirname(path), exist_ok=True)
    handler = _Log(path, maxBytes=FILE_BYTES, backupCount=FILES - 1, encoding="utf-8")
    handler.setFormatter(_JsonLines() if form is LogFormat.JSON else _TextLines())
    everything, own = logging.getLogger(), logging.getLogger(OWN)
    before = own.level
    everything.addHandler(handler)
    own.setLevel(level.name)
    try:
        yield handler
    finally:
        everything.removeHandler(handler)
        own.setLevel(before)
        with suppress(OSError):  # a full disk: what was to be written is lost, and was said to be
            handler.close()


class _Log(RotatingFileHandler):
    """A log that cannot be written (a full disk) says so once: a traceback a message would hide the run."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self._complained = False

    def handleError(self, record: logging.LogRecord) -> None:
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
        elif not self._complained:
            self._complained = True
            print(f"{self.baseFilename} cannot be written: {error.strerror or error}", file=sys.stderr)


class _TextLines(logging.Formatter):
    """One line per message, the traceback below it; instants in UTC."""

    def __init__(self) -> None:
        super().__init__("%(asctime)s %(levelname)-7s %(name)s [%(threadName)s] %(message)s")

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:
        return _instant(record)

    def format(self, record: logging.LogRecord) -> str:
        return redact(super().format(record))


class _JsonLines(logging.Formatter):
    """One JSON object per line; `error` holds the traceback."""

    def format(self, record: logging.LogRecord) -> str:
        fields = {
            "at": _instant(record),
            "level": record.levelname.lower(),
            "logger": record.name,
            "thread": record.threadName,
            "message": redact(record.getMessage()),
        }
        if record.exc_info:
            fields["error"] = redact(self.formatException(record.exc_info))
        if record.stack_info:
            fields["stack"] = redact(record.stack_info)
        return json.dumps(fields, ensure_ascii=False, default=str)


def _instant(record: logging.LogRecord) -> str:
    return datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds")
