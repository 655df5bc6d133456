"""A Runner without Spark: a push takes simulated time, and its effect comes at its end."""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Generic, TypeVar

from headwater.algebra.stages.stage import Kept, Stage
from headwater.bench.simulation.faults import Faults, SimulatedError
from headwater.bench.simulation.sources import SimulatedSource
from headwater.catalog import Catalog
from headwater.clock import ManualClock, micros
from headwater.engine.executor.runner import PlainTable, Publication, PublishOrder, PushOrder, PushOutcome
from headwater.engine.executor.times import Times, not_captured
from headwater.scheduling.forecast import Forecast
from headwater.scheduling.schedule import NEVER

__all__ = ["Effort", "FakeHandle", "FakeRunner"]

T = TypeVar("T")

CAUTION = 1.3  # a push takes at most so many times as long as expected, unless it is slow
PUBLISH, REWRITE = timedelta(milliseconds=100), timedelta(seconds=2)
TOO_LARGE = 0.02  # how often a plain table must be rewritten


@dataclass(slots=True)
class FakeHandle(Generic[T]):
    """Work that ends after a while; instants are monotonic."""

    clock: ManualClock
    duration: timedelta
    finish: Callable[[], T]
    started_at: int = field(init=False)
    ends_at: int = field(init=False)
    _outcome: list[T] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.started_at = self.clock.monotonic()
        self.ends_at = self.started_at + max(1, micros(self.duration))

    def done(self) -> bool:
        if not self._outcome and self.clock.monotonic() >= self.ends_at:
            self._outcome.append(self.finish())
        return bool(self._outcome)

    def result(self) -> T:
        if not self.done():
            self.clock.advance(timedelta(microseconds=self.ends_at - self.clock.monotonic()))
        self.done()
        return self._outcome[0]


@dataclass(frozen=True, slots=True)
class Effort:
    """What pushes take: a fixed time for each, and a part of the seconds of changes that it carries."""

    fixed: timedelta = timedelta(milliseconds=100)
    per_second: float = 0.001


