"""Any Spark Structured Streaming source as a table's capture, through foreachBatch.

    CREATE TABLE clicks (user BIGINT, page STRING, at TIMESTAMP)
      USING stream OPTIONS (format 'kafka', subscribe 'clicks', value 'json')

The options are Spark's own; `format` is required.  With `value 'json'` every message of a column `value` is
the JSON text of a record (capture/messages.py); otherwise the stream's columns are taken by name and cast to
the declared types.  What cannot be read or cast goes to the dead letters with its whole text.

Each micro-batch is appended under a token made of the stream's id and Spark's batch number, so a batch that
Spark repeats after a crash is committed once.  Spark keeps the id, with its own progress, in the checkpoint
folder in the warehouse; should that be deleted, Spark begins a stream with another id, whose batches are new.

Frames are written as SQL text, so that they work on Spark Connect too.  There foreachBatch runs in a process
of the server: it opens the warehouse for itself, which must lie under the same path.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from datetime import timedelta

import pyarrow as pa
import pyarrow.compute as pc
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from headwater.capture.declared import stream_without_format
from headwater.capture.intake.append import Appender
from headwater.capture.intake.arrow_rows import arrow_batch
from headwater.capture.intake.batch import Batch, Rejection
from headwater.capture.intake.changes import records_batch
from headwater.capture.intake.token import Token
from headwater.capture.messages import message_records
from headwater.clock import Clock
from headwater.engine.query.query import quoted
from headwater.engine.spark.connect import is_connect
from headwater.errors import InputError
from headwater.model import Durability, Table
from headwater.project.secrets import resolved
from headwater.storage.warehouse import Warehouse

__all__ = ["Elsewhere", "read_stream", "start_stream"]

OWN_OPTIONS = {"format", "value", "trigger"}
VALUE = "value"
WRONG = "_wrong"  # the columns of a row that cannot be cast
TEXT = "_text"  # such a row as it came


def read_stream(spark: SparkSession, table: Table) -> DataFrame:
    """The stream that a table's options describe; secrets that they refer to are read here."""
    if "format" not in table.options:
        raise stream_without_format(table)
    reader = spark.readStream.format(table.options["format"])
    for name, value in resolved(table.options, f'table "{table.name}"', table.place).items():
        if name not in OWN_OPTIONS:
            reader = reader.option(name, value)
    return reader.load()


def start_stream(
    spark: SparkSession,
    warehouse: Warehouse,
    table: Table,
    clock: Clock,
    frame: DataFrame | None = None,
    tables: Mapping[str, Table] | None = None,
    once: bool = False,
) -> StreamingQuery:
    """Append every micro-batch of a stream: `frame`, or by default the one that the table's options describe.

    `tables` are the project's: a foreign key of theirs may reference this one.  With `once`, the stream ends
    by itself when it has taken in what was there at its start.
    """
    messages = frame is None and table.options.get("value") == "json"
    stream = read_stream(spark, table) if frame is None else frame
    _check_columns(table, stream, [VALUE] if messages else [column.name for column in table.columns])
    typed = stream.selectExpr(f"CAST({VALUE} AS BINARY) AS {VALUE}") if messages else _typed(stream, table)
    checkpoint = os.path.join(warehouse.root, "streams", table.name)
    appender = Appender(warehouse, table, clock, tables or {})
    opener = Elsewhere.of(appender) if is_connect(spark) else lambda: appender
    writer = typed.writeStream.queryName(f"headwater_{table.name}").foreachBatch(
        _append_batch(opener, checkpoint, messages)
    )
    writer = writer.option("checkpointLocation", checkpoint)
    trigger = table.options.get("trigger", "1 second")
    return (
        writer.trigger(availableNow=True)
        if once or trigger == "available now"
        else writer.trigger(processingTime=trigger)
    ).start()


