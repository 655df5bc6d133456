"""The file of a SQLite store, which may be deleted, torn or replaced at any time: a run loads it again.

A connection goes on with the file that it opened, whatever has become of its name.  So whoever uses one again
compares the file's identity first.
"""

from __future__ import annotations

import logging
import os
import sqlite3
from contextlib import suppress

from headwater.errors import HeadwaterError

__all__ = ["connect", "connect_to_read", "discard", "identity", "is_damage", "may_write"]

logger = logging.getLogger(__name__)

_PATIENCE_S = 30.0
_CACHE_KB = 65_536
_DAMAGE = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB}
_BESIDE = ("", "-wal", "-shm")
_ROOM = (f"PRAGMA cache_size = -{_CACHE_KB}", "PRAGMA mmap_size = 1073741824")


def connect(path: str, mode: str) -> sqlite3.Connection:
    return _connected(
        path, f"mode={mode}", "PRAGMA journal_mode = WAL", "PRAGMA synchronous = NORMAL", *_ROOM
    )


def may_write(path: str) -> bool:
    """Whether SQLite can have files beside the store: not on a read-only disk, nor for who may only read."""
    return all(os.access(place, os.W_OK) for place in (path, os.path.dirname(path)))


def connect_to_read(path: str) -> sqlite3.Connection:
    """Where nothing may be written: through the files of a writer that is alive; without one, as the file is.

    In the second case it must not be used twice, since nothing tells it that a writer has come.
    """
    try:
        return _connected(path, "mode=ro", "SELECT count(*) FROM sqlite_master", *_ROOM)
    except sqlite3.OperationalError as error:
        if os.path.exists(path + "-wal") and os.path.getsize(path + "-wal"):
            raise HeadwaterError(
                "HW443", f"the store {path} cannot be read without writing beside it", detail=str(error),
                hint="Whoever wrote it was killed: let a run start and end once, or copy the folder `store`.",
            ) from error  # fmt: skip
        return _connected(path, "immutable=1", *_ROOM)


def _connected(path: str, options: str, *first: str) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{_quoted(path)}?{options}",
        uri=True, timeout=_PATIENCE_S, isolation_level=None, check_same_thread=False, cached_statements=512,
    )  # fmt: skip
    try:
        for statement in first:
            connection.execute(statement)
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
