"""The file of a SQLite store, which may be deleted, torn or replaced at any time: a run loads it again.

A connection goes on with the file that it opened, whatever has become of its name.  So whoever uses one again
compares the file's identity first.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from contextlib import suppress

__all__ = ["connect", "discard", "identity", "is_damage"]

logger = logging.getLogger(__name__)

_PATIENCE_S = 30.0
_CACHE_KB = 65_536
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_BESIDE = ("", "-wal", "-shm")


def connect(path: str, mode: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{_quoted(path)}?mode={mode}",
        uri=True, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False, cached_statements=512,
    )  # fmt: skip
    try:
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = NORMAL")
        connection.execute(f"PRAGMA cache_size = -{_CACHE_KB}")
        connection.execute("PRAGMA mmap_size = 1073741824")
    except BaseException:
        connection.close()
        raise
    return connection


def identity(path: str) -> int | None:
    """What tells the file from another of its name; None if there is none."""
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return None


def is_damage(error: sqlite3.DatabaseError) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _DAMAGE


def discard(path: str, error: sqlite3.DatabaseError) -> None:
    """Remove a file that SQLite cannot read; what it held is loaded again."""
    logger.warning("the store %s is damaged (%s): it is loaded again", path, error)
    for beside in _BESIDE:
        with suppress(FileNotFoundError):
            os.unlink(path + beside)


def _quoted(path: str) -> str:
    return os.path.abspath(path).replace("%", "%25").replace("?", "%3f").replace("#", "%23")
