"""Policies as they are executed on Spark, and as the simulated queue predicts: mean staleness at several
loads."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from headwater.bench.updates.executed.market import Market
from headwater.engine.upkeep.verify import verify_all
from headwater.engine.upkeep.verify_shown import verify_shown
from headwater.model import Updates
from headwater.overload.updates import UpdateQueue

__all__ = ["Executed", "Trace", "execute_policies", "million_keys", "zipf_trace"]

POLICIES = (Updates.FIFO, Updates.INPLACE, Updates.LINECUT, Updates.BEST)
INSTANTS = 10  # batches of updates between two pushes
PUSH_EVERY = 5.0  # seconds of the trace


@dataclass(frozen=True, slots=True)
class Trace:
    """Updates of keys, in equal batches between which the same time passes."""

    name: str
    keys: int
    batches: tuple[Any, ...]

    @property
    def per_second(self) -> float:
        """Keys that have been updated by the time of a push, for each second: what would have to be shown."""
        pushes = range(0, len(self.batches) - INSTANTS + 1, INSTANTS)
        distinct = [len(np.unique(np.concatenate(self.batches[at : at + INSTANTS]))) for at in pushes]
        return float(np.mean(distinct)) / PUSH_EVERY


@dataclass(frozen=True, slots=True)
class Executed:
    trace: str
    policy: str
    load: float
    staleness_s: float  # mean over keys and time, as executed on Spark
    predicted_s: float  # by the simulated queue
    pushes: int
    seconds_per_push: float
    equal: bool  # verified at the end

    @property
    def error(self) -> float:
        return self.staleness_s / self.predicted_s - 1 if self.predicted_s else 0.0


def zipf_trace(keys: int, theta: float, per_push: int, pushes: int, seed: int = 1) -> Trace:
    weights = 1.0 / np.arange(1, keys + 1) ** theta
    chance = np.random.default_rng(seed)
    drawn = chance.choice(keys, per_push * pushes, p=weights / weights.sum())
    return Trace(f"{keys:,} keys, Zipf {theta:g}", keys, tuple(np.array_split(drawn, pushes * INSTANTS)))


class _Staleness:
    """The mean staleness of keys: each wait from a to c adds (c - a)^2 / 2."""

    def __init__(self, keys: int) -> None:
        self.keys, self.total = keys, 0.0
        self.first = np.full(keys, np.nan)

    def arrive(self, keys: Any, at: float) -> None:
        fresh = np.unique(keys)
        self.first[fresh] = np.where(np.isnan(self.first[fresh]), at, self.first[fresh])

    def show(self, keys: Any, at: float) -> None:
        waited = at - self.first[keys]
        self.total += float(np.nansum(waited * waited)) / 2
        self.first[keys] = np.nan

    def mean(self, horizon: float) -> float:
        waiting = horizon - self.first[~np.isnan(self.first)]
        return (self.total + float((waiting * waiting).sum()) / 2) / horizon / self.keys


def execute_policies(
    traces: list[Trace], loads: tuple[float, ...], say: Callable[[str], None]
) -> list[Executed]:
    results = []
    for trace in traces:
        for load in loads:
            for policy in POLICIES:
                say(f"{trace.name}, load {load:g}, {policy.value}")
                results.append(_execute(trace, load, policy))
    return results


def _execute(trace: Trace, load: float, policy: Updates) -> Executed:
    per_second = trace.per_second / load
    with tempfile.TemporaryDirectory(prefix="headwater-updates-") as folder:
        market = Market(Path(folder), trace.keys, policy, per_second)
        try:
            measured, pushes, seconds = _staleness_on_spark(market, trace)
            equal = all(
                view.equal
                for view in verify_all(market.workplace, list(market.workplace.catalog.kept.values()))
            )
            table = verify_shown(market.workplace, "quotes")
            equal &= table is not None and table.equal
        finally:
            market.close()
    predicted = _staleness_by_queue(trace, policy, per_second)
    return Executed(trace.name, policy.value, load, measured, predicted, pushes, seconds / pushes, equal)


def _staleness_on_spark(market: Market, trace: Trace) -> tuple[float, int, float]:
    market.update(np.arange(trace.keys))
    market.advance(1.0)
    market.push()  # everything is shown
    staleness, at, pushes, seconds = _Staleness(trace.keys), 0.0, 0, 0.0
    for number, batch in enumerate(trace.batches, 1):
        market.advance(PUSH_EVERY / INSTANTS)
        at += PUSH_EVERY / INSTANTS
        market.update(batch)
        staleness.arrive(batch, at)
        if number % INSTANTS == 0:
            seconds += market.push()
            pushes += 1
            staleness.show(market.shown_now(), at)
    return staleness.mean(at), pushes, seconds


def _staleness_by_queue(trace: Trace, policy: Updates, per_second: float) -> float:
    schema = pa.schema([("key", pa.int64())])
    queue = UpdateQueue(schema, "key", policy.value, cost=1.0 / per_second)
    staleness, at = _Staleness(trace.keys), 0.0
    for number, batch in enumerate(trace.batches, 1):
        at += PUSH_EVERY / INSTANTS
        queue.enqueue(pa.record_batch([pa.array(batch)], schema=schema), at=at)
        staleness.arrive(batch, at)
        if number % INSTANTS == 0:
            taken = queue.dequeue(max(int(per_second * PUSH_EVERY), 1), now=at)
            staleness.show(taken.column("key").to_numpy(), at)
    return staleness.mean(at)


def million_keys(keys: int, per_second: int, seconds: int, say: Callable[[str], None]) -> dict[str, Any]:
    """One push of many keys after another, with budgets from the promise of 30 s: how long each takes."""
    import psutil

    trace = zipf_trace(keys, 0.9, per_second * seconds, 3)
    with tempfile.TemporaryDirectory(prefix="headwater-updates-") as folder:
        market = Market(Path(folder), keys, Updates.BEST, None, freshness=timedelta(seconds=30))
        took, memory, waits = [], [], []
        try:
            say(f"{keys:,} keys: the first computation")
            market.update(np.arange(keys))
            market.advance(1.0)
            market.push()
            for number, batch in enumerate(trace.batches, 1):
                market.advance(seconds / INSTANTS)
                market.update(batch)
                if number % INSTANTS == 0:
                    say(f"{keys:,} keys: push {number // INSTANTS}")
                    took.append(round(market.push(), 1))
                    memory.append(psutil.Process().memory_info().rss // 1_000_000)
                    waits.append(market.workplace.waiting("quotes").tally().waits)
        finally:
            market.close()
    return {
        "keys": keys,
        "updates_per_push": per_second * seconds,
        "seconds": took,
        "waiting": waits,
        "driver_mb": memory,
    }
