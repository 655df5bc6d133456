"""The executor keeps the promises: it decides for each view when to push it, and pushes.

One thread decides; a small pool pushes, so that several views advance at once while Spark's FAIR scheduler
shares the cores; each capture polls in a thread of its own.  A view is pushed together with the views it
reads, all to one time, so what it reads is always exactly as of that time.  A push that fails is tried
again with backoff and shown; the others go on.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from datetime import timedelta

from headwater.algebra.stages import Kept, Stage, StageKind
from headwater.catalog import Catalog
from headwater.clock import Clock, micros
from headwater.engine.publishing import publish_view, republish
from headwater.engine.push import Mode, Pushed, Pushing
from headwater.engine.record import PushRecord
from headwater.errors import HeadwaterError
from headwater.model import RefreshPolicy
from headwater.sharing.schedule import Pending, due_at
from headwater.sharing.time_model import Choice, Effort, TimeModel, choose
from headwater.storage.delta_log import BEGINNING

__all__ = ["Executor", "ViewState"]

FIRST_RETRY = timedelta(seconds=1)
LAST_RETRY = timedelta(minutes=1)
REPUBLISH_EVERY = timedelta(seconds=60)


@dataclass(slots=True)
class ViewState:
    """What the executor knows about a view. The Delta log knows the rest."""

    name: str
    lock: threading.RLock = field(default_factory=threading.RLock)
    models: dict[tuple[str, Mode], TimeModel] = field(default_factory=dict)
    running: Future[None] | None = None
    look_at: int = 0  # the next instant at which looking closer may pay
    failures: int = 0
    error: str = ""
    pushes: int = 0
    last: Pushed | None = None
    republish_at: int | None = None
    republish_took: int = 0

    def model(self, stage: str, mode: Mode) -> TimeModel:
        """What is known of a way of refreshing; if it was never used, what the other way taught."""
        known = self.models.get((stage, mode))
        other = self.models.get((stage, Mode.FULL if mode is Mode.INCREMENTAL else Mode.INCREMENTAL))
        return known or (other.as_prior() if other is not None else TimeModel())


class Executor:
    def __init__(self, pushing: Pushing, clock: Clock, workers: int = max(2, os.cpu_count() or 2)) -> None:
        self.pushing = pushing
        self.catalog: Catalog = pushing.catalog
        self.clock = clock
        self.states = {name: ViewState(name) for name in self.catalog.kept}
        self.watermarks: dict[str, int] = {}
        self._records: list[PushRecord] = []
        self._records_lock = threading.Lock()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="push")

    # What others see

    def drain(self) -> list[PushRecord]:
        """The pushes since the last call, for the audit."""
        with self._records_lock:
            records, self._records = self._records, []
        return records

    def time_of(self, view: str) -> int:
        timeline = self.pushing.timeline(view)
        return timeline.time() if timeline.exists() else BEGINNING

    def target(self, view: str) -> int:
        """The time up to which everything that a view's family reads has been captured."""
        sources = {one for member in self.catalog.family(view) for one in self.catalog.sources(member)}
        return min((self.watermarks.get(one, BEGINNING) for one in sources), default=self.clock.now())

    def adopt(self, catalog: Catalog) -> bool:
        """Keep another catalog's views from now on; views of both go on untouched.

        False, and nothing done, while a view that goes or changes is being pushed: call again.  Such views
        start no push meanwhile.  Only the thread that calls `step` may call this.
        """
        same = {name for name, known in catalog.versions.items() if self.catalog.versions.get(name) == known}
        leaving = [self.states[name] for name in [*self.catalog.kept][::-1] if name not in same]
        for state in leaving:
            state.look_at = self.clock.now() + micros(FIRST_RETRY)
        # Readers before what they read, as pushes take them.
        free = [state for state in leaving if state.lock.acquire(blocking=False)]
        try:
            if len(free) < len(leaving):
                return False
            self.catalog = self.pushing.catalog = catalog
            self.states = {n: self.states[n] if n in same else ViewState(n) for n in catalog.kept}
        finally:
            for state in free:
                state.lock.release()
        return True

    # Deciding

    def step(self) -> None:
        """Start the pushes that are due. Cheap when none is."""
        now = self.clock.now()
        for state in self.states.values():
            if state.running is not None and state.running.done():
                state.running = None
            if state.running is None and now >= state.look_at:
                try:
                    self._consider(state, now)
                except Exception as error:  # noqa: BLE001 - one view's broken files must not stop the others
                    self._failed(state, error, self.target(state.name))

    def _consider(self, state: ViewState, now: int) -> None:
        target = self.target(state.name)
        time = self.time_of(state.name)
        if target <= time:
            state.look_at = now + micros(timedelta(milliseconds=50))
            return
        view = self.catalog.project.views[state.name]
        crowd = max(1.0, (1 + sum(one.running is not None for one in self.states.values())) / 2)
        pending = Pending(state.name, time, view.freshness, self.estimate(state.name, target), crowd)
        due = now if time == BEGINNING else due_at(pending)
        if now >= due:
            state.running = self._pool.submit(self._push_safely, state, target)
        else:
            # Arrivals may move the due instant forward: look again well before it.
            state.look_at = now + max(20_000, min(due - now, micros(view.freshness) // 20))

    def estimate(self, view: str, target: int) -> timedelta:
        """How long pushing a view and what it reads would take now, cautiously."""
        total = timedelta(milliseconds=20)
        for name in (*self.catalog.ancestors(view), view):
            kept = self.catalog.kept[name]
            for stage in kept.stages:
                time = self.pushing.timeline(stage.name).time()
                if time == BEGINNING or self.pushing.forgotten(stage, time):
                    continue
                changed = self.pushing.changed(kept, stage, target)
                if changed:
                    incremental, full = self.pushing.efforts(stage, changed)
                    choice = self._choose(stage, incremental, full)
                    mode, effort = (Mode.FULL, full) if choice.full else (Mode.INCREMENTAL, incremental)
                    total += self.states[name].model(stage.name, mode).cautious(effort)
        return total

    def _choose(self, stage: Stage, incremental: Effort, full: Effort) -> Choice:
        view = self.catalog.project.views[stage.name.split("$")[0]]
        state = self.states[view.name]
        if stage.kind is StageKind.SQL:
            expected = state.model(stage.name, Mode.FULL).predict(full)
            reasons = "; ".join(one.reason for one in self.catalog.kept[view.name].obstacles)
            return Choice(True, f"no delta rule: {reasons}", expected)
        by_delta = state.model(stage.name, Mode.INCREMENTAL).predict(incremental)
        if view.refresh is not RefreshPolicy.AUTO:
            return Choice(False, f"REFRESH POLICY {view.refresh.value}", by_delta)
        return choose(by_delta, state.model(stage.name, Mode.FULL).predict(full))

    # Pushing

    def push_all(self, views: Iterable[str] | None = None) -> None:
        """Push views now, one after another, as far as their sources are captured; raises what fails."""
        for name in views if views is not None else self.catalog.kept:
            self.advance(name, self.target(name))

    def _push_safely(self, state: ViewState, target: int) -> None:
        try:
            self.advance(state.name, target, hints=state.failures == 0)
        except Exception as error:  # noqa: BLE001 - shown in status and the pushes table, tried again
            self._failed(state, error, target)
        else:
            state.failures, state.error, state.look_at = 0, "", 0

    def _failed(self, state: ViewState, error: Exception, target: int) -> None:
        state.failures += 1
        state.error = _short(error)
        backoff = min(LAST_RETRY, FIRST_RETRY * 2 ** min(state.failures - 1, 10))
        state.look_at = self.clock.now() + micros(backoff)
        self._record_failure(state, target)

    def advance(self, view: str, target: int, hints: bool = True) -> int:
        """Bring a view and what it reads to one time, at least `target`; returns that time."""
        state = self.states[view]
        with state.lock:
            target = self._advance_reads(view, max(target, self._stored_time(view)), hints)
            if self.time_of(view) >= target:
                return target
            kept = self.catalog.kept[view]
            modes = {self._push_stage(state, kept, stage, target, hints) for stage in kept.stages}
            if state.pushes == 0 or modes != {Mode.EMPTY}:
                self._publish(state, kept)
            state.pushes += 1
        return target

    def _stored_time(self, view: str) -> int:
        """The latest time of a view's stages: after a crash a hidden one may be ahead, and sets the time."""
        timelines = (self.pushing.timeline(stage.name) for stage in self.catalog.kept[view].stages)
        return max(one.time() if one.exists() else BEGINNING for one in timelines)

    def _advance_reads(self, view: str, target: int, hints: bool) -> int:
        """Push the views that a view reads until all are at one time, and return it."""
        while True:
            times = [self.advance(name, target, hints) for name in self.catalog.views_read(view)]
            latest = max([target, *times])
            if all(time == latest for time in times):
                return latest
            target = latest

    def _push_stage(self, state: ViewState, kept: Kept, stage: Stage, target: int, hints: bool) -> Mode:
        predicted: list[Choice] = []

        def choosing(one: Stage, incremental: Effort, full: Effort) -> Choice:
            predicted.append(self._choose(one, incremental, full))
            return predicted[-1]

        pushed = self.pushing.push(kept, stage, target, choosing, hints)
        if pushed.mode is not Mode.EMPTY:
            # Computing a stage for the first time is much like recomputing it.
            mode = Mode.INCREMENTAL if pushed.mode is Mode.INCREMENTAL else Mode.FULL
            model = state.model(stage.name, mode).learn(pushed.effort, pushed.duration)
            state.models[(stage.name, mode)] = model
        state.last = pushed
        expected = predicted[-1].expected.total_seconds() if predicted else 0.0
        self._record(state, pushed, expected)
        return pushed.mode

    def _publish(self, state: ViewState, kept: Kept) -> None:
        if state.republish_at is not None:
            return  # it waits to be written anew, with this push's changes too
        if publish_view(self.pushing, kept):
            state.republish_at = None
        elif state.republish_at is None:
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

    def _record(self, state: ViewState, pushed: Pushed, expected: float) -> None:
        record = PushRecord(
            self.clock.now(), state.name, pushed.stage, pushed.mode.value, pushed.reason, pushed.after,
            pushed.until, pushed.effort.changed, pushed.effort.scanned, pushed.effort.result,
            pushed.meter.seconds, expected, pushed.meter.cpu_seconds, pushed.meter.jobs, state.failures + 1,
        )  # fmt: skip
        with self._records_lock:
            self._records.append(record)

    def _record_failure(self, state: ViewState, target: int) -> None:
        record = PushRecord(
            self.clock.now(), state.name, state.name, "failed", "see error", self.time_of(state.name), target,
            0, 0, 0, 0.0, 0.0, 0.0, 0, state.failures, state.error,
        )  # fmt: skip
        with self._records_lock:
            self._records.append(record)

    def close(self) -> None:
        """Let running pushes end; start no others."""
        self._pool.shutdown(wait=True, cancel_futures=True)


def _short(error: Exception) -> str:
    text = error.message if isinstance(error, HeadwaterError) else str(error)
    lines: Sequence[str] = [line for line in text.strip().splitlines() if line.strip()]
    return f"{type(error).__name__}: {lines[0] if lines else ''}"[:500]
