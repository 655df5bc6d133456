"""Pushes of real timelines in which DuckDB runs the queries that are written for Spark.

What is decided, which files are left out by their statistics, the text of every query, what goes together and in
which order it is committed: all that is the engine's own.  A push may be killed before any of its commits.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import timedelta
from types import TracebackType
from typing import cast

import duckdb
import pyarrow as pa
import sqlglot

from headwater.engine.push.choosing.commit_probes import commit_probes
from headwater.engine.push.choosing.note_push import note_push
from headwater.engine.push.choosing.probe_queries import GONE, KIND, LATE, PROBING, SILENT, probes_query
from headwater.engine.push.commit import Pushed, commit, move_on
from headwater.engine.push.decide import Job
from headwater.engine.push.delta_query import delta_query
from headwater.engine.push.workplace import Workplace
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query
from headwater.engine.query.relations import Relations
from headwater.engine.spark.metering import Meter
from headwater.planning.cost.effort import Effort
from headwater.planning.stages.actions import Action, Mode
from headwater.storage.delta.delta_log import NewFile
from headwater.storage.timeline import TIME, WEIGHT, Slice, Timeline

__all__ = ["InDuckDb", "Killed", "PushesInDuckDb"]

KINDS = (PROBING, SILENT, LATE, GONE)


class Killed(Exception):
    """The process is gone."""


class InDuckDb:
    """The inputs of a query, in place of those in a Spark session."""

    one_task = False

    def __init__(self) -> None:
        self.database, self.slices = duckdb.connect(config={"threads": 1}), 0
        self.database.execute("SET TimeZone = 'UTC'")
        self.database.execute("CREATE MACRO timestamp_micros(x) AS make_timestamptz(x)")

    def __enter__(self) -> InDuckDb:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.database.close()

    def slice(self, timeline: Timeline, part: Slice) -> Query:
        name = f"slice_{self.slices}"
        self.slices += 1
        rows = timeline.read(part)
        self.database.register(name, rows)
        return Query(name, tuple(column for column in rows.column_names if column != WEIGHT))

    def arrivals(self, timeline: Timeline, part: Slice, at: str) -> Query:
        name = f"slice_{self.slices}"
        self.slices += 1
        files = [
            timeline.read(replace(part, files=(file,))).append_column(
                at, pa.array([file.minimum[TIME]] * file.rows, pa.int64())
            )
            for file in part.files
        ]
        rows = (
            pa.concat_tables(files)
            if files
            else timeline.read(part).append_column(at, pa.array([], pa.int64()))
        )
        self.database.register(name, rows)
        return Query(name, tuple(column for column in rows.column_names if column != WEIGHT))

    def run(self, text: str) -> pa.Table:
        (query,) = sqlglot.transpile(f"SELECT * FROM {text}", read="spark", write="duckdb")
        return self.database.sql(query).to_arrow_table()


@dataclass
class PushesInDuckDb:
    """In place of `run_action`. `survives`: commits before the process is killed; None: it is not.

    `probed`: the inputs that were committed since it was last asked, with the time and how many rows might probe.
    """

    survives: int | None = None
    probed: list[Job] = field(default_factory=list)
    modes: set[str] = field(default_factory=set)

    def __call__(
        self,
        workplace: Workplace,
        action: Action[Job],
        relations: Mapping[str, Relations],
        hints: bool = True,
        net: bool = False,
    ) -> list[Pushed]:
        name = f"action {uuid.uuid4().hex}"
        self.modes |= {f"{job.stage.kind.value} {job.mode.value}" for job in action.works}
        if all(job.mode is Mode.PROBE for job in action.works):
            return self._probe(workplace, action, name)
        return [self._push(workplace, job, relations.get(job.name), name) for job in action.works]

    def _before_a_commit(self) -> None:
        if self.survives is not None:
            self.survives -= 1
            if self.survives < 0:
                raise Killed

    def _probe(self, workplace: Workplace, action: Action[Job], name: str) -> list[Pushed]:
        written = [(job, *self._probes(workplace, job)) for job in action.works]
        for job, files, counts in written:
            self._before_a_commit()
            commit_probes(workplace, job, files, counts)
            self.probed.append(job)
        note_push(workplace, [(job, counts) for job, _, counts in written])
        return [_pushed(job, sum(counts.values()), name) for job, _, counts in written]

    def _probes(self, workplace: Workplace, job: Job) -> tuple[list[NewFile], dict[int, int]]:
        with InDuckDb() as inputs:
            rows = inputs.run(f"({probes_query(workplace, job, cast(Inputs, inputs))})")
        kinds = rows.column(KIND).to_pylist()
        kept = rows.filter(pa.array([kind != LATE for kind in kinds], pa.bool_())).drop_columns([KIND])
        return _written(workplace, job, kept), {kind: kinds.count(kind) for kind in KINDS}

    def _push(self, workplace: Workplace, job: Job, relations: Relations | None, name: str) -> Pushed:
        if job.mode is Mode.PROBE:  # beside other stages
            files, counts = self._probes(workplace, job)
            self._before_a_commit()
            commit_probes(workplace, job, files, counts)
            self.probed.append(job)
            return _pushed(job, sum(counts.values()), name)
        if job.mode is Mode.EMPTY:
            self._before_a_commit()
            if job.stage.probing is not None:
                self.probed.append(job)
            return move_on(workplace, job)
        relations = relations or workplace.relations(job.stage, job.until)
        with InDuckDb() as inputs:
            delta = delta_query(workplace, job, relations, cast(Inputs, inputs))
            rows = None if delta.query is None else inputs.run(delta.query.text)
        files = [] if rows is None else _written(workplace, job, rows)
        self._before_a_commit()
        return _pushed(job, commit(workplace, job, files), name)


def _written(workplace: Workplace, job: Job, rows: pa.Table) -> list[NewFile]:
    timeline = workplace.timeline(job.name)
    if not timeline.exists():
        timeline.create(pa.schema([column for column in rows.schema if column.name != WEIGHT]))
    return [timeline.write(rows, job.until)] if rows.num_rows else []


def _pushed(job: Job, rows: int, name: str) -> Pushed:
    effort = Effort(job.effort.changed, job.effort.scanned, rows)
    return Pushed(job, effort, timedelta(seconds=1), Meter(seconds=1.0, cpu_seconds=1.0), name)
