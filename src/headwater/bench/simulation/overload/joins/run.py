"""Runs of an adapted join: normal load, then many times as much at once, then normal again.

Laws, wherever a push that finds next to nothing fits the promises several times over:

    kept promises    neither the join nor the view beside it is staler than promised, once a run has learnt
                     what its pushes take: not when the load rises, and not while it lasts
    progress         under overload matches are found all the time; soon after it has ended all are
"""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.bench.simulation.clock import JumpingClock
from headwater.bench.simulation.overload.joins.streams import JOIN, JoinedStreams
from headwater.bench.simulation.overload.machine import Costs, Machine
from headwater.bench.simulation.overload.runner import OverloadedRunner
from headwater.capture.polling import Polled
from headwater.catalog import Catalog, build
from headwater.clock import micros
from headwater.engine.executor.executor import Executor
from headwater.engine.run.capturing import Capturing
from headwater.engine.run.loop import Loop
from headwater.engine.spark.warmth import forget_actions
from headwater.model import Project
from headwater.sql.ddl.resolve import resolve
from headwater.sql.ddl.statements import parse_statements

__all__ = ["JoinOutcome", "JoinRun", "simulate_join"]

BESIDE = "beside"
STREAMS = ("a", "b", "c")
SQL = """
CREATE TABLE a (id INT PRIMARY KEY, x INT, at TIMESTAMP TEMPORAL);
CREATE TABLE b (id INT PRIMARY KEY, x INT, y INT, at TIMESTAMP TEMPORAL);
CREATE TABLE c (id INT PRIMARY KEY, y INT, at TIMESTAMP TEMPORAL);
CREATE MATERIALIZED VIEW joined FRESHNESS = INTERVAL '{promise}' SECOND WINDOW = INTERVAL '{window}' SECOND
  TOLERANCE (a = INTERVAL '{keep}' SECOND, b = INTERVAL '{keep}' SECOND, c = INTERVAL '{keep}' SECOND)
  ON OVERLOAD ADAPT JOINS AS
  SELECT a.id AS i, b.id AS j, c.id AS k FROM a JOIN b ON a.x = b.x JOIN c ON b.y = c.y;
CREATE MATERIALIZED VIEW beside FRESHNESS = INTERVAL '{beside}' SECOND AS
  SELECT x, count(*) AS n FROM a GROUP BY x;
"""
PROMISES = (10, 15, 30, 60)  # seconds
LEARNING, RISES, FALLS, LENGTH = 6, 8, 24, 36  # in promises of the join
CALM = 6  # promises after the load has fallen: then everything is found again
POLL_EVERY = 200_000  # microseconds


@dataclass(frozen=True, slots=True)
class JoinOutcome:
    """What became of a seed; `problem` is empty if the laws held."""

    seed: int
    hours: float
    pushes: int
    promise_s: float  # of the join
    worst_s: float  # of either view, as if both had the join's promise
    chose: bool
    times: float  # as many rows under overload
    share: float  # of the matches, that was found
    problem: str = ""


@dataclass(slots=True)
class _Feed:
    run: JoinRun
    tables: tuple[str, ...] = STREAMS
    polled_at: int = 0
    watermark: int = 0
    owed: float = 0.0

    def poll(self, at: int = 0) -> Polled:
        clock, rows = self.run.clock, 0
        now = clock.monotonic()
        if now - self.polled_at >= POLL_EVERY:
            self.owed += self.run.rate() * (now - self.polled_at) / 1e6
            self.polled_at, self.watermark = now, clock.now()
            rows, self.owed = int(self.owed), self.owed % 1.0
            for stream in STREAMS:
                self.run.streams.source(stream).add(self.watermark, rows)
        return Polled(rows * len(STREAMS), self.watermark)

    def close(self) -> None:
        return None


