"""The views as queries of Spark Structured Streaming: one query a view, as Spark's users write them.

Every batch is a file; each query adds it to its state and writes the windows that changed as Parquet.  A
stream cannot take rows back: only rows that come are streamed, so the answers are other ones and are not
compared.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from headwater.bench.cpu import Cost, measured
from headwater.bench.weave.execution.views import select
from headwater.engine.spark.session import new_session
from headwater.planning.windows import Query
from headwater.storage.timeline import WEIGHT

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

__all__ = ["Streaming"]

SCHEMA = "id BIGINT, symbol STRING, price DECIMAL(12,4), quoted_at TIMESTAMP"
SETTINGS = {
    "spark.sql.shuffle.partitions": "2",  # of the state; Spark's own 200 would cost far more
    "spark.sql.streaming.pollingDelay": "500ms",
}


class Streaming:
    def __init__(self, spark: SparkSession, folder: str, queries: Sequence[Query]) -> None:
        self.spark = new_session(spark, SETTINGS)
        self.folder = folder
        shutil.rmtree(folder, ignore_errors=True)
        os.makedirs(os.path.join(folder, "batches"))
        self.running = [self._start(query) for query in queries]

    def _start(self, query: Query) -> StreamingQuery:
        rows = self.spark.readStream.schema(SCHEMA).parquet(os.path.join(self.folder, "batches"))
        rows.withWatermark("quoted_at", "10 minutes").createOrReplaceTempView("streamed")
        target = os.path.join(self.folder, "answers", query.id)

        def write(batch: DataFrame, number: int) -> None:
            batch.write.parquet(os.path.join(target, str(number)))

        answers = self.spark.sql(select(query, "streamed")).writeStream.outputMode("update")
        checkpoint = os.path.join(self.folder, "checkpoints", query.id)
        return answers.foreachBatch(write).option("checkpointLocation", checkpoint).start()

    def push(self, number: int, batch: pa.Table) -> Cost:
        """Let all queries process a batch."""
        come = batch.filter(pc.greater(batch[WEIGHT], 0)).drop_columns([WEIGHT])
        with measured() as cost:
            unfinished = os.path.join(self.folder, f"{number}.parquet")
            pq.write_table(come, unfinished, coerce_timestamps="us")
            os.rename(unfinished, os.path.join(self.folder, "batches", f"{number}.parquet"))
            for query in self.running:
                query.processAllAvailable()
        return cost

    def close(self) -> None:
        for query in self.running:
            query.stop()
        shutil.rmtree(self.folder)
