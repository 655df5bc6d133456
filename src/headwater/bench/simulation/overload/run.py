"""Runs under overload: the real loop, executor, scheduler, forecaster and controller of budgets.

Laws, wherever a push that shows next to nothing fits the promise several times over:

    kept promises    no view is staler than promised, once a run has learnt what its pushes take
    progress         under overload keys are shown all the time; what waits follows when the load drops
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Protocol

from headwater.algebra.stages.choosing import shown
from headwater.bench.simulation.clock import JumpingClock
from headwater.bench.simulation.overload.machine import Costs, Machine
from headwater.bench.simulation.overload.market import Market
from headwater.bench.simulation.overload.runner import OverloadedRunner
from headwater.capture.polling import Polled
from headwater.catalog import Catalog, build
from headwater.clock import micros
from headwater.engine.executor.executor import Executor
from headwater.engine.run.capturing import Capturing
from headwater.engine.run.loop import Loop
from headwater.engine.spark.warmth import forget_actions
from headwater.model import Column, Project, SqlText, Table, Updates, View

__all__ = [
    "OverloadOutcome",
    "OverloadedRun",
    "Simulated",
    "simulate_cold_start",
    "simulate_overload",
    "simulate_overloads",
]

VIEWS = (
    "SELECT symbol, price FROM quotes",
    "SELECT symbol, max(price) - min(price) AS spread FROM quotes GROUP BY symbol",
    "SELECT q.symbol, q.price, s.sector FROM quotes q JOIN sectors s ON q.symbol = s.symbol",
)
PROMISES = (10.0, 15.0, 30.0, 60.0)  # seconds
LENGTH = 60  # of a run, in promises
LEARNING = 6  # promises, from a cold start on, in which a view may now and then be late
CALM = 0.75  # of a run: then the load drops
CAUGHT_UP = 0.15  # of a run: by then nothing waits
POLL_EVERY = 200_000  # microseconds
SLOWEST = 1.4  # how many times as long things take because of others, at most


class Simulated(Protocol):
    """What is told of any simulated run; `problem` is empty if its laws held."""

    @property
    def seed(self) -> int: ...

    @property
    def hours(self) -> float: ...

    @property
    def pushes(self) -> int: ...

    @property
    def promise_s(self) -> float: ...

    @property
    def worst_s(self) -> float: ...

    @property
    def chose(self) -> bool: ...

    @property
    def problem(self) -> str: ...


@dataclass(frozen=True, slots=True)
class OverloadOutcome:
    """What became of a seed; `problem` is empty if the laws held."""

    seed: int
    hours: float
    pushes: int
    promise_s: float
    worst_s: float  # staleness of a view
    first_s: float  # the same in the first promises of a run, while it learns
    chose: bool
    busy: float  # the part of the time in which a push was under way
    problem: str = ""


@dataclass(slots=True)
class _Feed:
    """A capture of both tables."""

    run: OverloadedRun
    tables: tuple[str, ...] = ("quotes", "sectors")
    polled_at: int = 0
    watermark: int = 0
    owed: float = 0.0

    def poll(self, at: int = 0) -> Polled:
        now = self.run.clock.monotonic()
        if now - self.polled_at < POLL_EVERY:
            return Polled(0, self.watermark)
        self.owed += self.run.rate() * (now - self.polled_at) / 1e6
        self.polled_at, self.watermark = now, self.run.clock.now()
        updates, self.owed = int(self.owed), self.owed % 1.0
        if updates:
            self.run.market.arrive(self.watermark, updates)
        self.run.market.source("sectors").reached = self.watermark
        return Polled(updates, self.watermark)

    def close(self) -> None:
        return None


@dataclass(slots=True)
class OverloadedRun:
    seed: int
    clock: JumpingClock = field(default_factory=JumpingClock)
    chance: random.Random = field(init=False)
    promise: timedelta = field(init=False)
    market: Market = field(init=False)
    machine: Machine = field(init=False)
    runner: OverloadedRunner = field(init=False)
    executor: Executor = field(init=False)
    loop: Loop = field(init=False)
    offered: float = field(init=False)  # updates per second
    started_at: int = field(init=False)
    worst: int = 0
    first: int = 0
    chose: bool = False
    busy: int = 0
    problem: str = ""
    caught_up: bool = False
    _changes_at: int = 0
    _looked_at: int = 0

    def __post_init__(self) -> None:
        chance = self.chance = random.Random(self.seed)
        seconds = chance.choice(PROMISES)
        self.promise = timedelta(seconds=seconds)
        catalog = _catalog(self.promise)
        costs = _costs(chance, seconds)
        # What waits is read and written by every choice: that too has to fit.
        most = seconds * 0.05 / (3 * costs.waiting)
        keys = round(min(10 ** chance.uniform(1.5, 6), most))
        self.market = Market(catalog, keys=keys, spark=f"simulated {self.seed}")
        # From half of what can be shown to twenty times that; reading what arrives is always possible.
        each = (
            8 * costs.made + 8 * costs.read
        )  # a key shown: its two rows are made once, and go into three views
        self.offered = min(10 ** chance.uniform(-0.3, 1.3) / each, 0.15 / (2 * costs.read))
        self.machine = Machine(costs, chance, chance.choice((0.05, 0.1, 0.15)))
        self.runner = OverloadedRunner(self.market, self.machine, self.clock)
        self.executor = Executor(catalog, self.runner, self.clock)
        self.loop = Loop(self.executor, [Capturing(_Feed(self), self.clock)], self.clock)
        self.clock.next_at, self.clock.tick = self._next_at, self._tick
        self.started_at = self.clock.now()
        for name in (*catalog.kept, shown("quotes")):
            self.market.timeline(name).add(self.started_at, 2 * self.market.keys)

    @property
    def length(self) -> int:
        return micros(self.promise * LENGTH)

    def rate(self) -> float:
        return self.offered * (1.0 if self.clock.monotonic() < self.length * CALM else 0.02)

    def run(self, promises: int = LENGTH) -> OverloadOutcome:
        forget_actions(self.market.spark)
        self.loop.keep(threading.Event(), self.promise * promises)
        if promises == LENGTH:
            self._judge()
        return OverloadOutcome(
            self.seed, self.clock.monotonic() / 3.6e9, self.runner.ended, self.promise.total_seconds(),
            self.worst / 1e6, self.first / 1e6, self.chose, self.busy / max(self.clock.monotonic(), 1),
            self.problem,
        )  # fmt: skip

    def _judge(self) -> None:
        if not self.problem and self.market.held.counted.waits and not self.caught_up:
            self.problem = f"{self.market.held.counted.waits} keys wait long after the load has dropped"
        worst = self.worst / 1e6
        if worst > self.promise.total_seconds():
            self.problem = self.problem or f"a view was {worst:.1f} s stale"

    def _next_at(self) -> int:
        ends = self.runner.next_at()
        soon = self.clock.monotonic() + POLL_EVERY
        return min(self.executor.next_at(), soon if ends is None else min(ends, soon))

    def _tick(self) -> None:
        now = self.clock.monotonic()
        self.busy += now - self._looked_at if self.runner.pushes else 0
        self._looked_at = now
        times = [self.market.timeline(name).time() for name in self.market.catalog.kept]
        stalest = self.clock.now() - min(times)
        if now > micros(self.promise * LEARNING):
            self.worst = max(self.worst, stalest)
        else:
            self.first = max(self.first, stalest)
        waits = self.market.held.counted.waits
        self.chose |= waits > 0
        self.caught_up |= not waits and now > self.length * (CALM + CAUGHT_UP)
        if now >= self._changes_at:
            self._changes_at = now + micros(self.promise * self.chance.uniform(2, 40))
            self.machine.slow = self.chance.uniform(1.0, SLOWEST)
        for capturing in self.loop.captures:
            capturing.poll_safely()


def _catalog(promise: timedelta) -> Catalog:
    tables = {
        "quotes": Table(
            "quotes", (Column("symbol", "string"), Column("price", "double")), update_key=("symbol",),
            updates=Updates.BEST,
        ),
        "sectors": Table("sectors", (Column("symbol", "string"), Column("sector", "string")), ("symbol",)),
    }  # fmt: skip
    views = {f"v{number}": View(f"v{number}", SqlText(text), promise) for number, text in enumerate(VIEWS)}
    return build(Project("simulated", "", "", tables, views, {}, {}))


def _costs(chance: random.Random, promise: float) -> Costs:
    """Near what Spark takes on two cores; a push that shows next to nothing fits the promise twelve times."""
    action = min(chance.uniform(0.2, 1.0), promise / 60)
    row = chance.uniform(2e-6, 2e-5)
    return Costs(action, action / 10, row / 10, row, chance.uniform(2, 4), row / 4)


def simulate_overload(seed: int) -> OverloadOutcome:
    return OverloadedRun(seed).run()


def simulate_cold_start(seed: int) -> OverloadOutcome:
    """The first promises of a run, in which it has to learn what everything takes."""
    return OverloadedRun(seed).run(LEARNING)


def simulate_overloads(
    hours: float,
    seed: int = 0,
    progress: Callable[[float], None] = lambda done: None,
    simulate: Callable[[int], Simulated] = simulate_overload,
) -> tuple[list[Simulated], float]:
    """Runs of consecutive seeds until so many hours are simulated, and the seconds that took."""
    begun, outcomes, done = time.perf_counter(), list[Simulated](), 0.0
    while done < hours:
        outcomes.append(simulate(seed + len(outcomes)))
        done += outcomes[-1].hours
        progress(done)
    return outcomes, time.perf_counter() - begun
