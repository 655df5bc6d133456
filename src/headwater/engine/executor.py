"""The executor keeps the promises: it decides which views to push, together and to which time, and pushes.

One thread decides (sharing/schedule.py says how).  Views that are due are pushed together: the stages they
need, level by level, all to one time and in as few Spark actions as possible, so what a view reads is always
exactly as of that time, and what several views share is done once.  A view that was never computed is
computed beside that, in a thread of its own and one such view at a time, so that a new view does not break
the promises of the others.

If a common push fails, its views are tried one by one: the culprit is shown, backs off and is tried again;
the others go on.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Collection, Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TypeVar

from headwater.algebra.stages import Kept, Stage
from headwater.catalog import Catalog
from headwater.clock import Clock, micros
from headwater.engine.agents import Agents
from headwater.engine.foresight import Forecast, Foresight
from headwater.engine.gathering import gather
from headwater.engine.levels import Levels
from headwater.engine.publishing import publish_view, republish
from headwater.engine.push import Mode, Pushing
from headwater.engine.record import PushRecord, Records
from headwater.engine.times import Times
from headwater.errors import HeadwaterError
from headwater.sharing.schedule import Pending, due_at, push_to, together
from headwater.storage.delta_log import BEGINNING

__all__ = ["Executor", "ViewState"]

T = TypeVar("T")

FIRST_RETRY = timedelta(seconds=1)
LAST_RETRY = timedelta(minutes=1)
REPUBLISH_EVERY = timedelta(seconds=60)
LOOK_OFTEN = timedelta(milliseconds=50)
LOOK_RARELY = timedelta(seconds=1)


@dataclass(slots=True)
class ViewState:
    """What the executor knows about a view. The Delta log knows the rest."""

    name: str
    lock: threading.RLock = field(default_factory=threading.RLock)  # of its plain table
    running: bool = False
    alone: bool = False  # after a failure it is pushed by itself
    look_at: int = 0  # backing off until then
    failures: int = 0
    error: str = ""
    pushes: int = 0
    company: frozenset[str] = frozenset()  # the views it was last pushed with
    republish_at: int | None = None
    republish_took: int = 0


class Executor:
    def __init__(self, pushing: Pushing, clock: Clock, agents: Agents | None = None) -> None:
        self.pushing = pushing
        self.catalog: Catalog = pushing.catalog
        self.clock = clock
        self.agents = agents
        self.states = {name: ViewState(name) for name in self.catalog.kept}
        self.watermarks: dict[str, int] = {}
        self.foresight = Foresight(pushing)
        self._levels = Levels(pushing, self.foresight)
        self._look_at = 0
        self._warm = False  # whether Spark has pushed anything since the start
        self._expected: dict[frozenset[str], Forecast] = {}  # of this look: views pushed together share it
        self._common: Future[None] | None = None
        self._first: Future[None] | None = None
        self._records = Records()
        # Stages are pushed under this lock; a view's first computation holds it only for what it reads.
        self._stages_lock = threading.RLock()
        self._pool = ThreadPoolExecutor(2, thread_name_prefix="push")

    def adopt(self, catalog: Catalog) -> bool:
        """Keep another catalog's views from now on; views of both go on untouched.

        False, and nothing done, while a view that goes, or is kept in another way from now on, is being
        pushed: call again.  Such views start no push meanwhile, as long as only the thread that calls `step`
        calls this.
        """
        same = {name for name, known in catalog.versions.items() if self.catalog.versions.get(name) == known}
        untouched = {
            name
            for name in same & self.catalog.kept.keys() & catalog.kept.keys()
            if catalog.levels([name]) == self.catalog.levels([name])
        }
        touched = [one for one in self.states.values() if one.name not in untouched]
        for one in touched:
            one.look_at = max(one.look_at, self.clock.now() + micros(FIRST_RETRY))
        if any(one.running for one in touched):
            return False
        self.catalog = self.pushing.catalog = catalog
        self.states = {n: self.states[n] if n in same else ViewState(n) for n in catalog.kept}
        self._look_at = 0
        return True

    # What others see

    def drain(self) -> list[PushRecord]:
        """The pushes since the last call, for the audit."""
        return self._records.drain()

    def time_of(self, view: str) -> int:
        return Times(self.pushing).of(view)

    def target(self, view: str) -> int:
        """The time up to which everything that a view depends on has been captured (the paper's MINTS)."""
        sources = self.catalog.below(view)
        return min((self.watermarks.get(one, BEGINNING) for one in sources), default=self.clock.now())

    # Deciding

    def step(self) -> None:
        """Start the pushes that are due. Cheap when none is."""
        now = self.clock.now()
        if now < self._look_at:
            return
        self._look_at = now + micros(self._pause())
        ready = [
            one
            for one in self.states.values()
            if not one.running and now >= one.look_at and self._reachable(one.name)
        ]
        times = Times(self.pushing)
        known = [one for one in ready if self._safely(one, times.of, BEGINNING) != BEGINNING]
        if self._first is None or self._first.done():
            self._start_first([one for one in ready if one not in known], times)
        if self._common is None or self._common.done():
            self._start_common(known, now, times)

    def _reachable(self, view: str) -> bool:
        """Whether every site that a view's stages lie at answers; if not, it waits and the others go on."""
        if self.agents is None:
            return True
        stages = (stage.name for level in self.catalog.levels([view]) for _, stage in level)
        return self.agents.usable(*{self.catalog.site_of(name) for name in stages})

    def _pause(self) -> timedelta:
        """How long until the next look, at least: a fortieth of the shortest promise."""
        shortest = min((view.freshness for view in self.catalog.project.views.values()), default=LOOK_RARELY)
        return max(LOOK_OFTEN, min(shortest / 40, LOOK_RARELY))

    def _start_first(self, states: Sequence[ViewState], times: Times) -> None:
        for state in states:
            target = self.target(state.name)
            if target > BEGINNING and target >= times.floor([state.name]):
                state.running = True
                self._first = self._pool.submit(self._push_safely, [state], target, True)
                return

    def _start_common(self, states: Sequence[ViewState], now: int, times: Times) -> None:
        self._expected = {}
        found = [self._safely(state, lambda view: self._pending(view, times), None) for state in states]
        pending = [one for one in found if one is not None]
        chosen = self._common_time(together(pending, now) or self._first_of_all(pending), times)
        if any(self.states[one.view].alone for one in chosen):
            # Views that failed are pushed by themselves, after the others.
            chosen = tuple(one for one in chosen if not self.states[one.view].alone) or chosen[:1]
        if not chosen:
            self._rest(pending, now)
            return
        views = [self.states[one.view] for one in chosen]
        target = self._time_for(chosen, now, times)
        for state in views:
            state.running = True
        self._common = self._pool.submit(self._push_safely, views, target)

    def _first_of_all(self, pending: Sequence[Pending]) -> tuple[Pending, ...]:
        """The first push of a run does not wait until it is due, if there is anything to push.

        A Spark that has just started takes several times as long as later, and nobody knows how long.
        """
        return () if self._warm else tuple(one for one in pending if self._behind(one))

    def _behind(self, one: Pending) -> bool:
        sources = map(self.pushing.warehouse.source, self.catalog.below(one.view))
        return any(source.rows_between(one.time, one.target) for source in sources)

    def _rest(self, pending: Sequence[Pending], now: int) -> None:
        """Nothing is due: look again after a quarter of the time until then, for loads change."""
        if self._warm and len(pending) == len(self.states):
            soonest = min(map(due_at, pending), default=now)
            self._look_at = max(self._look_at, now + (soonest - now) // 4)

    def _common_time(self, chosen: tuple[Pending, ...], times: Times) -> tuple[Pending, ...]:
        """Of the views to push, those that can go to one time; the others come next."""
        if not chosen:
            return ()
        target = min(one.target for one in chosen)
        return tuple(one for one in chosen if times.floor([one.view]) <= target) or chosen[:1]

    def _pending(self, view: str, times: Times) -> Pending:
        state, time = self.states[view], times.of(view)
        target = max(self.target(view), time)
        if target < times.floor([view]):
            target = time  # nothing to push to yet
        company = frozenset((state.company & self.states.keys()) | {view})
        if company not in self._expected:
            self._expected[company] = self.foresight.forecast(company, target)
        found = self._expected[company]
        freshness = self.catalog.project.views[view].freshness
        return Pending(view, time, target, freshness, found.expected, found.cautious)

    def _time_for(self, chosen: Sequence[Pending], now: int, times: Times) -> int:
        """One time for all: as far as all are captured, and as far as the tightest promise lets a push go."""
        names = frozenset(one.view for one in chosen)
        target = max(min(one.target for one in chosen), times.floor(names))
        tightest = min(chosen, key=lambda one: one.time + micros(one.freshness))
        limited = replace(tightest, target=target)
        return push_to(limited, now, lambda time: self.foresight.forecast(names, time).cautious)

    def _safely(self, state: ViewState, ask: Callable[[str], T], otherwise: T) -> T:
        """Ask something about a view; one view's broken files must not stop the others."""
        try:
            return ask(state.name)
        except Exception as error:  # noqa: BLE001 - shown in status, looked at again
            self._failed(state, error, self.target(state.name))
            return otherwise

    # Pushing

    def push_all(self, views: Iterable[str] | None = None, until: int | None = None) -> None:
        """Push views now, as far as their sources are captured or until a time; raises what fails."""
        chosen = list(views) if views is not None else list(self.catalog.kept)
        captured = self.captured(chosen)
        if captured:
            self.advance(list(captured), min(captured.values()) if until is None else until)

    def captured(self, views: Iterable[str]) -> dict[str, int]:
        """How far views can be pushed, without those whose sources were never captured."""
        return {name: target for name in views if (target := self.target(name)) > BEGINNING}

    def advance(self, views: Collection[str], target: int, hints: bool = True, apart: bool = False) -> int:
        """Bring views and what they read to one time, at least `target`; returns that time.

        `apart` leaves the lock for their own stages: they are computed for the first time, as of a time
        that others may meanwhile leave behind.
        """
        own = {stage.name for view in views for stage in self.catalog.kept[view].stages}
        touched: set[str] = set()
        with self._stages_lock:
            levels = self.catalog.levels(views)
            target = max(target, Times(self.pushing).floor(views))
            self._check_captured(views, target)
            gather(self.pushing, {stage.name for level in levels for _, stage in level}, target)
            now = [[one for one in level if not (apart and one[1].name in own)] for level in levels]
            touched |= self._push_levels(now, target, hints)
        if apart:
            late = [[one for one in level if one[1].name in own] for level in levels]
            touched |= self._push_levels(late, target, hints)
        for view in (name for name in self.catalog.kept if name in touched | set(views)):
            self._publish(self.states[view], changed=view in touched)
        return target

    def _check_captured(self, views: Collection[str], target: int) -> None:
        for view in views:
            if self.target(view) < target:
                raise HeadwaterError(
                    "HW833",
                    f'view "{view}" cannot be pushed to {target}: its sources are captured up to '
                    f"{self.target(view)} only",
                    detail="What it shares with other views is ahead of it.",
                    hint="It is tried again by itself; if this stays, look at the captures' errors.",
                )

    def _push_levels(
        self, levels: Sequence[Sequence[tuple[Kept, Stage]]], target: int, hints: bool
    ) -> set[str]:
        """Push stages and write down what that took; returns the views whose rows changed."""
        touched = set()
        for pushed, expected in self._levels.push(levels, target, hints):
            view = pushed.job.kept.view
            attempt = 1 + (self.states[view].failures if view in self.states else 0)
            self._records.pushed(self.clock.now(), pushed, expected, self.catalog, attempt)
            if pushed.mode is not Mode.EMPTY:
                touched.add(view)
            self._warm |= pushed.mode in (Mode.INCREMENTAL, Mode.FULL)
        return touched & self.states.keys()

    def _push_safely(self, states: Sequence[ViewState], target: int, apart: bool = False) -> None:
        names = frozenset(one.name for one in states)
        try:
            self.advance(names, target, hints=all(one.failures == 0 for one in states), apart=apart)
        except Exception as error:  # noqa: BLE001 - shown in status and the pushes table, tried again
            self._blame(states, error, target)
        else:
            for state in states:
                state.failures, state.error, state.look_at, state.alone = 0, "", 0, False
                state.pushes += 1
                state.company = names
        finally:
            for state in states:
                state.running = False

    def _blame(self, states: Sequence[ViewState], error: Exception, target: int) -> None:
        """One view alone has failed; of several it is not known which, so each is tried by itself."""
        if self.agents is not None:
            for site in self.agents.agents:
                self.agents.suspect(site)
        if len(states) == 1:
            self._failed(states[0], error, target)
            return
        for state in states:
            state.alone, state.error = True, _short(error)

    def _failed(self, state: ViewState, error: Exception, target: int) -> None:
        state.failures += 1
        state.error = _short(error)
        backoff = min(LAST_RETRY, FIRST_RETRY * 2 ** min(state.failures - 1, 10))
        state.look_at = self.clock.now() + micros(backoff)
        after = self.time_of(state.name)
        self._records.failed(self.clock.now(), state.name, after, target, state.failures, state.error)

    def _publish(self, state: ViewState, changed: bool) -> None:
        with state.lock:
            if state.republish_at is not None or not (changed or state.pushes == 0):
                return  # it waits to be written anew, with this push's changes too; or there are none
            if not publish_view(self.pushing, self.catalog.kept[state.name]):
                # At most a twentieth of the time goes into writing large plain tables anew.
                wait = max(micros(REPUBLISH_EVERY), 20 * state.republish_took)
                state.republish_at = self.clock.now() + wait

    def republish_some(self, at_once: bool = False) -> None:
        """Bring plain tables up that were too expensive to rewrite within a push."""
        for state in self.states.values():
            due = state.republish_at is not None and (at_once or self.clock.now() >= state.republish_at)
            if due:
                with state.lock:
                    started = self.clock.now()
                    republish(self.pushing, self.catalog.kept[state.name])
                    state.republish_at, state.republish_took = None, self.clock.now() - started

    def close(self) -> None:
        """Let running pushes end; start no others."""
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._levels.close()


def _short(error: Exception) -> str:
    text = error.message if isinstance(error, HeadwaterError) else str(error)
    lines: Sequence[str] = [line for line in text.strip().splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:500]