@dataclass(slots=True)
class FakeRunner:
    catalog: Catalog
    clock: ManualClock
    sources: Mapping[str, SimulatedSource]
    effort: Effort = Effort()
    faults: Faults = field(default_factory=Faults)
    chance: random.Random = field(default_factory=lambda: random.Random(0))
    times: dict[str, int] = field(default_factory=dict)  # of stages
    plain: dict[str, int] = field(default_factory=dict)  # the time up to which views are published
    pushes: list[tuple[PushOrder, FakeHandle[PushOutcome]]] = field(default_factory=list)  # under way
    publications: list[FakeHandle[Publication]] = field(default_factory=list)
    started: int = 0
    common_without: dict[str, int] = field(default_factory=dict)  # common pushes started without a view

    def adopt(self, catalog: Catalog) -> None:
        """What is defined anew, or has gone, has nothing stored."""
        for name, version in self.catalog.versions.items():
            if catalog.versions.get(name) != version:
                self.times.pop(name, None)
                self.plain.pop(name, None)
        self.catalog = catalog

    def time_of(self, stage: str) -> int:
        if stage in self.faults.broken:
            raise SimulatedError(stage, "its log is truncated")
        return self.times.get(stage, NEVER)

    def earliest(self, source: str) -> int:
        return NEVER

    def changes(self, relation: str, after: int, until: int) -> int:
        content_at = self.sources[relation].content_at
        return content_at(until) - content_at(after)

    def forecast(self, views: Collection[str], until: int) -> Forecast:
        seconds = max(self.content(view, until) - self.content(view, self.time_of(view)) for view in views)
        expected = self.effort.fixed + timedelta(microseconds=seconds) * self.effort.per_second
        return Forecast(expected, expected * CAUTION)

    def content(self, view: str, time: int) -> int:
        """How many microseconds of changes a view has seen of its sources."""
        return sum([self.sources[name].content_at(time) for name in self.catalog.below(view)])

    def reachable(self, sites: Collection[str]) -> bool:
        return not self.faults.silent & set(sites)

    def suspect_sites(self) -> None:
        return None

    def close(self) -> None:
        for _, handle in self.pushes:
            handle.result()

    def next_at(self) -> int:
        """When the next work ends; monotonic."""
        ends = [handle.ends_at for _, handle in self.pushes]
        ends += [handle.ends_at for handle in self.publications]
        return min(ends, default=self.clock.monotonic() + micros(timedelta(days=1)))

    def settle(self) -> None:
        """Let what has ended have its effect."""
        self.pushes = [(order, handle) for order, handle in self.pushes if not handle.done()]
        self.publications = [handle for handle in self.publications if not handle.done()]

    # Push

    def push(self, order: PushOrder) -> FakeHandle[PushOutcome]:
        self.started += 1
        try:
            target = self._checked(order)
        except Exception as error:  # noqa: BLE001 - it is the outcome
            failure = PushOutcome(error)
            handle = FakeHandle(self.clock, self.effort.fixed, lambda: failure)
        else:
            duration = self._duration(order.views, target)
            handle = FakeHandle(self.clock, duration, lambda: self._pushed(order, target))
        self.pushes.append((order, handle))
        for view in self.catalog.kept:
            if not order.first and view not in order.views:
                self.common_without[view] = self.common_without.get(view, 0) + 1
        return handle

    def _checked(self, order: PushOrder) -> int:
        target = max(order.target, Times(self.catalog, self).floor(order.views))
        for view, captured in order.captured.items():
            if captured < target:
                raise not_captured(view, captured, target)
        return target

    def _duration(self, views: Collection[str], target: int) -> timedelta:
        return self.forecast(views, target).expected * self.chance.uniform(0.4, CAUTION) * self.faults.slow

    def _pushed(self, order: PushOrder, target: int) -> PushOutcome:
        """Level by level, until one fails; what a row makes fail stays behind, with all that read it."""
        before = {view: self.content(view, self.times.get(view, NEVER)) for view in self.catalog.kept}
        error = None
        poisoned: dict[str, Exception] = {}
        for level in self.catalog.levels(order.views & self.catalog.kept.keys()):
            poisoned |= dict(self._poisoned(level, poisoned))
            names = [stage.name for _, stage in level if stage.name not in poisoned]
            error = next(filter(None, (self.faults.of_stage(self.catalog, name) for name in names)), None)
            if error is not None:
                break
            self.times |= {name: max(target, self.times.get(name, NEVER)) for name in names}
        after = {view: self.content(view, self.times.get(view, NEVER)) for view in self.catalog.kept}
        changed = {view for view in after if after[view] > before[view]}
        failed = {view: poisoned[view] for view in order.views if view in poisoned}
        views = changed if error is not None else changed | (order.views - failed.keys())
        return PushOutcome(error, bool(changed), dict(self._published(order, views, changed)), failed)

    def _poisoned(
        self, level: Sequence[tuple[Kept, Stage]], below: Mapping[str, Exception]
    ) -> Iterator[tuple[str, Exception]]:
        for _, stage in level:
            if stage.name in self.faults.poisoned:
                yield stage.name, SimulatedError(stage.name, "a row makes it fail")
            elif error := next((below[name] for name in stage.reads if name in below), None):
                yield stage.name, error

    # Publish

    def _published(
        self, order: PushOrder, views: Collection[str], changed: Collection[str]
    ) -> Iterator[tuple[str, Publication]]:
        for view in (name for name in self.catalog.kept if name in views):
            if view in order.skip:
                yield view, Publication(PlainTable.SKIPPED)
            elif view in changed or view in order.publish:
                large = self.chance.random() < TOO_LARGE
                yield view, Publication(PlainTable.TOO_LARGE) if large else self._publish(view)

    def _publish(self, view: str) -> Publication:
        if view in self.faults.unpublished:
            return Publication(PlainTable.FAILED, SimulatedError(view, "its plain table cannot be written"))
        self.plain[view] = self.times.get(view, NEVER)
        return Publication(PlainTable.CURRENT)

    def publish(self, order: PublishOrder) -> FakeHandle[Publication]:
        duration = REWRITE if order.rewrite else PUBLISH
        handle = FakeHandle(self.clock, duration, lambda: self._publish(order.view))
        self.publications.append(handle)
        return handle

    def explain(self, error: Exception) -> FakeHandle[Exception]:
        return FakeHandle(self.clock, PUBLISH, lambda: error)

    def shown(self, view: str) -> int:
        """How much of its sources' content a view shows."""
        return self.content(view, self.times.get(view, NEVER))

    def published(self, view: str) -> int:
        """How much of it its plain table shows."""
        return self.content(view, self.plain.get(view, NEVER))
