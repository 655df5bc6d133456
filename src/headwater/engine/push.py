"""A push: advance one stage from its time to another, as one Spark action, or none if nothing changed.

    EMPTY         nothing that the stage reads changed: its time moves on, no Spark job
    INITIAL       the stage was never computed: its plan as of `until`
    INCREMENTAL   the delta plan between the stage's time and `until`
    FULL          the plan, or the SQL text, as of `until`, minus what is stored
    COPY          a replica of a relation of another site: its files are copied, no Spark job

All ways end in the same commit, which carries the time, so that a push that is repeated after a crash
commits once.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum
from functools import lru_cache

from pyspark.sql import DataFrame, SparkSession

from headwater.algebra.delta import delta
from headwater.algebra.nodes import Plan
from headwater.algebra.once import compute_first
from headwater.algebra.passes import optimize
from headwater.algebra.stages import Kept, Stage, StageKind
from headwater.catalog import Catalog
from headwater.engine import operators
from headwater.engine.estimates import BROADCAST_ROWS, Estimates
from headwater.engine.metering import Meter, metered
from headwater.engine.opened import Opened
from headwater.engine.queries import Queries
from headwater.engine.query import Query, union
from headwater.engine.relations import Relations
from headwater.engine.session import SMALL, apart
from headwater.engine.sites import Sites
from headwater.engine.sqltext import run_sql
from headwater.engine.writing import arrow_columns, stored_form, write
from headwater.sharing.time_model import Choice, Effort
from headwater.storage.copying import copy_delta
from headwater.storage.delta_log import BEGINNING, DataFile, NewFile
from headwater.storage.timeline import COMPACTED, Slice, Timeline
from headwater.storage.warehouse import Warehouse

__all__ = ["Choose", "Job", "Mode", "Promised", "Pushed", "Pushing"]


class Mode(Enum):
    EMPTY = "empty"
    INITIAL = "initial"
    INCREMENTAL = "incremental"
    FULL = "full"
    COPY = "copy"


@dataclass(frozen=True, slots=True)
class Job:
    """What it takes to bring a stage to a time, decided but not yet done."""

    kept: Kept
    stage: Stage
    after: int
    until: int
    mode: Mode
    reason: str
    effort: Effort = Effort(0, 0, 0)
    changed: Mapping[str, Slice] = field(default_factory=dict)
    expected: timedelta = timedelta()

    @property
    def small(self) -> bool:
        """Whether its delta is small enough to be planned at once and broadcast."""
        rows = sum(one.rows for one in self.changed.values())
        return self.mode is Mode.INCREMENTAL and rows <= BROADCAST_ROWS


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a push did and why. Of pushes that were one Spark action, each has its share of the cost."""

    job: Job
    effort: Effort
    duration: timedelta
    meter: Meter
    action: str = ""  # the same for pushes that were one Spark action
    bytes_copied: int = 0  # from another site

    @property
    def stage(self) -> str:
        return self.job.stage.name

    @property
    def mode(self) -> Mode:
        return self.job.mode

    @property
    def reason(self) -> str:
        return self.job.reason

    @property
    def after(self) -> int:
        return self.job.after

    @property
    def until(self) -> int:
        return self.job.until


Choose = Callable[[Stage, Effort, Effort], Choice]
Promised = Mapping[str, DataFile]  # by stage: its delta, about to be computed (promises.py)


