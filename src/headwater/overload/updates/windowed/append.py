"""Windows under append semantics, the baseline of Figure 13: every tuple, every window, in order of arrival.

A tuple costs its price once for each window that holds it.  Random window shedding computes a fraction of the
windows; these are still answered in order, and overlapping ones still multiply the work.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import inf

import numpy as np

from headwater.overload.updates.simulation.staleness import area
from headwater.overload.updates.simulation.trace import Chunk
from headwater.overload.updates.windowed.window_spec import OpenWindows, WindowSpec

__all__ = ["append_windows"]


class _Key:
    """The open windows of a key, those to be computed, and its staleness."""

    __slots__ = ("area", "computed", "delivered_at", "open", "since")

    def __init__(self, spec: WindowSpec) -> None:
        self.open = OpenWindows(spec)
        self.computed: set[float] = set()
        self.since = -1.0  # when the oldest closed window without a result closed
        self.delivered_at = -inf
        self.area = 0.0

    def close(self, start: float, at: float, end: float, horizon: float) -> None:
        """A window closes with the tuple that arrived at `at` and is processed by `end`."""
        if self.since < 0.0:
            self.since = at
        if start in self.computed:
            self.computed.discard(start)
            self.settle(min(end, horizon))
            self.since, self.delivered_at = -1.0, end

    def settle(self, until: float) -> None:
        begin = max(self.since, self.delivered_at)
        if self.since >= 0.0 and begin < until:
            self.area += area(self.since, begin, until)


def append_windows(
    chunks: Iterable[Chunk],
    spec: WindowSpec,
    tuple_cost: float,
    horizon: float,
    keep: float = 1.0,
    seed: int = 0,
) -> float:
    """Application staleness if a fraction `keep` of the windows is computed and none is superseded."""
    random = np.random.default_rng(seed)
    keys: dict[int, _Key] = {}
    free_at = 0.0
    for chunk in chunks:
        inside = int(np.searchsorted(chunk.times, horizon, "right"))
        for at, number in zip(chunk.times[:inside].tolist(), chunk.keys[:inside].tolist(), strict=True):
            key = keys.setdefault(number, _Key(spec))
            started, closed = key.open.arrive(at)
            if started is not None and random.random() < keep:
                key.computed.add(started)
            work = sum(1 for start in key.computed if spec.holds(start, at))
            free_at = max(at, free_at) + tuple_cost * work
            for start in closed:
                key.close(start, at, free_at, horizon)
    for key in keys.values():
        key.settle(horizon)
    return sum(key.area for key in keys.values()) / horizon / max(1, len(keys))
