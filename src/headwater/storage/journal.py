"""Small Delta tables that only grow: the pushes, the audit.

Rows are appended a few at a time; once there are many small files they are merged by delta-rs.  A table that
an older version wrote lacks the newer columns: they read as null, and the first append adds them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.dataset as ds
from deltalake import DeltaTable

from headwater.storage.delta_log import DeltaLog
from headwater.storage.parquet import write_parquet
from headwater.storage.timeline import new_file_name

__all__ = ["AUDIT", "PUSHES", "append_rows", "read_rows"]

PUSHES = pa.schema(
    [
        ("at", pa.int64()),
        ("view", pa.string()),
        ("stage", pa.string()),
        ("mode", pa.string()),
        ("reason", pa.string()),
        ("after", pa.int64()),
        ("until", pa.int64()),
        ("changed_rows", pa.int64()),
        ("scanned_rows", pa.int64()),
        ("result_rows", pa.int64()),
        ("seconds", pa.float64()),
        ("predicted_seconds", pa.float64()),
        ("cpu_seconds", pa.float64()),
        ("spark_jobs", pa.int64()),
        ("attempt", pa.int64()),
        ("error", pa.string()),
        ("site", pa.string()),  # where it ran
        ("serves", pa.string()),  # the views it worked for, with commas; none: `view` alone
        ("bytes_copied", pa.int64()),  # from another site
        ("action", pa.string()),  # pushes of one Spark action share it
        ("late_rows", pa.int64()),  # rows that reached the view later than promised
    ]
)

AUDIT = pa.schema(
    [
        ("at", pa.int64()),
        ("view", pa.string()),
        ("time", pa.int64()),
        ("staleness_s", pa.float64()),
        ("freshness_s", pa.float64()),
        ("violated", pa.bool_()),
        ("rows", pa.int64()),
        ("pushes", pa.int64()),
        ("rows_moved", pa.int64()),
        ("cpu_seconds", pa.float64()),
        ("dollars", pa.float64()),
        ("owner", pa.string()),
        ("site", pa.string()),
        ("penalty", pa.float64()),  # dollars per late row
        ("stored_bytes", pa.int64()),
    ]
)

MERGE_FILES = 64


def append_rows(log: DeltaLog, schema: pa.Schema, rows: Sequence[Mapping[str, Any]], now: int) -> None:
    """Add rows in one commit."""
    if not rows:
        return
    if not log.exists():
        log.create(schema)
    log.widen(schema)
    time = max(now, log.time() + 1)
    file = write_parquet(log.path, new_file_name(time), pa.Table.from_pylist(list(rows), schema=schema))
    log.commit(time, [file])
    if len(log.snapshot().files) >= MERGE_FILES:
        DeltaTable(log.path).optimize.compact()


def read_rows(log: DeltaLog, schema: pa.Schema, since: int = 0) -> pa.Table:
    """The rows with `at` >= since, oldest first."""
    if not log.exists():
        return schema.empty_table()
    files = [file.path for file in log.snapshot().files]
    if not files:
        return schema.empty_table()
    found = ds.dataset(files, schema=schema, format="parquet").to_table(filter=pc.field("at") >= since)
    return found.sort_by("at")
