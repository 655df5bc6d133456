"""Policies as they are executed on Spark, and as the simulated queue predicts: mean staleness at several
loads.

All have the same capacity: so many keys a push, `load` times fewer than are updated meanwhile.  `append`
shows every update, as many as the others show keys: it is pushed as far as these reach.
"""

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
from headwater.bench.updates.executed.mean_staleness import InOrder, MeanStaleness
from headwater.bench.updates.executed.traces import INSTANTS, PUSH_EVERY, Trace, zipf_trace
from headwater.engine.upkeep.verify import verify_all
from headwater.engine.upkeep.verify_shown import verify_shown
from headwater.model import Updates
from headwater.overload.updates import UpdateQueue

__all__ = ["Executed", "execute_policies", "million_keys"]

POLICIES = (Updates.APPEND, Updates.FIFO, Updates.INPLACE, Updates.LINECUT, Updates.BEST)


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
    over_time: tuple[float, ...] = ()  # the mean staleness of keys before each push

    @property
    def error(self) -> float:
        return self.staleness_s / self.predicted_s - 1 if self.predicted_s else 0.0


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
        market = Market(Path(folder), trace.keys, policy, per_second, kept=("newest",))
        try:
            measured, pushes, seconds = _staleness_on_spark(market, trace, per_second)
            equal = all(
                view.equal
                for view in verify_all(market.workplace, list(market.workplace.catalog.kept.values()))
            )
            if policy is not Updates.APPEND:
                table = verify_shown(market.workplace, "quotes")
                equal &= table is not None and table.equal
        finally:
            market.close()
    predicted = _predicted(trace, policy, per_second)
    horizon = len(trace.batches) * PUSH_EVERY / INSTANTS
    return Executed(
        trace.name, policy.value, load, measured.mean(horizon), predicted.mean(horizon), pushes,
        seconds / pushes, equal, tuple(round(value, 3) for value in measured.over_time),
    )  # fmt: skip


def _staleness_on_spark(market: Market, trace: Trace, per_second: float) -> tuple[MeanStaleness, int, float]:
    market.update(np.arange(trace.keys))
    market.advance(1.0)
    market.push()  # everything is shown
    began_at = market.clock.now()
    staleness, at, pushes, seconds = MeanStaleness(trace.keys), 0.0, 0, 0.0
    in_order = InOrder(trace, per_second * PUSH_EVERY, whole_batches=True)
    for number, batch in enumerate(trace.batches, 1):
        market.advance(PUSH_EVERY / INSTANTS)
        at += PUSH_EVERY / INSTANTS
        market.update(batch)
        staleness.arrive(batch, at)
        if number % INSTANTS == 0:
            pushes += 1
            if market.policy is Updates.APPEND:
                until = in_order.push(staleness, at)
                seconds += market.push(began_at + round(until * 1e6)) if until else 0.0
            else:
                seconds += market.push()
                staleness.show(market.shown_now(), at)
    return staleness, pushes, seconds


def _predicted(trace: Trace, policy: Updates, per_second: float) -> MeanStaleness:
    """By the queue of the simulator, with as many keys at every push."""
    schema = pa.schema([("key", pa.int64())])
    in_order = InOrder(trace, per_second * PUSH_EVERY, whole_batches=False)
    queue = (
        None if policy is Updates.APPEND else UpdateQueue(schema, "key", policy.value, cost=1.0 / per_second)
    )
    staleness, at = MeanStaleness(trace.keys), 0.0
    for number, batch in enumerate(trace.batches, 1):
        at += PUSH_EVERY / INSTANTS
        if queue is not None and len(batch):
            queue.enqueue(pa.record_batch([pa.array(batch)], schema=schema), at=at)
        staleness.arrive(batch, at)
        if number % INSTANTS == 0 and queue is None:
            in_order.push(staleness, at)
        elif number % INSTANTS == 0 and queue is not None:
            taken = queue.dequeue(max(int(per_second * PUSH_EVERY), 1), now=at)
            staleness.show(taken.column("key").to_numpy(), at)
    return staleness


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
