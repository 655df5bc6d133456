"""A push: advance one stage from its time to another, as one Spark action, or none if nothing changed.

    EMPTY         nothing that the stage reads changed: its time moves on, no Spark job
    INITIAL       the stage was never computed: its plan as of `until`
    INCREMENTAL   the delta plan between the stage's time and `until`
    FULL          the plan, or the SQL text, as of `until`, minus what is stored

All ways end in the same commit, which carries the time, so that a push that is repeated after a crash
commits once.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import timedelta
from enum import Enum

from pyspark.sql import DataFrame, SparkSession

from headwater.algebra.delta import delta
from headwater.algebra.nodes import Scan
from headwater.algebra.once import compute_first
from headwater.algebra.passes import optimize
from headwater.algebra.stages import Kept, Stage, StageKind
from headwater.catalog import Catalog
from headwater.engine import operators
from headwater.engine.frames import BROADCAST_ROWS, Frames
from headwater.engine.metering import Meter, metered
from headwater.engine.relations import Relations, read_slice
from headwater.engine.sqltext import run_sql
from headwater.engine.writing import arrow_columns, stored_form, write
from headwater.sharing.time_model import Choice, Effort
from headwater.storage.delta_log import BEGINNING
from headwater.storage.timeline import Slice, Timeline
from headwater.storage.warehouse import Warehouse

__all__ = ["Mode", "Pushed", "Pushing"]


class Mode(Enum):
    EMPTY = "empty"
    INITIAL = "initial"
    INCREMENTAL = "incremental"
    FULL = "full"


@dataclass(frozen=True, slots=True)
class Pushed:
    """What a push did and why."""

    stage: str
    mode: Mode
    reason: str
    after: int
    until: int
    effort: Effort
    duration: timedelta
    meter: Meter


Choose = Callable[[Stage, Effort, Effort], Choice]


@dataclass(slots=True)
class Pushing:
    """Pushes the stages of a catalog's views in a warehouse, on one Spark."""

    spark: SparkSession
    warehouse: Warehouse
    catalog: Catalog
    _small: SparkSession | None = field(default=None, init=False)

    def timeline(self, stage: str) -> Timeline:
        return self.warehouse.stage(self.catalog.folder(stage))

    def for_small(self) -> SparkSession:
        """The same Spark, set for small deltas: planned at once, few partitions.

        Adaptive execution runs every shuffle and broadcast as a job of its own: good for large data only.
        """
        if self._small is None:
            self._small = self.spark.newSession()
            self._small.conf.set("spark.sql.adaptive.enabled", "false")
            self._small.conf.set("spark.sql.shuffle.partitions", "2")
        return self._small

    def relations(self, kept: Kept, stage: Stage, until: int, small: bool = False) -> Relations:
        return Relations(
            self.for_small() if small else self.spark,
            self.warehouse,
            frozenset(self.catalog.project.tables),
            self.catalog.folders(),
            self.timeline(stage.name).time(),
            until,
            stage,
        )

    def changed(self, kept: Kept, stage: Stage, until: int) -> dict[str, Slice]:
        """The relations that changed since the stage's time, with their deltas."""
        relations = self.relations(kept, stage, until)
        found = {name: relations.changed(name) for name in stage.reads if name != stage.name}
        return {name: part for name, part in found.items() if not part.empty}

    def efforts(self, stage: Stage, changed: Mapping[str, Slice]) -> tuple[Effort, Effort]:
        """What an incremental and a full push would have to do, in rows, as far as the logs tell."""
        rows = sum(part.rows for part in changed.values())
        sizes = {name: self._rows(name) for name in stage.reads if name != stage.name}
        own = self.timeline(stage.name).snapshot().rows if self.timeline(stage.name).exists() else 0
        others = sum(size for name, size in sizes.items() if len(changed) > 1 or name not in changed)
        if stage.kind in (StageKind.LINEAR, StageKind.GROUPS):
            others += own
        incremental = Effort(rows, others, rows)
        full = Effort(0, sum(sizes.values()) + own, max(own, rows))
        return incremental, full

    def _rows(self, relation: str) -> int:
        return self._timeline_of(relation).snapshot().rows

    def push(self, kept: Kept, stage: Stage, until: int, choose: Choose, hints: bool = True) -> Pushed:
        """Advance the stage to `until`; everything it reads must be complete up to there."""
        timeline = self.timeline(stage.name)
        after = timeline.time()
        if after >= until:
            return self._done(stage, Mode.EMPTY, "already there", after, after, Effort(0, 0, 0), Meter())
        known = after != BEGINNING and not self.forgotten(stage, after)
        changed = self.changed(kept, stage, until) if known else {}
        if known and not changed:
            timeline.commit(until)
            return self._done(stage, Mode.EMPTY, "nothing changed", after, until, Effort(0, 0, 0), Meter())
        mode, reason, effort = self._decide(stage, after, known, changed, choose)
        group = f"push {stage.name} {until}"
        with metered(self.spark, group, f"push {stage.name}", "pushes") as meter:
            rows = self._compute_and_commit(kept, stage, until, mode, changed, hints)
        return self._done(
            stage, mode, reason, after, until, Effort(effort.changed, effort.scanned, rows), meter
        )

    def _decide(
        self, stage: Stage, after: int, known: bool, changed: Mapping[str, Slice], choose: Choose
    ) -> tuple[Mode, str, Effort]:
        if after == BEGINNING:
            return Mode.INITIAL, "never computed before", self._initial(stage)
        if not known:
            return Mode.FULL, "changes since its last push have been compacted away", self._initial(stage)
        incremental, full = self.efforts(stage, changed)
        choice = choose(stage, incremental, full)
        return (
            (Mode.FULL, choice.reason, full)
            if choice.full
            else (Mode.INCREMENTAL, choice.reason, incremental)
        )

    def forgotten(self, stage: Stage, after: int) -> bool:
        """Whether something the stage reads no longer knows its changes since `after`.

        Compaction waits for every view there is; but a view may be taken out and put back later.
        """
        return any(self._timeline_of(name).horizon() > after for name in stage.reads if name != stage.name)

    def _timeline_of(self, relation: str) -> Timeline:
        if relation in self.catalog.project.tables:
            return self.warehouse.source(relation)
        return self.timeline(relation)

    def _initial(self, stage: Stage) -> Effort:
        return Effort(0, sum(self._rows(name) for name in stage.reads), 0)

    @staticmethod
    def _done(
        stage: Stage, mode: Mode, reason: str, after: int, until: int, effort: Effort, meter: Meter
    ) -> Pushed:
        return Pushed(stage.name, mode, reason, after, until, effort, timedelta(seconds=meter.seconds), meter)

    def _compute_and_commit(
        self, kept: Kept, stage: Stage, until: int, mode: Mode, changed: Mapping[str, Slice], hints: bool
    ) -> int:
        """One Spark action and one commit; returns the number of changes written."""
        frame, shuffled = self._stored_delta(kept, stage, until, mode, changed, hints)
        timeline = self.timeline(stage.name)
        if not timeline.exists():
            timeline.create(arrow_columns(frame), f"changes of {stage.name}")
        files = write(frame, timeline.path, until, spread=not shuffled)
        timeline.commit(until, files, {"mode": mode.value})
        return sum(file.statistics.rows for file in files)

    def _stored_delta(
        self, kept: Kept, stage: Stage, until: int, mode: Mode, changed: Mapping[str, Slice], hints: bool
    ) -> tuple[DataFrame, bool]:
        """The changes to store, and whether they come out of a shuffle already."""
        small = mode is Mode.INCREMENTAL and sum(one.rows for one in changed.values()) <= BROADCAST_ROWS
        relations = self.relations(kept, stage, until, small)
        frames = Frames(relations, hints)
        if mode is Mode.INCREMENTAL:
            only = frozenset(name for name, part in changed.items() if part.inserts_only)
            plan = delta(stage, frozenset(changed), only)
            if plan is None:
                return stored_form(stage, kept, frames.frame(Scan(stage.name, "s", stage.columns))), True
            plan = optimize(plan)
            frames.first = compute_first(plan)
            stored = stored_form(stage, kept, frames.frame(plan))
            if frames.positive(plan):
                return stored, False
            return operators.consolidate(stored), True
        if stage.plan is None:
            whole = run_sql(relations, stage.sql)
        else:
            whole = frames.frame(stage.plan)
        stored = stored_form(stage, kept, whole) if stage.kind is not StageKind.SQL else whole
        if mode is Mode.INITIAL:
            positive = stage.plan is None or frames.positive(stage.plan)
            return (stored, False) if positive else (operators.consolidate(stored), True)
        timeline = self.timeline(stage.name)
        before = read_slice(self.spark, timeline, timeline.as_of(relations.after))
        difference = stored.unionByName(operators.negate(before))
        return operators.consolidate(difference), True