def _check_columns(table: Table, stream: DataFrame, needed: list[str]) -> None:
    missing = [name for name in needed if name not in stream.columns]
    if missing:
        raise InputError(
            "HW841",
            f'the stream of table "{table.name}" has no column {", ".join(missing)}',
            place=table.place,
            detail=f"It has: {', '.join(stream.columns)}.",
            hint="Rename the stream's columns, or declare the table as the stream is.",
        )


def _typed(stream: DataFrame, table: Table) -> DataFrame:
    """The declared columns with their types; beside them, what cannot be cast, and the row as it came."""
    names = {column.name: quoted(column.name) for column in table.columns}
    casts = [f"try_cast({names[column.name]} AS {column.type})" for column in table.columns]
    failed = [
        f"IF({name} IS NOT NULL AND {cast} IS NULL, {_literal(column)}, NULL)"
        for (column, name), cast in zip(names.items(), casts, strict=True)
    ]
    wrong = f"nullif(concat_ws(', ', {', '.join(failed)}), '')"
    return stream.selectExpr(
        *(f"{cast} AS {name}" for name, cast in zip(names.values(), casts, strict=True)),
        f"{wrong} AS {WRONG}",
        f"IF({wrong} IS NULL, NULL, to_json(struct(*))) AS {TEXT}",
    )


def _literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """What another process needs to write to a table."""

    root: str
    roots: Mapping[str, str]
    durability: Durability
    reads: timedelta
    table: Table
    clock: Clock
    tables: Mapping[str, Table]

    @staticmethod
    def of(appender: Appender) -> Elsewhere:
        warehouse = appender.warehouse
        # Places in files are for people, and their texts need not travel.
        tables = {name: replace(table, place=None) for name, table in appender.tables.items()}
        table = replace(appender.table, place=None)
        return Elsewhere(
            warehouse.root, dict(warehouse.roots), warehouse.durability, warehouse.reads, table,
            appender.clock, tables,
        )  # fmt: skip

    def __call__(self) -> Appender:
        warehouse = Warehouse(self.root, dict(self.roots), self.durability, self.reads)
        return Appender(warehouse, self.table, self.clock, self.tables)


def _append_batch(
    open_writer: Callable[[], Appender], checkpoint: str, messages: bool
) -> Callable[[DataFrame, int], None]:
    def append(batch: DataFrame, number: int) -> None:
        rows = batch.toArrow()
        if rows.num_rows == 0:
            return
        writer = open_writer()
        stream = f"stream {_stream_id(checkpoint)}, batch {number}"
        read = _messages if messages else _rows
        # Spark counts batches from zero, a token's numbers start at one.
        token = Token(f"stream:{writer.table.name}:{_stream_id(checkpoint)}", number + 1)
        writer.append_batch(read(writer.table, rows, stream), token)

    return append


def _stream_id(checkpoint: str) -> str:
    """The id that Spark gave the stream when its checkpoint folder was made."""
    with open(os.path.join(checkpoint, "metadata"), encoding="utf-8") as file:
        return str(json.load(file)["id"])


def _messages(table: Table, rows: pa.Table, stream: str) -> Batch:
    return records_batch(table, message_records(table, rows.column(VALUE).to_pylist(), stream))


def _rows(table: Table, rows: pa.Table, stream: str) -> Batch:
    correct = arrow_batch(
        table, rows.filter(pc.is_null(rows.column(WRONG))).select(list(table.column_names)), stream
    )
    types = {column.name: column.type for column in table.columns}
    rejected = [
        Rejection(line, text, f'column "{wrong}" cannot be cast ({types.get(wrong, "several")})', stream)
        for line, (wrong, text) in enumerate(
            zip(rows.column(WRONG).to_pylist(), rows.column(TEXT).to_pylist(), strict=True), start=1
        )
        if wrong is not None
    ]
    return Batch(
        correct.operations, correct.new, correct.old, correct.records, (*correct.rejected, *rejected)
    )
