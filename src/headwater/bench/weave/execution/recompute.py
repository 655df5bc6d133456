"""Spark's own answers, computed anew from all rows and written as Parquet.

Ten views are one action: enough that Spark has work for all cores, and few enough to plan at once.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

from headwater.bench.cpu import Cost, measured
from headwater.bench.weave.execution.views import select
from headwater.planning.windows import Query

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

__all__ = ["Recompute"]

VIEWS_IN_AN_ACTION = 10


class Recompute:
    def __init__(self, spark: SparkSession, folder: str) -> None:
        self.spark = spark
        self.folder = folder

    def compute(self, rows: pa.Table, queries: Sequence[Query]) -> tuple[Cost, Mapping[str, pa.Table]]:
        """What it costs to compute all views from these rows, and the views."""
        shutil.rmtree(self.folder, ignore_errors=True)
        os.makedirs(self.folder)
        stored = os.path.join(self.folder, "quotes.parquet")
        pq.write_table(rows, stored, coerce_timestamps="us")
        self.spark.read.parquet(stored).createOrReplaceTempView("quotes")
        groups = [queries[at : at + VIEWS_IN_AN_ACTION] for at in range(0, len(queries), VIEWS_IN_AN_ACTION)]
        with measured() as cost:
            for number, group in enumerate(groups):
                self._write(group, os.path.join(self.folder, f"action={number}"))
        answers = {
            query.id: self._read(os.path.join(self.folder, f"action={number}", f"view={query.id}"))
            for number, group in enumerate(groups)
            for query in group
        }
        shutil.rmtree(self.folder)
        return cost, answers

    def _write(self, queries: Sequence[Query], target: str) -> None:
        named = (f"SELECT *, '{query.id}' AS view FROM ({select(query)})" for query in queries)
        self.spark.sql(" UNION ALL ".join(named)).write.partitionBy("view").parquet(target)

    def _read(self, folder: str) -> pa.Table:
        return ds.dataset(folder, format="parquet").to_table()
