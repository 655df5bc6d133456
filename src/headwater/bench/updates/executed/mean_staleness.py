"""The staleness of keys, averaged over them and over time; and what `append` shows of a trace."""

from __future__ import annotations

from typing import Any

import numpy as np

from headwater.bench.updates.executed.traces import INSTANTS, PUSH_EVERY, Trace

__all__ = ["InOrder", "MeanStaleness"]


class MeanStaleness:
    """If the oldest update of a key that is not shown came at a, and at c one that came at b becomes that,
    its staleness has added up to (c - a)^2 / 2 - (c - b)^2 / 2."""

    def __init__(self, keys: int) -> None:
        self.keys, self.total = keys, 0.0
        self.first = np.full(keys, np.nan)
        self.over_time: list[float] = []  # the mean over keys, before each push

    def arrive(self, keys: Any, at: float) -> None:
        fresh = np.unique(keys)
        self.first[fresh] = np.where(np.isnan(self.first[fresh]), at, self.first[fresh])

    def show(self, keys: Any, at: float, then: Any = np.nan) -> None:
        """`then`: when the oldest updates came that are not shown after this; none, if not said."""
        self.over_time.append(float(np.nansum(at - self.first)) / self.keys)
        before, after = at - self.first[keys], at - np.broadcast_to(then, np.shape(keys))
        self.total += float(np.nansum(before * before) - np.nansum(after * after)) / 2
        self.first[keys] = then

    def mean(self, horizon: float) -> float:
        waiting = horizon - self.first[~np.isnan(self.first)]
        return (self.total + float((waiting * waiting).sum()) / 2) / horizon / self.keys


class InOrder:
    """What is shown by `append`: every update in the order in which they came, so many a push."""

    def __init__(self, trace: Trace, per_push: float, whole_batches: bool) -> None:
        self.at = np.repeat(
            np.arange(1, len(trace.batches) + 1) * (PUSH_EVERY / INSTANTS), list(map(len, trace.batches))
        )
        self.key = np.concatenate(trace.batches)
        self.per_push, self.whole = per_push, whole_batches
        self.capacity, self.shown = 0.0, 0

    def push(self, staleness: MeanStaleness, now: float) -> float:
        """Up to which time everything is shown after a push."""
        self.capacity += self.per_push
        until = min(int(self.capacity), int(np.searchsorted(self.at, now, side="right")))
        if self.whole and until < len(self.at):
            until = int(np.searchsorted(self.at, self.at[until]))  # the batches before that one
        shown = np.unique(self.key[self.shown : until])
        waiting, first = np.unique(
            self.key[until : np.searchsorted(self.at, now, side="right")], return_index=True
        )
        then = dict(zip(waiting.tolist(), self.at[until + first].tolist(), strict=True))
        staleness.show(shown, now, np.array([then.get(key, np.nan) for key in shown.tolist()]))
        self.shown = until
        return float(self.at[until - 1]) if until else 0.0
