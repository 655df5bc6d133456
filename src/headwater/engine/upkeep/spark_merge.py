"""Files of a timeline summed up by Spark, where the driver cannot hold them.

Spark gives the merge what pushes leave over (the pool "upkeep" of engine/spark/pools.xml).  The sum of a
table with a key is stored in its order, so that files have narrow ranges of it, and whoever looks for a few
keys skips the others.  Nothing is committed here: a merge that is stopped leaves nothing behind.
"""

from __future__ import annotations

import math
import os
import shutil
import threading
import uuid

from pyspark.sql import DataFrame, SparkSession

from headwater.engine.push.workplace import Workplace
from headwater.engine.push.writing import moved_files
from headwater.engine.query import operators
from headwater.engine.query.inputs import Inputs
from headwater.engine.query.query import quoted
from headwater.engine.spark.metering import metered
from headwater.engine.upkeep.merges import Merge
from headwater.engine.upkeep.merging import Merged
from headwater.storage.delta.data_files import BEGINNING, NewFile
from headwater.storage.timeline import WEIGHT, Slice, Timeline

__all__ = ["SparkMerge"]

FILE_ROWS = 1_000_000
POOL = "upkeep"


class SparkMerge:
    """Merges on the Spark of the relation's site, one merge at a time, until it is told to stop."""

    def __init__(self, workplace: Workplace, stopping: threading.Event) -> None:
        self.workplace = workplace
        self.stopping = stopping
        self._tag = f"headwater-upkeep-{uuid.uuid4().hex[:8]}"
        self._running: SparkSession | None = None

    def __call__(self, relation: str, timeline: Timeline, merge: Merge, newest: int) -> Merged | None:
        """The sum of the files as of `newest`; None if it was stopped."""
        self._running = spark = self.workplace.spark_of(relation)
        group = f"compact {relation} {newest} {uuid.uuid4().hex[:6]}"
        spark.addTag(self._tag)
        try:
            with metered(spark, group, f"compact {relation}", POOL) as meter, Inputs(spark) as opened:
                part = Slice(merge.files, BEGINNING - 1, newest)
                summed = opened.run(operators.consolidate(opened.slice(timeline, part)))
                files = self._written(
                    self._in_order(relation, summed, merge.rows), relation, timeline, newest
                )
        except Exception:
            if self.stopping.is_set():
                return None
            raise
        finally:
            self._running = None
            spark.removeTag(self._tag)
        return Merged(tuple(files), meter.cpu_seconds)

    def interrupt(self) -> None:
        """Give up the merge under way, from another thread; `stopping` is set."""
        if (spark := self._running) is not None:
            spark.interruptTag(self._tag)

    def _in_order(self, relation: str, summed: DataFrame, rows: int) -> DataFrame:
        table = self.workplace.catalog.project.tables.get(relation)
        keys = [quoted(name) for name in table.identity] if table is not None else []
        if not keys:
            return summed
        files = math.ceil(rows / FILE_ROWS)
        return summed.repartitionByRange(files, *keys).sortWithinPartitions(*keys)

    def _written(self, frame: DataFrame, relation: str, timeline: Timeline, newest: int) -> list[NewFile]:
        root = self.workplace.warehouse.root_of(relation)
        staging = os.path.join(self.workplace.warehouse.staging(root), uuid.uuid4().hex)
        try:
            frame.write.parquet(staging)
            return moved_files(staging, timeline.path, newest, (*timeline.columns().names, WEIGHT))
        finally:
            shutil.rmtree(staging, ignore_errors=True)
