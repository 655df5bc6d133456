"""One server, one update queue, a trace: what each policy makes of an overload.

A step takes a key, with its newest value at that moment, and holds the server for `cost` seconds.  When it
completes, every update of the key that had arrived when it began is cleared.  At equal times a completion,
and the choice that follows it at once, come before an arrival; an idle server begins with the first update
that arrives.

The run is fed chunks of a trace and keeps a fixed number of values for each key, so memory follows the keys
and not the trace.  Nothing is computed at an arrival that only supersedes: areas are added when a step
begins (queue) and completes (application).  Well under a microsecond an arrival, one to four a step.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import inf

import numpy as np

from headwater.overload.updates.queue.cells import KeyCells
from headwater.overload.updates.queue.memory import MemoryUse, OnDemandPages
from headwater.overload.updates.queue.orders import Order
from headwater.overload.updates.simulation.staleness import KeyStaleness, Profile, area

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
        self.current, self.current_since = -1, 0.0
        self.held_area = 0.0
        self.application_area: list[float] = []
        self.queue_area: list[float] = []
        self.completed_at: list[float] = []
        self.location: list[int] = []

    def _grow(self, size: int) -> None:
        self.cells.grow(size)
        more = size - len(self.location)
        self.application_area += [0.0] * more
        self.queue_area += [0.0] * more
        self.completed_at += [-inf] * more
        self.location += [-1] * more

    def feed(self, times: list[float], keys: list[int], key_count: int) -> None:
        """Arrivals in order, up to and at the horizon."""
        self._grow(key_count)
        self.updates += len(times)
        self._events(times, keys)

    def _events(self, times: list[float], keys: list[int]) -> None:
        """The event loop, inlined because calls would double its time. Key -1 only lets time pass."""
        first_at, counts = self.cells.first_at_view, self.cells.updates_view
        application, queued = self.application_area, self.queue_area
        completed, location = self.completed_at, self.location
        order, cost, profile, add, release = (
            self.order,
            self.cost,
            self.profile,
            self.pages.add,
            self.pages.release,
        )
        enter, supersede, take, moves = order.enter, order.supersede, order.take, order.moves_waiting
        current, since, finish_at = self.current, self.current_since, self.finish_at
        waiting, skipped, processed, held = len(order), 0, 0, 0.0
        for at, key in zip(times, keys, strict=True):
            while finish_at <= at:
                begin = completed[current]
                if begin <= since:
                    application[current] += (finish_at - since) ** 2 / 2
                else:
                    application[current] += ((finish_at - since) ** 2 - (begin - since) ** 2) / 2
                if profile is not None:
                    profile.add(since, max(begin, since), finish_at)
                completed[current] = finish_at
                processed += 1
                if not waiting:
                    current, finish_at = -1, inf
                    break
                waiting -= 1
                current = take(finish_at)
                since = first_at[current]
                first_at[current] = -1.0
                wait = finish_at - since
                held += wait
                queued[current] += wait * wait / 2
                release(location[current], finish_at)
                finish_at += cost
            if key < 0:
                break
            counts[key] += 1
            if current < 0:  # idle: the update is served at once and never waits
                current, since, finish_at = key, at, at + cost
            elif first_at[key] < 0.0:
                first_at[key] = at
                enter(key, at)
                location[key] = add(at)
                waiting += 1
            else:
                skipped += 1
                if moves:
                    supersede(key, at)
        self.current, self.current_since, self.finish_at = current, since, finish_at
        self.skipped += skipped
        self.processed += processed
        self.held_area += held

    def finish(self, horizon: float) -> Outcome:
        """Completions up to the horizon, then the areas of what is still pending there."""
        self._events([horizon], [-1])
        self._pending_areas(horizon)
        seen = np.flatnonzero(self.cells.updates[: self.cells.size] > 0)
        span = horizon if horizon > 0 else 1.0
        application, queue = np.array(self.application_area)[seen], np.array(self.queue_area)[seen]
        staleness = KeyStaleness(application / span, queue / span, self.cells.weight[seen])
        return Outcome(
            self.order.name, self.updates, self.processed, self.skipped, len(seen), horizon, staleness,
            self.pages.use(horizon, self.held_area),
        )  # fmt: skip

    def _pending_areas(self, horizon: float) -> None:
        for key in self.cells.waiting().tolist():
            since = self.cells.first_at_view[key]
            self.held_area += horizon - since
            self.queue_area[key] += area(since, since, horizon)
            if key != self.current:
                self._pending_area(key, since, horizon)
        if self.current >= 0:
            self._pending_area(self.current, self.current_since, horizon)

    def _pending_area(self, key: int, since: float, horizon: float) -> None:
        begin = max(since, self.completed_at[key])
        self.application_area[key] += area(since, begin, horizon)
        if self.profile is not None:
            self.profile.add(since, begin, horizon)
