"""What must hold in every run, whatever happens.

    kept promises    a view whose sources are captured does not wait longer than its promise for what they
                     have, while there is capacity and nothing is wrong with it or with what it reads
    kept contents    the same for what they have captured, whatever times it was given, while all of them are
                     up to date: a source whose times are behind another's keeps nothing from a view of both
    no starvation    while a view is due, each other view is pushed at most a few times before it
    own failures     a view fails only if something is wrong with it or with what it reads
    published        a plain table does not stay behind its view for long
    first come       a new view is computed, and changed project files are adopted, without undue delay
    no exceptions    the loop goes on (simulation.py looks at its guards)

How long a view waits is measured by the monotonic clock, from the moment at which its sources were captured
beyond its time: a wall clock that is set back or forward does not change it.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.bench.simulation.fake_runner import FakeRunner
from headwater.bench.simulation.faults import SimulatedError
from headwater.clock import ManualClock, micros
from headwater.engine.executor.executor import Executor, Failed
from headwater.engine.executor.look import captured_up_to
from headwater.engine.executor.times import Times
from headwater.scheduling.backoff import LAST_RETRY, REWRITE_AFTER
from headwater.scheduling.due import SLACK
from headwater.scheduling.schedule import NEVER

__all__ = ["LawBroken", "Laws"]

SHORT = 0.05  # a push that takes no more than this part of the shortest promise leaves capacity for others
TURNS = 3  # a view that is due waits for at most so many pushes of each other view
SOON = micros(timedelta(seconds=5))  # what need not wait for a push is done within this
UNPUBLISHED = micros(LAST_RETRY + REWRITE_AFTER * 2) + SOON


class LawBroken(AssertionError):
    pass


@dataclass(slots=True)
class Watched:
    """What is measured of a view. Instants are monotonic."""

    # How far its sources are captured beyond its time, and since when.
    captured: deque[tuple[int, int]] = field(default_factory=deque)
    # The same for the content of its sources.
    contents: deque[tuple[int, int]] = field(default_factory=deque)
    sources: frozenset[str] = frozenset()  # of which these are the contents
    passed_over: int = 0
    pushes_of_others: int = 0  # when it was last looked at
    uncomputed_since: int | None = None
    # What the view shows and its plain table lacks, and since when.
    unpublished: deque[tuple[int, int]] = field(default_factory=deque)


@dataclass(slots=True)
class Laws:
    executor: Executor
    runner: FakeRunner
    clock: ManualClock
    views: dict[str, Watched] = field(default_factory=dict)
    busy_until: int = 0  # there was no capacity until then
    waiting_since: int | None = None  # changed project files, to be adopted
    looks: int = 0

    def look(self, waiting: bool) -> None:
        """Measure, and raise if a law is broken."""
        self.looks += 1
        now = self.clock.monotonic()
        self._measure_capacity(now)
        self._check_adoption(waiting, now)
        self.views = {name: self.views.get(name) or Watched() for name in self.executor.catalog.kept}
        times = Times(self.runner.catalog, self.runner)
        for name, watched in self.views.items():
            if self._excused(name):
                self.views[name] = Watched()
                continue
            self._measure(name, watched, times, now)
            self._measure_contents(name, watched, times.of(name), now)
            self._check_publication(name, watched, now)

    def _measure_capacity(self, now: int) -> None:
        shortest = min(view.freshness for view in self.runner.catalog.project.views.values())
        for order, handle in self.runner.pushes:
            if not order.first and handle.ends_at - handle.started_at > micros(shortest * SHORT):
                self.busy_until = max(self.busy_until, handle.ends_at)

    def _excused(self, view: str) -> bool:
        """Something is wrong with the view, or was until lately: it may still back off."""
        state = self.executor.states[view]
        wrong = self.runner.faults.concern(self.runner.catalog, view)
        return wrong or state.failures > 0 or state.able_at > self.clock.monotonic()

    def _measure(self, name: str, watched: Watched, times: Times, now: int) -> None:
        target = captured_up_to(self.runner.catalog, self.executor.watermarks, name, self.clock.now())
        time, floor = times.of(name), times.floor([name])
        if target < floor or target == NEVER:
            watched.captured.clear()  # its sources are not captured as far as what it reads has got
            watched.uncomputed_since = None
            return
        self._check_first(name, watched, time, now)
        if time == NEVER:
            watched.captured.clear()
            return
        _follow(watched.captured, target, time, now)
        self._check_wait(name, watched, now)

    def _measure_contents(self, name: str, watched: Watched, time: int, now: int) -> None:
        names = frozenset(self.runner.catalog.below(name))
        sources = [self.runner.sources[source] for source in names]
        if time == NEVER or names != watched.sources or not all(source.live for source in sources):
            watched.contents.clear()
            watched.sources = names
            return
        content = sum(source.content for source in sources)
        _follow(watched.contents, content, self.runner.content(name, time), now)
        self._waited(name, watched.contents, now)

    def _check_wait(self, name: str, watched: Watched, now: int) -> None:
        freshness = micros(self.runner.catalog.project.views[name].freshness)
        waited = self._waited(name, watched.captured, now)
        others = self.runner.common_without.get(name, 0)
        due = waited > SLACK * freshness
        watched.passed_over = watched.passed_over + others - watched.pushes_of_others if due else 0
        watched.pushes_of_others = others
        if watched.passed_over > TURNS * len(self.views):
            raise LawBroken(f"{name} is due, and {watched.passed_over} pushes of others came before it")

    def _waited(self, name: str, captured: deque[tuple[int, int]], now: int) -> int:
        """How long a view has waited for something, which must be within its promise."""
        freshness = micros(self.runner.catalog.project.views[name].freshness)
        waited = now - captured[0][1] if captured else 0
        if min(waited, now - self.busy_until) > freshness:
            raise LawBroken(f"{name} waited {waited / 1e6:.1f} s, its promise is {freshness / 1e6:.1f} s")
        return waited

    def _check_first(self, name: str, watched: Watched, time: int, now: int) -> None:
        idle = not any(order.first for order, _ in self.runner.pushes)
        watched.uncomputed_since = _since(watched.uncomputed_since, time == NEVER and idle, now)
        if now - (watched.uncomputed_since or now) > SOON + micros(LAST_RETRY):
            raise LawBroken(f"{name} is not computed, although its sources are captured")

    def _check_publication(self, name: str, watched: Watched, now: int) -> None:
        if name in self.runner.faults.unpublished:
            watched.unpublished.clear()
            return
        shown, published = self.runner.shown(name), self.runner.published(name)
        if shown == 0:  # it is computed anew
            watched.unpublished.clear()
        _follow(watched.unpublished, shown, published, now)
        if watched.unpublished and now - watched.unpublished[0][1] > UNPUBLISHED:
            raise LawBroken(f"the plain table of {name} stays behind the view")

    def _check_adoption(self, waiting: bool, now: int) -> None:
        idle = not self.runner.pushes and not self.runner.publications
        self.waiting_since = _since(self.waiting_since, waiting and idle, now)
        if now - (self.waiting_since or now) > SOON:
            raise LawBroken("changed project files are not adopted")

    def failed(self, failed: Failed) -> None:
        """A view fails only by what it reads."""
        culprit = failed.error.removeprefix(f"{SimulatedError.__name__}: ").split(":")[0]
        stages = {stage.name for level in self.runner.catalog.levels([failed.view]) for _, stage in level}
        sites = {self.runner.catalog.site_of(name) for name in stages}
        if culprit not in stages | sites and "waiting for its sources" not in failed.error:
            raise LawBroken(f"{failed.view} failed by what it does not read: {failed.error}")


def _follow(captured: deque[tuple[int, int]], target: int, reached: int, now: int) -> None:
    """Note what was captured beyond what a view has reached, and forget what it has reached."""
    while captured and captured[0][0] <= reached:
        captured.popleft()
    if target > (captured[-1][0] if captured else reached):
        captured.append((target, now))


def _since(since: int | None, true: bool, now: int) -> int | None:
    """Since when something has been true without a break, if it is now."""
    return (now if since is None else since) if true else None