@dataclass(slots=True)
class JoinRun:
    seed: int
    clock: JumpingClock = field(default_factory=JumpingClock)
    chance: random.Random = field(init=False)
    promise: int = field(init=False)  # seconds
    normal: float = field(init=False)  # rows per second of each stream
    times: float = field(init=False)
    streams: JoinedStreams = field(init=False)
    runner: OverloadedRunner = field(init=False)
    executor: Executor = field(init=False)
    loop: Loop = field(init=False)
    worst: dict[str, float] = field(
        default_factory=dict
    )  # staleness by view, in promises, once it has learnt
    chose: bool = False
    late_choice: bool = False

    def __post_init__(self) -> None:
        chance = self.chance = random.Random(self.seed)
        self.promise = chance.choice(PROMISES)
        window = round(self.promise * chance.uniform(0.7, 2.0))
        self.times = chance.choice((2.0, 4.0, 8.0, 8.0))
        catalog = _catalog(self.promise, window, round(window * chance.choice((1.5, 3.0))), chance)
        costs = _costs(chance, self.promise)
        # All rows can be read and stored at any load; at the normal one all matches can be found.
        self.normal = min(10 ** chance.uniform(1, 3), 0.02 / (2 * costs.read) / self.times)
        results = chance.uniform(0.02, 0.1) / (2 * costs.made)  # per second, at the normal load
        each = results / (len(STREAMS) * self.normal)
        selectivity = each**0.5 / (self.normal * window)
        self.streams = JoinedStreams(catalog, spark=f"simulated join {self.seed}", selectivity=selectivity)
        self.runner = OverloadedRunner(
            self.streams, Machine(costs, chance, chance.choice((0.05, 0.1, 0.15))), self.clock
        )
        self.executor = Executor(catalog, self.runner, self.clock)
        self.loop = Loop(self.executor, [Capturing(_Feed(self), self.clock)], self.clock)
        self.clock.next_at, self.clock.tick = self._next_at, self._tick
        for _, stage in catalog.stages():
            self.streams.timeline(stage.name).add(self.clock.now(), 1)

    def rate(self) -> float:
        at = self.clock.monotonic() / 1e6 / self.promise
        return self.normal * (self.times if RISES <= at < FALLS else 1.0)

    def run(self) -> JoinOutcome:
        forget_actions(self.streams.spark)
        self.loop.keep(threading.Event(), timedelta(seconds=self.promise * LENGTH))
        broken = [
            f"{view} was {worst:.2f} of its promise stale" for view, worst in self.worst.items() if worst > 1
        ]
        if self.late_choice:
            broken.append("it chooses long after the load has fallen")
        worst, share = max(self.worst.values()), self.streams.found / max(self.streams.there, 1.0)
        return JoinOutcome(
            self.seed, self.clock.monotonic() / 3.6e9, self.runner.ended, self.promise, worst * self.promise,
            self.chose, self.times, share, "; ".join(broken),
        )  # fmt: skip

    def _next_at(self) -> int:
        ends = self.runner.next_at()
        soon = self.clock.monotonic() + POLL_EVERY
        return min(self.executor.next_at(), soon if ends is None else min(ends, soon))

    def _tick(self) -> None:
        for capturing in self.loop.captures:
            capturing.poll_safely()
        at = self.clock.monotonic() / 1e6 / self.promise
        views = self.streams.catalog.project.views
        for name in (JOIN, BESIDE):
            stale = (self.clock.now() - self.streams.timeline(name).time()) / micros(views[name].freshness)
            if at >= LEARNING:
                self.worst[name] = max(self.worst.get(name, 0.0), stale)
        self.chose |= self.streams.limited
        self.late_choice |= self.streams.limited and at > FALLS + CALM


def _catalog(promise: int, window: int, keep: int, chance: random.Random) -> Catalog:
    beside = round(promise * chance.uniform(0.8, 1.5))
    declared = resolve(parse_statements(SQL.format(promise=promise, window=window, keep=keep, beside=beside)))
    tables = {table.name: table for table in declared.tables}
    views = {view.name: view for view in declared.views}
    return build(Project("simulated", "", "", tables, views, {}, {}))


def _costs(chance: random.Random, promise: float) -> Costs:
    """Near what Spark takes on two cores; a push that finds next to nothing fits the promise twelve times."""
    action = min(chance.uniform(0.2, 1.0), promise / 60)
    row = 10 ** chance.uniform(-5.7, -4.5)
    return Costs(action, action / 10, row / 10, row, 1.0, 0.0)


def simulate_join(seed: int) -> JoinOutcome:
    return JoinRun(seed).run()
