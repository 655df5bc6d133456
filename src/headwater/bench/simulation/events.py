"""What happens while a simulated run goes on, at random; most of it ends again after a while."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import timedelta
from heapq import heappop, heappush
from itertools import count

from headwater.bench.simulation.catalogs import added, changed, dropped
from headwater.bench.simulation.clock import JumpingClock
from headwater.bench.simulation.fake_runner import FakeRunner
from headwater.catalog import Catalog
from headwater.clock import micros

__all__ = ["Events"]

MOST_VIEWS = 10
CLOCK_STEPS = (timedelta(hours=-1), timedelta(days=365), timedelta(days=-365), timedelta(seconds=-3))


@dataclass(slots=True)
class Events:
    """`unit` is the shortest promise: things happen every few of it, and last some of it."""

    runner: FakeRunner
    clock: JumpingClock
    chance: random.Random
    unit: timedelta
    waiting: Catalog | None = None  # the project's files say this now
    happened: list[str] = field(default_factory=list)
    _queue: list[tuple[int, int, Callable[[], None]]] = field(default_factory=list)
    _numbers: count[int] = field(default_factory=count)

    def __post_init__(self) -> None:
        self._later(4, self._something)

    def next_at(self) -> int:
        return self._queue[0][0]

    def happen(self) -> None:
        """Let everything happen that is due."""
        while self._queue and self._queue[0][0] <= self.clock.monotonic():
            heappop(self._queue)[2]()

    def _later(self, units: float, event: Callable[[], None]) -> None:
        delay = self.unit * units * self.chance.uniform(0.2, 2)
        heappush(self._queue, (self.clock.monotonic() + micros(delay), next(self._numbers), event))

    def _something(self) -> None:
        kinds = (
            self._stop_source, self._stop_source, self._quiet_source, self._fail_source, self._fail_stage,
            self._break_log, self._silence_site, self._slow_down, self._fail_publication, self._step_clock,
            self._step_clock, self._add_view, self._drop_view, self._change_view,
        )  # fmt: skip
        kind = self.chance.choice(kinds)
        self.happened.append(f"{self.clock.monotonic() / 1e6:.0f} s: {kind.__name__.strip('_')}")
        kind()
        self._later(6, self._something)

    # Sources

    def _stop_source(self) -> None:
        """It stops, and later catches up."""
        source = self.chance.choice(list(self.runner.sources.values()))
        source.stopped, source.speed = True, self.chance.uniform(2, 20)
        self._later(self.chance.choice((1, 10, 60)), lambda: setattr(source, "stopped", False))

    def _quiet_source(self) -> None:
        source = self.chance.choice(list(self.runner.sources.values()))
        source.quiet = True
        self._later(10, lambda: setattr(source, "quiet", False))

    def _fail_source(self) -> None:
        source = self.chance.choice(list(self.runner.sources.values()))
        source.failing = True
        self._later(3, lambda: setattr(source, "failing", False))

    # Pushes, sites and logs

    def _stage(self) -> str:
        return self.chance.choice([stage.name for _, stage in self.runner.catalog.stages()])

    def _for_a_while(self, names: set[str], name: str, units: float) -> None:
        names.add(name)
        self._later(units, lambda: names.discard(name))

    def _fail_stage(self) -> None:
        """By anything, or by a row."""
        faults = self.runner.faults
        by_row = len(self.happened) % 2
        self._for_a_while(faults.poisoned if by_row else faults.failing, self._stage(), 8)

    def _break_log(self) -> None:
        self._for_a_while(self.runner.faults.broken, self._stage(), 8)

    def _silence_site(self) -> None:
        self._for_a_while(self.runner.faults.silent, self.runner.catalog.site_of(self._stage()), 4)

    def _fail_publication(self) -> None:
        self._for_a_while(
            self.runner.faults.unpublished, self.chance.choice(list(self.runner.catalog.kept)), 4
        )

    def _slow_down(self) -> None:
        self.runner.faults.slow = self.chance.uniform(5, 60)
        self._later(3, lambda: setattr(self.runner.faults, "slow", 1.0))

    # The clock and the project

    def _step_clock(self) -> None:
        self.clock.step(self.chance.choice(CLOCK_STEPS))

    def _catalog(self) -> Catalog:
        return self.waiting or self.runner.catalog

    def _add_view(self) -> None:
        catalog = self._catalog()
        if len(catalog.kept) < MOST_VIEWS:
            promise = self.unit * self.chance.uniform(1, 20)
            site = self.chance.choice([catalog.site_of(name) for name in catalog.kept])
            self.waiting = added(catalog, f"w{next(self._numbers)}", promise, site, self.chance)

    def _drop_view(self) -> None:
        catalog = self._catalog()
        if len(catalog.kept) > 1:
            self.waiting = dropped(catalog, self.chance.choice(list(catalog.kept))) or self.waiting

    def _change_view(self) -> None:
        catalog = self._catalog()
        self.waiting = changed(catalog, self.chance.choice(list(catalog.kept)), self.chance) or self.waiting
