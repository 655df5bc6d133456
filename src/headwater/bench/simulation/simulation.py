"""One simulated run of a seed, and many of them."""

from __future__ import annotations

import logging
import random
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.bench.simulation.catalogs import random_catalog
from headwater.bench.simulation.clock import JumpingClock
from headwater.bench.simulation.events import Events
from headwater.bench.simulation.fake_runner import Effort, FakeRunner
from headwater.bench.simulation.laws import LawBroken, Laws
from headwater.bench.simulation.sources import SimulatedSource
from headwater.clock import micros
from headwater.engine.executor.executor import Executor, Failed
from headwater.engine.run.capturing import Capturing
from headwater.engine.run.housekeeping import Chore, Housekeeping
from headwater.engine.run.loop import Loop

__all__ = ["Outcome", "SimulatedRun", "Summary", "simulate", "simulate_hours"]

PROMISES = tuple(timedelta(seconds=seconds) for seconds in (4, 20, 120, 900, 3600, 14400))
LENGTH = 150  # of a run, in shortest promises
CHECKS = 60  # at least so many looks at the laws in the time of the shortest promise
HOUSEKEEPING_EVERY = timedelta(seconds=10)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a seed; `problem` is empty if all laws held."""

    seed: int
    hours: float
    pushes: int
    looks: int
    problem: str = ""
    happened: tuple[str, ...] = ()


@dataclass(slots=True)
class SimulatedRun:
    seed: int
    clock: JumpingClock = field(default_factory=JumpingClock)
    unit: timedelta = field(init=False)
    runner: FakeRunner = field(init=False)
    executor: Executor = field(init=False)
    captures: list[Capturing] = field(init=False)
    housekeeping: Housekeeping = field(init=False)
    events: Events = field(init=False)
    laws: Laws = field(init=False)
    loop: Loop = field(init=False)
    swept_at: int = 0
    checked_at: int = 0
    broken: str = ""
    stop: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        chance, clock = random.Random(self.seed), self.clock
        self.unit = chance.choice(PROMISES)
        catalog = random_catalog(chance, self.unit)
        sources = {name: SimulatedSource(name, clock) for name in catalog.project.tables}
        effort = Effort(self.unit * chance.uniform(0.001, 0.01), chance.uniform(0, 0.002))
        self.runner = FakeRunner(catalog, clock, sources, effort, chance=chance)
        self.executor = Executor(catalog, self.runner, clock, self._failed)
        self.captures = [Capturing(source, clock) for source in sources.values()]
        self.housekeeping = Housekeeping({"sweep": Chore(HOUSEKEEPING_EVERY, self._sweep)}, clock)
        self.events = Events(self.runner, clock, chance, self.unit)
        self.laws = Laws(self.executor, self.runner, clock)
        self.loop = Loop(self.executor, self.captures, clock, self._adopt)
        clock.next_at, clock.tick = self._next_at, self._tick

    def run(self) -> Outcome:
        """The real loop, until the end or until a law is broken."""
        problem = ""
        try:
            self._tick()
            self.loop.keep(self.stop, self.unit * LENGTH)
        except Exception as error:  # noqa: BLE001 - any exception is a law broken
            problem = f"the loop ended by {type(error).__name__}: {error}"
        problem = self.broken or problem
        hours = self.clock.monotonic() / 3.6e9
        return Outcome(
            self.seed, hours, self.runner.started, self.laws.looks, problem, tuple(self.events.happened[-12:])
        )

    def _next_at(self) -> int:
        if self.events.waiting is not None and not self.runner.pushes:
            return self.clock.monotonic()  # it can be adopted at the next turn
        return min(self.executor.next_at(), self.runner.next_at(), self.events.next_at())

    def _tick(self) -> None:
        """All that other threads do in a real run, one after the other."""
        self.events.happen()
        self.runner.settle()
        for capturing in self.captures:
            capturing.poll_safely()
        self.housekeeping.turn()
        self._check()

    def _check(self) -> None:
        try:
            if (self.clock.monotonic() - self.checked_at) * CHECKS >= micros(self.unit):
                self.checked_at = self.clock.monotonic()
                self.loop.take_watermarks()
                self.laws.look(self.events.waiting is not None)
            if self.clock.monotonic() - self.swept_at > micros(HOUSEKEEPING_EVERY):
                raise LawBroken("housekeeping was not done")
            for name, error in (*self.loop.guard.errors.items(), *self.housekeeping.guard.errors.items()):
                raise LawBroken(f"{name} raised {error}")
        except LawBroken as error:
            self._end(error)

    def _end(self, error: LawBroken) -> None:
        at = timedelta(seconds=self.clock.monotonic() // 1_000_000)
        self.broken = self.broken or f"after {at}: {error}"
        self.stop.set()

    def _failed(self, failed: Failed) -> None:
        try:
            self.laws.failed(failed)
        except LawBroken as error:
            self._end(error)

    def _sweep(self) -> None:
        self.swept_at = self.clock.monotonic()

    def _adopt(self) -> None:
        waiting = self.events.waiting
        if waiting is not None and self.executor.adopt(waiting):
            self.events.waiting = None


def simulate(seed: int) -> Outcome:
    """One run."""
    return SimulatedRun(seed).run()


@dataclass(frozen=True, slots=True)
class Summary:
    seed: int
    runs: int
    hours: float
    pushes: int
    looks: int
    seconds: float
    failures: tuple[Outcome, ...]


def simulate_hours(
    hours: float, seed: int = 0, progress: Callable[[float], None] = lambda done: None
) -> Summary:
    """Runs of consecutive seeds until so many hours are simulated; `progress` hears how many are."""
    begun, outcomes, done = time.perf_counter(), list[Outcome](), 0.0
    quiet = logging.getLogger("headwater")
    level = quiet.level
    quiet.setLevel(logging.CRITICAL)  # what fails here fails on purpose
    try:
        for outcome in _runs(seed):
            outcomes.append(outcome)
            done += outcome.hours
            progress(done)
            if done >= hours:
                break
    finally:
        quiet.setLevel(level)
    return Summary(
        seed, len(outcomes), done, sum(run.pushes for run in outcomes), sum(run.looks for run in outcomes),
        time.perf_counter() - begun, tuple(run for run in outcomes if run.problem),
    )  # fmt: skip


def _runs(seed: int) -> Iterator[Outcome]:
    while True:
        yield simulate(seed)
        seed += 1
