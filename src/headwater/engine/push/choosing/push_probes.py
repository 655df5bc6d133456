"""One push of inputs of adapted joins: what came is inserted, what went or grew too old is taken out.

    came     net new rows that are within tolerance; the first of them, up to the allowance, probe
    went     stored rows that the input no longer has, and those that are too old to be shown
    late     new rows that had outlived their tolerance before they came: no result may hold them

Of rows that come together the earlier ones find more: a match is found by the row that came last, and of the
inputs after its own a row meets what came with earlier pushes, which lies further back for a later row.

All inputs are one query and one write, partitioned by input; then each is committed.  How many rows there are
of each kind is counted on the way.  Inputs whose columns of one name differ in type are written one by one.
"""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta

import pyarrow as pa
from pyspark.sql import DataFrame, Observation
from pyspark.sql import functions as f

from headwater.engine.push.choosing.commit_probes import commit_probes
from headwater.engine.push.choosing.note_push import note_push
from headwater.engine.push.choosing.probe_queries import GONE, KIND, LATE, PROBING, SILENT, probes_query
from headwater.engine.push.commit import Pushed, bytes_copied
from headwater.engine.push.decide import Job
from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import arrow_columns, moved_files
from headwater.engine.query.inputs import Inputs
from headwater.engine.spark.metering import metered
from headwater.engine.spark.session import Size
from headwater.planning.stages.actions import SMALL_ROWS, handles_few
from headwater.storage.delta.delta_log import NewFile
from headwater.storage.timeline import WEIGHT

__all__ = ["push_probes"]

ROWS_PER_TASK = 500_000
_INPUT = "_input"
_KINDS = (PROBING, SILENT, LATE, GONE)


@dataclass(frozen=True, slots=True)
class _Written:
    """What a push made of one input: its files, and how many rows there were of each kind."""

    job: Job
    schema: pa.Schema
    files: Sequence[NewFile]
    counts: dict[int, int]


def push_probes(workplace: Workplace, jobs: Sequence[Job]) -> list[Pushed]:
    """Bring the recent rows of inputs to a time."""
    group = f"push {', '.join(job.name for job in jobs)} {jobs[0].until}"
    rows = sum(job.effort.changed + job.effort.scanned for job in jobs)
    few = handles_few(rows, len(jobs))
    spark = workplace.spark_of(
        jobs[0].name, Size.FEW if few else Size.SMALL if rows <= SMALL_ROWS else Size.LARGE
    )
    with metered(spark, group, f"probe {len(jobs)} inputs", "pushes") as meter, Inputs(spark, few) as inputs:
        frames = [inputs.spark.sql(probes_query(workplace, job, inputs)) for job in jobs]
        pairs = list(zip(jobs, frames, strict=True))
        batches = [pairs] if _compatible(frames) else [[pair] for pair in pairs]
        done = [written for batch in batches for written in _write(workplace, batch)]
        for written in done:
            commit_probes(workplace, written.job, written.files, written.counts)
        note_push(workplace, [(written.job, written.counts) for written in done])
    even = replace(meter, cpu_seconds=meter.cpu_seconds / len(jobs))
    return [
        Pushed(
            written.job,
            replace(written.job.effort, result=sum(file.statistics.rows for file in written.files)),
            timedelta(seconds=meter.seconds),
            even,
            group,
            bytes_copied(workplace, written.job),
        )
        for written in done
    ]


def _compatible(frames: Sequence[DataFrame]) -> bool:
    """Whether a name means one type and one spelling in all of them."""
    types: dict[str, tuple[str, str]] = {}
    return all(
        types.setdefault(column.lower(), (column, kind)) == (column, kind)
        for frame in frames
        for column, kind in frame.dtypes
    )


def _write(workplace: Workplace, batch: Sequence[tuple[Job, DataFrame]]) -> list[_Written]:
    numbered = [frame.withColumn(_INPUT, f.lit(number)) for number, (_, frame) in enumerate(batch)]
    union = numbered[0]
    for frame in numbered[1:]:
        union = union.unionByName(frame, allowMissingColumns=True)
    counted = Observation()
    counts = [
        f.count_if((f.col(_INPUT) == number) & (f.col(KIND) == kind)).alias(f"{number} {kind}")
        for number in range(len(batch))
        for kind in _KINDS
    ]
    kept = union.observe(counted, *counts).where(f.col(KIND) != LATE).drop(KIND)
    root = workplace.warehouse.root_of(batch[0][0].kept.view)
    staging = os.path.join(workplace.warehouse.staging(root), uuid.uuid4().hex)
    try:
        tasks = 1 + sum(job.effort.changed for job, _ in batch) // ROWS_PER_TASK
        kept.repartition(tasks).write.partitionBy(_INPUT).parquet(staging)
        numbers = counted.get
        return [
            _moved(
                workplace,
                job,
                frame,
                os.path.join(staging, f"{_INPUT}={number}"),
                {kind: int(numbers.get(f"{number} {kind}", 0)) for kind in _KINDS},
            )
            for number, (job, frame) in enumerate(batch)
        ]
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _moved(workplace: Workplace, job: Job, frame: DataFrame, source: str, counts: dict[int, int]) -> _Written:
    """The files of an input, in its own folder."""
    timeline = workplace.timeline(job.name)
    schema = arrow_columns(frame.drop(KIND))
    if not timeline.exists():
        timeline.create(schema, f"recent rows of {job.stage.reads[0]} for {job.kept.view}")
    files = moved_files(source, timeline.path, job.until, (*schema.names, WEIGHT))
    return _Written(job, schema, files, counts)
