"""A real folder whose writes are counted one by one, so that a process can be killed before any of them.

    with patched(FileSystem(folder)) as files:
        files.stop_before(7, files.kill)    the seventh effect from now on is not made, nor any after it
        try:
            ...                             Killed goes through everything, as after a kill -9: what a
        except Killed:                      `finally` would still write is refused as well
            files.restart()

An effect is what other processes can see: a name that is created, linked, renamed or removed; a content that is
half there, or there.  Instead of killing, `stop_before` may let another process work in between, or `fill` the disk:
then whatever needs space fails, from that effect on, until `restart`.  A lock that the first one holds raises Blocked
there instead of waiting for ever.
"""

from __future__ import annotations

import errno
import os
import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from support.crashes.unsynced import Unsynced

__all__ = ["Blocked", "FileSystem", "Killed"]


NAMES = ("create", "link", "rename", "replace", "mkdir")  # what brings a name into being
FREES = ("unlink", "rmdir", "sync", "ftruncate")  # what a full disk does not refuse


class Killed(BaseException):
    """The process is no more. Not an Exception: nothing in the process may catch it."""


class Blocked(BaseException):
    """Another process holds a lock that this one would wait for."""


class FileSystem:
    def __init__(self, root: str, syncs_count: bool = False) -> None:
        self.root = os.path.join(os.path.realpath(root), "")
        self.trace: list[str] = []  # the effects since `stop_before`
        self.young: set[str] = set()  # names that came into being since this was emptied
        self.unsynced = Unsynced(noted=syncs_count)
        self.between = False  # another process is at work, between two effects
        self._syncs_count = syncs_count
        self._ignored = False
        self._dead = False
        self._full = False
        self._before_each: Callable[[], None] | None = None
        self._stop = 0
        self._interrupt: Callable[[], None] | None = None

    def stop_before(self, number: int, interrupt: Callable[[], None]) -> None:
        """Call `interrupt` before the effect with that number, counted from now on, beginning with 1."""
        self.trace.clear()
        self._stop, self._interrupt = number, interrupt

    @contextmanager
    def watched(self, before_each: Callable[[], None]) -> Iterator[None]:
        """Call `before_each` before each effect of what is done in here."""
        self.trace.clear()
        self._before_each = before_each
        try:
            yield
        finally:
            self._before_each = None

    def kill(self) -> None:
        self._dead = True
        raise Killed

    def fill(self) -> None:
        """No byte is free from now on."""
        self._full = True

    def restart(self) -> None:
        """A process starts that is not killed, on a disk with room."""
        self._dead, self._full, self._interrupt = False, False, None

    def cut_power(self, chance: random.Random) -> None:
        """Lose some of what was not synced; to be called after a kill."""
        with self.ignored():
            self.unsynced.lose(chance)

    @contextmanager
    def ignored(self) -> Iterator[None]:
        """What is done in here is none of a process's business."""
        self._ignored = True
        try:
            yield
        finally:
            self._ignored = False

    @contextmanager
    def another_process(self) -> Iterator[None]:
        """What is done in here is not counted, and waits for no lock."""
        self.between = True
        try:
            yield
        finally:
            self.between = False

    def holds(self, path: object) -> bool:
        """Whether what is done to a path is watched."""
        if self._ignored or not isinstance(path, str | os.PathLike):
            return False
        return os.path.abspath(path).startswith(self.root)

    def stops_within(self, effects: int) -> bool:
        """Whether the next so many effects will be interrupted, or looked at one by one."""
        if self._before_each is not None:
            return True
        return self._interrupt is not None and len(self.trace) < self._stop <= len(self.trace) + effects

    def effect(self, what: str, path: str) -> None:
        """To be called before an effect is made."""
        if self._dead:
            raise Killed
        if what in NAMES:
            self.young.add(os.path.abspath(path))
        if self.between or (what == "sync" and not self._syncs_count):
            return
        self.trace.append(f"{what} {os.path.abspath(path).removeprefix(self.root)}")
        if self._before_each is not None:
            self._before_each()
        if self._interrupt is not None and len(self.trace) == self._stop:
            interrupt, self._interrupt = self._interrupt, None
            interrupt()
        if self._full and what not in FREES:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)
