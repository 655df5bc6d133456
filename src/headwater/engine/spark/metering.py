"""What a piece of Spark work cost: jobs, CPU-seconds, rows and bytes read, from Spark's own task metrics.

Work is marked with a job group; Spark keeps the metrics of recent stages in its status store.  A Spark
Connect server shows nobody its store: there wall time is all that is known, and it stands for CPU time too,
as if one core had been busy, so that what runs there is not taken for free.  `measured` tells which.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from pyspark.sql import SparkSession

from headwater.engine.spark.connect import is_connect

__all__ = ["Meter", "metered"]


@dataclass(slots=True)
class Meter:
    seconds: float = 0.0
    cpu_seconds: float = 0.0
    jobs: int = 0
    rows_read: int = 0
    bytes_read: int = 0
    shuffle_bytes: int = 0
    measured: bool = True  # by Spark itself; else jobs, rows and bytes are unknown


@contextmanager
def metered(spark: SparkSession, group: str, description: str, pool: str = "default") -> Iterator[Meter]:
    """Meter what the current thread asks of Spark."""
    meter = Meter()
    context = None if is_connect(spark) else spark._sc
    meter.measured = context is not None
    if context is not None:
        context.setJobGroup(group, description, interruptOnCancel=True)
        context.setLocalProperty("spark.scheduler.pool", pool)
    start, driver = time.perf_counter(), time.thread_time()
    try:
        yield meter
    finally:
        meter.seconds = time.perf_counter() - start
        meter.cpu_seconds = time.thread_time() - driver
        if context is not None:
            _collect(context, group, meter)
        else:
            meter.cpu_seconds = max(meter.cpu_seconds, meter.seconds)


def _collect(context: object, group: str, meter: Meter) -> None:
    tracker = context.statusTracker()  # type: ignore[attr-defined]
    store = context._jsc.sc().statusStore()  # type: ignore[attr-defined]
    jobs = tracker.getJobIdsForGroup(group)
    meter.jobs = len(jobs)
    stages = {
        stage for job in jobs if (info := tracker.getJobInfo(job)) is not None for stage in info.stageIds
    }
    for stage in stages:
        if not _known(tracker, stage):
            continue
        data = store.lastStageAttempt(stage)
        meter.cpu_seconds += data.executorCpuTime() / 1e9
        meter.rows_read += data.inputRecords()
        meter.bytes_read += data.inputBytes()
        meter.shuffle_bytes += data.shuffleWriteBytes()


def _known(tracker: object, stage: int) -> bool:
    """Stages that were skipped (their result was reused) are not in the store."""
    info = tracker.getStageInfo(stage)  # type: ignore[attr-defined]
    return info is not None and info.numCompletedTasks > 0
