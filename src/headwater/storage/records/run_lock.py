"""Only one run at a time keeps a project's views: the second is refused, and a killed one leaves no lock
behind.  A file that somebody removes, taking it for left behind, is made again by the run that holds it.
"""

from __future__ import annotations

import fcntl
import json
import logging
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from headwater.clock import instant_text
from headwater.errors import InputError

__all__ = ["RunLock", "run_lock", "running"]

logger = logging.getLogger(__name__)

ATTEMPTS = 10
PAUSE_S = 0.02


def _path(root: str) -> str:
    return os.path.join(root, "run.lock")


@dataclass(slots=True)
class RunLock:
    """The lock as its holder has it."""

    root: str
    _descriptor: int

    @classmethod
    def taken(cls, root: str, now: int) -> RunLock:
        """InputError if another process holds it."""
        return cls(root, _taken(root, now))

    def keep(self, now: int) -> None:
        """Go on holding it, also if its file was removed; InputError if another run has taken it since."""
        if _is_there(self.root, self._descriptor):
            return
        logger.warning("somebody has removed %s while a run was alive", _path(self.root))
        descriptor = _taken(self.root, now)
        self.release()
        self._descriptor = descriptor

    def release(self) -> None:
        os.close(self._descriptor)


@contextmanager
def run_lock(root: str, now: int) -> Iterator[RunLock]:
    """Hold the project's run lock; raises InputError if another process holds it."""
    lock = RunLock.taken(root, now)
    try:
        yield lock
    finally:
        lock.release()


def _taken(root: str, now: int) -> int:
    os.makedirs(root, exist_ok=True)
    descriptor = os.open(_path(root), os.O_RDWR | os.O_CREAT, 0o666)
    try:
        if not _locked(descriptor):
            other = _read(descriptor)
            raise InputError(
                "HW830",
                "this project is already being kept by another run",
                detail=f"Process {other.get('pid')} has run it since {other.get('since')}.",
                hint="Stop that run first (Ctrl-C there); status, read, ingest and verify work beside it.",
            )
        _say_who(descriptor, now)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


def _is_there(root: str, descriptor: int) -> bool:
    """Whether the file that is locked is the one that others find."""
    try:
        return os.path.samestat(os.fstat(descriptor), os.stat(_path(root)))
    except FileNotFoundError:
        return False


def _say_who(descriptor: int, now: int) -> None:
    """Who holds the lock, for those who ask; on a full disk a vacuum must be able to go on without."""
    try:
        os.ftruncate(descriptor, 0)
        os.pwrite(descriptor, json.dumps({"pid": os.getpid(), "since": instant_text(now)}).encode(), 0)
    except OSError:
        logger.warning("the lock does not say who holds it", exc_info=True)


def _locked(descriptor: int) -> bool:
    """Whether the lock was got; `running`, which others may call at any moment, holds it for an instant."""
    for attempt in range(ATTEMPTS):
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            return True
        except BlockingIOError:
            if attempt < ATTEMPTS - 1:
                time.sleep(PAUSE_S)
    return False


def running(root: str) -> dict[str, Any] | None:
    """Process id and start of the run that holds the lock now, or None."""
    try:
        descriptor = os.open(_path(root), os.O_RDONLY)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(descriptor)
    else:
        return None
    finally:
        os.close(descriptor)


def _read(descriptor: int) -> dict[str, Any]:
    text = os.pread(descriptor, 4096, 0)
    return dict(json.loads(text)) if text.strip() else {}
