"""One server, one update queue, a trace: what each policy makes of an overload.

A step takes a key, with its newest value at that moment, and holds the server for `cost` seconds.  When it
completes, every update of the key that had arrived when it began is cleared.  At equal times a completion, and the
choice that follows it at once, come before an arrival; an idle server begins with the first update that arrives.

The run is fed chunks of a trace and keeps a fixed number of values for each key, so memory follows the keys and not
the trace.  Nothing is computed at an arrival that only supersedes: areas are added when a step begins (queue) and
completes (application).  About a microsecond an arrival and a few a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from headwater.overload.updates.cells import Floats, KeyCells
from headwater.overload.updates.memory import MemoryUse, OnDemandPages
from headwater.overload.updates.orders import Order
from headwater.overload.updates.staleness import KeyStaleness, Profile, area

__all__ = ["Outcome", "QueueRun"]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a run showed.  `updates` = processed + skipped + those that still wait or are in service."""

    policy: str
    updates: int
    processed: int
    skipped: int
    keys: int
    horizon: float
    staleness: KeyStaleness
    memory: MemoryUse

    @property
    def application_staleness(self) -> float:
        return self.staleness.mean()[0]

    @property
    def queue_staleness(self) -> float:
        return self.staleness.mean()[1]


class QueueRun:
    """A run of an update queue; `feed` it ascending chunks, then `finish`."""

    def __init__(
        self,
        order: Order,
        cells: KeyCells,
        cost: float,
        pages: OnDemandPages | None = None,
        profile: Profile | None = None,
    ) -> None:
        self.order, self.cells, self.cost, self.profile = order, cells, cost, profile
        self.pages = pages or OnDemandPages()
        self.updates = self.processed = self.skipped = 0
        self.finish_at = inf  # when the step in service completes; infinite when idle
        self.current = -1
        self.current_since = 0.0
        self._columns(16)

    def _columns(self, size: int) -> None:
        """Per key: integrals of both kinds of staleness, the last completion, the tuple's location."""
        self._size = size
        self.application_area, self.queue_area = np.zeros(size), np.zeros(size)
        self.completed_at, self.location = np.full(size, -inf), np.zeros(size, np.int64)

    def _grow(self, size: int) -> None:
        self.cells.grow(size)
        if size > self._size:
            old = (self.application_area, self.queue_area, self.completed_at, self.location)
            used = self._size
            self._columns(max(size, 2 * used))
            for column, before in zip(
                (self.application_area, self.queue_area, self.completed_at, self.location), old, strict=True
            ):
                column[:used] = before

    def _views(self) -> tuple[memoryview, ...]:
        columns = (self.application_area, self.queue_area, self.completed_at, self.location)
        return tuple(memoryview(column) for column in columns)

    def feed(self, times: list[float], keys: list[int], key_count: int) -> None:
        """Arrivals in order.  One long loop, because a call for each event would double its time."""
        self._grow(key_count)
        first_at, counts = self.cells.first_at_view, self.cells.updates_view
        location = memoryview(self.location)
        order, add_page = self.order, self.pages.add
        enter, supersede, moves = order.enter, order.supersede, order.moves_waiting
        skipped = 0
        for at, key in zip(times, keys, strict=True):
            if self.finish_at <= at:
                self.advance(at)
            counts[key] += 1
            if first_at[key] < 0.0:
                first_at[key] = at
                enter(key, at)
                location[key] = add_page(at)
                if self.current < 0:
                    self._begin(at)
            else:
                skipped += 1
                if moves:
                    supersede(key, at)
        self.updates += len(times)
        self.skipped += skipped

    def _begin(self, now: float) -> None:
        """Dequeue the next key and begin its step."""
        key = self.order.take(now)
        since: float = self.cells.first_at_view[key]
        self.cells.first_at_view[key] = -1.0
        self.queue_area[key] += (now - since) ** 2 / 2
        self.pages.release(int(self.location[key]), now)
        self.current, self.current_since = key, since
        self.finish_at = now + self.cost

    def advance(self, until: float) -> None:
        """All completions up to and at `until`, each followed at once by the next step."""
        application, queue_area, completed, location = self._views()
        first_at, order, take, cost = self.cells.first_at_view, self.order, self.order.take, self.cost
        release, profile, waiting = self.pages.release, self.profile, len(self.order)
        key, since, now, steps = self.current, self.current_since, self.finish_at, 0
        while now <= until:
            begin = completed[key]
            if begin < since:
                begin = since
            application[key] += ((now - since) ** 2 - (begin - since) ** 2) / 2
            if profile is not None:
                profile.add(since, begin, now)
            completed[key] = now
            steps += 1
            if not waiting:
                key, now = -1, inf
                break
            waiting -= 1
            key = take(now)
            since = first_at[key]
            first_at[key] = -1.0
            queue_area[key] += (now - since) ** 2 / 2
            release(location[key], now)
            now += cost
        self.current, self.current_since, self.finish_at = key, since, now
        self.processed += steps

    def finish(self, horizon: float) -> Outcome:
        """Completions up to the horizon, then the areas of what is still pending there."""
        self.advance(horizon)
        size = self.cells.size
        self._pending_areas(horizon)
        seen = np.flatnonzero(self.cells.updates[:size] > 0)
        span = horizon if horizon > 0 else 1.0
        staleness = KeyStaleness(
            self.application_area[seen] / span, self.queue_area[seen] / span, self.cells.weight[seen]
        )
        return Outcome(
            self.order.name, self.updates, self.processed, self.skipped, len(seen), horizon, staleness,
            self.pages.use(horizon),
        )  # fmt: skip

    def _pending_areas(self, horizon: float) -> None:
        for key in self.cells.waiting().tolist():
            since = float(self.cells.first_at[key])
            self.queue_area[key] += area(since, since, horizon)
            if key != self.current:
                self._pending_area(key, since, horizon)
        if self.current >= 0:
            self._pending_area(self.current, self.current_since, horizon)

    def _pending_area(self, key: int, since: float, horizon: float) -> None:
        begin = max(since, float(self.completed_at[key]))
        self.application_area[key] += area(since, begin, horizon)
        if self.profile is not None:
            self.profile.add(since, begin, horizon)

