"""The clock of one source: every change of it gets a later time than anything already declared complete.

Writers are processes (`headwater ingest`, the capture of a run, a Python program) and readers of the
watermark are processes too (the run).  They meet in one small file per source, locked while somebody holds
it, which stores the last time given out:

    a writer    holds the lock, takes time t = max(now, last + 1), commits its changes at t, stores t
    the run     holds the lock for a moment, declares w = max(now, last): from then on every change up to w is
                in the Delta log, because a later writer gets a later time
                if a writer holds the lock just then, the run reads the stored time w without it: a time is
                stored after its commit, so every change up to w is in the Delta log, and the writer's own
                gets a later time

So a watermark advances while a source is idle and while it is written without a pause, and no change is ever
committed behind it.  If a writer is killed the lock is free at once; if it died between commit and store, the
table's own time is the later one and counts.

The time is stored twice, in one write.  A reader without the lock might see a write half done; then the two
differ, and it knows no more than before.

A watermark must outlast a power cut, after which the machine's clock may be behind: a time up to it must not
be given out again.  Waiting for the disk at every watermark would cost dozens of waits a second, so a durable
clock writes ahead: the file also holds a time that no watermark has passed, some seconds later, and the boot
in which it was written.  In another boot the last time counts as that one.  What a writer stores needs no
waiting: its commit carries the same time and is on the disk.

The file also holds the time of the last commit.  A source that is behind it was restored from a backup or has
lost commits (restored.py).

    00001763251200000000 00001763251200000000 00001763251205000000 8c7c...e1 00001763251200000000
    the last time        once more            no watermark passed   boot      the last commit
"""

from __future__ import annotations

import fcntl
import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache

__all__ = ["SourceClock", "Turn"]

logger = logging.getLogger(__name__)

DIGITS = 20
AHEAD = 5_000_000  # microseconds
BOOT_LENGTH = 36
LIMIT_AT = 2 * DIGITS
BOOT_AT = LIMIT_AT + DIGITS
COMMITTED_AT = BOOT_AT + BOOT_LENGTH
LENGTH = COMMITTED_AT + DIGITS


@dataclass(slots=True)
class Turn:
    """The lock held: `last` is the last time given out, `limit` what no watermark on the disk has passed.

    `committed`: the time of the last commit, as far as it was stored.
    """

    last: int
    descriptor: int
    durable: bool = False
    limit: int = 0
    committed: int = 0

    def take(self, now: int) -> int:
        """A time later than all before."""
        return max(now, self.last + 1)

    def store(self, time: int) -> None:
        """Store a time that a commit carries. Never raises: the commit counts, and carries the time."""
        try:
            os.pwrite(self.descriptor, _digits(time) * 2, 0)
        except OSError:
            logger.warning("the time of a commit, %d, could not be stored in its clock", time, exc_info=True)
        self.last = max(self.last, time)
        self.note_commit(time)

    def note_commit(self, time: int) -> None:
        """Store when something was committed last. Never raises, as that was before."""
        try:
            os.pwrite(self.descriptor, _digits(time), COMMITTED_AT)
        except OSError:
            logger.warning("the time of a commit, %d, could not be noted in its clock", time, exc_info=True)
        self.committed = max(self.committed, time)

    def declare(self, time: int) -> None:
        """Store a watermark: no change up to `time` will be added."""
        os.pwrite(self.descriptor, _digits(time) * 2, 0)
        self.last = time
        if self.durable and time > self.limit:
            boot = this_boot()
            self.limit = time + AHEAD if boot else time
            os.pwrite(self.descriptor, _digits(self.limit) + boot.ljust(BOOT_LENGTH), LIMIT_AT)
            os.fsync(self.descriptor)


@dataclass(slots=True)
class SourceClock:
    path: str
    durable: bool = False
    _made: bool = field(default=False, init=False)

    @contextmanager
    def turn(self, wait: bool = True) -> Iterator[Turn | None]:
        """Hold the lock. Without `wait`, None if somebody else holds it."""
        if not self._made:
            os.makedirs(os.path.dirname(self.path), exist_ok=True)
            self._made = True
        descriptor = os.open(self.path, os.O_RDWR | os.O_CREAT, 0o666)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            except BlockingIOError:
                yield None
                return
            yield self._turn(descriptor)
        finally:
            os.close(descriptor)

    def _turn(self, descriptor: int) -> Turn:
        text = os.pread(descriptor, LENGTH, 0)
        if len(text) < LENGTH:  # a full disk is noticed here, not once something has been committed
            os.pwrite(descriptor, bytes(LENGTH - len(text)), len(text))
        last, limit = _number(text[:DIGITS]), _number(text[LIMIT_AT:BOOT_AT])
        committed = _number(text[COMMITTED_AT:])
        boot = text[BOOT_AT:COMMITTED_AT].strip(b"\0").ljust(BOOT_LENGTH)
        if not self.durable or boot == this_boot().ljust(BOOT_LENGTH):
            return Turn(last, descriptor, self.durable, limit if self.durable else 0, committed)
        return Turn(max(last, limit), descriptor, durable=True, committed=committed)

    def committed(self) -> int:
        """When something was committed last, read without the lock; 0 if that is not known."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return 0
        try:
            return _number(os.pread(descriptor, DIGITS, COMMITTED_AT))
        finally:
            os.close(descriptor)

    def last(self) -> int | None:
        """The last time stored, read without the lock; None if there is none or it is just being written."""
        try:
            descriptor = os.open(self.path, os.O_RDONLY)
        except FileNotFoundError:
            return None
        try:
            text = os.pread(descriptor, 2 * DIGITS, 0)
        finally:
            os.close(descriptor)
        first, second = text[:DIGITS], text[DIGITS:]
        return int(first) if first == second and first.isdigit() else None


@lru_cache(maxsize=1)
def this_boot() -> bytes:
    """What identifies the time since the machine started; empty where the system does not say."""
    try:
        with open("/proc/sys/kernel/random/boot_id", "rb") as file:
            return file.read().strip()
    except OSError:
        return b""


def _digits(time: int) -> bytes:
    return f"{time:0{DIGITS}d}".encode()


def _number(text: bytes) -> int:
    """Nothing but digits, or 0: the file is new, or a power cut emptied it."""
    return int(text) if text.isdigit() else 0