@dataclass(slots=True)
class Pushing:
    """Pushes the stages of a catalog's views in a warehouse, each on the Spark of its site."""

    spark: SparkSession
    warehouse: Warehouse
    catalog: Catalog
    sites: Sites | None = None  # without, everything runs on `spark`
    _small: SparkSession | None = field(default=None, init=False)

    def timeline(self, stage: str) -> Timeline:
        return self.warehouse.stage(self.catalog.folder(stage))

    def spark_of(self, stage: str, small: bool = False) -> SparkSession:
        """The Spark of the site at which a stage lies; `small`: set for small deltas."""
        if self.sites is not None:
            site = self.catalog.site_of(stage)
            return self.sites.small(site) if small else self.sites.spark(site)
        if not small:
            return self.spark
        if self._small is None:
            self._small = apart(self.spark, SMALL)
        return self._small

    def address(self, stage: str) -> str:
        """Where the Spark of a stage's site is. Sites with one address can be pushed in one action."""
        return "" if self.sites is None else self.sites.masters[self.catalog.site_of(stage)]

    def relations(self, stage: Stage, until: int, promised: Promised | None = None) -> Relations:
        return Relations(
            self.warehouse,
            frozenset(self.catalog.project.tables),
            self.catalog.folders(),
            self.timeline(stage.name).time(),
            until,
            stage,
            promised or {},
        )

    def changed(self, stage: Stage, until: int, promised: Promised) -> dict[str, Slice]:
        """The relations that changed since the stage's time, with their deltas."""
        relations = self.relations(stage, until, promised)
        found = {name: relations.changed(name) for name in stage.reads if name != stage.name}
        return {name: part for name, part in found.items() if not part.empty}

    def efforts(self, stage: Stage, changed: Mapping[str, Slice]) -> tuple[Effort, Effort]:
        """What an incremental and a full push would have to do, in rows, as far as the logs tell."""
        rows = sum(part.rows for part in changed.values())
        sizes = {name: self.rows(name) for name in stage.reads if name != stage.name}
        own = self.rows(stage.name)
        others = sum(size for name, size in sizes.items() if len(changed) > 1 or name not in changed)
        if stage.kind in (StageKind.LINEAR, StageKind.GROUPS):
            others += own
        incremental = Effort(rows, others, rows)
        full = Effort(0, sum(sizes.values()) + own, max(own, rows))
        return incremental, full

    def rows(self, relation: str) -> int:
        """How many changes a relation's timeline holds."""
        timeline = self.timeline_of(relation)
        return timeline.rows_between(BEGINNING - 1, timeline.time()) if timeline.exists() else 0

    def job(
        self, kept: Kept, stage: Stage, until: int, choose: Choose, promised: Promised | None = None
    ) -> Job:
        """Decide how a stage gets to `until`; all that it reads must be complete or promised up to there."""
        after = self.timeline(stage.name).time()
        if after >= until:
            return Job(kept, stage, after, after, Mode.EMPTY, "already there")
        if (original := self.catalog.copies.get(stage.name)) is not None:
            rows = self.timeline_of(original).rows_between(after, until)
            reason = f"a copy of {original} at site {self.catalog.site_of(stage.name)}"
            return Job(kept, stage, after, until, Mode.COPY, reason, Effort(rows, 0, rows))
        if after == BEGINNING:
            return Job(kept, stage, after, until, Mode.INITIAL, "never computed before", self._initial(stage))
        if self.forgotten(stage, after):
            reason = "changes since its last push have been compacted away"
            return Job(kept, stage, after, until, Mode.FULL, reason, self._initial(stage))
        changed = self.changed(stage, until, promised or {})
        if not changed:
            return Job(kept, stage, after, until, Mode.EMPTY, "nothing changed")
        incremental, full = self.efforts(stage, changed)
        choice = choose(stage, incremental, full)
        mode, effort = (Mode.FULL, full) if choice.full else (Mode.INCREMENTAL, incremental)
        return Job(kept, stage, after, until, mode, choice.reason, effort, changed, choice.expected)

    def push(self, kept: Kept, stage: Stage, until: int, choose: Choose, hints: bool = True) -> Pushed:
        """Advance one stage to `until`, in an action of its own."""
        return self.run(self.job(kept, stage, until, choose), hints)

    def run(self, job: Job, hints: bool = True) -> Pushed:
        if job.mode is Mode.EMPTY:
            if job.until > job.after:
                self.timeline(job.stage.name).commit(job.until)
            return Pushed(job, job.effort, timedelta(), Meter())
        if job.mode is Mode.COPY:
            return self._copy(job)
        group = f"push {job.stage.name} {job.until}"
        with metered(self.spark_of(job.stage.name), group, f"push {job.stage.name}", "pushes") as meter:
            rows = self._compute_and_commit(job, hints)
        effort = Effort(job.effort.changed, job.effort.scanned, rows)
        return Pushed(job, effort, timedelta(seconds=meter.seconds), meter, group, self.bytes_copied(job))

    def _copy(self, job: Job) -> Pushed:
        """Bring a replica up to its relation."""
        meter = Meter()
        start, busy = time.perf_counter(), time.thread_time()
        original = self.timeline_of(self.catalog.copies[job.stage.name])
        copied = copy_delta(original, self.timeline(job.stage.name), job.until)
        meter.seconds, meter.cpu_seconds = time.perf_counter() - start, time.thread_time() - busy
        effort = Effort(copied.rows, 0, copied.rows)
        action = f"copy {job.stage.name} {job.until}"
        return Pushed(job, effort, timedelta(seconds=meter.seconds), meter, action, copied.bytes)

    def bytes_copied(self, job: Job) -> int:
        """What a push reads of relations at other sites: a copy that filters on the way."""
        here = self.catalog.site_of(job.stage.name)
        return sum(
            file.size
            for name, part in job.changed.items()
            if self.catalog.site_of(name) != here
            for file in part.files
        )

    def forgotten(self, stage: Stage, after: int) -> bool:
        """Whether something the stage reads no longer knows, or never knew, its changes since `after`.

        Compaction waits for every view there is; but a view may be taken out and put back later, and what
        a view reads may have been computed for the first time after the view's last push.
        """
        return any(self.timeline_of(name).horizon() > after for name in stage.reads if name != stage.name)

    def timeline_of(self, relation: str) -> Timeline:
        if relation in self.catalog.project.tables:
            return self.warehouse.source(relation)
        return self.timeline(relation)

    def _initial(self, stage: Stage) -> Effort:
        return Effort(0, sum(self.rows(name) for name in stage.reads), 0)

    def _compute_and_commit(self, job: Job, hints: bool) -> int:
        """One Spark action and one commit; returns the number of changes written."""
        with Opened(self._session(job)) as opened:
            relations = self.relations(job.stage, job.until)
            query, shuffled = self.stored_delta(job, relations, opened, hints)
            if query is None:
                return self.commit(job, ())
            frame = opened.run(query)
            timeline = self._created(job.stage, frame)
            files = write(frame, timeline.path, job.until, spread=not shuffled)
            return self.commit(job, files)

    def _session(self, job: Job) -> SparkSession:
        """A user's SQL has a session of its own, in which relations have the names that it says."""
        spark = self.spark_of(job.stage.name, job.small)
        return apart(spark) if job.stage.plan is None else spark

    def _created(self, stage: Stage, frame: DataFrame) -> Timeline:
        timeline = self.timeline(stage.name)
        if not timeline.exists():
            timeline.create(arrow_columns(frame), f"changes of {stage.name}")
        return timeline

    def commit(self, job: Job, files: Sequence[NewFile]) -> int:
        # What is computed for the first time has no past: nobody may read it as of an earlier time.
        first = {COMPACTED: job.until} if job.mode is Mode.INITIAL else None
        self.timeline(job.stage.name).commit(job.until, files, {"mode": job.mode.value}, first)
        return sum(file.statistics.rows for file in files)

    def stored_delta(
        self, job: Job, relations: Relations, opened: Opened, hints: bool
    ) -> tuple[Query | None, bool]:
        """The changes to store (None: certainly none), and whether they come out of a shuffle already."""
        stage, kept, mode = job.stage, job.kept, job.mode
        queries = Queries(relations, opened, hints)
        if mode is Mode.INCREMENTAL:
            plan = self.delta_plan(job, queries.known)
            if plan is None:
                return None, True
            queries.first = compute_first(plan)
            stored = stored_form(stage, kept, queries.query(plan))
            if queries.known.positive(plan):
                return stored, False
            return operators.consolidate(stored), True
        if stage.plan is None:
            whole = run_sql(relations, opened, stage.sql, stage.reads)
        else:
            whole = queries.query(stage.plan)
        stored = stored_form(stage, kept, whole) if stage.kind is not StageKind.SQL else whole
        if mode is Mode.INITIAL:
            positive = stage.plan is None or queries.known.positive(stage.plan)
            return (stored, False) if positive else (operators.consolidate(stored), True)
        timeline = self.timeline(stage.name)
        before = opened.slice(timeline, timeline.as_of(relations.after))
        return operators.consolidate(union([stored, operators.negate(before)])), True

    @staticmethod
    def delta_plan(job: Job, known: Estimates) -> Plan | None:
        """The plan of a stage's changes, unless there are certainly none."""
        only = frozenset(name for name, part in job.changed.items() if part.inserts_only)
        plan = _delta_plan(job.stage, frozenset(job.changed), only)
        return None if plan is None else known.without_empty(plan)


@lru_cache(maxsize=2_000)
def _delta_plan(stage: Stage, changed: frozenset[str], only: frozenset[str]) -> Plan | None:
    """Remembered: from push to push the same relations change."""
    plan = delta(stage, changed, only)
    return None if plan is None else optimize(plan)
