"""What a windowed run stores per key: its open windows, its buffer, its states and its two kinds of
staleness.

The key transition graph (section 6.2): ENQ, then WAIT while a window waits to be committed to, READY while
the operator works on the committed window, IDLE while that window has no tuple to read yet, DONE when its
result is out.  A key may be in WAIT and in READY or IDLE at once.

The waiting update is the newest fully arrived window (LAZY) or the latest started one (EAGER).  A result for
the window from s clears every window that began at or before s; `application` measures from the oldest
*closed* window not cleared, `queue` from the oldest update that waited.
"""

from __future__ import annotations

from collections import deque
from enum import StrEnum
from math import inf

from headwater.overload.updates.queue.blocks import BlockChain, BlockMemory
from headwater.overload.updates.simulation.staleness import Profile, area
from headwater.overload.updates.windowed.window_spec import OpenWindows, WindowSpec

__all__ = ["KeyState", "Ledger", "WindowKey"]


class KeyState(StrEnum):
    """Where a key is between arrival and application."""

    ENQ = "ENQ"
    WAIT = "WAIT"
    READY = "READY"
    IDLE = "IDLE"
    DONE = "DONE"


class Ledger:
    """Application staleness of a key: the oldest closed window not cleared, now and after a result."""

    __slots__ = ("_begin", "_next", "_profile", "_since", "area")

    def __init__(self, profile: Profile | None) -> None:
        self.area = 0.0
        self._since: float | None = None
        self._next: float | None = None
        self._begin = -inf
        self._profile = profile

    def closed(self, start: float, at: float, committed: float | None) -> None:
        """The window from `start` has fully arrived at `at`, while `committed` is being worked on."""
        if committed is not None and start > committed + 1e-9:
            self._next = at if self._next is None else self._next
        elif self._since is None:
            self._since = at

    def committed(self) -> None:
        self._next = None

    def delivered(self, now: float) -> None:
        self._add(now)
        self._since, self._next, self._begin = self._next, None, now

    def _add(self, until: float) -> None:
        if self._since is not None and until > max(self._since, self._begin):
            begin = max(self._since, self._begin)
            self.area += area(self._since, begin, until)
            if self._profile is not None:
                self._profile.add(self._since, begin, until)

    def end(self, horizon: float) -> None:
        """Add what is pending at the horizon; later windows count only if nothing older is pending."""
        self._since = self._next if self._since is None else self._since
        self._add(horizon)


class WindowKey:
    """One key of a windowed run."""

    __slots__ = (
        "buffer",
        "closed_start",
        "committed",
        "ledger",
        "open",
        "ready",
        "states",
        "unread",
        "waiting_since",
        "waiting_start",
    )

    def __init__(self, spec: WindowSpec, memory: BlockMemory, profile: Profile | None) -> None:
        self.open = OpenWindows(spec)
        self.buffer = BlockChain(memory)
        self.ledger = Ledger(profile)
        self.states: set[KeyState] = {KeyState.ENQ}
        self.waiting_start: float | None = None  # the window that would be committed to now
        self.waiting_since = 0.0  # queue staleness is measured from here
        self.committed: float | None = None  # start of the window being worked on
        self.unread: deque[float] = deque()  # its tuples not read yet
        self.ready = False  # the committed window has fully arrived

    def wait(self, start: float, at: float) -> bool:
        """The window from `start` is the newest update; True if the key was not waiting before."""
        fresh = self.waiting_start is None
        if fresh:
            self.waiting_since = at
        self.waiting_start = start
        self.states.discard(KeyState.ENQ)
        self.states.add(KeyState.WAIT)
        return fresh

    def commit(self, spec: WindowSpec) -> None:
        """The waiting window becomes the committed one (flush of the enqueue to the dequeue buffer)."""
        assert self.waiting_start is not None
        self.committed, self.waiting_start = self.waiting_start, None
        self.unread = deque(at for at in self.buffer.tuples if spec.holds(self.committed, at))
        self.ready = self.committed not in self.open.starts
        self.ledger.committed()
        self.states = {KeyState.READY}

    def deliver(self, now: float) -> None:
        self.ledger.delivered(now)
        self.committed = None
        self.states -= {KeyState.READY, KeyState.IDLE}
        if not self.states:
            self.states = {KeyState.DONE}

    def forget(self, at: float) -> None:
        """Drop the tuples no window needs any more."""
        needed = [start for start in (self.waiting_start,) if start is not None]
        if self.unread:
            needed.append(self.unread[0])
        if self.open.starts:
            needed.append(self.open.starts[0])
        self.buffer.drop_before(min(needed, default=inf), at)

    def forget_eagerly(self, at: float) -> None:
        """As `forget`, if only the latest started window can still be committed to."""
        needed = [start for start in (self.waiting_start,) if start is not None]
        if self.unread:
            needed.append(self.unread[0])
        self.buffer.drop_before(min(needed, default=inf), at)
