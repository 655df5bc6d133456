"""Any Spark Structured Streaming source as a table's capture, through foreachBatch.

    CREATE TABLE clicks (user BIGINT, page STRING, at TIMESTAMP)
      USING stream OPTIONS (format 'kafka', subscribe 'clicks', value 'json')

The options are Spark's own; `format` is required.  The stream's columns are taken by name and cast to the
declared types; with `value 'json'` they are read from the JSON text in a column `value`.  Each micro-batch
is appended under a token made of the table and Spark's batch number, so a batch that Spark repeats after a
crash is committed once; Spark's checkpoint lies in the warehouse beside the table.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.streaming.query import StreamingQuery

from headwater.capture.append import Appender
from headwater.capture.token import Token
from headwater.clock import Clock
from headwater.engine.query import quoted
from headwater.errors import InputError
from headwater.model import Table
from headwater.storage.warehouse import Warehouse

__all__ = ["read_stream", "start_stream"]

OWN_OPTIONS = {"format", "value", "trigger"}


def read_stream(spark: SparkSession, table: Table) -> DataFrame:
    """The stream that a table's options describe."""
    if "format" not in table.options:
        raise InputError(
            "HW840",
            f'table "{table.name}" uses a stream without saying which',
            place=table.place,
            hint="Add OPTIONS (format 'kafka', ...): any format that Spark's readStream knows.",
        )
    reader = spark.readStream.format(table.options["format"])
    for name, value in table.options.items():
        if name not in OWN_OPTIONS:
            reader = reader.option(name, value)
    frame = reader.load()
    if table.options.get("value") == "json":
        shape = ", ".join(f"`{one.name}` {one.type}" for one in table.columns)
        frame = frame.select(F.from_json(F.col("value").cast("string"), shape).alias("row")).select("row.*")
    return frame


def start_stream(
    spark: SparkSession,
    warehouse: Warehouse,
    table: Table,
    clock: Clock,
    frame: DataFrame | None = None,
    tables: Mapping[str, Table] | None = None,
) -> StreamingQuery:
    """Append every micro-batch of a stream; `frame` is given from Python, else the options tell it.

    `tables` are the project's: a foreign key of theirs may reference this one.
    """
    stream = read_stream(spark, table) if frame is None else frame
    lacking = [one.name for one in table.columns if one.name not in stream.columns]
    if lacking:
        raise InputError(
            "HW841",
            f'the stream of table "{table.name}" has no column {", ".join(lacking)}',
            place=table.place,
            detail=f"It has: {', '.join(stream.columns)}.",
            hint="Rename the stream's columns, or declare the table as the stream is.",
        )
    typed = stream.select(*(F.col(quoted(one.name)).cast(one.type).alias(one.name) for one in table.columns))
    writer = typed.writeStream.queryName(f"headwater_{table.name}").foreachBatch(
        _append_batch(Appender(warehouse, table, clock, tables or {}))
    )
    writer = writer.option("checkpointLocation", os.path.join(warehouse.root, "streams", table.name))
    every = table.options.get("trigger", "1 second")
    return (
        writer.trigger(availableNow=True)
        if every == "available now"
        else writer.trigger(processingTime=every)
    ).start()


def _append_batch(appender: Appender) -> Callable[[DataFrame, int], None]:
    def append(batch: DataFrame, number: int) -> None:
        rows = batch.toArrow()
        if rows.num_rows:
            # Spark counts batches from zero, a token's numbers start at one.
            appender.append(rows, Token(f"stream:{appender.table.name}", number + 1))

    return append
