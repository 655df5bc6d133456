"""First computations that are one run of Spark: stages that differ only in the lengths of their windows.

A dashboard of 250 windows is computed in one pass over what it reads, instead of 250; Spark plans and
compiles one query.  Each member gets its own timeline and its own commit, as when it is computed by itself.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import timedelta

import pyarrow as pa
from pyspark.sql import DataFrame

from headwater.algebra.expressions.tree import spark_sql
from headwater.algebra.moments.plans import bind
from headwater.algebra.stages.families import MEMBER, Family
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

__all__ = ["compute_first_together", "first_likeness"]


def first_likeness(workplace: Workplace, job: Job) -> Hashable:
    """What first computations of one run have in common; None for a job that is computed by itself."""
    if job.mode is not Mode.INITIAL or job.name != job.kept.view:
        return None
    common = shape(job.stage)
    if common is None or not _there(workplace, job) or not of_instants(workplace, job.stage):
        return None
    return common, job.stage.kind, tuple(stored_columns(job.stage, job.kept)), job.until


def _there(workplace: Workplace, job: Job) -> bool:
    """Whether what it reads is computed already, and it is not stored yet."""
    read = [workplace.timeline_of(name).exists() for name in job.reads if name != job.name]
    return all(read) and not workplace.timeline(job.name).exists()


def compute_first_together(workplace: Workplace, jobs: Sequence[Job], hints: bool) -> list[Pushed]:
    """Compute stages of one likeness in one run of Spark, and commit each."""
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
