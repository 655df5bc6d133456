"""The append queue, with or without random shedding: the two baselines of the paper's Figure 7.

Every update that is not shed is processed, in order of arrival.  A shed update counts as pending until a
later update of its key is processed, because until then the application shows an older value.

First in, first out fixes the time of each step on arrival: it begins when the server is free.  So the run
needs no queue: per key it stores the oldest update not yet cleared and the times of its last step, and the
horizon must be known in advance.
"""

from __future__ import annotations

from collections import deque
from math import inf

import numpy as np

from headwater.overload.updates.queue.memory import PAGE_BYTES, TUPLE_BYTES, MemoryUse
from headwater.overload.updates.simulation.run import Outcome
from headwater.overload.updates.simulation.staleness import KeyStaleness, Profile, area

__all__ = ["AppendRun"]


class AppendRun:
    """A run of an append queue that processes a random fraction `keep` of the updates."""

    def __init__(
        self, cost: float, horizon: float, keep: float = 1.0, seed: int = 0, profile: Profile | None = None
    ) -> None:
        self.cost, self.horizon, self.keep, self.profile = cost, horizon, keep, profile
        self.random = np.random.default_rng(seed)
        self.updates = self.processed = self.skipped = 0
        self.free_at = 0.0
        self.pages = AppendPages(horizon)
        self.since: list[float] = []  # oldest update not yet cleared by a step; negative if none
        self.begun_at: list[float] = []
        self.completed_at: list[float] = []
        self.application_area: list[float] = []
        self.queue_area: list[float] = []
        self.weight: list[float] = []

    def _grow(self, size: int) -> None:
        more = size - len(self.since)
        self.since += [-1.0] * more
        self.begun_at += [-inf] * more
        self.completed_at += [-inf] * more
        self.application_area += [0.0] * more
        self.queue_area += [0.0] * more

    def feed(self, times: list[float], keys: list[int], key_count: int) -> None:
        self._grow(key_count)
        processed = (self.random.random(len(times)) < self.keep).tolist()
        for at, key, process in zip(times, keys, processed, strict=True):
            if self.since[key] < 0.0:
                self.since[key] = at
            if process:
                self._process(at, key)
            else:
                self.skipped += 1
        self.updates += len(times)

    def _process(self, at: float, key: int) -> None:
        begin = at if at > self.free_at else self.free_at
        end = self.free_at = begin + self.cost
        self._clear(key, begin, end)
        self.since[key] = -1.0
        self.begun_at[key], self.completed_at[key] = begin, end
        self.processed += end <= self.horizon
        self.pages.add(at, begin)

    def _clear(self, key: int, begin: float, end: float) -> None:
        """Add the trapezia of the key's oldest update: queued until `begin`, pending until `end`."""
        since, horizon = self.since[key], self.horizon
        queued, shown = max(since, self.begun_at[key]), max(since, self.completed_at[key])
        begin, end = min(begin, horizon), min(end, horizon)
        if queued < begin:
            self.queue_area[key] += area(since, queued, begin)
        if shown < end:
            self.application_area[key] += area(since, shown, end)
            if self.profile is not None:
                self.profile.add(since, shown, end)

    def finish(self, policy: str) -> Outcome:
        for key, since in enumerate(self.since):
            if since >= 0.0:
                self._clear(key, self.horizon, self.horizon)
        span = self.horizon if self.horizon > 0 else 1.0
        weight = np.array(self.weight) if self.weight else np.ones(len(self.since))
        staleness = KeyStaleness(
            np.array(self.application_area) / span, np.array(self.queue_area) / span, weight
        )
        return Outcome(
            policy, self.updates, self.processed, self.skipped, len(self.since), self.horizon, staleness,
            self.pages.use(),
        )  # fmt: skip


class AppendPages:
    """Memory of a first-in-first-out queue: each page is held from its first arrival to its last dequeue."""

    def __init__(self, horizon: float, page_locations: int = PAGE_BYTES // TUPLE_BYTES) -> None:
        self.horizon, self.page_locations = horizon, page_locations
        self._opened: float | None = None
        self._filled = 0
        self._leave_at = 0.0
        self._full: deque[float] = deque()
        self._peak = 0
        self._held_area = 0.0
        self._allocated_area = 0.0

    def add(self, at: float, begin: float) -> None:
        """A tuple arrived at `at` that will be dequeued at `begin`."""
        if self._opened is None:
            self._opened = at
        self._held_area += min(begin, self.horizon) - at
        self._leave_at = begin
        self._filled += 1
        while self._full and self._full[0] <= at:
            self._full.popleft()
        self._peak = max(self._peak, len(self._full) + 1)
        if self._filled == self.page_locations:
            self._full.append(begin)
            self._close()

    def _close(self) -> None:
        if self._opened is not None:
            leave = min(self._leave_at, self.horizon)
            self._allocated_area += (leave - self._opened) * self.page_locations
        self._opened, self._filled = None, 0

    def use(self) -> MemoryUse:
        self._close()
        share = self._held_area / self._allocated_area if self._allocated_area else 1.0
        mean = self._allocated_area / self.page_locations / self.horizon if self.horizon else 0.0
        return MemoryUse(self._peak, self._peak * PAGE_BYTES, share, mean)
