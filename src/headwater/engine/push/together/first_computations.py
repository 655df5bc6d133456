"""First computations that are one run of Spark: those of a family, and those that read few rows.

Stages that differ only in the lengths of their windows are a family: a dashboard of 250 windows is computed
in one pass over what it reads, instead of 250; Spark plans and compiles one query.  Stages that read few rows
are united as small deltas are (joint.py): what an action costs by itself is paid once for many of them.  Each
stage gets its own timeline and its own commit, as when it is computed by itself.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import pyarrow as pa
from pyspark.sql import DataFrame

from headwater.algebra.expressions.tree import spark_sql
from headwater.algebra.moments.plans import bind
from headwater.algebra.stages.families import MEMBER, Family
from headwater.algebra.stages.stage import StageKind
from headwater.engine.push.commit import Pushed, bytes_copied, commit
from headwater.engine.push.decide import Job
from headwater.engine.push.together.families import family, of_instants, shape
from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import arrow_columns, moved_files, stored_columns
from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import Query, quoted
from headwater.engine.query.relations import Relations
from headwater.engine.query.writer import QueryWriter
from headwater.engine.spark.metering import Meter, metered
from headwater.planning.cost.effort import Effort
from headwater.planning.stages.actions import Mode
from headwater.storage.delta.delta_log import NewFile
from headwater.storage.timeline import WEIGHT

__all__ = ["FewRows", "compute_first_together", "with_likeness"]

FEW_ROWS = 100_000  # read by a first computation
MOST_TOGETHER = 40  # of those that read few rows: Spark plans them as a whole
UNITED = frozenset({StageKind.ROWS, StageKind.LINEAR, StageKind.GROUPS})


@dataclass(frozen=True, slots=True)
class FewRows:
    """The likeness of first computations that read few rows; of those of a level so many are together."""

    group: int


def with_likeness(workplace: Workplace, jobs: Iterable[Job]) -> Iterator[Job]:
    """The jobs of a level, those that are computed for the first time with what they have in common."""
    few = 0
    for job in jobs:
        likeness = _of_family(workplace, job) if _first(workplace, job) else None
        if likeness is None and _reads_few(workplace, job):
            likeness, few = FewRows(few // MOST_TOGETHER), few + 1
        yield replace(job, likeness=likeness)


def _reads_few(workplace: Workplace, job: Job) -> bool:
    few = job.stage.kind in UNITED and job.stage.plan is not None and job.effort.scanned <= FEW_ROWS
    return few and _first(workplace, job)


def _of_family(workplace: Workplace, job: Job) -> Hashable:
    """What the members of a family have in common; None for a job that is in none."""
    common = shape(job.stage) if job.name == job.kept.view else None
    if common is None or not of_instants(workplace, job.stage):
        return None
    return common, job.stage.kind, tuple(stored_columns(job.stage, job.kept)), job.until


def _first(workplace: Workplace, job: Job) -> bool:
    """Whether it is computed for the first time, and what it reads is computed already."""
    if job.mode is not Mode.INITIAL:
        return False
    read = [workplace.timeline_of(name).exists() for name in job.reads if name != job.name]
    return all(read) and not workplace.timeline(job.name).exists()


def compute_first_together(workplace: Workplace, jobs: Sequence[Job], hints: bool) -> list[Pushed]:
    """Compute the stages of a family in one run of Spark, and commit each."""
    name, first = f"{jobs[0].name} and {len(jobs) - 1} more", jobs[0]
    group = f"push {name} {first.until} {uuid.uuid4().hex[:6]}"
    spark = workplace.spark_of(first.name)
    relations = workplace.relations(first.stage, first.until)
    with metered(spark, group, f"push {name}", "pushes") as meter, Inputs(spark) as opened:
        frame = opened.run(_query(family(tuple(job.stage for job in jobs)), first, relations, opened, hints))
        written = _write(workplace, jobs, frame)
        rows = {job.name: commit(workplace, job, written[job.name]) for job in jobs}
    return list(_pushed(workplace, jobs, relations, rows, meter, group))


def _query(common: Family, first: Job, relations: Relations, opened: Inputs, hints: bool) -> Query:
    """The rows of all members as they are stored, with the number of each."""
    queries = QueryWriter(relations, opened, hints)
    plan = common.stage.plan
    assert plan is not None
    rows = queries.query(bind(plan, first.after, first.until))
    items = [(name, spark_sql(expr)) for name, expr in stored_columns(first.stage, first.kept)]
    stored = rows.select([*items, (MEMBER, quoted(MEMBER))])
    return stored if queries.estimates.positive(plan) else operators.consolidate(stored)


def _write(workplace: Workplace, jobs: Sequence[Job], frame: DataFrame) -> dict[str, list[NewFile]]:
    """The files of each member, in its own folder: as few for each as its rows allow."""
    columns = arrow_columns(frame.drop(MEMBER))
    root = workplace.warehouse.root_of(jobs[0].kept.view)
    staging = os.path.join(workplace.warehouse.staging(root), uuid.uuid4().hex)
    try:
        frame.hint("rebalance", quoted(MEMBER)).write.partitionBy(MEMBER).parquet(staging)
        return {
            job.name: _moved(workplace, job, os.path.join(staging, f"{MEMBER}={number}"), columns)
            for number, job in enumerate(jobs)
        }
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _moved(workplace: Workplace, job: Job, source: str, columns: pa.Schema) -> list[NewFile]:
    timeline = workplace.timeline(job.name)
    timeline.create(columns, f"changes of {job.name}")
    return moved_files(source, timeline.path, job.until, (*columns.names, WEIGHT))


def _pushed(
    workplace: Workplace,
    jobs: Sequence[Job],
    relations: Relations,
    written: Mapping[str, int],
    meter: Meter,
    group: str,
) -> Iterator[Pushed]:
    """What was done for each stage, with an even share of the cost."""
    duration = timedelta(seconds=meter.seconds)
    even = replace(meter, cpu_seconds=meter.cpu_seconds / len(jobs))
    for job in jobs:
        effort = Effort(job.effort.changed, relations.rows_scanned // len(jobs), written[job.name])
        yield Pushed(job, effort, duration, even, group, bytes_copied(workplace, job))
