"""Runs of windowed queries: LAZY commits to windows that have fully arrived, EAGER to the latest started one.

LAZY (section 6.2.1): a key waits from the moment one of its windows closes.  A step takes the newest closed
window and occupies the server for its tuples times the cost of one.  It never runs dry.

EAGER (section 6.2.2): a key waits from the moment one of its windows starts.  The operator commits to the
latest started window and reads its tuples as they arrive, one at a time; without a tuple to read the key is
IDLE and others are served; a tuple in the committed window makes it READY again, behind the keys that are.
Where the paper leaves room we chose: a key commits to its next window only after the result of the committed
one is out; a window that ends in a gap is emitted when a later tuple shows that it has ended; ready keys go
before waiting keys.

At equal times completions, and the decisions that follow, come before arrivals.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from math import inf
from typing import Literal

import numpy as np

from headwater.errors import InputError
from headwater.overload.updates.queue.blocks import BlockMemory
from headwater.overload.updates.queue.cells import KeyCells
from headwater.overload.updates.queue.policies import make_order
from headwater.overload.updates.simulation.run import Outcome
from headwater.overload.updates.simulation.staleness import KeyStaleness, Profile
from headwater.overload.updates.simulation.trace import Chunk
from headwater.overload.updates.windowed.keys import KeyState, WindowKey
from headwater.overload.updates.windowed.window_spec import WindowSpec

__all__ = ["Event", "WindowRun", "simulate_windows"]

Semantics = Literal["lazy", "eager"]
Event = tuple[float, int, str, float]
"""Time, key, "commit" | "result" | "idle" | "ready", and the start of the window."""


class WindowRun:
    """A run of one windowed query; `feed` it arrivals, then `finish`. Events are added to `log`."""

    def __init__(
        self,
        spec: WindowSpec,
        semantics: Semantics,
        tuple_cost: float,
        policy: str = "inplace",
        profile: Profile | None = None,
        log: list[Event] | None = None,
    ) -> None:
        self.spec, self.lazy, self.tuple_cost = spec, semantics == "lazy", tuple_cost
        self.cells = KeyCells()
        self.order = make_order(policy, self.cells, spec.cost_bounds(tuple_cost)[0])
        self.memory = BlockMemory()
        self.profile, self.log = profile, log
        self.keys: list[WindowKey] = []
        self.queue_area: list[float] = []
        self.upq: deque[int] = deque()  # keys in READY, head first
        self.current, self.finish_at = -1, inf
        self.updates = self.processed = self.skipped = 0

    def feed(self, times: Iterable[float], keys: Iterable[int], key_count: int) -> None:
        self.cells.grow(key_count)
        while len(self.keys) < key_count:
            self.keys.append(WindowKey(self.spec, self.memory, self.profile))
            self.queue_area.append(0.0)
        for at, key in zip(times, keys, strict=True):
            self._advance(at)
            self._arrive(key, at)
            if self.current < 0:
                self._serve(at)

    def _note(self, at: float, key: int, what: str, start: float) -> None:
        if self.log is not None:
            self.log.append((at, key, what, start))

    def _arrive(self, key: int, at: float) -> None:
        cell = self.keys[key]
        started, closed = cell.open.arrive(at)
        cell.buffer.append(at, at)
        self.updates += 1
        for start in closed:
            cell.ledger.closed(start, at, cell.committed)
        new = closed if self.lazy else [] if started is None else [started]
        for start in new:
            self._update(key, start, at)
        if not self.lazy and cell.committed is not None:
            self._extend(key, at)
        self._trim(cell, at)

    def _update(self, key: int, start: float, at: float) -> None:
        """isUpdate: a window that is newer than the waiting one."""
        cell = self.keys[key]
        self.cells.updates_view[key] += 1
        if not cell.wait(start, at):
            self.skipped += 1
            if self.cells.first_at_view[key] >= 0.0:
                self.order.supersede(key, at)
        elif cell.committed is None or self.lazy:
            self._enter(key, at)

    def _enter(self, key: int, at: float) -> None:
        self.cells.first_at_view[key] = self.keys[key].waiting_since
        self.order.enter(key, at)

    def _extend(self, key: int, at: float) -> None:
        """EAGER: a tuple of the committed window, or one that shows that it has ended (doPromote)."""
        cell = self.keys[key]
        assert cell.committed is not None
        if self.spec.holds(cell.committed, at):
            cell.unread.append(at)
        cell.ready = cell.ready or self.spec.closed_by(cell.committed, at)
        if KeyState.IDLE in cell.states and (cell.unread or cell.ready):
            cell.states.discard(KeyState.IDLE)
            cell.states.add(KeyState.READY)
            self.upq.append(key)
            self._note(at, key, "ready", cell.committed)

    def _advance(self, until: float) -> None:
        while self.finish_at <= until:
            now, key = self.finish_at, self.current
            self.current, self.finish_at = -1, inf
            cell = self.keys[key]
            if self.lazy:
                cell.unread.clear()
                self._deliver(key, now)
            elif cell.unread:
                cell.unread.popleft()
            self._trim(cell, now)
            self._serve(now)

    def _serve(self, now: float) -> None:
        """Give the server to the next key: the ready one at the head, else the next waiting one."""
        while self.current < 0:
            if not self.upq:
                if not len(self.order):
                    return
                self._commit(self.order.take(now), now)
            self._read(self.upq[0], now)

    def _commit(self, key: int, now: float) -> None:
        cell = self.keys[key]
        self.queue_area[key] += (now - cell.waiting_since) ** 2 / 2
        self.cells.first_at_view[key] = -1.0
        cell.commit(self.spec)
        self.upq.append(key)
        self._note(now, key, "commit", cell.committed or 0.0)

    def _read(self, key: int, now: float) -> None:
        cell = self.keys[key]
        if cell.unread:
            self.current = key
            self.finish_at = now + self.tuple_cost * (len(cell.unread) if self.lazy else 1)
        elif cell.ready:
            self._deliver(key, now)
        else:
            self.upq.popleft()
            cell.states.discard(KeyState.READY)
            cell.states.add(KeyState.IDLE)
            self._note(now, key, "idle", cell.committed or 0.0)

    def _deliver(self, key: int, now: float) -> None:
        cell = self.keys[key]
        self.upq.popleft()
        self._note(now, key, "result", cell.committed or 0.0)
        cell.deliver(now)
        self.processed += 1
        if cell.waiting_start is not None and self.cells.first_at_view[key] < 0.0:
            self._enter(key, now)

    def _trim(self, cell: WindowKey, at: float) -> None:
        if self.lazy:
            cell.forget(at)
        else:
            cell.forget_eagerly(at)

    def finish(self, horizon: float) -> Outcome:
        self._advance(horizon)
        for key, cell in enumerate(self.keys):
            cell.ledger.end(horizon)
            if cell.waiting_start is not None:
                self.queue_area[key] += (horizon - cell.waiting_since) ** 2 / 2
        span = horizon if horizon > 0 else 1.0
        seen = [key for key, cell in enumerate(self.keys) if cell.open.origin is not None]
        application = np.array([self.keys[key].ledger.area for key in seen]) / span
        queue = np.array([self.queue_area[key] for key in seen]) / span
        return Outcome(
            self.order.name, self.updates, self.processed, self.skipped, len(seen), horizon,
            KeyStaleness(application, queue, np.ones(len(seen))), self.memory.use(horizon),
        )  # fmt: skip


def simulate_windows(
    chunks: Iterable[Chunk], spec: WindowSpec, semantics: str, tuple_cost: float, policy: str = "inplace",
    horizon: float | None = None, profile: Profile | None = None,
) -> Outcome:  # fmt: skip
    """A windowed query over a trace; the horizon defaults to the last arrival."""
    if semantics not in ("lazy", "eager"):
        raise InputError("HW633", f'there is no window semantics "{semantics}"', hint="Choose lazy or eager.")
    run = WindowRun(spec, "lazy" if semantics == "lazy" else "eager", tuple_cost, policy, profile)
    last = 0.0
    for chunk in chunks:
        inside = len(chunk.times) if horizon is None else int(np.searchsorted(chunk.times, horizon, "right"))
        run.feed(chunk.times[:inside].tolist(), chunk.keys[:inside].tolist(), chunk.key_count)
        last = float(chunk.times[inside - 1]) if inside else last
    return run.finish(last if horizon is None else horizon)
